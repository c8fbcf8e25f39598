#!/usr/bin/env python3
"""Places of a `concurrency` limit that two gates share: each gets its part of them, whichever had them first."""

import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

LIMIT = 20
SOON_US = 3_000_000  # After the first of the other gate's records.
PART = 0.25  # At least, of two gates that always have records.


@plan(alone=True)
class FleetPlaces(scenario.Scenario):
    def _both_get_their_part(self, attempt_ms=100, most=64, counted_s=12, **changes):
        """Each gate has records for longer than is counted, also where it has nine tenths of the places."""
        first, second = (LIMIT * 1000 // attempt_ms * (counted_s + more) for more in (7, 2))
        self.world.create_topic("results", 2)
        config = self.world.config("results", 1, changes={
            "limits": {"shared": None, "places": {"algorithm": "concurrency", "limit": LIMIT, "lease": "30s", "store": "redis",
                                                  **changes}},
            "route": {"limits": ["places"], "order": "none"}, "targets": {"receiver": {"http": {"max_in_flight": most}}}})
        gates = self.world.start_gates(2, config, 2)
        self.world.receiver.tell("delay", delay_ms=attempt_ms, for_ms=120_000)
        self._produce(0, first)
        self.world.receiver.wait_for(first // 8, 20, gates)
        self._produce(1, second)
        places.wait_until(lambda: self._of_second() is not None, 20, "the first of the other gate's")
        self.world.receiver.wait_for(first + second, 60 + counted_s, gates)
        seen = self.world.receiver.deliveries()
        start = self._of_second() + SOON_US
        came = [one.partition for one in deliveries.accepted(seen) if start <= one.arrived < start + counted_s * 1_000_000]
        part = came.count(1) / len(came)
        self.note(f"{part:.0%} are of the gate whose records came later, {len(came) / counted_s:.0f}/s in all")
        self.assertGreater(part, PART)
        self.assertLess(part, 1 - PART)
        self.assertLessEqual(deliveries.most_at_once(seen), LIMIT)
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_books_closed(gates)

    def _produce(self, partition, count):
        record = {"partition": partition, "key": b"k", "value": b"x", "headers": [("tenant", b"acme")]}
        self.world.produce_records("results", [record] * count)

    def _of_second(self):
        """When the first of its records came."""
        return min((one.arrived for one in self.world.receiver.deliveries() if one.partition == 1), default=None)

    def test_of_a_limit_without_a_key(self):
        self._both_get_their_part()

    @plan(whole=True)
    def test_where_a_gate_takes_no_more_than_all_of_them(self):
        """It is never denied anything. Of attempts that take long only few end within the 20 ms for which a gate leaves places to
        the others, so what it leaves at a time is a matter of chance, and a part is only told by many such times."""
        self._both_get_their_part(attempt_ms=600, most=LIMIT, counted_s=24)

    def test_of_one_key(self):
        self._both_get_their_part(key="header:tenant")


if __name__ == "__main__":
    unittest.main()
