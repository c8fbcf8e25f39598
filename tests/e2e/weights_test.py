#!/usr/bin/env python3
"""A weight that is set while the gates run divides what their flows get, in each gate, until it is taken away."""

import time
import unittest

from harness import deliveries
from harness.places import get, now_us
from harness.steered import Steered

RATE = 100  # Of each gate, a second.
TENANTS = ["acme", "bolt", "free-1"]
OF_PARTITION = TENANTS * 2  # A gate has the first three, the other the rest.
EACH = 1500  # Records of a partition: more than are wanted before all has been judged.
BY_FILE = {"acme": 5, "bolt": 1, "free-1": 1}
WHILE_SET = {**BY_FILE, "bolt": 25}
NEAR = 0.12  # Of all. Bolt has 0.14 by the file's weights, and 0.81 while another one is set.
SOON_S, STRETCH_S = 1, 2


class Weights(Steered):
    QUOTAS = {"topic": "einlass.quotas"}

    def changes(self):
        return {"limits": {"shared": None, "all": self.limit(RATE)}, "shares": {"tenants": {
                    "by": "header:tenant", "weight": {"default": 1, "acme": 5, "bolt": 1}}},
                "route": {"limits": ["all"], "order": "none", "share": "tenants", "inside": {"records": 20}}}

    @staticmethod
    def limit(rate):
        return {"algorithm": "token_bucket", "rate": f"{rate}/s", "burst": 1, "store": "memory"}

    def judge(self, weights, when):
        """By what came in a stretch that begins soon, of each gate."""
        since = now_us() + SOON_S * 1_000_000
        time.sleep(SOON_S + STRETCH_S)
        end = since + STRETCH_S * 1_000_000
        came = [one.partition for one in self.world.receiver.deliveries() if since <= one.arrived < end]
        for gate in range(self.GATES):
            of_gate = [OF_PARTITION[partition] for partition in came if partition // len(TENANTS) == gate]
            self.assertGreater(len(of_gate), RATE, f"{when}: what came is too little to be judged")
            parts = {tenant: of_gate.count(tenant) / len(of_gate) for tenant in TENANTS}
            self.note(f"{when}, gate {gate + 1}: " + ", ".join(f"{tenant} {part:.2f}" for tenant, part in parts.items()))
            for tenant, part in parts.items():
                self.assertLess(abs(part - weights[tenant] / sum(weights.values())), NEAR, f"{when}: {tenant} has {part:.2f}")

    def told(self, weight):
        """What the pages of each gate say that bolt has."""
        return [{one["name"]: one["weight"] for one in gate.status()["shares"][0]["flows"]}["bolt"] == weight for gate in self.gates]

    def test_a_weight_divides_until_it_is_taken_away(self):
        self.world.produce_records("results", [
            {"partition": partition, "key": b"k", "value": b"x", "headers": [("tenant", tenant.encode())]}
            for partition, tenant in enumerate(OF_PARTITION) for _ in range(EACH)])
        self.judge(BY_FILE, "by the file")
        self.assertIn("share:tenants bolt weight=25", self.einlass("quota", "set", "share:tenants", "bolt", "weight=25", "--for", "1h"))
        self.judge(WHILE_SET, "while it is set")
        self.assertTrue(all(self.told(25)), "each gate follows, and says so")
        self.assertIn("share:tenants bolt weight=25 since", self.einlass("quota", "list", "share:tenants"))
        self.assertIn("there is no share nobody", self.einlass("quota", "set", "share:nobody", "bolt", "weight=5", code=1))
        self.assertIn("shares.tenants.weight: '0'", self.einlass("quota", "set", "share:tenants", "bolt", "weight=0", code=1))
        self.assertIn("has the file's weight again", self.einlass("quota", "unset", "share:tenants", "bolt"))
        self.judge(BY_FILE, "taken away")
        self.assertTrue(all(self.told(1)))
        self.assertIn("has no weight set", self.einlass("quota", "get", "share:tenants", "bolt", code=1))
        self.let_all_go()

    def let_all_go(self):
        for gate in self.gates:
            gate.change({"limits": {"all": self.limit(100_000)}})
            code, text = get(gate.port, "/-/reload", "POST", headers={"Authorization": f"Bearer {self.TOKEN}"})
            self.assertEqual(code, 200, text)
        self.world.receiver.wait_for(len(OF_PARTITION) * EACH, 60)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assertEqual(len(deliveries.accepted(seen)), len(OF_PARTITION) * EACH)
        self.assert_books_closed(self.gates)


if __name__ == "__main__":
    unittest.main()
