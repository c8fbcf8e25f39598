"""Gates of this version and the one before it, side by side in one group with one Redis: upgraded one after the other while
records are in flight and permits are out, and downgraded back.

    versions_test.py [Test...]
"""

import os
import sys
import unittest

import previous

sys.path.insert(0, os.path.join(previous.ROOT, "tests", "e2e"))
from harness import places, scenario  # noqa: E402

PARTITIONS = 6
RATE, LIMIT = 100, 120
SECONDS = 20  # Of records for each exchange of a gate.
ENOUGH = 100  # Deliveries of each gate while two versions work together.


class SideBySide(scenario.Scenario):
    def _begin(self, order):
        self.records = 0
        self.world.create_topic("results", PARTITIONS)
        # Slow enough that each gate has something in flight when it goes.
        self.world.receiver.tell("delay", delay_ms=15)
        config = self.world.config("results", LIMIT, {
            "limits": {"per_key": {"algorithm": "token_bucket", "rate": "50/s", "burst": 50, "store": "redis", "key": "record_key"},
                       "places": {"algorithm": "concurrency", "limit": 40, "lease": "1m", "store": "redis"}},
            "route": {"order": order, "limits": ["shared", "per_key", "places"]}})
        self.gates = [self.world.gate(name, config) for name in ("gate-1", "gate-2")]
        for gate in self.gates:
            gate.program = previous.program()
            gate.start(wait=False)
        self._both_work()

    def _both_work(self):
        for gate in self.gates:
            gate.wait_until_ready()
        places.wait_until(lambda: all(len(gate.partitions()) == PARTITIONS // 2 for gate in self.gates), 60, "each has its partitions")

    def _delivered(self, gate):
        return gate.status().get("books", {}).get("delivered", 0)

    def _exchange(self, gate, program, leave):
        """Another version under the same name while records come; then both deliver beside each other."""
        producer = self.world.start_producing("results", RATE * SECONDS, rate=RATE, keys=60)
        self.records += RATE * SECONDS
        try:
            self.world.receiver.wait_for(self.records - RATE * (SECONDS - 2), 120, self.gates)
        finally:
            for one in self.gates:
                self.note(f"{one.name}: {one.status().get('routes', [{}])[0].get('waiting')}")
        leave(gate)
        gate.program = program
        gate.start(wait=False)
        self._both_work()
        before = [self._delivered(one) for one in self.gates]
        places.wait_until(lambda: all(self._delivered(one) >= least + ENOUGH for one, least in zip(self.gates, before)), 60,
                          f"both deliver, {gate.name} anew")
        self.assertEqual(producer.wait(120 * places.PATIENCE), 0)

    def _there_and_back(self, leave):
        first, second = self.gates
        steps = [(first, places.EINLASS), (second, places.EINLASS), (first, previous.program()), (second, previous.program())]
        self.note(f"from {previous.commit()} to what is built, and back")
        for gate, program in steps:
            self._exchange(gate, program, leave)

    def _end(self):
        self.world.receiver.wait_for(self.records, 120, self.gates)
        self.assert_books_closed(self.gates)
        self.assert_committed("results")
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_within_limit(seen, LIMIT)
        return seen

    def _drain(self, gate):
        self.assertEqual(gate.terminate(), 0, gate.log())

    def test_drained_one_after_the_other(self):
        self._begin("partition")
        self._there_and_back(self._drain)
        seen = self._end()
        self.assert_no_duplicates(seen)
        self.assert_ordered(seen)

    def test_what_finished_out_of_order(self):
        """What each version notes beside its offsets the other reads: else it would deliver these again."""
        self._begin("none")
        self._there_and_back(self._drain)
        self.assert_no_duplicates(self._end())

    def test_killed(self):
        """Whose permits are still out, and whose places are still taken, is not forgotten by the other version."""
        self._begin("none")
        self._there_and_back(lambda gate: gate.kill())
        self._end()


if __name__ == "__main__":
    reason = previous.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    unittest.main()
