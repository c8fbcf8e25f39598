"""How late records are is reckoned from their own timestamps in Kafka, whatever becomes of gates meanwhile."""

import time
import unittest

from harness.places import wait_until
from harness.scenario import Scenario

RECORDS, EACH_SECOND = 400, 4


class Lateness(Scenario):
    redis = False

    def test_lag_in_time_and_delay_do_not_start_again_with_a_gate(self):
        self.world.create_topic("results", 1)
        config = self.world.config("results", EACH_SECOND, {"limits": {"shared": {"store": "memory"}}})
        config["kafka"]["properties"] = {"session.timeout.ms": 6000}  # The second takes over from one that comes no more.
        before = time.time()
        self.world.produce("results", RECORDS)
        after = time.time()
        first = self.world.gate("gate-1", config).start()
        self.world.receiver.wait_for(20, 40, [first])
        self.assert_late(first, before, after)
        self.assertEqual(first.terminate(), 0)
        second = self.world.gate("gate-2", config).start()
        delivered = self.world.receiver.summary()["distinct"]
        self.world.receiver.wait_for(delivered + 10, 40, [second])
        self.assert_late(second, before, after)
        page = second.metrics()
        taken_in = page['einlass_oldest_unfinished_age_seconds{topic="results",partition="0"}']
        self.assertLess(taken_in, page['einlass_lag_seconds{topic="results",partition="0"}'] - 3, "that one does")
        self.assertEqual(second.terminate(), 0)

    def assert_late(self, gate, before, after):
        """All have been in Kafka for the same time: so old is the oldest, and so old were the last to be delivered."""
        def lag():
            return gate.metrics().get('einlass_lag_seconds{topic="results",partition="0"}')
        wait_until(lambda: lag() is not None, 20, "it is known")
        asked = time.time()
        seconds = lag()
        answered = time.time()
        self.assertGreater(seconds, asked - after - 0.5)
        self.assertLess(seconds, answered - before + 0.5)
        page = gate.metrics()
        self.assertGreaterEqual(page['einlass_route_lag_seconds{route="results"}'], seconds)
        self.assertGreater(page['einlass_route_lag_records{route="results"}'], RECORDS / 2)
        count, total = (page[f'einlass_delivery_delay_seconds_{of}{{route="results"}}'] for of in ("count", "sum"))
        self.assertGreater(count, 5)
        self.assertLess(total / count, time.time() - before)
        self.assertGreater(total / count, 0.5, "they waited for the limit")


if __name__ == "__main__":
    unittest.main()
