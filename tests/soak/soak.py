#!/usr/bin/env python3
"""Months in hours: a gate under everything that comes and goes, and what it holds must not grow.

    tests/soak/soak.py                       three minutes, as ./test.sh --all runs it
    tests/soak/soak.py --minutes 480         eight hours
    tests/soak/soak.py --leak 100            the check itself: so many bytes are lost with each send, and it must be seen

Two gates share a limit in Redis for each key. Each record has a new one, and 100,000 of them are in use at a time. Meanwhile the
second gate leaves, for so long that the first one is given its partitions, and joins again; the first is reloaded under other
numbers; and the target fails, hangs up, or does not answer for a while, each again and again. Sampled are the first gate's
memory, file descriptors, threads and metric series, and Redis' keys. After a third of the time to warm up each may differ
between the rest's two halves by no more than what is noise; nothing is lost and no book is open at the end.
"""

import argparse
import collections
import itertools
import os
import signal
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "e2e"), os.path.join(ROOT, "deploy", "local")]

from harness.places import get, wait_until  # noqa: E402
from harness.world import World  # noqa: E402

RATE = 5_000
PARTITIONS = 6
WINDOW = 20       # Seconds that a key is in use.
SAMPLE = 2        # Seconds between two looks.
OUTAGE = (20, 2)  # Every so many seconds the target fails for so many, in turn by each of these:
OUTAGES = [("status", {"status": 500}), ("reset", {}), ("hang", {})]
RELOAD = 7
REJOIN = 30
SESSION_MS = 6000  # Who is away for longer has lost its partitions.

Sample = collections.namedtuple("Sample", "memory_mb files threads series redis_keys")
# What may come on top from one half to the other: a part, and that much.
NOISE = Sample((0.02, 2.0), (0.0, 8), (0.0, 1), (0.0, 4), (0.1, 500))


def config(world, limit):
    return world.config("results", 1, {
        "limits": {"shared": None, "each": {"algorithm": "sliding_log", "limit": limit, "window": f"{WINDOW}s", "even": "0%", "store": "redis",
                                            "key": "record_key"}},
        "kafka": {"properties": {"session.timeout.ms": SESSION_MS}},
        "targets": {"receiver": {"http": {"max_in_flight": 200}}},
        "route": {"limits": ["each"], "order": "none", "retry": {"initial": "50ms", "max": "1s"}}})


def sample(world, gate):
    process = f"/proc/{gate.process.pid}"
    page = get(gate.port, "/metrics")[1]
    # Those of partitions are as many as it has of these just now, which the other gate's coming and going decides, and those of
    # keys as many as have records that wait just now, ten at most.
    series = sum(1 for line in page.splitlines()
                 if line and line[0] != "#" and 'partition="' not in line and ',key="' not in line)
    return Sample(gate.resident_mb(), len(os.listdir(f"{process}/fd")), len(os.listdir(f"{process}/task")),
                  series, world.redis.ask("DBSIZE"))


class Turns:
    """What is due every so many seconds."""

    def __init__(self, every):
        self._every, self._next = every, time.monotonic() + every

    def due(self):
        if time.monotonic() < self._next:
            return False
        self._next += self._every
        return True


def leaking(world, lost):
    """What stands before a program that loses so many bytes with each send."""
    if not lost:
        return []
    library = os.path.join(world.directory, "leak.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "leak.c"), "-ldl"], check=True)
    return ["env", f"LD_PRELOAD={library}", f"LEAKED_BYTES={lost}"]


def run(world, seconds, lost):
    world.create_topic("results", PARTITIONS)
    first = world.gate("gate-1", config(world, 10))
    first.before = leaking(world, lost)
    first.start()
    second = world.gate("gate-2", config(world, 10)).start()
    producer = world.start_producing("results", int(RATE * seconds), size=200, keys=int(RATE * seconds), rate=RATE)
    kinds = itertools.cycle(OUTAGES)
    outages, reloads, joins = Turns(OUTAGE[0]), Turns(RELOAD), Turns(REJOIN)
    samples, limit, there = [], 10, True
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(SAMPLE)
        samples.append(sample(world, first))
        if outages.due():
            world.receiver.forget()  # Before the target fails: each request has its answer at once.
            mode, settings = next(kinds)
            world.receiver.tell(mode, **settings, for_ms=OUTAGE[1] * 1000)
        if reloads.due():
            limit = 21 - limit
            first.change({"limits": {"each": {"limit": limit}}})
            first.process.send_signal(signal.SIGHUP)
        if joins.due():
            there = not there
            if there:
                assert len(first.partitions()) == PARTITIONS, "it was given those of who has left"
                second.start()
            else:
                assert second.terminate() == 0, second.log()
    if not there:
        second.start()
    assert producer.wait() == 0, "the producer failed"
    ends = world.ends("results")
    wait_until(lambda: world.committed("results") == ends, 60, "all is delivered and committed")
    accepted = world.receiver.summary()
    assert accepted["distinct"] == sum(ends) == int(RATE * seconds), f"{sum(ends)} records, and accepted are {accepted}"
    books = [gate.status()["books"] for gate in (first, second)]
    reload = first.status()["reload"]
    assert reload["at"] and reload["successful"], reload
    return samples, accepted, books


def growth(samples):
    """What has grown by more than noise, as sentences; and the medians of both halves."""
    rest = samples[len(samples) // 3:]
    halves = rest[:len(rest) // 2], rest[len(rest) // 2:]
    before, after = (Sample(*(statistics.median(column) for column in zip(*half))) for half in halves)
    grown = [f"{name} grew from {was:.1f} to {now:.1f}" for name, was, now, (part, more) in
             zip(Sample._fields, before, after, NOISE) if now > was * (1 + part) + more]
    return grown, before, after


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=3)
    parser.add_argument("--leak", type=int, default=0, metavar="BYTES", help="of the first gate, with each send")
    options = parser.parse_args()
    world = World()
    try:
        samples, accepted, books = run(world, options.minutes * 60, options.leak)
    finally:
        world.stop()
    grown, before, after = growth(samples)
    twice = accepted["accepted"] - accepted["distinct"]
    print(f"{accepted['distinct']:,} records in {options.minutes:g} min, {twice} accepted twice, {len(samples)} samples")
    for name, was, now in zip(Sample._fields, before, after):
        print(f"  {name}: {was:.1f}, then {now:.1f}")
    wrong = grown + [f"a book is open: {book}" for book in books if not book["closed"]]
    print("\n".join(wrong) or "nothing has grown")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
