"""A new version, or a new configuration: three gates are restarted one after the other while records keep coming."""

import unittest

from harness import places, scenario
from harness.plan import plan

GATES = 3
PARTITIONS = 6
RATE = 250
LIMIT = 300
ROUNDS = 2
SECONDS = 24


@plan(half=True)
class RollingRestart(scenario.Scenario):
    def _roll(self, order):
        records = RATE * SECONDS
        self.world.create_topic("results", PARTITIONS)
        # Slow enough that each gate has something in flight when it is asked to go.
        self.world.receiver.tell("delay", delay_ms=15)
        config = self.world.config("results", LIMIT, {"route": {"order": order}})
        gates = self.world.start_gates(GATES, config, PARTITIONS)
        producer = self.world.start_producing("results", records, rate=RATE, keys=60)
        self.world.receiver.wait_for(RATE, 30, gates)
        restarts_under_load = 0
        for _ in range(ROUNDS):
            for gate in gates:
                restarts_under_load += producer.poll() is None
                self.assertEqual(gate.terminate(), 0, gate.log())
                gate.start()
                places.wait_until(lambda one=gate: len(one.partitions()) == PARTITIONS // GATES, 20,
                                  f"{gate.name} has its partitions again")
        self.assertEqual(producer.wait(60 * places.PATIENCE), 0)
        self.world.receiver.wait_for(records, 60, gates)
        self.note(f"{restarts_under_load} of {GATES * ROUNDS} restarts under load")
        self.assertGreaterEqual(restarts_under_load, GATES, "the load ended before each gate was restarted")
        self.assert_books_closed(gates)
        self.assert_committed("results")
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_within_limit(seen, LIMIT)
        if order == "partition":
            self.assert_ordered(seen)

    def test_in_order(self):
        self._roll("partition")

    @plan(kafka="4.1.1", whole=True)
    def test_without_order(self):
        self._roll("none")


if __name__ == "__main__":
    unittest.main()
