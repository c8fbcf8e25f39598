#!/usr/bin/env python3
"""Shares: tenants by weight and records by level, as the receiver sees them, the metrics count them and people are told."""

import json
import unittest
import urllib.parse

from harness import deliveries
from harness.places import get, wait_until
from harness.scenario import Scenario

RATE = 400  # Of the limit, a second.
EACH = 600  # Records of each tenant.
TENANTS = ["acme", "bolt", "free-1"]
WEIGHTS = {"acme": 5, "free-*": 1, "default": 1}
LEVELS = {"by": "header:class", "names": ["urgent", "normal"], "keep": "10%"}
NEAR = 0.02  # Of all.


class Shares(Scenario):
    redis = False

    def start(self, share):
        """A gate that has all records inside before most of them have left."""
        config = self.world.config("results", 1, changes={
            "limits": {"shared": None, "all": {"algorithm": "token_bucket", "rate": f"{RATE}/s", "burst": 1,
                                               "store": "memory"}},
            "route": {"limits": ["all"], "order": "key", "inside": {"records": 3 * EACH}},
            "targets": {"receiver": {"http": {"max_in_flight": 8}}}})
        config["shares"] = {"tenants": share}
        config["routes"][0]["share"] = "tenants"
        return self.world.gate("gate-1", config).start()

    def produce(self, classes=("",)):
        """Whoever has least weight first, all of it: in this order they would leave without a share."""
        self.world.create_topic("results", 1)
        self.marks = [(tenant, name) for tenant in reversed(TENANTS) for name in classes
                      for _ in range(EACH // len(classes))]
        self.world.produce_records("results", [
            {"partition": 0, "key": f"k{number}".encode(), "value": b"x",
             "headers": [("tenant", tenant.encode()), ("class", name.encode())]}
            for number, (tenant, name) in enumerate(self.marks)])

    def marks_of_delivered(self, first, last):
        """Of the accepted records from one place to another, in the order of their permits."""
        self.world.receiver.wait_for(last, 30)
        seen = sorted(deliveries.accepted(self.world.receiver.deliveries()), key=lambda one: one.admitted)
        return [self.marks[one.offset] for one in seen[first:last]]

    def test_tenants_share_a_limit_by_weight(self):
        self.produce()
        gate = self.start({"by": "header:tenant", "weight": WEIGHTS})
        wait_until(lambda: gate.status()["books"]["received"] == 3 * EACH, 20, "all are inside")
        first = gate.status()["books"]["delivered"] + 20
        counted = first + 280
        self.assertLess(counted, EACH, "while each has some left")
        tenants = [tenant for tenant, _ in self.marks_of_delivered(first, counted)]
        for tenant, weight in [("acme", 5), ("bolt", 1), ("free-1", 1)]:
            part = tenants.count(tenant) / len(tenants)
            self.note(f"{tenant}: {part:.3f} of all, by weight {weight / 7:.3f}")
            self.assertLess(abs(part - weight / 7), NEAR)
        self.told(gate)
        self.world.receiver.wait_for(3 * EACH, 30)
        self.assert_nothing_lost(self.world.receiver.deliveries(), "results")
        wait_until(lambda: self.permits(gate, "acme") == EACH, 10, "acme's permits are counted")
        self.assertEqual(self.permits(gate, "other"), 2 * EACH)
        self.assert_books_closed([gate])

    def permits(self, gate, flow, level="all"):
        return gate.metrics()[f'einlass_share_permits_total{{share="tenants",flow="{flow}",level="{level}"}}']

    def told(self, gate):
        """One of bolt's records that is not the next: some of acme's go first."""
        offset = [number for number, (tenant, _) in enumerate(self.marks) if tenant == "bolt"][150]
        status, text = get(gate.port, "/v1/why?" + urllib.parse.urlencode(
            {"topic": "results", "partition": 0, "offset": offset}))
        self.assertEqual(status, 200, text)
        self.assertRegex(json.loads(text)["records"][0]["says"], r"\d+ of 'acme' by weight 5:1")
        share, = gate.status()["shares"]
        self.assertEqual((share["name"], share["routes"]), ("tenants", ["results"]))
        self.assertEqual({one["name"]: one["weight"] for one in share["flows"]}, {"acme": 5, "other": None})
        self.assertGreater(share["levels"][0]["waiting"], 0)
        self.assertGreater(gate.metrics()['einlass_share_waiting{share="tenants",level="all"}'], 0)

    def test_levels_and_a_new_weight(self):
        self.produce(classes=("normal", "urgent"))
        gate = self.start({"by": "header:tenant", "weight": {"default": 1}, "levels": LEVELS})
        wait_until(lambda: gate.status()["books"]["received"] == 3 * EACH, 20, "all are inside")
        first = gate.status()["books"]["delivered"] + 20
        classes = [name for _, name in self.marks_of_delivered(first, first + 200)]
        self.note(f"urgent: {classes.count('urgent') / len(classes):.3f} of all, with keep 10%")
        self.assertLess(abs(classes.count("urgent") / len(classes) - 0.9), NEAR)
        gate.change({"shares": {"tenants": {"weight": {"acme": 20}}}})
        status, text = get(gate.port, "/-/reload", method="POST")
        self.assertEqual(status, 200, text)
        self.world.receiver.wait_for(3 * EACH, 30)
        self.assert_nothing_lost(self.world.receiver.deliveries(), "results")
        self.assert_books_closed([gate])


if __name__ == "__main__":
    unittest.main()
