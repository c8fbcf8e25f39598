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

    late = next(i for i, c in enumerate(trial) if c.bucket.reach(c.p, c.cost, 1) > latest)
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


def _book(trial, due, at, permit):
    for c in trial:
        c.bucket.book(c.p, c.costs[len(due)], at, permit(len(due)))
    due.append(at)


def _untouched(charge, now):
    bucket = charge.bucket.copy()
    bucket.advance(charge.p, now)
    return bucket
