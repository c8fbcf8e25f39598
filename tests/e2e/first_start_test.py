"""The first start on a topic that has records already, as docs/topics.md tells it: all of them, or from where another consumer
of the group stopped, or only what comes from now on."""

import subprocess
import unittest

from harness import places, scenario, told
from harness.plan import plan

RECORDS = 60
BEFORE = 25  # What the consumer before takes.
CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


@plan(seconds=120)
class FirstStart(scenario.Scenario):
    redis = False
    own_kafka = True  # Kafka's own tool is run from its jars.

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

    def test_only_what_comes_from_now_on(self):
        words = told.commands("topics.md", "kafka-consumer-groups.sh")[0][2:]  # Behind the broker.
        self.assertEqual(words[:2], ["--group", "einlass"])
        self.world.kafka.administer(CONSUMER_GROUPS, "--group", "e2e", *words[2:])
        self.world.produce("results", BEFORE)
        self.starts_and_delivers(BEFORE)


if __name__ == "__main__":
    unittest.main()
