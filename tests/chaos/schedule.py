"""What a seed does to the world: a list of faults, each with its time, drawn before anything starts."""

import collections
import random

GATES = ["gate-1", "gate-2", "gate-3"]
GUEST = "gate-4"  # Comes and goes, so that partitions move.
ROUTES = ["ordered", "keyed", "free"]
BROKERS = [1, 2, 3]
SESSION_S = 6.0
TIMEOUT_S = 2.0  # Of a delivery attempt.
LIMITS = [120, 150, 180]  # Of the whole fleet in a second: a reload draws one.
MOST_DELAY_MS = 250

# `at` seconds after the beginning, lasting `seconds`; `how` is what else there is to know, as a dict.
Fault = collections.namedtuple("Fault", "at kind subject seconds how")

_QUIET_S = 4.0  # At both ends: a fleet at work, and time to see what the last fault did.


def draw(seed, seconds):
    """The faults of a seed, in order of time. Each kind has dice of its own: a new kind changes none of the others."""
    faults = []
    for name, stream in (("gates", _gates), ("guest", _guest), ("network", _network), ("brokers", _brokers),
                         ("redis", _redis), ("targets", _targets), ("reloads", _reloads)):
        dice = random.Random(f"{seed}/{name}")
        faults += stream(dice, seconds - _QUIET_S)
    return sorted(faults, key=lambda fault: (fault.at, fault.kind, str(fault.subject)))


def draw_kills(seed, count):
    """So many `kill -9` of gates and nothing else: two or three of the three are there at any time, each for some seconds."""
    dice = random.Random(f"{seed}/kills")
    free, found, at = dict.fromkeys(GATES, _QUIET_S), [], _QUIET_S
    while len(found) < count:
        at += dice.uniform(0.2, 2.0)
        ready = [gate for gate in GATES if free[gate] <= at]
        if not ready:
            continue
        gate = dice.choice(ready)
        seconds = _seldom_long(dice, 0.1, 1.5, 0.03)
        found.append(Fault(at, "kill", gate, seconds, {}))
        free[gate] = at + seconds + dice.uniform(0.5, 4.0)
    return found


def waits_for_replicas(seed):
    """Two seeds of three run with redis.wait_replicas: 1, where a failover may forget nothing."""
    return 0 if seed % 3 == 0 else 1


def text(fault):
    how = "".join(f" {name}={value}" for name, value in sorted(fault.how.items()))
    lasting = f" for {fault.seconds:.1f} s" if fault.seconds else ""
    return f"{fault.kind} {fault.subject}{how}{lasting}"


def _times(dice, end, shortest, longest):
    at = _QUIET_S + dice.uniform(0, shortest)
    while at < end:
        yield at
        at += dice.uniform(shortest, longest)


def _seldom_long(dice, shortest, longest, share=0.2):
    """Mostly short; now and then longer than a session."""
    if dice.random() < share:
        return dice.uniform(SESSION_S + 2, SESSION_S + 6)
    return dice.uniform(shortest, longest)


class _Busy:
    """One fault at a time for a subject, and time to come back."""

    def __init__(self, end):
        self._end, self._until = end, {}

    def take(self, subject, at, seconds, rest):
        if at < self._until.get(subject, 0) or at + seconds > self._end:
            return False
        self._until[subject] = at + seconds + rest
        return True


def _gates(dice, end):
    busy, found = _Busy(end), []
    for at in _times(dice, end, 3.0, 7.0):
        kind = dice.choices(["kill", "stop", "terminate"], [5, 3, 2])[0]
        gate = dice.choice(GATES)
        seconds = _seldom_long(dice, 0.5, 3.5, 0.35) if kind == "stop" else _seldom_long(dice, 0.1, 3.0, 0.15)
        if busy.take(gate, at, seconds, 4.0):
            found.append(Fault(at, kind, gate, seconds, {}))
    return found


def _guest(dice, end):
    busy, found = _Busy(end), []
    for at in _times(dice, end, 20.0, 40.0):
        seconds = dice.uniform(8.0, 20.0)
        if busy.take(GUEST, at, seconds, 8.0):
            found.append(Fault(at, "visit", GUEST, seconds, {"leave": dice.choice(["terminate", "kill"])}))
    return found


def pairs():
    """Every pair whose link can fail, as (one end, other end); "kafka" and "redis" as a whole too."""
    ends = [f"broker-{node}" for node in BROKERS] + ["kafka", "redis", "redis"] + ROUTES
    return [(gate, end) for gate in GATES for end in ends] + [("brokers", f"broker-{node}") for node in BROKERS]


def _network(dice, end):
    busy, found = _Busy(end), []
    for at in _times(dice, end, 1.5, 4.0):
        pair = dice.choice(pairs())
        state = dice.choices(["silent", "closed", "slow"], [4, 3, 3])[0]
        long = pair[1] == "kafka" or pair[1] == "redis"
        seconds = _seldom_long(dice, 0.3, 5.0, 0.3) if long else dice.uniform(0.3, 5.0)
        how = {"state": state}
        if state == "slow":
            how["delay_ms"] = dice.randrange(20, MOST_DELAY_MS)
        # A gate's link to one broker is also part of its link to Kafka as a whole.
        subject = (pair[0], "kafka" if pair[1].startswith("broker") else pair[1])
        if busy.take(subject, at, seconds, 1.0):
            found.append(Fault(at, "link", f"{pair[0]}>{pair[1]}", seconds, how))
    return found


def _brokers(dice, end):
    found, free = [], 0.0
    for at in _times(dice, end, 25.0, 40.0):
        seconds = dice.uniform(0.5, 7.0)
        if at >= free and at + seconds + 8 < end:
            found.append(Fault(at, "broker", f"broker-{dice.choice(BROKERS)}", seconds, {}))
            free = at + seconds + 15
    return found


def _redis(dice, end):
    found = []
    for at in _times(dice, end, 20.0, 30.0):
        kind, shortest, longest = dice.choice([
            ("kill_primary", 0.05, 0.5), ("kill_primary", 4.0, 7.0), ("kill_replica", 0.5, 5.0),
            ("pause_primary", 0.3, 1.2), ("pause_replica", 0.5, 4.0), ("fail_over", 0.0, 0.0)])
        seconds = dice.uniform(shortest, longest)
        if at + seconds + 5 < end:
            found.append(Fault(at, kind, "redis", seconds, {}))
    return found


def _targets(dice, end):
    busy, found = _Busy(end), []
    for at in _times(dice, end, 2.0, 5.0):
        seconds = dice.uniform(0.5, 4.0)
        how = dice.choice([
            {"mode": "status", "status": 500, "percent": 100}, {"mode": "status", "status": 503, "percent": 40},
            {"mode": "status", "status": 429, "percent": 100, "retry_after": dice.choice([1, 2])},
            {"mode": "hang"}, {"mode": "slow", "delay_ms": dice.randrange(50, 1200)},
            {"mode": "slow", "delay_ms": int(TIMEOUT_S * 1000) + 300}, {"mode": "reset"}, {"mode": "lost"},
            {"mode": "garbage"}])
        target = dice.choice(ROUTES)
        if busy.take(target, at, seconds, 1.0):
            found.append(Fault(at, "target", target, seconds, how))
    return found


def _reloads(dice, end):
    """Mostly another limit for all; now and then one gate is told to read a config that is broken."""
    found = []
    for at in _times(dice, end, 8.0, 20.0):
        gate, limit = dice.choice(GATES), dice.choice(LIMITS)
        broken = dice.random() < 0.25
        found.append(Fault(at, "break_config", gate, 0.0, {}) if broken
                     else Fault(at, "reload", "fleet", 0.0, {"limit": limit}))
    return found
