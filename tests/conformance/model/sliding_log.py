"""sliding_log: never more than `limit` in (t - window, t], for every t.

Every unit that was ever granted is kept. A unit may be booked at t if among the entries the limit-th newest is at least
a window old at t; and never before the last booking, for first come is first served.
"""

from .bucket import NO_BOUND, Bucket

LONG_AGO = -NO_BOUND


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
        return n * cost <= p.limit

    def advance(self, p, now):
        self.now = now

    def reach(self, p, cost, n):
        at = max(self.now, self.last)
        must_have_left = len(self.entries) + n * cost - p.limit
        if must_have_left <= 0:
            return at
        if must_have_left > len(self.entries):
            raise AssertionError("more than the limit was asked for at once")
        return max(at, self.entries[must_have_left - 1][0] + p.window)

    def book(self, p, cost, at, permit):
        self.entries += [(at, permit)] * cost
        self.last = at

    def forgettable(self, p, now):
        gone = max(now, self.last) - p.window
        return any(instant <= gone for instant, _ in self.entries)

    def remaining(self, p, now):
        if self.last > now:
            return 0
        counted = 0
        for instant, _ in reversed(self.entries):
            if instant + p.window <= now:
                break
            counted += 1
        return max(0, p.limit - counted)

    def release(self, p, cost, permits, now):
        gone = max(now, self.last) - p.window  # What entered by then counts no more.
        found = {permit for instant, permit in self.entries if instant > gone}
        back = [permit for permit, _ in permits if permit in found]
        if back:
            self.entries = [entry for entry in self.entries if entry[1] not in back]
        return len(back), bool(back)
