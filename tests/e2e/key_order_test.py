"""order: key, and a crash: each key in order, others overtake one that waits, and what has overtaken does not come again."""

import unittest

from harness import deliveries, places, scenario

GOOD, SLOW = 3000, 3  # Of the slow ones so many at the beginning of each partition.
PARTITIONS = 2
RATE = 800
COMMIT_INTERVAL_US = 100_000
# The commit's way to Kafka and back, beside other scenarios. All that had overtaken would be older than this.
SLACK_US = 1_000_000 * places.PATIENCE


class KeyOrder(scenario.Scenario):
    def test_killed_while_the_first_of_each_partition_wait(self):
        self.world.create_topic("results", PARTITIONS)
        self.world.produce_records("results", [{"partition": partition, "key": b"slow", "value": b"bad %d" % number}
                                               for partition in range(PARTITIONS) for number in range(SLOW)])
        self.world.receiver.tell("status", status=500, bodies="bad")
        gate = self.world.start_gates(1, self.world.config("results", 2 * RATE, {
            "route": {"order": "key", "retry": {"initial": "50ms", "max": "100ms"}}}), PARTITIONS)[0]
        producer = self.world.start_producing("results", GOOD, keys=40, rate=RATE)
        self.world.receiver.wait_for(2 * GOOD // 3, 30, [gate])
        gate.kill()
        killed = places.now_us()
        waiting = {record for record in self._accepted() if record[2] < SLOW}
        self.assertEqual(waiting, set(), "the first of each partition waited")
        self.world.receiver.tell("ok")
        gate.start(wait=False)
        self.assertEqual(producer.wait(30), 0)
        self.world.receiver.wait_for(GOOD + PARTITIONS * SLOW, 60, [gate])
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assertEqual(deliveries.order_violations(seen, self._keys())[:5], [], "of a key")
        self.assertNotEqual(deliveries.order_violations(seen), [], "no other key overtook: nothing is shown")
        first = deliveries.first_accepted(seen)
        ages = [killed - first[deliveries.record_of(one)].arrived for one in deliveries.duplicates(seen)]
        self.note(f"{len(ages)} came twice, the oldest {max(ages, default=0) / 1000:.0f} ms before the kill")
        self.assertLess(max(ages, default=0), COMMIT_INTERVAL_US + SLACK_US)
        self.assert_committed("results")

    def _accepted(self):
        return deliveries.first_accepted(self.world.receiver.deliveries())

    def _keys(self):
        return {("results", record["partition"], record["offset"]): record["key"] for record in self.world.consume("results")}


if __name__ == "__main__":
    unittest.main()
