#!/usr/bin/env python3
"""Bounded memory: many partitions, records of nearly 1 MB, one hot key, a target that is dead; small records with
headers of many shapes; and many tiny ones.

All that may fill up fills up: the gate's inside, librdkafka's prefetch of every partition, and the places at the target.
Then resident memory must stand still, below the bound that docs/sizing.md gives for the configuration, and above nine
tenths of it: else the page would have people pay for what nobody uses.

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
IN_FLIGHT = 64
STILL_SECONDS = 20       # Memory stands still when it has not grown for so long,
GROWTH = 0.01            # but for this part of it.
MANY = 120_000
SMALL, TINY = 4096, 100
SMALL_PARTITIONS = 6
SMALL_PREFETCH_KB = 1024
BATCH = 16               # Records in a batch of the producer's.
# What docs/sizing.md counts, in bytes.
BASE, OF_RECORD, OF_PREFETCHED, SLOT, OF_HEADER = 20 << 20, 268, 350, 256, 16
AT_LEAST = 0.9           # Of the bound.
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
            # Attempts stay there until the target answers.
            "targets": {"receiver": {"http": {"timeout": "5m", "max_in_flight": IN_FLIGHT}}},
            "inside": {"bytes": "64MiB"},
            "route": {"limits": ["hot"], "order": "key"}})

    def bound_mb(self, inside, records, prefetch, prefetched, largest):
        """`inside` and `prefetch`: bytes in all; `records` and `prefetched`: how many these are."""
        return (BASE + 1.05 * inside + OF_RECORD * records + prefetch + OF_PREFETCHED * prefetched +
                IN_FLIGHT * largest) / (1 << 20)

    def judge(self, name, most, bound, inside):
        self.note(f"{name}: {most:.0f} MB full, bound {bound:.0f} MB ({most / bound:.1%}); {inside} records inside")
        if not SANITIZER:  # They keep what was freed, and books of their own.
            self.assertLessEqual(most, bound)
            self.assertGreaterEqual(most, AT_LEAST * bound, "it was not full, or docs/sizing.md allows too much")

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

    def full(self, sent):
        """How much memory the gate takes once that is in Kafka and nothing moves any more, and how many records are inside."""
        gate = self.world.gates[0]
        wait_until(lambda: any(one["held"] for one in gate.partitions()), 60, "the gate is full")
        most, inside = self.wait_until_still(gate, 240), gate.status()["books"]["inside"]
        self.assertLess(inside, sent, "it could take all of it")
        return most, inside

    @plan(whole=True)
    def test_everything_full_and_a_dead_target(self):
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate", self.config()).start(wait=False)
        wait_until(lambda: len(gate.partitions()) == PARTITIONS, 60 + PARTITIONS / 5, "all partitions assigned")
        self.world.receiver.tell("hang")
        sent = PARTITIONS * RECORDS
        self.world.produce("results", sent, size=SIZE, keys=1, header=TRACED)
        most, inside = self.full(sent)
        self.assertLessEqual(inside * SIZE, INSIDE_BYTES + PARTITIONS * SIZE)
        prefetch = PARTITIONS * (PREFETCH_KB * 1024 + SIZE)
        self.judge(f"{PARTITIONS} partitions", most,
                   self.bound_mb(INSIDE_BYTES, inside, prefetch, PARTITIONS, SIZE), inside)
        # And all of it was worth something: the target is back, and everything arrives.
        self.world.receiver.tell("ok")
        self.world.receiver.wait_for(sent, 240, [gate])

    def start_with_small(self, prefetch_kb):
        self.world.create_topic("results", SMALL_PARTITIONS)
        settings = self.config()
        settings["kafka"]["properties"]["queued.max.messages.kbytes"] = str(prefetch_kb)
        settings["inside"]["records"] = MANY
        settings["routes"][0].update(inside={"records": MANY, "bytes": "64MiB"}, order="partition")
        gate = self.world.gate("gate", settings).start()
        wait_until(lambda: len(gate.partitions()) == SMALL_PARTITIONS, 60, "all partitions assigned")
        self.world.receiver.tell("hang")
        return gate

    def produce_small(self, count, size, headers):
        self.world.produce("results", count, size=size, header=headers, properties={"batch.num.messages": BATCH})

    def produce_shapes(self, each):
        """So many records of each shape; how many in all."""
        for headers in ([], TRACED[:1], TRACED, ["h=1"] * 30, ["huge=" + "h" * 2 * SMALL], ["empty="]):
            self.produce_small(each, SMALL, headers)
        nulls = [("null", None), ("tenant", b"acme")]
        self.world.produce_records("results", [{"partition": number % SMALL_PARTITIONS, "value": b"." * SMALL,
                                                "headers": nulls} for number in range(each)])
        return 7 * each

    # The last quarter of what may be inside is for partitions with nothing inside, and here all have something: each has as
    # much as is left below three quarters.
    INSIDE_OF_STUCK = 3 / 4 * SMALL_PARTITIONS / (SMALL_PARTITIONS + 1)

    def test_headers_of_many_shapes(self):
        gate = self.start_with_small(PREFETCH_KB)
        sent = self.produce_shapes(3000)
        most, inside = self.full(sent)
        prefetch = SMALL_PARTITIONS * (PREFETCH_KB * 1024 + BATCH * SMALL)
        self.judge("headers", most, self.bound_mb(INSIDE_BYTES * self.INSIDE_OF_STUCK, inside, prefetch, prefetch / SMALL,
                                                  SMALL), inside)
        self.world.receiver.tell("ok")
        self.world.receiver.wait_for(sent, 240, [gate])

    @plan(whole=True)
    def test_many_tiny_ones(self):
        """What counts is what the gate and librdkafka keep of each, and their headers, which no prefetch counts."""
        self.start_with_small(SMALL_PREFETCH_KB)
        sent = 27_000 * SMALL_PARTITIONS
        self.produce_small(sent, TINY, TRACED)
        most, inside = self.full(sent)
        size = TINY + sum(map(len, TRACED)) - len(TRACED)
        kept = SLOT + len("results") + size + OF_HEADER * len(TRACED)
        prefetched = SMALL_PARTITIONS * (SMALL_PREFETCH_KB * 1024 / TINY + PREFETCH_KB * 1024 / size)
        self.assertAlmostEqual(inside / (MANY * self.INSIDE_OF_STUCK), 1, delta=0.02)
        self.judge("tiny", most, self.bound_mb(inside * kept, inside, prefetched * size, prefetched, size), inside)


if __name__ == "__main__":
    unittest.main()
