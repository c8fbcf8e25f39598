"""How the suite runs a scenario, said where the scenario stands. discover.py reads it."""

_DEFAULT = {
    "seconds": 180,     # More than that is a failure.
    "alone": False,     # It judges a rate or a moment closely, so nothing else may run beside it.
    "half": False,      # It judges moments by seconds: half of what else would run may run beside it.
    "waits": False,     # It waits far more than it works: beside any other.
    "whole": False,     # Only ./test.sh --all runs it: a shorter one shows the same promise, or it takes minutes.
    "together": False,  # Of a class: all of it is one test, as each takes no time worth telling.
    "servers": True,    # It needs some, and time: ./test.sh --fast leaves it out.
    "kafka": "3.9.1",   # The version of its broker.
}


def plan(**changes):
    """Decorates a class or one of its tests; what a test says counts before what its class says."""
    unknown = changes.keys() - _DEFAULT.keys()
    if unknown:
        raise TypeError(f"a plan has no {sorted(unknown)}")

    def mark(what):
        what.plan = {**getattr(what, "plan", {}), **changes}
        return what
    return mark


def of(kind, method=None):
    """The plan of a class of tests, or of one test of it."""
    own = getattr(getattr(kind, method), "plan", {}) if method else {}
    return {**_DEFAULT, **getattr(kind, "plan", {}), **own}
