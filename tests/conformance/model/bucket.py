"""What every algorithm answers about one bucket.

A bucket is plain state. An ask works on copies and throws them away unless it is granted, so nobody has to prove that a
denial writes nothing. `p` is the limit's parameters of now, which may have changed since the bucket was last written.
"""

NO_BOUND = 1 << 80  # A horizon that never binds.


class Bucket:
    grants_ahead = False  # Whether this kind can grant permits that come due later.

    def __init__(self, p, key):
        """A bucket that nobody has used."""

    def copy(self):
        """Enough where the state has no lists."""
        other = self.__class__.__new__(self.__class__)
        other.__dict__.update(self.__dict__)
        return other

    def ahead(self, p):
        """How far ahead of an ask a permit may be due."""
        return 0

    def begin(self, p, now):
        """Whether what an ask finds is written even if it is denied: the bucket is new, or under other numbers."""
        return False

    def ever(self, p, cost, n, horizon):
        """Whether n permits could be had in one ask if only one waited long enough."""
        raise NotImplementedError

    def advance(self, p, now):
        """Moves on to `now`; stays where it is if that is in the past."""

    def reach(self, p, cost, n):
        """The earliest instant for the n-th permit from here, if nobody else asks."""
        raise NotImplementedError

    def soonest(self, p, cost, n, horizon):
        """The earliest instant for an ask that gets the n-th permit within its horizon, if nobody else asks."""
        return self.reach(p, cost, n) - horizon

    def behind(self, p, cost, units):
        """The earliest instant for a permit if others took so many units before it, each as early as could be."""
        raise NotImplementedError

    def soonest_behind(self, p, cost, units, horizon):
        """The earliest instant for an ask that finds it within its horizon; None if waiting does not bring it nearer."""
        raise NotImplementedError

    def book(self, p, cost, at, permit):
        """Takes one permit, due at `at`."""
        raise NotImplementedError

    def forgettable(self, p, now):
        """Whether some of what it keeps may have been thrown away by `now`, because no answer depends on it unless the
        parameters change."""
        return False

    def remaining(self, p, now):
        """What is free at `now`, in the bucket's own permits."""
        raise NotImplementedError

    def release(self, p, cost, permits, now):
        """Takes unused permits back: (id, instant) each, in the order of the ask.

        Returns how many of them it still knew, and whether anything came back: if not, nothing is written.
        """
        raise NotImplementedError

    def ended(self, p, permits, now):
        """The attempts are over. Only concurrency has anything to do."""
