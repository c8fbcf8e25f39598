#!/usr/bin/env python3
"""Why does a record wait: a real gate is asked by HTTP and by the command line."""

import json
import subprocess
import threading
import time
import unittest
import urllib.parse

from harness.places import EINLASS, PATIENCE, get, now_us, wait_until
from harness.plan import plan
from harness.scenario import Scenario

# One permit every ten minutes: the second record of each tenant stays for as long as this test takes.
PER_TENANT = {"algorithm": "token_bucket", "rate": "1/600s", "burst": 1, "key": "header:tenant", "store": "memory"}


class Why(Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", 2)
        self.gate = self.world.gate("gate-1", self.world.config("results", 1, changes={
            "limits": {"shared": None, "per_tenant": PER_TENANT},
            "route": {"limits": ["per_tenant"], "inside": {"records": 5}}})).start()
        tenants = ["acme", "acme", "bolt"] + 9 * ["acme"]
        self.world.produce_records("results", [
            {"partition": 0, "key": f"k{number}".encode(), "value": b"x", "headers": [("tenant", tenant.encode())]}
            for number, tenant in enumerate(tenants)])
        wait_until(lambda: self.gate.waiting("limit") >= 4 and self.held(), 20, "records wait")

    def held(self):
        return any(one["held"] for one in self.gate.partitions())

    def ask(self, **fields):
        status, text = get(self.gate.port, "/v1/why?" + urllib.parse.urlencode(fields))
        self.assertEqual(status, 200, text)
        return json.loads(text)

    def of(self, offset, partition=0):
        return self.ask(topic="results", partition=partition, offset=offset)

    def command(self, *words):
        return subprocess.run([EINLASS, "why", "-c", self.gate.path, *words], capture_output=True, text=True, timeout=20)

    def test_a_record_is_found_and_explained(self):
        self.assertEqual(self.of(0)["state"], "finished")

        second = self.of(1)["records"][0]
        self.assertEqual((second["waits_for"], second["limit"], second["limit_key"]), ("limit", "per_tenant", "acme"))
        self.assertGreater(second["until"], now_us() + 500_000_000, "ten minutes after the first")
        self.assertLess(second["until"], now_us() + 601_000_000)

        fourth = self.of(3)["records"][0]
        self.assertEqual((fourth["waits_for"], fourth["before"], fourth["first"]["offset"]), ("limit", 2, 1))
        self.assertEqual((fourth["limit"], fourth["limit_key"]), ("per_tenant", "acme"), "what the first is short of")

        beyond = self.of(11)
        self.assertEqual(beyond["state"], "not_taken_in")
        self.assertIn("as many records as allowed are inside", beyond["says"])
        self.assertEqual(self.of(0, partition=1)["state"], "not_taken_in")
        self.assertEqual(self.of(0, partition=7)["state"], "elsewhere")
        self.assertIn("no route", self.ask(topic="orders", partition=0, offset=0)["says"])

        acme = self.gate.waiting("limit") - 1  # All inside but that of bolt.
        self.assertGreaterEqual(acme, 3)
        self.assertEqual(self.ask(key="acme")["inside"], acme, "by the limit's key")
        self.assertEqual([one["offset"] for one in self.ask(key="k4")["records"]], [4], "by its own")
        self.assertEqual(self.ask(key="nobody")["inside"], 0)

        said = self.command("--topic", "results", "--partition", "0", "--offset", "3")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertRegex(said.stdout, r"^results-0@3 \(.* old\): waits behind 2 records")
        self.assertIn("the first of them, results-0@1: waits for a permit of limit per_tenant, key 'acme'", said.stdout)
        self.assertIn(f"{acme} records with this key are in this gate", self.command("--key", "acme").stdout)
        self.assertEqual(json.loads(self.command("--key", "acme", "--json").stdout)["inside"], acme)
        nameless = self.command("--key", "")
        self.assertEqual(nameless.returncode, 0, nameless.stderr)
        self.assertIn("key '': no record with this key", nameless.stdout)

        self.assertEqual(get(self.gate.port, "/v1/why?topic=results")[0], 400)
        self.assertEqual(self.command().returncode, 64)
        self.assertEqual(self.command("--topic", "results").returncode, 64)
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        gone = self.command("--key", "acme")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("no gate answers on 127.0.0.1", gone.stderr)


class Questions(Scenario):
    """Each looks at all that is inside, and whoever asks without end holds up nobody's record."""

    redis = False
    PARTITIONS, INSIDE, RATE, SECONDS, ASKERS = 20, 60_000, 100, 8, 4

    def start(self):
        for topic, partitions in (("waiting", self.PARTITIONS), ("honest", 1)):
            self.world.create_topic(topic, partitions)
        self.world.produce("waiting", self.INSIDE, size=100)
        config = self.world.config("honest", 1, changes={
            "limits": {"shared": None, "slow": {"algorithm": "token_bucket", "rate": "1/600s", "burst": 1, "store": "memory"}},
            "route": {"limits": [], "order": "none"}})
        config["routes"].append({**config["routes"][0], "name": "waiting", "topics": ["waiting"], "limits": ["slow"],
                                 "order": "partition", "inside": {"records": self.INSIDE // self.PARTITIONS}})
        gate = self.world.gate("gate-1", config).start()
        wait_until(lambda: gate.status()["books"]["inside"] >= self.INSIDE - 1, 60, f"{self.INSIDE} records inside")
        return gate

    def rate(self):
        before, began = self.world.receiver.summary()["accepted"], time.monotonic()
        time.sleep(self.SECONDS)
        return (self.world.receiver.summary()["accepted"] - before) / (time.monotonic() - began)

    @plan(alone=True, whole=True)
    def test_without_end_hold_up_nothing(self):
        gate = self.start()
        self.world.start_producing("honest", self.RATE * (3 * self.SECONDS + 10), size=100, rate=self.RATE)
        wait_until(lambda: self.world.receiver.summary()["accepted"] > self.RATE, 20, "honest records")
        before = self.rate()
        over, answers = threading.Event(), []

        def ask():
            while not over.is_set():
                code, text = get(gate.port, "/v1/why?key=nobody", timeout=20)
                answers.append((code, json.loads(text)["inside"] if code == 200 else None))
        askers = [threading.Thread(target=ask) for _ in range(self.ASKERS)]
        for one in askers:
            one.start()
        during = self.rate()
        answered = len(answers) / self.SECONDS
        over.set()
        for one in askers:
            one.join()
        self.note(f"honest {before:.1f}/s, beside {self.ASKERS} who ask {during:.1f}/s; {answered:.1f} answers a second")
        self.assertEqual(set(answers), {(200, 0)})
        self.assertGreater(before, 0.9 * self.RATE)
        self.assertGreaterEqual(during, (1 - 0.1 * PATIENCE) * before)
        self.assertGreater(answered, 0.5)
        self.assertLessEqual(answered, 5.5, "one at a time, and so many a second")


class WhyAtAnotherGate(Scenario):
    redis = False

    def test_a_gate_that_lacks_the_partition_names_the_one_that_has_it(self):
        self.world.create_topic("results", 2)
        gates = self.world.start_gates(2, self.world.config("results", 1, changes={
            "limits": {"shared": None, "per_tenant": PER_TENANT}, "route": {"limits": ["per_tenant"]}}), 2)
        self.world.produce_records("results", [
            {"partition": 0, "key": b"k", "value": b"x", "headers": [("tenant", b"acme")]} for _ in range(3)])
        wait_until(lambda: sum(gate.waiting("limit") for gate in gates) == 2, 20, "two of three wait")
        has, lacks = sorted(gates, key=lambda gate: gate.waiting("limit"), reverse=True)
        self.assertEqual(lacks.partitions()[0]["partition"], 1)
        for question in (("--key", "acme"), ("--topic", "results", "--partition", "0", "--offset", "2")):
            with self.subTest(question=question):
                said = subprocess.run([EINLASS, "why", lacks.path, *question], capture_output=True, text=True, timeout=20)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                self.assertIn("results 1", said.stdout.splitlines()[0], "what it has itself")
                self.assertRegex(said.stdout, f"\nask gate {has.name} at .*: it has results 0\n")


if __name__ == "__main__":
    unittest.main(verbosity=2)
