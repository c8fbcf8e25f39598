"""fixed_window: at most `limit` in each window [phase + i * window, phase + (i + 1) * window).

A counter whose window ends at the mark. After a change of the window or its phase two marks are in play; then the
count stands until the later one, so that nothing spent is forgotten while either window lasts.
"""

from .counter import Counter


def fnv1a_64(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value


class FixedWindow(Counter):
    def __init__(self, p, key):
        super().__init__(p, key)
        self.key = key.encode()

    def mark(self, p):
        phase = fnv1a_64(self.key) % p.window if p.by_key else 0
        return phase + ((self.at - phase) // p.window + 1) * p.window

    def closes(self, p):
        return self.end if self.is_open() else self.mark(p)

    def book(self, p, cost, at, permit):
        mark = self.mark(p)
        super().book(p, cost, at, permit)
        self.end = max(self.end, mark)
