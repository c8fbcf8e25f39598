#!/usr/bin/env python3
"""A limit in Redis that the flows of two gates share by weight: whichever gate a tenant's records are in, it has its part."""

import bisect
import unittest

from harness import deliveries, places, scenario
from harness.places import wait_until
from harness.plan import plan

RATE = 500  # A second.
WEIGHTS = {"acme": 5, "bolt": 1, "free-1": 1}
TENANTS = list(WEIGHTS)
# By partition: a gate has the first three, the other the rest. So acme waits in one, free-1 in the other and bolt in both.
OF_PARTITION = ["acme", "acme", "bolt", "bolt", "free-1", "free-1"]
EACH = {"acme": 4_300, "bolt": 2_600, "free-1": 2_600}  # Acme's are gone after 12 seconds, the others' after 20.
STRETCH_US, STEP_US, SOON_US, LENT_US = 5_000_000, 100_000, 500_000, 3_000_000
NEAR = 0.02
CAUGHT_UP_US = 1_000_000  # So long after a gate stood still its tenants may have more than their part.


@plan(alone=True)
class FleetShares(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.world.create_topic("results", len(OF_PARTITION))
        for tenant, count in EACH.items():
            self.produce(tenant, count)
        config = self.world.config("results", 1, changes={
            "limits": {"shared": None, "all": {"algorithm": "token_bucket", "rate": f"{RATE}/s", "burst": 10, "store": "redis",
                                               "share": "tenants"}},
            "route": {"limits": ["all"], "order": "none", "share": "tenants"}})
        config["shares"] = {"tenants": {"by": "header:tenant", "weight": {"acme": 5, "free-*": 1, "default": 1}}}
        self.gates = self.world.start_gates(2, config, len(OF_PARTITION))

    def produce(self, tenant, count):
        own = [partition for partition, name in enumerate(OF_PARTITION) if name == tenant]
        self.world.produce_records("results", [
            {"partition": own[number % len(own)], "key": b"k", "value": b"x", "headers": [("tenant", tenant.encode())]}
            for number in range(count)])

    def arrivals(self):
        """{tenant: when its accepted records came}, in order."""
        came = {tenant: [] for tenant in TENANTS}
        for one in self.accepted():
            came[OF_PARTITION[one.partition]].append(one.arrived)
        return came

    def stood(self, start, stop):
        """For how many seconds the busier gate did nothing: the other's pauses are no sign, for it has little."""
        came = [[at for at in times if start <= at < stop] for times in self.of_gate]
        return deliveries.stood_still(max(came, key=len), start, stop) / 1_000_000

    def accepted(self):
        return sorted(deliveries.accepted(self.world.receiver.deliveries()), key=lambda one: one.arrived)

    def test_weights_over_five_seconds_and_idle_parts_lent(self):
        def left(tenant):
            return EACH[tenant] - len(self.arrivals()[tenant])
        def lent():
            came = self.arrivals()
            return sum(self.within(came[tenant], came["acme"][-1], 60_000_000) for tenant in TENANTS[1:])
        wait_until(lambda: left("acme") == 0, 40, "acme's records are gone")
        wait_until(lambda: lent() >= 4 * RATE, 15, "the others have had all of it for a while")
        again = 1_500
        back = places.now_us()
        self.produce("acme", again)
        wait_until(lambda: left("acme") == -again, 30, "acme's records are gone again")
        came = self.arrivals()
        self.of_gate = [[one.arrived for one in self.accepted() if one.partition // 3 == gate] for gate in range(2)]
        all_came = sorted(sum(came.values(), []))
        end = came["acme"][EACH["acme"] - 1]
        self.judge_stretches(came, all_came, all_came[0] + 1_500_000, end)
        self.judge_lent(came, end)
        self.judge_back(came, max(back, came["acme"][EACH["acme"]] - SOON_US))
        self.assert_within_limit_of_bucket(all_came)
        self.told()
        self.world.receiver.wait_for(sum(EACH.values()) + again, 30)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_books_closed(self.gates)

    @staticmethod
    def within(times, start, length):
        return bisect.bisect_left(times, start + length) - bisect.bisect_left(times, start)

    def judge_stretches(self, came, all_came, start, end):
        """What a gate could not do while the machine did not let it run is nobody's share."""
        worst, worst_own, least = 0, 0, 1
        self.assertGreater(end - start, STRETCH_US + 10 * STEP_US)
        for at in range(start, end - STRETCH_US, STEP_US):
            total = self.within(all_came, at, STRETCH_US)
            not_done = RATE * self.stood(at - CAUGHT_UP_US, at + STRETCH_US)
            least = min(least, (total + not_done) / (RATE * STRETCH_US / 1_000_000))
            for tenant, weight in WEIGHTS.items():
                off = max(0, abs(self.within(came[tenant], at, STRETCH_US) - total * weight / 7) - not_done)
                worst = max(worst, off / total)
                worst_own = max(worst_own, off / (total * weight / 7))
        self.note(f"over any 5 s: off by {worst:.2%} of all at most, {worst_own:.2%} of a tenant's own; {least:.2%} of the limit used")
        self.note(f"the gates stood still for {self.stood(start - CAUGHT_UP_US, end):.2f} s")
        self.assertLess(worst, NEAR * places.PATIENCE)
        self.assertGreaterEqual(least, 1 - 0.01 * places.PATIENCE)

    def judge_lent(self, came, end):
        """Acme has nothing more: the others have all of it soon."""
        for tenant in TENANTS[1:]:
            start, stop = end + SOON_US, end + SOON_US + LENT_US
            ran = LENT_US / 1_000_000 - self.stood(start, stop)
            count = self.within(came[tenant], start, LENT_US) / ran
            self.note(f"{tenant} while acme is idle: {count:.0f}/s of {RATE / 2:.0f}")
            self.assertGreater(count, 0.95 * RATE / 2)

    def judge_back(self, came, back):
        start, stop = back + SOON_US, back + SOON_US + 1_500_000
        count = self.within(came["acme"], start, stop - start) / (1.5 - self.stood(start, stop))
        self.note(f"acme once it is back: {count:.0f}/s of {RATE * 5 / 7:.0f}")
        self.assertGreater(count, 0.95 * RATE * 5 / 7)

    def assert_within_limit_of_bucket(self, all_came):
        """At the target: in a second what the rate gives, the burst, and what came late."""
        for place, start in enumerate(all_came):
            self.assertLessEqual(bisect.bisect_left(all_came, start + 1_000_000) - place, RATE + 10 + RATE // 10 * places.PATIENCE)

    def told(self):
        for gate in self.gates:
            share, = gate.status()["shares"]
            self.assertEqual(share["limits"], ["all"])
        acme = sum(gate.metrics()['einlass_share_permits_total{share="tenants",flow="acme",level="all"}'] for gate in self.gates)
        self.assertGreaterEqual(acme, EACH["acme"])


if __name__ == "__main__":
    unittest.main()
