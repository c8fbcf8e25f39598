"""Two gates, and tenants of whom some have other numbers than the limit: from the start, and changed by a reload."""

import unittest

from harness import deliveries, places, scenario
from harness.places import wait_until
from harness.plan import plan

SECOND_US = 1_000_000
# By partition: each gate has three, and so records of every tenant.
OF_PARTITION = ["acme", "other", "slow-1", "acme", "other", "slow-1"]
EACH = {"acme": 600, "other": 200, "slow-1": 20}
OWN, ACME, ACME_AFTER = 20, 60, 200
SOON_US = 3 * SECOND_US * places.PATIENCE


@plan(alone=True, seconds=300)
class Overrides(scenario.Scenario):
    """Each gets what its own numbers allow, in both gates together, and who waits by the old ones does so no more."""

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", len(OF_PARTITION))
        for tenant, count in EACH.items():
            own = [partition for partition, name in enumerate(OF_PARTITION) if name == tenant]
            self.world.produce_records("results", [
                {"partition": own[number % len(own)], "key": b"k", "value": b"x", "headers": [("tenant", tenant.encode())]}
                for number in range(count)])
        per_tenant = {"algorithm": "sliding_log", "limit": OWN, "window": "1s", "store": "redis", "key": "header:tenant",
                      "overrides": {"acme": {"limit": ACME}, "slow-*": {"limit": 1, "window": "1h"}}}
        self.gates = self.world.start_gates(2, self.world.config("results", OWN, {
            "limits": {"shared": None, "per_tenant": per_tenant},
            "route": {"limits": ["per_tenant"], "order": "none"}}), len(OF_PARTITION))

    def admitted(self):
        """{tenant: for which instants its permits were}, in order."""
        instants = {tenant: [] for tenant in EACH}
        for one in deliveries.accepted(self.world.receiver.deliveries()):
            instants[OF_PARTITION[one.partition]].append(one.admitted)
        return {tenant: sorted(of) for tenant, of in instants.items()}

    def reload(self, overrides):
        for gate in self.gates:
            code, text = gate.reload({"limits": {"per_tenant": {"overrides": overrides}}})
            self.assertEqual(code, 200, text)
            self.assertIn(f"limits.per_tenant.overrides.acme.limit: {ACME} -> {ACME_AFTER}\n", text)

    def test_each_has_its_own_and_a_reload_changes_it(self):
        wait_until(lambda: len(self.admitted()["acme"]) >= 3 * ACME, 30, "three seconds of acme's records")
        before = self.admitted()
        self.assertEqual(len(before["slow-1"]), 1)
        asked = places.now_us()
        self.reload({"acme": {"limit": ACME_AFTER}, "slow-*": {"limit": OWN, "window": "1s"}})
        reloaded = places.now_us()
        self.world.receiver.wait_for(sum(EACH.values()), 60, self.gates)
        after = self.admitted()
        for tenant, most in (("acme", ACME_AFTER), ("other", OWN), ("slow-1", OWN)):
            worst, _ = deliveries.worst_window(after[tenant], SECOND_US)
            self.note(f"{tenant}: {worst} of {most} in the worst second")
            self.assertLessEqual(worst, most, tenant)
        worst, _ = deliveries.worst_window([at for at in after["acme"] if at < asked], SECOND_US)
        self.assertLessEqual(worst, ACME)
        self.assertGreater(deliveries.worst_window(after["acme"], SECOND_US)[0], 2 * ACME)
        self.assertLess(after["slow-1"][-1], reloaded + SOON_US, "who had to wait for an hour goes on")
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_books_closed(self.gates)


if __name__ == "__main__":
    unittest.main()
