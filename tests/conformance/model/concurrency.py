"""concurrency: never more than `limit` held.

A permit is held until its attempt has ended, it is given back, or its lease runs out: a sliding log whose window is the
lease, which grants nothing ahead and takes entries out when an attempt ends.
"""

from .sliding_log import SlidingLog


class Concurrency(SlidingLog):
    grants_ahead = False

    def ahead(self, p):
        return 0

    def ended(self, permits):
        over = {permit for permit, _ in permits}
        self.entries = [entry for entry in self.entries if entry[1] not in over]
