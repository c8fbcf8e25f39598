#!/usr/bin/env python3
"""Quotas set, unset and set for a while at random, while three gates are killed: never above the larger of the values of that
time."""

import bisect
import json
import random
import time
import unittest

from harness import deliveries
from harness.places import PATIENCE, get, now_us, wait_until
from harness.plan import plan
from harness.steered import Steered

KEYS, GATES = 21, 3  # A partition for each key, seven for a gate.
AWAY_FOR = 10  # Sets.
VALUES = [5, 10, 20, 40, 80]
OWN = 20  # The limit's, where a key has none.
SECOND = 1_000_000
A_WHILE = 3  # Seconds.
# A permit may have been granted by a gate that heard of the change a second later, for half a second ahead.
HEARD_US, AHEAD_US, SLACK_US = SECOND, 500_000, 20_000


class History:
    """Of one key: from when on each value may hold somewhere, and from when on it may hold nowhere any more."""

    def __init__(self, value):
        self.spans = [[0, None, value, 0]]  # From, until, value, tried at.

    def tried(self, value, now, for_a_while):
        self.spans.append([now, None, value, now])
        if for_a_while:
            self.spans.append([now + A_WHILE * SECOND, None, OWN, now])

    def held(self, since, now, for_a_while):
        """What was tried then was acknowledged at `now`: what was tried before it is over a second later."""
        for span in self.spans:
            if span[1] is None and span[3] < since:
                span[1] = now + HEARD_US
            elif for_a_while and span[0] == since:
                span[1] = now + A_WHILE * SECOND + HEARD_US

    def most(self, start, end):
        return max(value for since, until, value, _ in self.spans if since <= end and (until is None or until >= start))


class Judged:
    """What is judged whichever table it is."""

    GATES, PARTITIONS = GATES, KEYS
    LIMIT, ORDER = OWN, "none"
    LOOK_EVERY = 1  # Sets.

    def setUp(self):
        super().setUp()
        self.dice = random.Random(self.world.seed)
        self.histories = [History(OWN) for _ in range(KEYS)]
        self.last = {}  # None: it was set for a while, or unset.
        self.heard = []
        self.starting = []  # Those that do not know all yet.

    def ask(self, gate, key, method="GET", body=None):
        try:
            code, text = get(gate.port, f"/v1/quotas/per_tenant/k{key}", method, body=json.dumps(body).encode() if body else None,
                             headers={"Authorization": f"Bearer {self.TOKEN}"}, timeout=5.0)
        except OSError:
            return 0, {}
        return code, json.loads(text) if text.startswith("{") else {}

    def change_one(self, key, value):
        """By whichever gate answers; a try that was not answered may hold all the same. None: back to the limit's own."""
        for_a_while = value is not None and self.dice.random() < 0.2
        since = now_us()
        self.histories[key].tried(OWN if value is None else value, since, for_a_while)
        for gate in self.dice.sample(self.gates, GATES):
            if value is None:
                code, _ = self.ask(gate, key, "DELETE")
            else:
                code, _ = self.ask(gate, key, "POST", {"limit": value} | ({"for": f"{A_WHILE}s"} if for_a_while else {}))
            if code in (200, 202):
                self.histories[key].held(since, now_us(), for_a_while)
                self.last[key] = None if for_a_while else value
                return now_us()
        return None

    def has(self, gate, key, value):
        code, told = self.ask(gate, key)
        return code == 404 if value is None else code == 200 and told.get("values") == {"limit": value}

    def see_how_soon(self, key, value, since):
        """In each gate that was ready when it was set."""
        for gate in self.gates:
            if gate in self.starting:
                continue

            wait_until(lambda: self.has(gate, key, value), 5, f"{gate.name} hears that k{key} has {value}")
            self.heard.append((now_us() - since, gate.name, key, value))

    def kill_now_and_then(self, number, every):
        """One is away for a few sets, again and again. From this thread: what another one starts would end with it."""
        self.starting = [gate for gate in self.starting
                         if gate.process.poll() is not None or gate.get("/readyz", timeout=5.0)[0] != 200]
        if number % every == 0:
            self.killed = self.dice.choice(self.gates)
            self.killed.kill()
            self.starting.append(self.killed)
        if number % every == AWAY_FOR and number > AWAY_FOR:
            self.killed.start(wait=False)

    def test_never_above_the_larger_of_the_values_of_that_time(self):
        self.change_at_random(sets=1_000, each=2_400, kill_every=80)

    def change_at_random(self, sets, each, kill_every):
        self.world.produce_records("results", [
            {"partition": key, "key": f"k{key}".encode(), "value": b"x"} for _ in range(each) for key in range(KEYS)])
        for number in range(1, sets + 1):
            self.kill_now_and_then(number, kill_every)
            key, value = self.dice.randrange(KEYS), self.dice.choice(VALUES)
            if self.last.get(key) and self.dice.random() < 0.2:
                value = None
            since = self.change_one(key, value)
            if since is not None and number % self.LOOK_EVERY == 0:
                self.see_how_soon(key, value, since)
            time.sleep(0.03)
        for gate in self.gates:
            gate.wait_until_ready()
        self.judge(self.world.receiver.deliveries())
        self.judge_last()

    def judge(self, seen):
        reused = deliveries.reused_permits(seen)
        self.assertEqual(reused[:5], [])
        worst = 0
        for key in range(KEYS):
            instants = sorted({one.permit: one.admitted for one in seen if one.partition == key}.values())
            for high, instant in enumerate(instants):
                count = high + 1 - bisect.bisect_right(instants, instant - SECOND)
                allowed = self.histories[key].most(instant - SECOND - AHEAD_US - SLACK_US, instant + SLACK_US)
                worst = max(worst, count / allowed)
                self.assertLessEqual(count, allowed, f"k{key}: in the second up to {instant}: {self.histories[key].spans}")
        self.heard.sort(key=lambda one: one[0])
        took = [one[0] for one in self.heard]
        self.note(f"{self.QUOTAS}: {len(seen)} deliveries, at most {worst:.0%} of what was allowed; known by a gate after "
                  f"{took[len(took) // 2] / 1000:.0f} ms (median), {took[-1] / 1000:.0f} ms (worst of {len(took)})")
        self.assertGreater(worst, 0.9, "the limits have bound")
        self.assertEqual([one for one in self.heard if one[0] > SECOND * PATIENCE], [], "heard too late")

    def judge_last(self):
        """After all of that, and a restart of all at once, each gate has the last values; what was set for a while ends."""
        for gate in self.gates:
            gate.kill()
        for gate in self.gates:
            gate.start(wait=False)
        for gate in self.gates:
            gate.wait_until_ready()
        for gate in self.gates:
            for key, value in self.last.items():
                wait_until(lambda: self.has(gate, key, value), A_WHILE + 2 if value is None else 0, f"{gate.name}: k{key} has {value}")


@plan(alone=True, whole=True)
class InATopic(Judged, Steered):
    QUOTAS = {"topic": "einlass.quotas"}

    @plan(whole=False)
    def test_a_hundred_sets(self):
        self.change_at_random(sets=100, each=600, kill_every=40)


@plan(alone=True, whole=True)
class InRedis(Judged, Steered):
    QUOTAS = {"redis": True}
    LOOK_EVERY = 5  # Sets. One that waits for the next look at the table takes 0.2 s.


if __name__ == "__main__":
    unittest.main()
