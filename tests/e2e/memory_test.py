#!/usr/bin/env python3
"""Bounded memory: many partitions, records of nearly 1 MB, one hot key, a target that is dead; and small records with
headers of many shapes.

All that may fill up fills up: the gate's inside, and librdkafka's prefetch of every partition. Then resident memory must
stand still, below the bound that docs/sizing.md gives for the configuration:

    base + 1.1 x inside.bytes + 200 x inside.records + 1.4 x partitions x (queued.max.messages.kbytes + the largest producer
    batch)

EINLASS_MEMORY_PARTITIONS=1000 is the full size (3 GB on the broker's disk).
"""

import os
import time
import unittest

from harness.places import SANITIZER, wait_until
from harness.plan import plan
from harness.scenario import Scenario

PARTITIONS = int(os.environ.get("EINLASS_MEMORY_PARTITIONS", "200"))
RECORDS = 3              # Of each partition: more than its prefetch takes.
SIZE = 900_000
INSIDE_BYTES = 64 << 20
PREFETCH_KB = 64
STILL_SECONDS = 20       # Memory stands still when it has not grown for so long,
GROWTH = 0.01            # but for this part of it.
MANY = 100_000
SMALL = 4096
SMALL_PARTITIONS = 6
SMALL_BATCH = 1_000_000  # As librdkafka's producers write it.
TRACED = ["traceparent=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "content-type=application/json",
          "tenant=acme"]


@plan(seconds=400)
class Memory(Scenario):
    redis = False
    own_kafka = True  # It is to have half a gigabyte.

    def config(self):
        return self.world.config("results", 1, changes={
            "limits": {"shared": None, "hot": {"algorithm": "token_bucket", "rate": "1000/s", "burst": 100,
                                               "key": "record_key", "store": "memory"}},
            "kafka": {"properties": {"queued.max.messages.kbytes": str(PREFETCH_KB),
                                     "fetch.message.max.bytes": str(PREFETCH_KB * 1024)}},
            "targets": {"receiver": {"http": {"timeout": "1s"}}},
            "inside": {"bytes": "64MiB"},
            "route": {"limits": ["hot"], "order": "key"}})

    def bound_mb(self, base_mb, records, inside=INSIDE_BYTES, partitions=PARTITIONS, batch=SIZE):
        prefetch = partitions * (PREFETCH_KB * 1024 + batch)
        return base_mb + (1.1 * inside + 200 * records + 1.4 * prefetch) / (1 << 20)

    def wait_until_still(self, gate, patience):
        """Until the gate is full and its memory has not grown for a while; the most that was seen."""
        deadline = time.monotonic() + patience
        most, since = 0.0, time.monotonic()
        while time.monotonic() - since < STILL_SECONDS:
            self.assertLess(time.monotonic(), deadline, f"memory still grows: {most:.0f} MB")
            now = gate.resident_mb()
            if now > most * (1 + GROWTH):
                since = time.monotonic()
            most = max(most, now)
            time.sleep(0.5)
        return most

    def test_everything_full_and_a_dead_target(self):
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate", self.config()).start()
        wait_until(lambda: len(gate.partitions()) == PARTITIONS, 60, "all partitions assigned")
        base = gate.resident_mb()
        self.world.receiver.tell("hang")
        self.world.produce("results", PARTITIONS * RECORDS, size=SIZE, keys=1, header=TRACED)
        wait_until(lambda: any(one["held"] for one in gate.partitions()), 60, "the gate is full")
        most = self.wait_until_still(gate, 240)
        inside = gate.status()["books"]["inside"]
        bound = self.bound_mb(base, inside)
        self.note(f"{PARTITIONS} partitions: {base:.0f} MB empty, {most:.0f} MB full, bound {bound:.0f} MB; "
                  f"{inside} records of {SIZE / 1e6} MB inside, {PARTITIONS * RECORDS - inside} waiting in Kafka or the prefetch")
        self.assertLessEqual(inside * SIZE, INSIDE_BYTES + PARTITIONS * SIZE)
        self.assertGreater(most, base + 0.5 * INSIDE_BYTES / (1 << 20), "it was not full")
        if not SANITIZER:  # They keep what was freed, and books of their own.
            self.assertLessEqual(most, bound)
        # And all of it was worth something: the target is back, and everything arrives.
        self.world.receiver.tell("ok")
        self.world.receiver.wait_for(PARTITIONS * RECORDS, 240, [gate])

    def produce_shapes(self, each):
        """So many records of each shape; how many in all."""
        for headers in ([], TRACED[:1], TRACED, ["h=1"] * 30, ["huge=" + "h" * 2 * SMALL], ["empty="]):
            self.world.produce("results", each, size=SMALL, header=headers)
        nulls = [("null", None), ("tenant", b"acme")]
        self.world.produce_records("results", [{"partition": number % SMALL_PARTITIONS, "value": b"." * SMALL,
                                                "headers": nulls} for number in range(each)])
        return 7 * each

    def test_headers_of_many_shapes(self):
        self.world.create_topic("results", SMALL_PARTITIONS)
        settings = self.config()
        settings["inside"]["records"] = MANY
        settings["routes"][0]["inside"] = {"records": MANY, "bytes": "64MiB"}
        gate = self.world.gate("gate", settings).start()
        wait_until(lambda: len(gate.partitions()) == SMALL_PARTITIONS, 60, "all partitions assigned")
        base = gate.resident_mb()
        self.world.receiver.tell("hang")
        sent = self.produce_shapes(3000)
        wait_until(lambda: any(one["held"] for one in gate.partitions()), 60, "the gate is full")
        most = self.wait_until_still(gate, 240)
        inside = gate.status()["books"]["inside"]
        # The last quarter is for partitions with nothing inside, and here all have something.
        bound = self.bound_mb(base, inside, INSIDE_BYTES * 3 // 4, SMALL_PARTITIONS, SMALL_BATCH)
        self.note(f"headers: {base:.0f} MB empty, {most:.0f} MB full, bound {bound:.0f} MB; {inside} of {sent} records inside")
        self.assertGreater(most, base + 0.5 * INSIDE_BYTES / (1 << 20), "it was not full")
        if not SANITIZER:
            self.assertLessEqual(most, bound)
        self.world.receiver.tell("ok")
        self.world.receiver.wait_for(sent, 240, [gate])


if __name__ == "__main__":
    unittest.main()
