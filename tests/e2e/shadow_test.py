"""Limits with `shadow: true`: what they would have done is counted over the fleet, and nobody waits for them."""

import unittest

from harness import places, scenario
from harness.plan import plan

LIVE, TRIED, PARTITIONS, RECORDS = 200, 50, 4, 1000


def log_of(limit, **more):
    return {"algorithm": "sliding_log", "limit": limit, "window": "1s", "store": "redis", **more}


class Shadow(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.world.create_topic("results", PARTITIONS)

    def said(self, gates, limit):
        """What the shadow limit has said at all gates: admitted, rejected, unanswered."""
        pages = [gate.metrics() for gate in gates]
        words = ("admissions", "rejections", "unanswered")
        return tuple(sum(page[f'einlass_shadow_{word}_total{{route="results",limit="{limit}"}}'] for page in pages)
                     for word in words)

    def wait_until_all_said(self, gates, limit, attempts):
        places.wait_until(lambda: sum(self.said(gates, limit)) == attempts, 10, f"{limit} was asked about every attempt")
        return self.said(gates, limit)

    @plan(alone=True)
    def test_it_counts_for_the_fleet_and_holds_nobody_up(self):
        config = self.world.config("results", LIVE, {
            "limits": {"tried": log_of(TRIED, shadow=True),
                       "wide": {"algorithm": "token_bucket", "rate": "5000/s", "burst": 5000, "shadow": True}},
            "route": {"limits": ["tried", "shared", "wide"]}})
        gates = self.world.start_gates(2, config, PARTITIONS)
        self.world.produce("results", RECORDS, keys=40)
        self.world.receiver.wait_for(RECORDS, 30, gates)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_ordered(seen)
        self.assert_within_limit(seen, LIVE)
        admitted, rejected, unanswered = self.wait_until_all_said(gates, "tried", len(seen))
        left = sorted(one.admitted for one in seen)
        seconds = (left[-1] - left[0]) / 1e6
        self.note(f"{admitted:.0f} of {len(seen)} in {seconds:.1f} s, {rejected:.0f} would have waited")
        self.assertEqual(unanswered, 0)
        # In every second at most as many as the whole fleet may, and no fewer, for there were always more.
        self.assertLessEqual(admitted, TRIED * (int(seconds) + 2))
        self.assertGreaterEqual(admitted, TRIED * int(seconds) * 0.9)
        self.assertEqual(self.wait_until_all_said(gates, "wide", len(seen)), (len(seen), 0, 0))
        said = {one["limit"]: one for one in gates[0].status()["routes"][0]["shadow_limits"]}
        self.assertEqual(sorted(said), ["tried", "wide"])
        self.assertGreater(said["tried"]["rejected"], 0)
        self.assert_books_closed(gates)

    def test_its_store_is_away_and_nobody_notices(self):
        # What holds is in memory; only the limit that is tried needs Redis.
        config = self.world.config("results", 10_000, {
            "limits": {"shared": {"store": "memory"}, "tried": log_of(TRIED, shadow=True)},
            "route": {"limits": ["shared", "tried"]}})
        gate = self.world.start_gates(1, config, PARTITIONS)[0]
        self.world.produce("results", 100, keys=40)
        self.world.receiver.wait_for(100, 20, [gate])
        before = self.wait_until_all_said([gate], "tried", 100)
        self.assertEqual(before[2], 0)
        self.world.redis.kill()
        self.world.produce("results", 300, keys=40)
        self.world.receiver.wait_for(400, 20, [gate])
        after = self.wait_until_all_said([gate], "tried", 400)
        self.assertEqual(after[2], 300)
        self.assertEqual(places.get(gate.port, "/readyz")[0], 200)
        self.assertIn("shadow limits: ", gate.log())
        self.world.redis.start()

        def admits_again():
            self.world.produce("results", 1)
            return self.said([gate], "tried")[0] > after[0]
        places.wait_until(admits_again, 20, "it is asked again")
        self.world.receiver.wait_for(sum(self.world.ends("results")), 20, [gate])  # The last one may still be on its way.
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_books_closed([gate])

    def test_what_a_late_answer_granted_is_free_again(self):
        # Attempts that are over hold no place, though the store granted it after nobody waited for its answer any more.
        config = self.world.config("results", 10_000, {
            "limits": {"shared": {"store": "memory"},
                       "tried": {"algorithm": "concurrency", "limit": 20, "lease": "10m", "store": "redis", "shadow": True}},
            "route": {"limits": ["shared", "tried"]}})
        gate = self.world.start_gates(1, config, PARTITIONS)[0]
        # Redis is to have the script before: it would else answer late that it has not, and grant nothing.
        self.world.produce("results", 1)
        self.assertEqual(self.wait_until_all_said([gate], "tried", 1), (1, 0, 0))
        places.wait_until(lambda: self.taken() == 0, 20, "the attempt is over")
        granted = self.world.redis.command_calls()["zadd"][0]
        self.world.redis.ask("CLIENT", "PAUSE", "600000", "WRITE")
        self.world.produce("results", 30, keys=40)
        self.world.receiver.wait_for(31, 20, [gate])
        self.assertEqual(self.wait_until_all_said([gate], "tried", 31), (1, 0, 30))
        self.world.redis.ask("CLIENT", "UNPAUSE")
        places.wait_until(lambda: self.world.redis.command_calls()["zadd"][0] > granted, 20, "it is granted late")
        places.wait_until(lambda: self.taken() == 0, 20, "no place is taken any more")

    def taken(self):
        """How many places are: a release leaves a mark, as lua/sliding_log.lua says."""
        return self.world.redis.ask("EVAL", "return redis.call('ZCARD', KEYS[1]) - "
                                    "(redis.call('ZSCORE', KEYS[1], string.rep('\\255', 20)) and 1 or 0)", 1, "e2e:{e2e}:tried:")

    def test_other_numbers_by_reload_and_to_obey_it_is_a_restart(self):
        config = self.world.config("results", 10_000, {
            "limits": {"tried": log_of(TRIED, shadow=True, window="1h")}, "route": {"limits": ["shared", "tried"]}})
        gate = self.world.start_gates(1, config, PARTITIONS)[0]
        self.world.produce("results", 100)
        self.assertEqual(self.wait_until_all_said([gate], "tried", 100), (TRIED, 100 - TRIED, 0))
        self.assertEqual(gate.reload({"limits": {"tried": {"limit": 3 * TRIED}}})[0], 200)
        self.world.produce("results", 50)
        self.assertEqual(self.wait_until_all_said([gate], "tried", 150), (TRIED + 50, 100 - TRIED, 0))
        code, text = gate.reload({"limits": {"tried": {"shadow": False}}})
        self.assertEqual(code, 409, text)
        self.assertIn("limits.tried.shadow: true -> false needs a restart", text)
        self.assertEqual(gate.terminate(), 0, gate.log())
        gate.start()
        # What its permits were taken for it has kept: 50 are left in this hour, and now it holds.
        self.world.produce("results", 80)
        self.world.receiver.wait_for(200, 20, [gate])
        places.wait_until(lambda: gate.waiting("limit") > 0, 10, "some wait for the limit")
        self.assertEqual(len(self.world.receiver.deliveries()), 200)


if __name__ == "__main__":
    unittest.main()
