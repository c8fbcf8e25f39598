"""One ask of several buckets, all or nothing."""

from dataclasses import dataclass


@dataclass
class Charge:
    """One bucket of an ask: its state, its limit's parameters of now, and what a permit costs there."""

    bucket: object
    p: object
    cost: int


@dataclass
class Answer:
    granted: int
    due: list  # Instants.
    reason: int = None  # A place in the list of charges.
    retry: int = None  # Microseconds; None after a denial is never.


def ask(charges, least, most, horizon, permit, now):
    """From `least` to `most` permits due within `horizon`, or none. permit(i) names the i-th."""
    within = min([horizon] + [c.bucket.ahead(c.p) for c in charges])
    latest = now + within
    for place, c in enumerate(charges):
        if not c.bucket.ever(c.p, c.cost, least, within):
            return Answer(0, [], place, None)

    trial = [Charge(c.bucket.copy(), c.p, c.cost) for c in charges]
    for c in trial:
        c.bucket.advance(c.p, now)
    due = []
    at = _next(trial)
    while len(due) < most and at <= latest:
        at = _book(trial, due, at, permit)
    if len(due) >= least:
        for c, paid in zip(charges, trial):
            c.bucket = paid.bucket
        return Answer(len(due), due)

    late = next(i for i, c in enumerate(trial) if c.bucket.reach(c.p, c.cost, 1) > latest)
    if all(c.bucket.grants_ahead for c in charges):
        while len(due) < least - 1:
            at = _book(trial, due, at, permit)
        possible = max(c.bucket.soonest(c.p, c.cost, 1, within) for c in trial)
    else:
        possible = max(_untouched(c, now).soonest(c.p, c.cost, least, 0) for c in charges)
    return Answer(0, [], late, possible - now)


def _next(trial):
    return max(c.bucket.reach(c.p, c.cost, 1) for c in trial)


def _book(trial, due, at, permit):
    """Books the next permit at `at`; when the one after it can be had."""
    for c in trial:
        c.bucket.book(c.p, c.cost, at, permit(len(due)))
    due.append(at)
    return _next(trial)


def _untouched(charge, now):
    bucket = charge.bucket.copy()
    bucket.advance(charge.p, now)
    return bucket
