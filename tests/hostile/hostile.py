"""Others must not notice: a gate with an honest target beside whoever is hostile, and what is judged of it."""

import itertools
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))
from harness import deliveries  # noqa: E402
import namespace  # noqa: E402
from harness.places import PATIENCE, now_us, wait_until  # noqa: E402
from harness.scenario import Scenario  # noqa: E402
import letters  # noqa: E402

RATE = 200         # Of the honest route, a second. Its limit sets that, not the machine.
LEAST = 1 - 0.1 * PATIENCE  # What it must keep.
STALL = 0.6        # What the machine may take from all at once, in seconds, and the honest route catches up with it.
BEFORE = 4         # Seconds in which it is counted with nobody hostile at work.
LONGEST_GAP = 2    # Seconds without an honest record, at most: a rate over half a minute would not show more.
PARTITIONS = 4
KEY = {"X-Api-Key": "that-of-each-target-4711"}  # Which nobody else is ever to see.


class Inputs:
    """So many different inputs, the same ones each time, handed out one by one to whoever asks, in any thread."""

    def __init__(self, make, count, seed=1):
        """`make(random, number)` makes one, as bytes or as whatever its server understands."""
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self._left, seen = [], set()
        for number in range(count * 20):
            one = make(self._random, number)
            if repr(one) not in seen:
                seen.add(repr(one))
                self._left.append(one)
            if len(self._left) == count:
                break
        assert len(self._left) == count, f"only {len(self._left)} of {count} inputs are different"
        self.count, self.used = count, 0

    def next(self):
        """One that nobody had; then the last ones again and again."""
        with self._lock:
            one = self._left[min(self.used, self.count - 1)]
            self.used += 1
            return one

    def all_used(self):
        return self.used >= self.count


class Hostile(Scenario):
    """The gate has a route `well` to the receiver, which is judged, and whatever a test adds to it."""

    redis = False
    own_kafka = True  # The one that others share is in another network.
    fed = 0  # How many records came for inputs.
    have_letters = ()  # The topics whose records may become dead letters.

    def setUp(self):
        self.assertTrue(namespace.is_alone(), "run the file itself: it makes a network of its own")
        super().setUp()

    def well_config(self, **changes):
        """Of the honest route alone: one partition after the other, at RATE."""
        pace = {"algorithm": "token_bucket", "rate": f"{RATE}/s", "burst": int(STALL * RATE), "start": "empty", "store": "memory"}
        return self.world.config("well", 1, changes={
            "limits": {"shared": None, "pace": pace},
            "targets": {"receiver": {"http": {"headers": KEY}}},
            "route": {"name": "well", "limits": ["pace"], "order": "none", "inside": {"records": 500}},
            "kafka": {"group": "hostile"}, **changes})

    def add_evil(self, config, http, topic="evil", target="evil", **route):
        """A second route, to a target of its own that is made with `http`. Its records become dead letters soon."""
        headers = {**KEY, **http.get("headers", {})}
        config["targets"][target] = {"http": {"timeout": "2s", "max_in_flight": 32, **http, "headers": headers}}
        config["routes"].append({
            "name": topic, "topics": [topic], "target": target, "order": "none", "inside": {"records": 500},
            "retry": {"initial": "10ms", "max": "50ms", "attempts": 3}, "dead_letter": f"{topic}.dead", **route})
        for name in (topic, f"{topic}.dead"):
            self.world.create_topic(name, PARTITIONS)
        self.have_letters = (*self.have_letters, topic)
        return config

    def start_well(self, config, seconds):
        """The gate at work on honest records for so long; returns it with what the honest route reaches alone."""
        self.world.create_topic("well", PARTITIONS)
        self.world.produce("well", int(RATE * seconds * PATIENCE), size=100)
        self.gate = self.world.gate("gate", config).start()
        wait_until(lambda: self.world.receiver.summary()["distinct"] > 0, 20, "the first delivery")
        for _ in range(5):  # Other tests may have had the cores.
            since = now_us()
            time.sleep(BEFORE)
            self.before = self.well_rate(since)
            if self.before > LEAST * RATE:
                return
        self.fail(f"the limit sets the pace, not the machine: {self.before:.0f}/s")

    def well_rate(self, since):
        """Of honest records accepted from then until now, a second."""
        until = now_us()
        accepted = sum(since <= one.arrived < until for one in deliveries.accepted(self.world.receiver.deliveries())
                       if one.topic == "well")
        return accepted / ((until - since) / 1e6)

    def judge(self, under_way, patience=60, since=None):
        """Waits until under_way() is false; the others kept their rate meanwhile, and the gate is the same process. `since`:
        when the hostile work began, if before now."""
        process, since = self.gate.process.pid, since or now_us()

        def over():
            self.assertIsNone(self.gate.process.poll(), f"the gate ended\n{self.gate.log()}")
            return not under_way()
        wait_until(over, patience, "the end of all that is hostile")
        time.sleep(max(0.0, 3 - (now_us() - since) / 1e6))  # Less than that is no rate.
        during = self.well_rate(since)
        self.note(f"the honest: {self.before:.0f}/s before, {during:.0f}/s beside the hostile")
        self.assertEqual(self.gate.process.pid, process)
        # Counted from another moment on, the same pace may be one burst more.
        self.assertGreaterEqual(during, LEAST * min(self.before, RATE))
        self.judge_each_honest(since)
        self.assertEqual(self.gate.get("/healthz", timeout=5.0)[0], 200)

    def judge_each_honest(self, since):
        """None of them waited long for the hostile, and none was passed over."""
        until, committed = now_us(), self.world.committed("well", "hostile")
        seen = [one for one in self.world.receiver.deliveries() if one.topic == "well"]
        arrivals = [since, *sorted(one.arrived for one in deliveries.accepted(seen) if since <= one.arrived < until), until]
        longest = max(after - before for before, after in itertools.pairwise(arrivals)) / 1e6
        self.note(f"the honest: {longest:.2f} s without any at the longest; committed up to {committed}")
        self.assertLessEqual(longest, LONGEST_GAP * PATIENCE)
        self.assertEqual(deliveries.missing(seen, "well", [max(0, offset) for offset in committed])[:5], [])

    def feed(self, inputs, topic="evil"):
        """Whether inputs are left, for judge(). Then records come for them whenever none is inside: each may take
        three, so few are still to be tried again when the inputs are used up."""
        if inputs.all_used():
            return False
        time.sleep(0.1)
        route = self._route(topic)
        if route and route["received"] == self.fed == route["delivered"] + route["dead_lettered"]:
            records = max(10, (inputs.count - inputs.used) // 3)
            self.fed += records
            self.world.produce(topic, records, size=100)
        return True

    def _route(self, name):
        """What the gate says of it; nothing if it did not answer in time."""
        return next((one for one in self.gate.status().get("routes", []) if one["name"] == name), None)

    def judge_books(self, topic="evil", patience=60):
        """Each record of that topic was accepted, is a dead letter, or is still inside: none is gone."""
        produced = sum(self.world.ends(topic))

        def all_ended():
            route = self._route(topic)
            return route and route["delivered"] + route["dead_lettered"] == produced and route["received"] == produced
        wait_until(all_ended, patience, f"an end of all {produced} records of {topic}")
        if topic in self.have_letters:
            told = b"\n".join(letters.reasons(self.world, f"{topic}.dead"))
            self.assertEqual([secret for secret in self.world.all_secrets() if secret.encode() in told], [], "in a dead letter")
