"""sliding_window: never more than `limit` in (t - window, t]: the slice that has left in part still counts in full.

Time is cut into slices of ceil(window / slices). What was booked in slice i counts until slice i + slices ends, which
is at least a window after any instant in slice i.
"""

from .bucket import NO_BOUND, Bucket


class SlidingWindow(Bucket):
    def __init__(self, p, key):
        self.slices = []  # [instant of the last booking, units], oldest first, one for each slice.
        self.time = -NO_BOUND  # The instant of the last booking.
        self.at = -NO_BOUND

    def copy(self):
        other = SlidingWindow.__new__(SlidingWindow)
        other.slices = [slice_[:] for slice_ in self.slices]
        other.time, other.at = self.time, self.at
        return other

    def ever(self, p, cost, n, horizon):
        return n * cost <= p.limit

    def leaves(self, p, slice_):
        return (slice_[0] // p.slice + p.slices + 1) * p.slice

    def advance(self, p, now):
        self.at = max(now, self.time)
        merged = []  # The slices may have another length than when they were written.
        for last, count in self.slices:
            if merged and merged[-1][0] // p.slice == last // p.slice:
                merged[-1] = [last, merged[-1][1] + count]
            else:
                merged.append([last, count])
        self.slices = [slice_ for slice_ in merged if self.leaves(p, slice_) > self.at]

    def reach(self, p, cost, n):
        over = sum(count for _, count in self.slices) + n * cost - p.limit
        if over <= 0:
            return self.at
        for slice_ in self.slices:
            over -= slice_[1]
            if over <= 0:
                return self.leaves(p, slice_)
        raise AssertionError("more than the limit was asked for at once")

    def book(self, p, cost, at, permit):
        if self.slices and self.slices[-1][0] // p.slice == at // p.slice:
            self.slices[-1] = [at, self.slices[-1][1] + cost]
        else:
            self.slices.append([at, cost])
        self.time = at

    def forgettable(self, p, now):
        return any(self.leaves(p, slice_) <= now for slice_ in self.slices)

    def remaining(self, p, now):
        if self.time > now:
            return 0
        look = self.copy()
        look.advance(p, now)
        return max(0, p.limit - sum(count for _, count in look.slices))

    def release(self, p, cost, permits, now):
        self.advance(p, now)
        back = 0
        for _, at in permits:
            for slice_ in self.slices:
                if slice_[0] // p.slice == at // p.slice:
                    slice_[1] = max(0, slice_[1] - cost)
                    back += 1
                    break
            self.slices = [slice_ for slice_ in self.slices if slice_[1] > 0]
        return back, back > 0
