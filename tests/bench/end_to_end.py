#!/usr/bin/env python3
"""What the finished program costs on a real Kafka and a real Redis: throughput, CPU, memory, and the time a kill takes.

    EINLASS_BUILD=build/release tests/bench/end_to_end.py [--records 200000] [--only throughput,batches,json_keys,kafka_target,flat,quotas,latency,shared,receiver,slots,idle,memory,kills]

All of it shares one machine with Kafka, Redis and the receiver, so the figures of one run are to be compared with each
other, and with what reading alone and sending alone cost in the same run.
"""

import argparse
import collections
import itertools
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import at_the_receiver  # noqa: E402
import harness.gate  # noqa: E402
import other_slot  # noqa: E402
from harness import deliveries, places, world  # noqa: E402

PARTITIONS = 6
SIZE = 1024
TENANTS = 10
QUOTAS = 100_000
NEVER_BINDS = {"algorithm": "token_bucket", "rate": "1000000/s", "burst": 1_000_000, "store": "memory"}
SECOND_US = 1_000_000


class Table:
    """Rows as they are found, columns aligned."""

    def __init__(self, title, *columns):
        print(f"\n{title}")
        self._widths = [max(len(column), 12) for column in columns]
        self._widths[0] = 50
        self.row(*columns)
        self.row(*("-" * width for width in self._widths))

    def row(self, *cells):
        first, *rest = (str(cell) for cell in cells)
        print("  ".join([first.ljust(self._widths[0]), *(cell.rjust(width)
                        for cell, width in zip(rest, self._widths[1:]))]), flush=True)


class Bench:
    def __init__(self, records):
        self.records = records
        self.world = world.World()
        self._topics = 0

    def topic(self, partitions=PARTITIONS):
        self._topics += 1
        name = f"bench{self._topics}"
        self.world.create_topic(name, partitions)
        return name

    def config(self, topic, limit=None, algorithm=None, **changes):
        """`limit`: of a sliding log in Redis; `algorithm`: another limit; neither: no limit at all."""
        settings = self.world.config(topic, limit or 1, {"kafka": {"group": f"group-{topic}"}, **changes})
        if algorithm is not None:
            settings["limits"] = {"shared": {**algorithm, "store": "redis"}}
        elif limit is None:
            del settings["limits"]
            settings["routes"][0]["limits"] = []
        return settings

    def end(self, gates):
        for gate in gates:
            gate.terminate()
        self.world.receiver.tell("ok")
        self.world.receiver.clear()

    # The parts, each a table.

    def throughput(self):
        table = Table(f"Throughput: {self.records:,} records of {SIZE} bytes, {PARTITIONS} partitions, one gate",
                      "", "records/s", "CPU us/rec", "Redis calls", "Redis us/rec", "RSS MB")
        self._raw(table)
        bucket = {"algorithm": "token_bucket", "rate": "1000000/s", "burst": 1_000_000}
        log = {"algorithm": "sliding_log", "limit": 100_000, "window": "1s"}
        for name, order, algorithm in (
                ("no limit, order partition", "partition", None), ("no limit, order none, 64 in flight", "none", None),
                ("token bucket in Redis, order none", "none", bucket),
                ("sliding log in Redis, order none", "none", log),
                ("token bucket in Redis, order partition", "partition", bucket)):
            self._one_throughput(table, name, order, algorithm)

    def _raw(self, table):
        topic = self.topic()
        self.world.produce(topic, self.records, SIZE)
        read = world.tool("kafka_tool", "consume", "-b", self.world.kafka.brokers, "-t", topic, "--count")[0]
        table.row("reading alone (librdkafka)", f"{read['records'] / read['seconds']:,.0f}",
                  f"{read['cpu_seconds'] / read['records'] * 1e6:.2f}")
        for connections in (PARTITIONS, 64):
            sent = world.tool("post_load", "--port", self.world.receiver.port, "--requests", self.records, "--size",
                              SIZE, "--connections", connections)[0]
            table.row(f"sending alone, {connections} connections", f"{sent['requests'] / sent['seconds']:,.0f}",
                      f"{sent['cpu_seconds'] / sent['requests'] * 1e6:.2f}")
        self.world.receiver.clear()

    def _one_throughput(self, table, name, order, algorithm):
        topic = self.topic()
        self.world.produce(topic, self.records, SIZE)
        self.world.redis.ask("CONFIG", "RESETSTAT")
        gate = self.world.gate(f"gate-{topic}", self.config(topic, algorithm=algorithm, route={"order": order})).start()
        self.world.receiver.wait_for(self.records, 300)
        cpu, resident = gate.cpu_seconds(), gate.resident_mb()
        seen = self.world.receiver.deliveries()
        seconds = (seen[-1].arrived - seen[0].arrived) / SECOND_US
        calls, redis_us = self.redis_calls()
        table.row(name, f"{len(seen) / seconds:,.0f}", f"{cpu / len(seen) * 1e6:.2f}", f"{calls / len(seen):.3f}/rec",
                  f"{redis_us / len(seen):.2f}", f"{resident:.0f}")
        self.end([gate])

    def batches(self):
        """How much less a record costs where several share a request. Of each gate's start nothing is counted."""
        table = Table(f"Several in one request: {self.records:,} records of {SIZE} bytes of JSON, no limit, "
                      "order partition", "", "CPU us/rec", "records/req")
        for most, form in ((1, None), (10, "json"), (100, "json"), (100, "lines"), (100, "length_prefixed")):
            topic = self.topic()
            batch = {"batch": {"records": most, "format": form}} if form else {}
            config = self.config(topic, targets={"receiver": {"http": batch}})
            gate = self.world.start_gates(1, config, PARTITIONS)[0]
            before = gate.cpu_seconds()
            self.world.produce(topic, self.records, SIZE, tenants=TENANTS)
            places.wait_until(lambda: gate.status()["books"]["delivered"] == self.records, 300, "all are delivered")
            cpu = gate.cpu_seconds() - before
            requests = self.world.receiver.summary()["requests"]
            table.row(f"up to {most}{', ' + form if form else ''}", f"{cpu / self.records * 1e6:.2f}", f"{self.records / requests:.1f}")
            self.end([gate])

    def kafka_target(self):
        """To another topic, by their keys and without a limit. Of each gate's start nothing is counted."""
        table = Table(f"Kafka target: {self.records:,} records of {SIZE} bytes, {PARTITIONS} partitions to as many",
                      "", "records/s", "CPU us/rec")
        for order, target in (("partition", {}), ("key", {}), ("none", {}),
                              ("partition", {"exactly_once": True}), ("none", {"exactly_once": True})):
            topic, archive = self.topic(), self.topic()
            config = self.config(topic, targets={"receiver": None, "archive": {"kafka": {"topic": archive, **target}}},
                                 route={"target": "archive", "order": order})
            gate = self.world.start_gates(1, config, PARTITIONS)[0]
            before, start = gate.cpu_seconds(), time.monotonic()
            self.world.produce(topic, self.records, SIZE)
            places.wait_until(lambda: gate.status()["books"]["delivered"] == self.records, 300, "all are delivered")
            took = time.monotonic() - start
            table.row(", ".join([f"order {order}", *target]), f"{self.records / took:,.0f}",
                      f"{(gate.cpu_seconds() - before) / self.records * 1e6:.2f}")
            self.end([gate])

    def redis_calls(self):
        scripts = [value for name, value in self.world.redis.command_calls().items() if name.startswith("eval")]
        return sum(calls for calls, _ in scripts), sum(us for _, us in scripts)

    def latency(self, rate=500, seconds=10):
        """From the producer's clock to the target's, without a limit: Kafka's own share is in it."""
        table = Table(f"{rate} records/s, no limit", "", "p50 ms", "p99 ms", "max ms")
        topic = self.topic()
        gate = self.world.start_gates(1, self.config(topic), PARTITIONS)[0]
        self.world.start_producing(topic, rate * seconds, SIZE, rate=rate).wait(seconds + 20)
        self.world.receiver.wait_for(rate * seconds, 20)
        produced = {(one["partition"], one["offset"]): one["timestamp"] * 1000 for one in self.world.consume(topic)}
        seen = self.world.receiver.deliveries()[rate:]
        took = sorted((one.arrived - produced[one.partition, one.offset]) / 1000 for one in seen)
        table.row("produced (to the ms) to arrived at the target",
                  *(f"{took[int(len(took) * share)]:.2f}" for share in (0.5, 0.99, 0.9999)))
        self.end([gate])

    def shared(self, count=3, limit=1000, seconds=20):
        table = Table(f"{count} gates hold {limit}/s together (sliding log in Redis) for {seconds} s", "", "measured")
        topic = self.topic()
        gates = self.world.start_gates(count, self.config(topic, limit=limit), PARTITIONS)
        self.world.produce(topic, (seconds + 3) * limit, SIZE)
        self.world.receiver.wait_for(2 * limit, 20)
        self.world.redis.ask("CONFIG", "RESETSTAT")
        before = self.world.receiver.summary()["accepted"]
        cpu, start = sum(gate.cpu_seconds() for gate in gates), time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - start
        cpu = sum(gate.cpu_seconds() for gate in gates) - cpu
        delivered = self.world.receiver.summary()["accepted"] - before
        calls, redis_us = self.redis_calls()
        self.world.receiver.wait_for((seconds + 3) * limit, 30)
        seen = self.world.receiver.deliveries()
        admitted = list(deliveries.permits(seen).values())
        table.row("CPU of all gates, % of a core", f"{cpu / took * 100:.1f}")
        table.row("CPU us a record", f"{cpu / delivered * 1e6:.1f}")
        table.row("Redis calls a record", f"{calls / delivered:.3f}")
        table.row("Redis us a record", f"{redis_us / delivered:.2f}")
        table.row("worst second, of the limit", f"{deliveries.worst_window(admitted, SECOND_US)[0]}/{limit}")
        table.row("of the limit used", f"{deliveries.use_of_limit(admitted, limit, SECOND_US):.2%}")
        self.end(gates)

    def receiver(self, limit=1000, seconds=12):
        """What the server behind a limit sees of it; then of ten times as much, in the same run."""
        self._at_the_receiver(limit, seconds, gates=(1, 3, 10))
        self._at_the_receiver(10 * limit, seconds, gates=(10,))

    def _at_the_receiver(self, limit, seconds, gates):
        table = Table(f"What the receiver sees of {limit:,}/s, by its own clock, for {seconds} s", "", *at_the_receiver.COLUMNS)
        view = at_the_receiver.AtTheReceiver(self, table, limit, seconds)
        for name, algorithm in at_the_receiver.rows(limit):
            for order in at_the_receiver.orders(limit, algorithm):
                for count in gates:
                    view.measure(name, algorithm, count, order)

    def slots(self, seconds=12):
        """The same with other lengths of the slot in which permits are used together, in turn."""
        lengths = {length: other_slot.program(length) for length in (500, 1000, 2000, 5000)}
        for limit, count in ((1_000, 3), (10_000, 10)):
            table = Table(f"A slot of another length: {limit:,}/s, {count} gates", "", *at_the_receiver.COLUMNS)
            view = at_the_receiver.AtTheReceiver(self, table, limit, seconds)
            log = {"algorithm": "sliding_log", "limit": limit, "window": "1s"}
            for _ in range(3):
                for length, program in lengths.items():
                    harness.gate.EINLASS = program
                    view.measure(f"{length / 1000:g} ms", log, count, "none")
        harness.gate.EINLASS = places.EINLASS

    def idle(self, seconds=10):
        table = Table(f"Nothing to do for {seconds} s, {PARTITIONS} partitions assigned", "", "measured")
        topic = self.topic()
        gate = self.world.start_gates(1, self.config(topic, limit=1000), PARTITIONS)[0]
        time.sleep(1)
        before = gate.cpu_seconds()
        time.sleep(seconds)
        table.row("CPU, % of a core", f"{(gate.cpu_seconds() - before) / seconds * 100:.2f}")
        table.row("RSS MB", f"{gate.resident_mb():.1f}")
        self.end([gate])

    def memory(self, records=10_000):
        table = Table(f"{records:,} records of {SIZE} bytes inside, a target that does not answer", "", "measured")
        topic = self.topic()
        self.world.receiver.tell("hang")
        settings = self.config(topic, limit=1000, route={"inside": {"records": 2000}})
        gate = self.world.start_gates(1, settings, PARTITIONS)[0]
        empty = gate.resident_mb()
        self.world.produce(topic, records, SIZE)
        places.wait_until(lambda: gate.status()["books"]["inside"] == records, 20, "all inside")
        table.row("RSS MB, empty", f"{empty:.1f}")
        table.row("RSS MB, full", f"{gate.resident_mb():.1f}")
        gate.kill()
        self.world.receiver.tell("ok")
        self.world.receiver.clear()

    def kills(self, count=5):
        for limit in (1_000, 2_500, 20_000):
            table = Table(f"kill -9 at {limit:,}/s and started again at once, {count} times", "", "to first, ms",
                          "duplicates", "at most", "in flight + 512")
            for order in ("partition", "key", "none"):
                self._kills(table, order, count, limit)

    def _kills(self, table, order, count, limit):
        topic = self.topic()
        gate = self.world.start_gates(1, self.config(topic, limit=limit, route={"order": order}), PARTITIONS)[0]
        records = (count * 2 + 2) * limit
        producer = self.world.start_producing(topic, records, SIZE, rate=1.1 * limit, keys=1000)
        killed = []
        for _ in range(count):
            time.sleep(2)
            killed.append(places.now_us())
            gate.kill()
            gate.start(wait=False)
        producer.wait(60)
        self.world.receiver.wait_for(records, 120)
        seen = self.world.receiver.deliveries()
        first = {}
        for one in seen:
            first.setdefault(one.gate, one.arrived)
        took = sorted((first[f"{gate.name}.{number + 2}"] - at) / 1000 for number, at in enumerate(killed))
        admitted = deliveries.permits(seen).values()
        worst = deliveries.worst_window(admitted, SECOND_US)[0]
        table.row(f"order {order} (worst second: {worst} of {limit})", f"{took[len(took) // 2]:.0f} ({took[-1]:.0f})",
                  f"{len(deliveries.duplicates(seen)) / count:.1f} a kill",
                  max(collections.Counter(one.gate for one in deliveries.duplicates(seen)).values(), default=0),
                  (PARTITIONS if order == "partition" else 64) + 512)  # The target takes 64 at a time.
        self.end([gate])

    def flat(self):
        """What many partitions and many keys cost beside one; the limits are in memory and never bind."""
        table = Table(f"{self.records:,} records of {SIZE} bytes, order none, a bucket for each key", "", "CPU us/rec")
        for partitions, keys in ((1, 1), (1000, 1), (PARTITIONS, 1), (PARTITIONS, 100_000)):
            self._flat(table, partitions, keys, order="none", limit_key="record_key")
        # With one key they would wait for each other.
        table = Table(f"{self.records:,} records of {SIZE} bytes, order key, one bucket for all", "", "CPU us/rec")
        for keys in (1000, 100_000):
            self._flat(table, PARTITIONS, keys, order="key")

    def json_keys(self):
        """What it costs to find the bucket's key in the value, beside the record's own key."""
        table = Table(f"{self.records:,} records of {SIZE} bytes of JSON, order none, {TENANTS} buckets", "", "CPU us/rec")
        for _ in range(3):
            for limit_key in (None, "record_key", "json:/tenant"):
                self._flat(table, PARTITIONS, TENANTS, order="none", limit_key=limit_key, tenants=TENANTS)

    def _flat(self, table, partitions, keys, order, limit_key=None, **produced):
        topic = self.topic(partitions)
        self.world.produce(topic, self.records, SIZE, keys=keys, **produced)
        gate = self.world.gate(f"gate-{topic}", self._never_bound(topic, order, limit_key)).start()
        self.world.receiver.wait_for(self.records, 300)
        table.row(f"{partitions:,} partitions, {keys:,} keys, key {limit_key}", f"{gate.cpu_seconds() / self.records * 1e6:.2f}")
        self.end([gate])

    def _never_bound(self, topic, order, limit_key, **changes):
        """Obeys a limit in memory: one bucket, or one for each key."""
        settings = self.config(topic, limit=1, route={"order": order, "limits": ["only"]}, **changes)
        settings["limits"] = {"only": NEVER_BINDS if limit_key is None else {**NEVER_BINDS, "key": limit_key}}
        return settings

    def quotas(self, turns=3):
        """What many quotas in the table cost a record; the first ones of as many tenants have one each.

        Of each gate's start, which reads them, nothing is counted. They are read again every 30 s: a turn that took longer
        than that has it in its figure.
        """
        for count in (0, QUOTAS):
            self._write_quotas(count)
        table = Table(f"{self.records:,} records of {SIZE} bytes, order none, a bucket for each tenant, in turn: CPU us/rec", "",
                      "no quotas", f"{QUOTAS:,} quotas", "ratio", "s from start")
        for tenants in (1, self.records):
            self._quotas(table, tenants, turns)
        for count in (0, QUOTAS):
            self.world.redis.ask("DEL", self._table_of_quotas(count))

    @staticmethod
    def _table_of_quotas(count):
        return f"quotas-{count}:quotas:{{quotas-{count}}}"

    def _write_quotas(self, count):
        """Into the hash alone, which a gate that starts reads whole. The producer's keys are k0, k1, and so on."""
        for first in range(0, count, 1000):
            entries = ((f"only/k{number}", f'{{"burst":{NEVER_BINDS["burst"] - number % 8}}}')
                       for number in range(first, min(first + 1000, count)))
            self.world.redis.ask("HSET", self._table_of_quotas(count), *itertools.chain.from_iterable(entries))

    def _quotas(self, table, tenants, turns):
        none, many = [], []
        for turn in range(1, turns + 1):
            seconds = [self._with_quotas(0, tenants, none), self._with_quotas(QUOTAS, tenants, many)]
            table.row(f"tenants: {tenants:,}, turn {turn}", f"{none[-1]:.2f}", f"{many[-1]:.2f}", f"{many[-1] / none[-1]:.2f}",
                      f"{max(seconds):.0f}")
        ratios = [with_many / without for without, with_many in zip(none, many)]
        table.row(f"tenants: {tenants:,}, median", f"{statistics.median(none):.2f}", f"{statistics.median(many):.2f}",
                  f"{statistics.median(ratios):.2f}")

    def _with_quotas(self, count, tenants, costs):
        """Adds the CPU us of a record to `costs`; returns how long it was from the gate's start to the last record."""
        topic = self.topic()
        settings = self._never_bound(topic, "none", "record_key", quotas={"redis": True}, redis={"namespace": f"quotas-{count}"})
        gate = self.world.start_gates(1, settings, PARTITIONS)[0]
        places.wait_until(lambda: gate.status().get("quotas", {}).get("quotas") == count, 30, f"{count} quotas are read")
        before = gate.cpu_seconds()
        self.world.produce(topic, self.records, SIZE, keys=tenants)
        self.world.receiver.wait_for(self.records, 300, [gate])
        costs.append((gate.cpu_seconds() - before) / self.records * 1e6)
        seconds = (places.now_us() - gate.started_us) / SECOND_US
        self.end([gate])
        return seconds


def main():
    parts = ["throughput", "batches", "json_keys", "kafka_target", "flat", "quotas", "latency", "shared", "receiver", "slots",
             "idle", "memory", "kills"]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--records", type=int, default=200_000)
    parser.add_argument("--only", default=",".join(parts), help="some of " + ",".join(parts))
    options = parser.parse_args()
    bench = Bench(options.records)
    try:
        for part in options.only.split(","):
            getattr(bench, part)()
    except AssertionError:
        print(bench.world.logs(), file=sys.stderr)
        raise
    finally:
        bench.world.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
