#!/usr/bin/env python3
"""docs/receiver.md against real requests of a real gate, and its samples behind one.

    receiver_test.py [SAMPLE]    the page alone, or this file of docs/receivers; 77 where its language is not installed
"""

import http.client
import os
import re
import shutil
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "deploy", "local"), os.path.join(ROOT, "tests", "e2e")]

import servers  # noqa: E402
from harness import places  # noqa: E402
from harness.world import World  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "receiver.md")
SAMPLES = {"receiver.py": "python3", "receiver.go": "go", "Receiver.java": "java"}  # And what runs them.
BUILD_PATIENCE_S = 150.0  # Go compiles its library the first time.
OWN_RECORD = {"partition": 0, "key": b"acme", "value": b'{"job": 17, "result": "done"}',
              "headers": [("traceparent", b"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), ("tracestate", b"a=1"),
                          ("baggage", b"b=2"), ("content-type", b"application/json"), ("of-the-record", b"x")]}
STRANGE_RECORD = {"partition": 0, "key": "ä b".encode(), "value": None}
PLAIN_RECORD = {"partition": 0, "value": b"broken"}


def contents(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def table_of_headers(page):
    rows = re.search(r"\| header \| value \|\n\|[-|]+\n((?:\|.*\n)+)", page)[1].splitlines()
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}


def parsed(head):
    """The request line, and (name, value) of each header, as they came."""
    first, *lines = head.decode().rstrip("\r\n").split("\r\n")
    return first, [tuple(line.split(": ", 1)) for line in lines]


class WithAWorld(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(redis=False)
        cls.addClassCleanup(cls.world.stop)
        cls.world.create_topic("results.dead", 1)

    def gate(self, topic, records, port):
        self.world.create_topic(topic, 1)
        self.world.produce_records(topic, records)
        return self.world.gate(f"gate-{topic}", self.world.config(topic, 100, {
            "kafka": {"group": topic}, "limits": {"shared": {"store": "memory"}},
            "targets": {"receiver": {"http": {"url": f"http://127.0.0.1:{port}/callback"}}},
            "route": {"dead_letter": "results.dead"}})).start()


class Page(WithAWorld):
    page = contents(PAGE)

    def test_the_request(self):
        self.world.receiver.keep_full()
        self.gate("results", [OWN_RECORD, STRANGE_RECORD, PLAIN_RECORD], self.world.receiver.port)
        places.wait_until(lambda: len(self.world.receiver.full()) == 3, 20, "three requests")
        (_, first), (_, second), (_, third) = [parsed(head) for head, _ in self.world.receiver.full()]
        seen = {name for request in (first, second, third) for name, _ in request} - {"Host", "X-Gate"}
        self.assertEqual(seen, table_of_headers(self.page), "the table of the page names what is sent, and nothing else")
        example, body = re.search(r"```http\n(.*?)\n\n(.*?)\n```", self.page, re.DOTALL).groups()
        self.assertEqual(body.encode(), OWN_RECORD["value"])
        shown = {line.split(": ", 1)[0] for line in example.splitlines()[1:]}
        self.assertEqual(shown, {name for name, _ in first} - {"X-Gate", "tracestate", "baggage"})
        first, second, third = dict(first), dict(second), dict(third)
        self.assertEqual((first["Idempotency-Key"], first["Content-Type"], first["Kafka-Key"], first["Einlass-Attempt"]),
                         ('"results-0-0"', "application/json", "acme", "1"))
        self.assertEqual((second["Kafka-Tombstone"], second["Content-Length"], second["Kafka-Key-Base64"]),
                         ("true", "0", "w6QgYg=="))
        self.assertNotIn("Kafka-Key", third)
        self.assertEqual(third["Content-Type"], "application/octet-stream")

    def test_the_samples_of_the_page_are_the_files(self):
        for name in SAMPLES:
            self.assertIn("\n" + contents(os.path.join(ROOT, "docs", "receivers", name)) + "```\n", self.page, name)


class Sample(WithAWorld):
    name = ""

    def test_each_record_once(self):
        port, log = servers.free_ports(1)[0], os.path.join(self.world.directory, f"{self.name}.log")
        child = servers.start_child([*self.program(), str(port)], log)
        self.addCleanup(servers.stop_child, child, 0.1)
        places.wait_until(lambda: self.post(port, '"a-probe-0-0"', b"{}") == 200, 30, f"{self.name} to answer")
        topic = f"of.{self.name.lower()}"
        records = [{"partition": 0, "value": b'{"job": %d}' % number} for number in range(5)]
        gate = self.gate(topic, [*records, PLAIN_RECORD], port)
        places.wait_until(lambda: gate.status()["books"]["received"] == 6 and gate.status()["books"]["inside"] == 0, 20,
                          f"all six delivered, {gate.status()['books']}")
        self.assertEqual(gate.status()["books"]["dead_lettered"], 1, "what is no JSON is refused")
        for number in range(5):
            self.assertEqual(self.post(port, f'"{topic}-0-{number}"', b'{"job": %d}' % number), 200, "done before")
        worked = [line.split()[1] for line in contents(log).splitlines() if line.startswith("work") and topic in line]
        self.assertEqual(worked, [f'"{topic}-0-{number}"' for number in range(5)], "each once, in order")

    def program(self):
        """Not by `go run`, whose child would outlive it."""
        path = os.path.join(ROOT, "docs", "receivers", self.name)
        if SAMPLES[self.name] != "go":
            return [SAMPLES[self.name], path]
        built = os.path.join(self.world.directory, "receiver-in-go")
        subprocess.run(["go", "build", "-o", built, path], check=True, timeout=BUILD_PATIENCE_S)
        return [built]

    @staticmethod
    def post(port, key, body):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.request("POST", "/callback", body, {"Idempotency-Key": key})
            return connection.getresponse().status
        except OSError:
            return None
        finally:
            connection.close()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        unittest.main(defaultTest="Page", verbosity=2)
    Sample.name = sys.argv.pop()
    if shutil.which(SAMPLES[Sample.name]) is None:
        print(f"not run: there is no {SAMPLES[Sample.name]} here")
        sys.exit(77)
    unittest.main(defaultTest="Sample", verbosity=2)
