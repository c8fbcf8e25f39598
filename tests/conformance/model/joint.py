"""One ask of several buckets, all or nothing."""

from dataclasses import dataclass


@dataclass
class Charge:
    """One bucket of an ask: its state, its limit's parameters of now, and what each permit costs there."""

    bucket: object
    p: object
    costs: list

    @property
    def cost(self):
        return self.costs[0]


@dataclass
class Answer:
    granted: int
    due: list  # Instants.
    reason: int = None  # A place in the list of charges.
    retry: int = None  # Microseconds; None after a denial is never.


def ask(charges, least, most, horizon, permit, now):
    """From `least` to `most` permits due within `horizon`, or none. permit(i) names the i-th.

    Where permits differ in cost `least` is 1, and what is granted ends before one that could never be.
    """
    within = min([horizon] + [c.bucket.ahead(c.p) for c in charges])
    latest = now + within
    for place, c in enumerate(charges):
        if not c.bucket.ever(c.p, c.cost, least, within):
            return Answer(0, [], place, None)

    trial = [Charge(c.bucket.copy(), c.p, c.costs) for c in charges]
    for c in trial:
        c.bucket.advance(c.p, now)
    due = []
    while len(due) < most and _possible(trial, len(due), within):
        at = _next(trial, len(due))
        if at > latest:
            break
        _book(trial, due, at, permit)
    if len(due) >= least:
        for c, paid in zip(charges, trial):
            c.bucket = paid.bucket
        return Answer(len(due), due)

    late = _last(trial, len(due))
    if all(c.bucket.grants_ahead for c in charges):
        while len(due) < least - 1:
            _book(trial, due, _next(trial, len(due)), permit)
        possible = max(c.bucket.soonest(c.p, c.cost, 1, within) for c in trial)
    else:
        possible = max(_untouched(c, now).soonest(c.p, c.cost, least, 0) for c in charges)
    return Answer(0, [], late, possible - now)


def _possible(trial, i, within):
    """Whether the i-th permit could be had some time."""
    return all(c.bucket.ever(c.p, c.costs[i], 1, within) for c in trial)


def _next(trial, i):
    return max(c.bucket.reach(c.p, c.costs[i], 1) for c in trial)


def _last(trial, i):
    """Whose i-th permit could be had last; of several at that instant the first."""
    times = [c.bucket.reach(c.p, c.costs[i], 1) for c in trial]
    return times.index(max(times))


def _book(trial, due, at, permit):
    for c in trial:
        c.bucket.book(c.p, c.costs[len(due)], at, permit(len(due)))
    due.append(at)


def _untouched(charge, now):
    bucket = charge.bucket.copy()
    bucket.advance(charge.p, now)
    return bucket


@dataclass
class Shared(Answer):
    flows: list = None  # Of each permit, by its place in the ask.
    held_up: str = None  # By whom, if not by a limit: "gates", or "own" for other flows of the same gate.


def ask_shared(charges, place, asking, most, horizon, permit, now):
    """At most `most` permits for the flows that wait; the limit at `place` is the one that they share.

    Returns the answer, and the share's state behind it.
    """
    within = min([horizon] + [c.bucket.ahead(c.p) for c in charges])
    latest = now + within
    never = next((i for i, c in enumerate(charges) if not c.bucket.ever(c.p, c.cost, 1, within)), None)
    if never is not None:
        return Shared(0, [], never, None, []), asking.end(None, False)
    trial = [Charge(c.bucket.copy(), c.p, c.costs) for c in charges]
    for c in trial:
        c.bucket.advance(c.p, now)
    shared = trial[place]
    answer = Shared(0, [], flows=[])

    def fits(units):
        return shared.bucket.behind(shared.p, shared.cost, units) <= latest

    def soonest(units):
        times = [c.bucket.soonest(c.p, c.cost, 1, within) for c in trial if c is not shared]
        times.append(shared.bucket.soonest_behind(shared.p, shared.cost, units, within))
        return None if times[-1] is None else max(times)

    while answer.granted < most:
        flow = asking.next()
        if flow is None:
            break
        late = _last(trial, 0) if _next(trial, 0) > latest else None
        if late is None and not fits(asking.left_for_others(flow)):
            late = place
            answer.held_up = "own" if fits(asking.left_for_others(flow, of_gate=False)) else "gates"
        if late is not None:
            answer.reason, answer.retry = late, asking.retry(soonest) - now
            break
        _book(trial, answer.due, _next(trial, 0), permit)
        answer.flows.append(asking.flows.index(flow))
        answer.granted += 1
        asking.take(flow)
    if answer.granted:
        for c, paid in zip(charges, trial):
            c.bucket = paid.bucket
    return answer, asking.end(answer.retry, answer.reason in (None, place))
