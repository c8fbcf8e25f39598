"""token_bucket: at most burst + rate * W in any W; starts full, or empty with the first ask. Also the leaky bucket as a meter, and smooth.

The level is in 1/Q permits, so a microsecond adds P and a permit takes Q, and nothing is ever rounded.

What comes back must not exceed what a bucket would hold from which it had never been taken. The bucket remembers how
high it has stood since anything that may still come back was taken: in this generation (ten seconds) and the one
before. What is given back raises that too, and never above full. A permit of ten seconds ago stays spent.
"""

from .bucket import NO_BOUND, Bucket
from .units import ceil_div

GENERATION = 10_000_000
NEW_AFTER = 3_600_000_000  # Of one that starts empty: from when it is full.


class TokenBucket(Bucket):
    grants_ahead = True

    def __init__(self, p, key):
        self.level = p.burst * p.micros
        self.peak = self.before = 0  # The highest level in the generation of `at`, and in the one before.
        self.micros = p.micros
        self.at = -NO_BOUND  # The level holds for this instant.

    def ahead(self, p):
        return NO_BOUND

    def ever(self, p, cost, n, horizon):
        return p.permits > 0 and n * cost <= p.burst

    def begin(self, p, now):
        if not p.starts_empty or p.permits == 0 or self.at != -NO_BOUND and not self.forgettable(p, now):
            return False
        self.level, self.at, self.micros = 0, now, p.micros
        self.peak = self.before = 0
        return True

    def advance(self, p, now):
        full = p.burst * p.micros
        if self.micros != p.micros:
            self.level = min(full, self.level * p.micros // self.micros)
            self.peak = self.before = full
            self.micros = p.micros
        self.level = min(self.level, full)
        if now <= self.at:
            return
        if now - self.at >= GENERATION:  # Nothing that was taken until then comes back any more.
            self.peak = self.before = 0
        elif now // GENERATION > self.at // GENERATION:
            self.before, self.peak = self.peak, 0
        risen = self.level + (now - self.at) * p.permits
        self.level = min(full, risen)
        if now - self.at < GENERATION:
            self.peak = max(self.peak, self.level)
        self.at = now

    def reach(self, p, cost, n):
        missing = n * cost * p.micros - self.level
        return self.at if missing <= 0 else self.at + ceil_div(missing, p.permits)

    def behind(self, p, cost, units):
        return self.reach(p, cost + units, 1)

    def soonest_behind(self, p, cost, units, horizon):
        if (cost + units - p.burst) * p.micros > horizon * p.permits:
            return None
        return self.behind(p, cost, units) - horizon

    def book(self, p, cost, at, permit):
        self.advance(p, at)
        self.level -= cost * p.micros

    def forgettable(self, p, now):
        seen = now - NEW_AFTER if p.starts_empty else now
        if seen < self.at or now - self.at < GENERATION:
            return False
        look = self.copy()
        look.advance(p, seen)
        return look.level == p.burst * p.micros

    def remaining(self, p, now):
        look = self.copy()
        look.begin(p, now)
        look.advance(p, now)
        return 0 if look.at > now or p.permits == 0 else max(0, look.level // p.micros)

    def release(self, p, cost, permits, now):
        self.begin(p, now)
        self.advance(p, now)
        room = p.burst * p.micros - max(self.peak, self.before, self.level)
        known = sum(at > self.at - GENERATION for _, at in permits)
        back = max(0, min(known * cost * p.micros, room))
        self.level += back
        self.peak += back
        self.before += back
        return known, back > 0
