"""Limits beyond the plain ones, on a running fleet: attempts under way, costs from the record, outages that do not hold."""

import os
import subprocess
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

PARTITIONS = 4
SECOND_US = 1_000_000


class Limiters(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.world.create_topic("results", PARTITIONS)
        self.world.create_topic("results.dead", 1)

    def _config(self, limits, **route):
        config = self.world.config("results", 1, {"route": {"limits": list(limits), "order": "none", **route}})
        return {**config, "limits": {name: {"store": "redis", **limit} for name, limit in limits.items()}}

    def _dead_letters(self):
        return [{name: bytes.fromhex(value).decode() for name, value in record["headers"]}
                for record in self.world.consume("results.dead")]

    def _deliver(self, gates, records, within):
        """What came, and at which rate: the records are produced, and arrive within so many seconds."""
        self.world.produce("results", records, keys=60)
        self.world.receiver.wait_for(records, within, gates)
        seen = self.world.receiver.deliveries()
        return seen, records * SECOND_US / (seen[-1].answered - seen[0].arrived)

    def test_never_more_under_way_than_allowed(self):
        """Two gates, seven places between them, and a target that takes its time."""
        limits = {"places": {"algorithm": "concurrency", "limit": 7, "lease": "10s"},
                  "pace": {"algorithm": "token_bucket", "rate": "500/s", "burst": 50}}
        gates = self.world.start_gates(2, self._config(limits), PARTITIONS)
        self.world.receiver.tell("delay", delay_ms=20, for_ms=60_000)
        seen, rate = self._deliver(gates, 600, 40)
        self.note(f"{deliveries.most_at_once(seen)} of 7 places used at most; {rate:.0f} records a second of 350 possible")
        self.assertLessEqual(deliveries.most_at_once(seen), 7)
        self.assertGreaterEqual(deliveries.most_at_once(seen), 6)
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_books_closed(gates)

    def test_a_place_that_comes_free_is_taken_where_the_pace_is_short_as_well(self):
        """The pace stands first and is short too, but its permit is due before a lease ends: who waits for a place is told so,
        and asks when an attempt ends."""
        limits = {"pace": {"algorithm": "gcra", "rate": "100/s", "burst": 3},
                  "places": {"algorithm": "concurrency", "limit": 1, "lease": "60s"}}
        gates = self.world.start_gates(1, self._config(limits), PARTITIONS)
        seen, rate = self._deliver(gates, 150, 20)
        self.note(f"{rate:.0f} records a second of 100 possible")
        self.assertEqual(deliveries.most_at_once(seen), 1)
        self.assert_no_duplicates(seen)
        self.assert_books_closed(gates)

    def test_places_of_a_killed_gate_come_back(self):
        """Its leases end; nobody else need do anything."""
        limits = {"places": {"algorithm": "concurrency", "limit": 2, "lease": "6s"}}
        changes = self._config(limits)
        gate = self.world.gate("gate-1", changes).start()
        self.world.receiver.tell("hang", for_ms=3000)
        self.world.produce("results", 20, keys=20)
        # Seen by the target, so that nothing of it is still on its way after the kill.
        places.wait_until(lambda: len(self.world.receiver.deliveries()) == 2, 10, "both places are taken")
        gate.kill()
        killed = places.now_us()
        gate.start()
        self.world.receiver.wait_for(20, 30, [gate])
        again = min(one.arrived for one in self.world.receiver.deliveries() if one.arrived > killed)
        self.note(f"first attempt {(again - killed) / SECOND_US:.1f} s after the kill")
        self.assertGreater(again - killed, 2 * SECOND_US)  # The dead gate's places were its own until then.

    def test_records_bring_their_own_cost(self):
        """Units in any second stay within the limit; what can never pass and what cannot be read become dead letters."""
        limits = {"units": {"algorithm": "sliding_log", "limit": 100, "window": "1s", "cost": "header:units",
                            "bad_key": "dead_letter"}}
        config = self._config(limits, dead_letter="results.dead")
        gate = self.world.gate("gate-1", config).start()
        random = self.world.random
        units = [random.choice((1, 1, 1, 5, 20)) for _ in range(120)]
        records = [{"partition": i % PARTITIONS, "value": str(i).encode(), "headers": [("units", str(cost).encode())]}
                   for i, cost in enumerate(units)]
        odd = {10: [("units", b"101")], 30: [("units", b"many")], 50: []}
        for i, headers in odd.items():
            records[i]["headers"] = headers
        self.world.receiver.keep_full()
        self.world.produce_records("results", records)
        self.world.receiver.wait_for(len(records) - len(odd), 60, [gate])
        places.wait_until(lambda: len(self._dead_letters()) == len(odd), 10, "three dead letters")
        reasons = sorted((one["einlass-reason"], one["einlass-error"]) for one in self._dead_letters())
        self.assertEqual([reason for reason, _ in reasons], ["bad_key", "bad_key", "never"])
        self.assertIn("units", reasons[0][1])
        seen = self.world.receiver.deliveries()
        cost_of = {}
        offsets = [0] * PARTITIONS
        for i, record in enumerate(records):
            partition = record["partition"]
            cost_of["results", partition, offsets[partition]] = units[i]
            offsets[partition] += 1
        spent = [one.admitted for one in seen for _ in range(cost_of[deliveries.record_of(one)])]
        worst, _ = deliveries.worst_window(spent, SECOND_US)
        self.note(f"worst window: {worst} of 100 units")
        self.assertLessEqual(worst, 100)
        self.assertGreaterEqual(worst, 80)
        self.assert_books_closed([gate])


class SharedWithAProgram(scenario.Scenario):
    """A web application asks the same bucket, with the example of lua/examples."""

    LIMIT = 200

    def test_both_together_keep_to_the_limit(self):
        self.world.create_topic("results", PARTITIONS)
        config = self.world.config("results", self.LIMIT, {"route": {"order": "none"}})
        gates = self.world.start_gates(1, config, PARTITIONS)
        records = 5 * self.LIMIT
        self.world.produce("results", records, keys=60)
        partner = subprocess.run(
            ["/usr/bin/python3", os.path.join(os.path.dirname(os.path.abspath(__file__)), "harness", "partner.py"),
             os.path.join(places.BUILD, "lua"), self.world.redis.url, "e2e:{e2e}:shared:", str(self.LIMIT),
             str(SECOND_US), "6"], capture_output=True, text=True, timeout=60)
        self.assertEqual(partner.returncode, 0, partner.stderr)
        granted = [int(line) for line in partner.stdout.split()]
        self.world.receiver.wait_for(records, 60, gates)
        seen = self.world.receiver.deliveries()
        by_gate = list(deliveries.permits(seen).values())
        worst, _ = deliveries.worst_window(by_gate + granted, SECOND_US)
        during = sum(1 for at in by_gate if min(granted) <= at <= max(granted))
        self.note(f"worst window: {worst} of {self.LIMIT}; meanwhile the gate had {during}, the program {len(granted)}")
        self.assertLessEqual(worst, self.LIMIT)
        self.assertGreater(len(granted), self.LIMIT / 2)
        self.assertGreater(during, self.LIMIT / 2)
        self.assert_nothing_lost(seen, "results")
        self.assert_books_closed(gates)


class InAnOutage(scenario.Scenario):
    """What a route does while Redis is away, where it does not hold."""

    LIMIT = 100

    def _begin(self, policy):
        self.world.create_topic("results", PARTITIONS)
        config = self.world.config("results", self.LIMIT, {"route": {"order": "none"}, "instances": 2,
                                                          "limits": {"shared": {"on_outage": policy}}})
        self.gates = self.world.start_gates(2, config, PARTITIONS)
        self.world.produce("results", 100, keys=60)
        self.world.receiver.wait_for(100, 20)
        self._assert_in_force(policy, 0)

    def _assert_in_force(self, policy, value):
        name = f'einlass_outage_policy_in_force{{limit="shared",policy="{policy}",route="results"}}'
        for gate in self.gates:
            places.wait_until(lambda: self._metric(gate, name) == value, 5, f"{name} {value}")

    @staticmethod
    def _metric(gate, name):
        wanted = sorted(name.replace("{", ",").replace("}", "").split(","))
        for found, number in gate.metrics().items():
            if sorted(found.replace("{", ",").replace("}", "").split(",")) == wanted:
                return number
        return None

    def test_pass_goes_on_as_if_there_were_no_limit(self):
        self._begin("pass")
        self.world.redis.kill()
        self._assert_in_force("pass", 1)
        start = places.now_us()
        self.world.produce("results", 3000, keys=60)
        self.world.receiver.wait_for(3100, 10, self.gates)
        seen = self.world.receiver.deliveries()
        self.note(f"3000 records passed in {(seen[-1].arrived - start) / SECOND_US:.1f} s without Redis")
        for gate in self.gates:
            self.assertEqual(places.get(gate.port, "/readyz")[0], 200)
        stood_in = sum(self._metric(gate, 'einlass_stand_in_admissions_total{route="results"}') for gate in self.gates)
        self.assertGreaterEqual(stood_in, 2900)
        self.world.redis.start()
        self._assert_in_force("pass", 0)
        self.world.produce("results", 300, keys=60)
        back = places.now_us()
        self.world.receiver.wait_for(3400, 20, self.gates)
        after = [one for one in self.world.receiver.deliveries() if one.arrived > back]
        worst, _ = deliveries.worst_window([one.admitted for one in after], SECOND_US)
        self.assertLessEqual(worst, self.LIMIT)
        self.assert_books_closed(self.gates)

    def test_places_that_redis_gives_out_late_are_free(self):
        """What was asked before it stopped is granted when it goes on; by then the records have passed without it."""
        self.world.create_topic("results", PARTITIONS)
        config = {**self.world.config("results", 0, {"route": {"order": "none"}}), "limits": {"shared": {
            "algorithm": "concurrency", "limit": 50, "lease": "1h", "store": "redis", "on_outage": "pass"}}}
        self.gates = self.world.start_gates(1, config, PARTITIONS)
        self.world.produce("results", 100, keys=60)
        self.world.receiver.wait_for(100, 20)
        self.world.redis.pause()
        self.world.produce("results", 100, keys=60)
        self.world.receiver.wait_for(200, 20)
        self._assert_in_force("pass", 1)
        self.world.redis.resume()
        self._assert_in_force("pass", 0)
        with open(os.path.join(places.BUILD, "lua", "peek.lua"), encoding="utf-8") as script:
            peek = ("EVAL", script.read(), 1, "e2e:{e2e}:shared:", "concurrency", 1, 50, 3600 * SECOND_US, "", 2000)
        places.wait_until(lambda: self.world.redis.ask(*peek)[1] == 50, 10, "all places are free")
        self.assert_books_closed(self.gates)

    @plan(alone=True)
    def test_local_share_keeps_the_fleet_to_the_limit(self):
        self._begin("local_share")
        records = 100 + 12 * self.LIMIT
        self.world.produce("results", 12 * self.LIMIT, keys=60)
        self.world.receiver.wait_for(100 + 2 * self.LIMIT, 20, self.gates)
        self.world.redis.kill()
        killed = places.now_us()
        self._assert_in_force("local_share", 1)
        before = self.world.receiver.summary()["distinct"]
        self.world.receiver.wait_for(before + 4 * self.LIMIT, 20, self.gates)
        back = places.now_us()
        self.world.redis.start()
        self.world.receiver.wait_for(records, 40, self.gates)
        seen = self.world.receiver.deliveries()
        during = [one.admitted for one in seen if killed + 1_500_000 < one.admitted < back]
        worst, _ = deliveries.worst_window([one.admitted for one in seen], SECOND_US)
        worst_during, _ = deliveries.worst_window(during, SECOND_US)
        self.note(f"worst window: {worst_during} during the outage, {worst} over its ends, limit {self.LIMIT}")
        self.assertLessEqual(worst_during, self.LIMIT)
        self.assertGreaterEqual(worst_during, self.LIMIT * 0.9)
        self.assertLessEqual(worst, 2 * self.LIMIT)
        self.assert_no_duplicates(seen)
        self.assert_nothing_lost(seen, "results")
        self.assert_books_closed(self.gates)


if __name__ == "__main__":
    unittest.main()
