"""leaky_bucket. As a meter: a token bucket that grants nothing ahead. As a queue: permits evenly spaced, 1/rate apart.

The queue's state is one exact instant: when the next slot is free. A permit is due at the first whole microsecond from
then on; the slots themselves are spaced exactly, so nothing drifts.
"""

import math
from fractions import Fraction

from .bucket import NO_BOUND, Bucket
from .token_bucket import TokenBucket


class LeakyMeter(TokenBucket):
    grants_ahead = False

    def ahead(self, p):
        return 0


class LeakyQueue(Bucket):
    grants_ahead = True

    def __init__(self, p, key):
        self.free = Fraction(-NO_BOUND)
        self.permits = p.permits
        self.now = -NO_BOUND

    def ahead(self, p):
        return p.capacity * p.micros // p.permits if p.permits else 0

    def ever(self, p, cost, n, horizon):
        return p.permits > 0 and cost <= p.capacity and (n - 1) * cost * p.micros <= horizon * p.permits

    def advance(self, p, now):
        self.now = now
        if self.permits != p.permits:  # Another rate: the fraction of a microsecond is dropped.
            self.free, self.permits = Fraction(math.ceil(self.free)), p.permits

    def reach(self, p, cost, n):
        return math.ceil(max(self.now, self.free) + (n - 1) * cost * Fraction(p.micros, p.permits))

    def behind(self, p, cost, units):
        return self.reach(p, units, 2)

    def soonest_behind(self, p, cost, units, horizon):
        if units * p.micros > horizon * p.permits:
            return None
        return self.behind(p, cost, units) - horizon

    def book(self, p, cost, at, permit):
        taken = max(self.now, self.free)
        if at > math.ceil(taken):  # Another limit of the ask was later.
            taken = Fraction(at)
        self.free = taken + cost * Fraction(p.micros, p.permits)

    def remaining(self, p, now):
        return 1 if p.permits > 0 and self.free <= now else 0

    def release(self, p, cost, permits, now):
        if p.permits == 0:
            return 0, False
        self.advance(p, now)
        back = 0
        for _, at in reversed(permits):
            before = self.free - cost * Fraction(p.micros, p.permits)
            if at > now and math.ceil(before) == at:
                self.free = before
                back += 1
        return back, back > 0
