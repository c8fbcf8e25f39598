"""What a route leaves out is finished without anybody's seeing it, and nothing else is lost for it."""

import json
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

RECORDS, PARTITIONS = 600, 3
STATUSES = ("paid", "open", "test")


def status_of(number):
    return STATUSES[number % len(STATUSES)]


def filtered(gate):
    return gate.metrics()['einlass_records_filtered_total{route="results"}']


@plan(kafka="4.1.1")
class Filters(scenario.Scenario):
    def _produce(self, count=RECORDS):
        """{(partition, offset): its status}"""
        records, statuses = [], {}
        for number in range(count):
            partition, status = number % PARTITIONS, status_of(number // PARTITIONS)
            statuses[partition, number // PARTITIONS] = status
            records.append({"partition": partition, "value": json.dumps({"order": {"status": status}}).encode(),
                            "headers": [("status", status.encode())]})
        self.world.produce_records("results", records)
        return statuses

    def _config(self, *conditions):
        return self.world.config("results", 100, {"route": {"filter": list(conditions)}})

    def _assert_delivered(self, statuses, wanted):
        accepted = {(one.partition, one.offset) for one in deliveries.accepted(self.world.receiver.deliveries())}
        self.assertEqual(accepted, {place for place, status in statuses.items() if status in wanted})

    def _assert_all_committed(self):
        places.wait_until(lambda: self.world.committed("results") == self.world.ends("results"), 10, "all is committed")

    def test_killed_in_the_middle(self):
        """In order of partition, by a header, with a limit that only the others need."""
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate-1", self._config({"by": "header:status", "in": ["paid", "shipped"]})).start()
        statuses = self._produce()
        self.world.receiver.wait_for(60, 30, [gate])
        self.assertGreater(filtered(gate), 0)
        gate.kill()
        gate.start()
        self.world.receiver.wait_for(RECORDS // 3, 60, [gate])
        self._assert_all_committed()
        self._assert_delivered(statuses, ["paid"])
        seen = self.world.receiver.deliveries()
        self.assert_ordered(seen)
        self.assert_within_limit(seen, 100)
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)
        self.assertRegex(gate.log(3), r"event=stopped detail=\"received \d+, delivered \d+, dead-lettered 0, returned 0, "
                                      r"filtered \d+, inside 0\"")

    def test_all_of_them(self):
        """Nothing passes, so nothing asks Redis, and all is committed all the same."""
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate-1", self._config({"by": "json:/order/status", "equals": "gone"})).start()
        self._produce()
        self._assert_all_committed()
        self.assertEqual(filtered(gate), RECORDS)
        self.assertEqual(gate.status()["books"],
                         {"received": RECORDS, "delivered": 0, "dead_lettered": 0, "returned": 0, "filtered": RECORDS,
                          "inside": 0, "closed": True})
        self.assertEqual(gate.metrics()['einlass_limiter_calls_total{store="redis",result="granted"}'], 0)
        self.assertEqual(gate.terminate(), 0)

    def test_a_reload(self):
        """The filter holds for what is read from then on."""
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate-1", self._config({"by": "json:/order/status", "not_in": ["open", "test"]})).start()
        statuses = self._produce(30)
        self.world.receiver.wait_for(10, 30, [gate])
        self._assert_all_committed()
        config = self._config({"by": "header:status", "equals": "open"})
        gate.change({"routes": config["routes"]})
        self.assertEqual(gate.get("/-/reload", method="POST")[0], 200)
        more = self._produce(30)
        self.world.receiver.wait_for(20, 30, [gate])
        self._assert_all_committed()
        later = {(partition, offset + 10): status for (partition, offset), status in more.items()}
        expected = {place: status for place, status in statuses.items() if status == "paid"}
        expected |= {place: status for place, status in later.items() if status == "open"}
        self._assert_delivered(expected, STATUSES)
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
