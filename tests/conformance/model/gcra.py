"""gcra: at most burst + rate * W in any W. The state is one exact instant, the theoretical arrival time, and its rate.

Each permit moves the time on by its cost's intervals, from the permit's instant if it lay before that. A permit of n
intervals is due when the time, so moved, would lie at most `burst` intervals ahead.
"""

import math
from fractions import Fraction

from .bucket import NO_BOUND, Bucket


TOO_OLD = 10_000_000  # After its instant a permit does not come back.


def interval(permits, micros):
    return Fraction(micros, permits)


class Gcra(Bucket):
    grants_ahead = True

    def __init__(self, p, key):
        self.arrival = Fraction(-NO_BOUND)
        self.rate = (p.permits, p.micros)
        self.mixed_until = -NO_BOUND  # Until then permits may come back that were granted under another rate.
        self.now = -NO_BOUND

    def ahead(self, p):
        return NO_BOUND

    def ever(self, p, cost, n, horizon):
        return p.permits > 0 and n * cost <= p.burst

    def begin(self, p, now):
        """The first ask under another rate says how much is spent."""
        if p.permits == 0 or self.rate == (p.permits, p.micros) or self.arrival <= now:
            return False
        self.advance(p, now)
        return True

    def advance(self, p, now):
        self.now = now
        if p.permits == 0:
            return
        too_old = math.ceil(self.arrival) + TOO_OLD  # No permit was granted for a later instant.
        self.arrival = max(self.arrival, Fraction(now))
        if self.rate != (p.permits, p.micros):  # As many permits are spent, rounded up to a whole unit of the new rate.
            spent = (self.arrival - now) / interval(*self.rate)
            self.mixed_until = max(self.mixed_until, too_old)
            self.arrival = now + Fraction(math.ceil(spent * p.micros), p.permits)
            self.rate = (p.permits, p.micros)

    def reach(self, p, cost, n):
        return max(self.now, math.ceil(self.arrival + (n * cost - p.burst) * interval(p.permits, p.micros)))

    def behind(self, p, cost, units):
        return self.reach(p, cost + units, 1)

    def soonest_behind(self, p, cost, units, horizon):
        if (cost + units - p.burst) * p.micros > horizon * p.permits:
            return None
        return self.behind(p, cost, units) - horizon

    def book(self, p, cost, at, permit):
        self.arrival = max(self.arrival, Fraction(at)) + cost * interval(p.permits, p.micros)

    def forgettable(self, p, now):
        """Of when it was used nothing is known any more, which says what may come back once the rate is another."""
        return self.arrival <= now < math.ceil(self.arrival) + TOO_OLD

    def remaining(self, p, now):
        if p.permits == 0:
            return 0
        look = self.copy()
        look.advance(p, now)
        return max(0, math.floor(p.burst - (look.arrival - now) / interval(p.permits, p.micros)))

    def release(self, p, cost, permits, now):
        """The most of the last ones for which nothing else can have been granted since the first of them: any other
        permit would have moved the time on by an interval at least. Under two rates nobody can tell."""
        if p.permits == 0 or self.arrival <= now or self.mixed_until > now or self.rate != (p.permits, p.micros):
            return 0, False
        self.advance(p, now)
        best = 0
        for n in range(1, len(permits) + 1):
            first = min(at for _, at in permits[-n:])
            since = (self.arrival - first) / interval(p.permits, p.micros)
            if n * cost <= since < n * cost + 1:
                best = n
        self.arrival -= best * cost * interval(p.permits, p.micros)
        return best, best > 0
