"""The first start on a topic that has records already, as docs/topics.md tells it: all of them, or from where another consumer
of the group stopped."""

import subprocess
import unittest

from harness import places, scenario
from harness.plan import plan

RECORDS = 60
BEFORE = 25  # What the consumer before takes.


@plan(seconds=120)
class FirstStart(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", 2)
        self.world.produce("results", RECORDS)

    def starts_and_delivers(self, records):
        config = self.world.config("results", 1000, {"limits": {"shared": {"store": "memory"}}})
        gate = self.world.gate("gate-1", config).start()
        self.assert_committed("results")
        self.assertEqual(self.world.receiver.summary()["distinct"], records)
        self.assert_no_duplicates(self.world.receiver.deliveries())
        self.assertNotIn("event=kafka_foreign_metadata", gate.log(1000))

    def test_a_new_group_gets_all_of_it(self):
        self.starts_and_delivers(RECORDS)

    def test_goes_on_where_another_consumer_of_the_group_stopped(self):
        subprocess.run(["kcat", "-b", self.world.kafka.brokers, "-G", "e2e", "-X", "auto.offset.reset=earliest", "-c", str(BEFORE),
                        "results"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60 * places.PATIENCE, check=True)
        taken = sum(offset or 0 for offset in self.world.committed("results"))
        self.assertGreater(taken, 0)
        self.starts_and_delivers(RECORDS - taken)


if __name__ == "__main__":
    unittest.main()
