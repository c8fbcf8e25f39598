"""What the chart restarts pods for, and what it leaves to a reload, against what a gate really takes while it runs: each change
is made to a running gate's file and to the chart's values.

A gate that refuses a change whose pod was not restarted would go on with the old configuration.
"""

import copy
import json
import os
import shutil
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import go_programs
import manifests
from commands import until

sys.path.insert(0, os.path.join(manifests.ROOT, "deploy", "local"))
import servers  # noqa: E402

EINLASS = os.path.join(os.environ["EINLASS_BUILD"], "einlass")
# Kafka and the target are not there, which a gate takes for an outage.
CONFIG = {
    "instance": "gate-1", "drain_timeout": "1s",
    "admin": {"listen": "0.0.0.0:9465", "token": "a-token-of-the-test"},
    "kafka": {"brokers": ["127.0.0.1:1"], "group": "einlass"}, "redis": {"url": "redis://127.0.0.1:1/0"},
    "limits": {"log": {"algorithm": "sliding_log", "limit": 100, "window": "1s"},
               "bucket": {"algorithm": "token_bucket", "rate": "10/s", "burst": 20, "key": "record_key"},
               "places": {"algorithm": "concurrency", "limit": 50, "lease": "20m"},
               "smooth": {"algorithm": "smooth", "rate": "10/s", "timeout": "1s", "warm_up": "5s"},
               "window": {"algorithm": "fixed_window", "limit": 100, "window": "1m", "burst": 20}},
    "targets": {"web": {"http": {"url": "http://127.0.0.1:1/a", "timeout": "1s"}, "retry": {"initial": "1s", "budget": "20%"}},
                "lists": {"http": {"url": "http://127.0.0.1:1/", "batch": {"records": 50}}},
                "topic": {"kafka": {"topic": "results.out"}}},
    "shares": {"tenants": {"by": "record_key", "weight": {"acme": 2}}},
    "routes": [{"name": "results", "topics": ["results"], "target": "web", "limits": ["log", "places"], "dead_letter": "results.dead"},
               {"name": "lists", "topics": ["lists"], "target": "lists", "limits": [], "order": "none"},
               {"name": "copies", "topics": ["copies"], "target": "topic", "limits": ["bucket", "smooth"], "dead_letter": "copies.dead"}]}
# Each a path to a value, and the value; None takes it away.
TAKEN = (
    ("limits.log.limit", 50), ("limits.log.window", "2s"), ("limits.log.horizon", "100ms"), ("limits.log.even", "20%"),
    ("limits.bucket.rate", "20/s"), ("limits.bucket.burst", 40), ("limits.bucket.use_within", "200ms"), ("limits.log.cost", 2),
    ("limits.bucket.overrides", {"acme": {"rate": "20/s"}}), ("limits.log.schedule", {"08:00-18:00 Mon-Fri Europe/Berlin": {"limit": 40}}),
    ("routes.0.filter", [{"by": "header:country", "equals": "DE"}]), ("routes.0.not_before", "header:not-before"),
    ("routes.0.expires", "header:expires"), ("limits.places.lease", "21m"), ("limits.smooth.warm_up", "6s"), ("limits.smooth.timeout", "2s"),
    ("limits.window.limit", 50), ("limits.window.burst", 10),
    ("targets.web.http.url", "http://127.0.0.1:1/b"), ("targets.web.http.max_in_flight", 8), ("targets.web.retry.initial", "2s"),
    ("targets.web.breaker", {"failures": 7}), ("targets.topic.kafka.topic", "results.other"),
    ("routes.0.retry", {"initial": "1s"}), ("routes.0.dead_letter", "results.dead2"),
    ("routes.0.largest_record", "1MiB"), ("shares.tenants.weight", {"acme": 3}),
    ("kafka.commit_interval", "2s"), ("kafka.revoke_timeout", "3s"), ("inside", {"records": 5000}), ("instances", 3),
    ("drain_timeout", "2s"), ("watchdog", "20s"), ("log", {"level": "warning"}), ("admin.token", "another-token-of-the-test"))
REFUSED = (
    ("instance", "gate-2"), ("shards", 2), ("admin.listen", "0.0.0.0:9466"), ("kafka.group", "others"), ("kafka.brokers", ["127.0.0.1:2"]),
    ("kafka.properties", {"session.timeout.ms": 30000}), ("limits.log.algorithm", "sliding_window"), ("limits.log.shadow", True),
    ("limits.log.cost", "header:cost"), ("limits.bucket.key", "header:tenant"), ("redis.url", "redis://127.0.0.1:2/0"),
    ("limits.more", {"algorithm": "sliding_log", "limit": 1, "window": "1s"}), ("targets.web.retry.budget", "30%"),
    ("limits.window.limit", 20), ("limits.window.burst", 100), ("limits.window.burst", None),
    ("targets.more", {"http": {"url": "http://127.0.0.1:1/"}}), ("targets.lists.http.batch.records", 60), ("targets.lists.http.batch", None),
    ("routes.0.topics", ["others"]), ("routes.0.limits", ["log"]),
    ("routes.0.order", "none"), ("routes.2.dead_letter", None), ("shares.tenants.by", "header:tenant"))
# With a route of a pattern: names that it fits.
PATTERN = {**CONFIG, "routes": [*CONFIG["routes"], {"name": "all", "topics": ["^all[.]"], "target": "web", "limits": [],
                                                    "dead_letter": "failed"}]}
REFUSED_WITH_PATTERN = (("routes.0.dead_letter", "all.dead"), ("targets.topic.kafka.topic", "all.out"))


def changed(path, value, of=CONFIG):
    config = copy.deepcopy(of)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = config
    for part in way:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return config


class Gate:
    def __init__(self, config=CONFIG):
        self.folder = tempfile.mkdtemp(prefix="einlass-chart-")
        self._port, self._token = servers.free_ports(1)[0], CONFIG["admin"]["token"]
        self.write(config)
        self._process = servers.start_child([EINLASS, "run", "-c", self._path("gate.yaml")], self._path("log"))
        until(lambda: self._ask("/healthz") == 200, 30, "the gate", lambda: servers.tail(self._path("log")))

    def write(self, config):
        with open(self._path("gate.yaml"), "w") as file:
            file.write(json.dumps(config).replace("0.0.0.0:9465", f"127.0.0.1:{self._port}"))

    def takes(self, config):
        """Whether it does; then it runs under it."""
        self.write(config)
        status = self._ask("/-/reload", "POST")
        if status == 200:
            self._token = config["admin"]["token"]
        assert status in (200, 409), f"{status}\n{servers.tail(self._path('log'))}"
        return status == 200

    def delete(self):
        servers.stop_child(self._process)
        shutil.rmtree(self.folder)

    def _ask(self, path, method="GET"):
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}{path}", method=method,
                                         headers={"Authorization": f"Bearer {self._token}"})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code

    def _path(self, name):
        return os.path.join(self.folder, name)


def checksum(config):
    done = manifests.templated({"config": json.dumps(config)})
    assert done.returncode == 0, done.stderr
    gates = next(one for one in manifests.objects(done.stdout) if one["kind"] == "StatefulSet")
    return gates["spec"]["template"]["metadata"]["annotations"]["checksum/config"]


class Restarts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.gate = Gate()
        cls.addClassCleanup(cls.gate.delete)
        cls.before = checksum(CONFIG)

    def test_what_a_gate_takes_restarts_no_pod(self):
        for path, value in TAKEN:
            with self.subTest(path):
                config = changed(path, value)
                self.assertTrue(self.gate.takes(config), "the gate asks for a restart")
                self.assertTrue(self.gate.takes(CONFIG))
                self.assertEqual(checksum(config), self.before)

    def test_what_it_refuses_restarts_them(self):
        for path, value in REFUSED:
            with self.subTest(path):
                config = changed(path, value)
                self.assertFalse(self.gate.takes(config), "the gate takes it")
                self.assertNotEqual(checksum(config), self.before)

    def test_a_variable_beside_a_burst_restarts_them(self):
        """Whether the burst is less than the limit only the gate knows."""
        before, after = (changed("limits.window.limit", f"${{ROOM:-{limit}}}") for limit in (100, 20))
        gate = Gate(before)
        self.addCleanup(gate.delete)
        self.assertFalse(gate.takes(after), "the gate takes it")
        self.assertNotEqual(checksum(after), checksum(before))

    def test_what_a_pattern_of_topics_leaves_out_restarts_them(self):
        gate = Gate(PATTERN)
        self.addCleanup(gate.delete)
        for path, value in REFUSED_WITH_PATTERN:
            with self.subTest(path):
                config = changed(path, value, PATTERN)
                self.assertFalse(gate.takes(config), "the gate takes it")
                self.assertNotEqual(checksum(config), checksum(PATTERN))


if __name__ == "__main__":
    reason = go_programs.missing("helm")
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    unittest.main()
