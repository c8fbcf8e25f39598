"""sliding_window with log: newest. Never more than `limit` in (t - window, t]; less is held back than with counts alone.

The newest slice keeps the instant and id of each permit. Once time is past it, it is folded to its count and the
instant of its last permit, and leaves a window after that instant.
"""

from .sliding_window import SlidingWindow


class SlidingWindowNewest(SlidingWindow):
    def __init__(self, p, key):
        super().__init__(p, key)
        self.entries = []  # (instant, id, cost) of the permits of the newest slice.

    def copy(self):
        other = SlidingWindowNewest.__new__(SlidingWindowNewest)
        other.slices = [slice_[:] for slice_ in self.slices]
        other.time, other.at, other.entries = self.time, self.at, self.entries[:]
        return other

    def leaves(self, p, slice_):
        return slice_[0] + p.window

    def advance(self, p, now):
        super().advance(p, now)
        if not self.slices or self.slices[-1][0] // p.slice != self.at // p.slice:
            self.entries = []

    def book(self, p, cost, at, permit):
        super().book(p, cost, at, permit)
        self.entries.append((at, permit, cost))

    def release(self, p, cost, permits, now):
        self.advance(p, now)
        newest = self.at // p.slice
        back = 0
        for permit, at in permits:
            if at // p.slice != newest:
                known, _ = super().release(p, cost, [(permit, at)], now)
                back += known
                continue
            kept = [entry for entry in self.entries if entry[1] != permit]
            if len(kept) == len(self.entries):
                continue
            self.entries = kept
            self.slices[-1][1] = max(0, self.slices[-1][1] - cost)
            if kept:
                self.slices[-1][0] = kept[-1][0]
            if self.slices[-1][1] == 0:
                self.slices.pop()
            back += 1
        return back, back > 0
