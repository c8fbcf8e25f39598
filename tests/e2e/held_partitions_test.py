"""A partition that is read no further, though there may be records behind that could go at once: it is said, and it goes on."""

import unittest

from harness import places, scenario


class HeldPartitions(scenario.Scenario):
    redis = False

    def gate(self, **route):
        self.world.create_topic("results", 1)
        changes = {"limits": {"shared": {"store": "memory"}}, "route": {"order": "none", **route}}
        return self.world.gate("gate-1", self.world.config("results", 10_000, changes)).start()

    def assert_told_once(self, gate, event):
        places.wait_until(lambda: f"event={event} " in gate.log(10_000), 20, event)
        self.assertEqual(gate.log(10_000).count(f"event={event} "), 1, gate.log())

    def assert_goes_on(self, gate, records):
        self.world.receiver.wait_for(records, 60, [gate])
        self.assert_nothing_lost(self.world.receiver.deliveries(), "results")
        self.assert_committed("results")
        self.assertEqual(gate.terminate(), 0, gate.log())

    def test_by_records_that_wait_for_their_time(self):
        self.world.create_topic("results.dead", 1)
        gate = self.gate(not_before="header:not-before", dead_letter="results.dead", inside={"records": 10})
        due = str(places.now_us() // 1000 + int(5_000 * places.PATIENCE)).encode()
        self.world.produce_records("results", [{"value": b"x", "headers": [("not-before", due)]} for _ in range(10)]
                                   + [{"value": b"x"} for _ in range(20)])
        self.assert_told_once(gate, "partition_held_by_not_before")
        self.assertEqual(self.world.receiver.deliveries(), [], "those behind are not read")
        self.assert_goes_on(gate, 30)

    def test_by_what_a_commit_can_name(self):
        """None finishes, and were every second one to do so a commit could not name them all."""
        self.world.receiver.tell("hang")
        gate = self.gate(inside={"records": 20_000})
        self.world.produce("results", 6_000, size=20)
        self.assert_told_once(gate, "partition_held_by_ledger")
        places.wait_until(lambda: gate.partitions()[0]["held"], 10, "it is held")
        self.assertLess(gate.status()["books"]["received"], 6_000)
        self.world.receiver.tell("ok")
        self.assert_goes_on(gate, 6_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
