"""concurrency: never more than `limit` held.

A permit is held until its attempt has ended, it is given back, or its lease runs out: a sliding log whose window is the
lease, which grants nothing ahead and takes entries out when an attempt ends.
"""

from .sliding_log import SlidingLog


class Concurrency(SlidingLog):
    grants_ahead = False

    def ahead(self, p):
        return 0

    def ended(self, p, permits, now):
        # Of one whose lease was over before its attempt nothing counts; what is kept of it is not fixed.
        self.release(p, 1, permits, now)
