"""smooth with warm_up, as Guava's SmoothWarmingUp with cold factor 3: a limiter that stood idle starts slowly.

Idle time stores up to F = P * warm_up units of 1/Q permits. A unit from the warm half costs what a new one costs; in
the cold half the price rises in a line up to three times that, so the surcharge is a parabola, here in 64 straight
pieces.
"""

import math
from fractions import Fraction

from .bucket import NO_BOUND, Bucket
from .units import ceil_div

PIECES = 64


def surcharge(full, level):
    """What draining `level` units costs above the stable price."""
    half = full // 2
    piece = ceil_div(full - half, PIECES)
    cold = max(0, level - half)
    j = min(PIECES - 1, cold // piece) if piece else 0
    return (j * j * piece + (2 * j + 1) * (cold - j * piece)) // PIECES


class WarmUp(Bucket):
    grants_ahead = True

    def __init__(self, p, key):
        self.level = self.full(p)
        self.free = Fraction(-NO_BOUND)  # When the next permit is free, exactly.
        self.rate = (p.permits, p.micros)

    @staticmethod
    def full(p):
        return p.permits * p.warm_up

    def ahead(self, p):
        return p.timeout

    def price(self, p, level, units):
        return units + surcharge(self.full(p), level) - surcharge(self.full(p), level - min(units, level))

    def ever(self, p, cost, n, horizon):
        if p.permits == 0:
            return False
        return self.price(p, self.full(p), (n - 1) * cost * p.micros) <= horizon * p.permits

    def advance(self, p, now):
        if self.rate != (p.permits, p.micros):
            if self.rate[1] != p.micros:
                self.level = self.level // self.rate[1] * p.micros
            self.free, self.rate = Fraction(math.ceil(self.free)), (p.permits, p.micros)
        self.level = min(self.level, self.full(p))
        if now > math.ceil(self.free):
            gained = (now - self.free) * p.permits
            assert gained.denominator == 1
            self.level = min(self.full(p), self.level + int(gained))
            self.free = Fraction(now)

    def reach(self, p, cost, n):
        return math.ceil(self.free + Fraction(self.price(p, self.level, (n - 1) * cost * p.micros), p.permits))

    def book(self, p, cost, at, permit):
        self.advance(p, at)
        units = cost * p.micros
        self.free += Fraction(self.price(p, self.level, units), p.permits)
        self.level -= min(units, self.level)

    def forgettable(self, p, now):
        look = self.copy()
        look.advance(p, now)
        return look.level == self.full(p) and look.free <= now

    def remaining(self, p, now):
        return 1 if p.permits > 0 and self.free <= now else 0

    def release(self, p, cost, permits, now):
        return 0, False
