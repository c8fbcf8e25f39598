"""counter: at most `limit` in a window, which opens at the first hit. fixed_window.py closes it at a fixed mark."""

from .bucket import NO_BOUND, Bucket


class Counter(Bucket):
    def __init__(self, p, key):
        self.start = -NO_BOUND  # Of the window that was opened last: [start, end).
        self.end = -NO_BOUND
        self.count = 0
        self.at = -NO_BOUND

    def ever(self, p, cost, n, horizon):
        return n * cost <= p.limit

    def advance(self, p, now):
        self.at = max(now, self.start)

    def is_open(self):
        return self.at < self.end

    def closes(self, p):
        """When the window that holds `at` ends. One that is open keeps its end, whatever the window is now."""
        return self.end if self.is_open() else self.at + p.window

    def reach(self, p, cost, n):
        used = self.count if self.is_open() else 0
        return self.at if used + n * cost <= p.limit else self.closes(p)

    def book(self, p, cost, at, permit):
        end = self.closes(p)
        if not self.is_open():
            self.start, self.count = self.at, 0
        self.end = end
        self.count += cost

    def remaining(self, p, now):
        if self.start > now:
            return 0
        return max(0, p.limit - (self.count if now < self.end else 0))

    def release(self, p, cost, permits, now):
        back = 0
        for _, at in permits:
            if at >= self.start and max(now, self.start) < self.end:
                self.count = max(0, self.count - cost)
                back += 1
        return back, back > 0
