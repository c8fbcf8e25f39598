"""smooth: reservations. A token bucket that grants at most `timeout` ahead.

pay: now. A permit waits for its own price, as in a token bucket.
pay: next. A permit waits for the debts of those before it and leaves its own to the next, as in Guava.
"""

from .token_bucket import TokenBucket
from .units import ceil_div


class SmoothNow(TokenBucket):
    def ahead(self, p):
        return p.timeout


class SmoothNext(SmoothNow):
    def reach(self, p, cost, n):
        missing = (n - 1) * cost * p.micros - self.level
        return self.at if missing <= 0 else self.at + ceil_div(missing, p.permits)

    def behind(self, p, cost, units):
        return self.reach(p, units, 2)

    def soonest_behind(self, p, cost, units, horizon):
        if (units - p.burst) * p.micros > horizon * p.permits:
            return None
        return self.behind(p, cost, units) - horizon
