"""sliding_log: never more than `limit` in (t - window, t], for every t.

Every unit that was ever granted is kept. A unit may be booked at t if among the entries the limit-th newest is at least
a window old at t; and never before the last booking, for first come is first served.

With `even` permits keep a distance that are due later than the ask: never more than a group in a group's time, where the
limit's permits take that part of the window, and a group is what comes in 5 ms. With `burst` those that leave at once
are never more than it in a burst's time; who has to wait for that may come sooner in his group.
"""

from .bucket import NO_BOUND, Bucket

LONG_AGO = -NO_BOUND
GROUP = 5_000


def rules(p, cost):
    """(units, time) each: of those that leave at once, and of those that are due later. None: there is no such rule."""
    if p.even == 0:
        return None, None
    burst = p.burst if p.burst is not None and p.burst < p.limit else None
    group = min(burst or p.limit, max(1, GROUP * 100 * p.limit // (p.even * p.window)))
    if group == p.limit:
        return None, None

    def time(units):
        return units * p.even * p.window // (100 * p.limit)
    whole = max(1, group // cost) * cost  # As many whole permits as fit into a group, at least one.
    return burst and (burst, time(burst)), (whole, time(group) // group * whole if cost > 1 else time(group))


class SlidingLog(Bucket):
    grants_ahead = True

    def __init__(self, p, key):
        self.entries = []  # (instant, id), one for each unit of cost; instants never fall.
        self.last = LONG_AGO  # The instant of the last booking, also if it was given back.
        self.now = LONG_AGO

    def copy(self):
        other = self.__class__.__new__(self.__class__)
        other.entries, other.last, other.now = self.entries[:], self.last, self.now
        return other

    def ahead(self, p):
        return NO_BOUND

    def ever(self, p, cost, n, horizon):
        return n * cost <= p.limit and (p.burst is None or n * cost <= p.burst)

    def advance(self, p, now):
        self.now = now

    def reach(self, p, cost, n):
        at_once, free, later = self._three(p, cost, n)
        return free if at_once <= self.now else later

    def soonest(self, p, cost, n, horizon):
        at_once, _, later = self._three(p, cost, n)
        return at_once if n > 1 else min(at_once, later - horizon)

    def _three(self, p, cost, n):
        """When there is room for n; when they could leave at once; when one that is due later keeps its distance."""
        burst, group = rules(p, cost)
        free = max(self.now, self.last, self._frees(p.limit, p.window, n * cost))
        at_once = max(free, self._frees(*burst, n * cost)) if burst else free
        later = max(free, self._frees(*group, cost)) if group else free
        return at_once, free, later

    def behind(self, p, cost, units):
        if units == 0:
            return self.reach(p, cost, 1)
        (at_once, _), (free, _), (later, _) = self._three_behind(p, cost + units)
        return free if at_once <= self.now else later

    def soonest_behind(self, p, cost, units, horizon):
        if units == 0:
            return self.soonest(p, cost, 1, horizon)
        (at_once, laps_at_once), _, (later, laps) = self._three_behind(p, cost + units)
        possible = ([at_once] if laps_at_once == 0 else []) + ([later - horizon] if laps <= horizon else [])
        return min(possible, default=None)

    def _three_behind(self, p, more):
        """As _three(), each with how much of it is that what is taken before must leave again first."""
        burst, group = rules(p, 1)
        free = self._frees_behind(p.limit, p.window, more)
        at_once = max(free, self._frees_behind(*burst, more)) if burst else free
        later = max(free, self._frees_behind(*group, more)) if group else free
        return at_once, free, later

    def _frees_behind(self, units, time, more):
        laps = (more - 1) // units
        return max(self.now, self.last, self._frees(units, time, more - laps * units)) + laps * time, laps * time

    def _frees(self, units, time, more):
        """When so many more are at most that many units in any such time."""
        must_have_left = len(self.entries) + more - units
        if must_have_left <= 0:
            return LONG_AGO
        if must_have_left > len(self.entries):
            raise AssertionError("more than the limit was asked for at once")
        return self.entries[must_have_left - 1][0] + time

    def book(self, p, cost, at, permit):
        self.entries += [(at, permit)] * cost
        self.last = at

    def forgettable(self, p, now):
        gone = max(now, self.last) - p.window
        return any(instant <= gone for instant, _ in self.entries)

    def remaining(self, p, now):
        if self.last > now:
            return 0
        free = p.limit - self._younger(p.window, now)
        burst, group = rules(p, 1)
        if burst:
            free = min(free, max(units - self._younger(time, now) for units, time in (burst, group)))
        return max(0, free)

    def _younger(self, time, now):
        return sum(1 for instant, _ in self.entries if instant + time > now)

    def release(self, p, cost, permits, now):
        gone = max(now, self.last) - p.window  # What entered by then counts no more.
        found = {permit for instant, permit in self.entries if instant > gone}
        back = [permit for permit, _ in permits if permit in found]
        if back:
            self.entries = [entry for entry in self.entries if entry[1] not in back]
        return len(back), bool(back)
