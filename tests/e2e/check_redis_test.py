"""`einlass check --connect` tries what a gate needs of its Redis, and leaves nothing there."""

import json
import os
import subprocess
import tempfile
import unittest

from harness import places, told
from harness.plan import plan
from redis import Redis

LIMITS = {"limits": {"shared": {"algorithm": "sliding_log", "limit": 10, "window": "1s", "store": "redis"}}}
QUOTAS = {"quotas": {"redis": True}, "admin": {"token": "a-token-for-checks"}}
READS = ("+ping", "+select", "+eval", "+evalsha", "+time", "+hscan", "+xrange", "+xrevrange")


@plan(together=True, waits=True)
class CheckRedis(unittest.TestCase):
    def setUp(self):
        self.primary = self.server()

    def server(self, *arguments):
        server = Redis(arguments=arguments).start()
        self.addCleanup(server.stop)
        return server

    def replica(self):
        replica = self.server("--replicaof", "127.0.0.1", str(self.primary.port))
        places.wait_until(lambda: "master_link_status:up" in replica.ask("INFO", "replication"), 20, "the replica is linked")
        return replica

    def user(self, *rights):
        """Of the primary, with these rights beyond none."""
        self.primary.ask("ACL", "SETUSER", "gate", "reset", "on", ">secret", "~e2e:*", *rights)
        return {"username": "gate", "password": "secret"}

    def check(self, kept, server=None, **redis):
        """What is said of Redis, by those whose Kafka is away: that is tried as well."""
        limits = ["shared"] if "limits" in kept else []
        config = {"kafka": {"brokers": ["127.0.0.1:1"]}, "targets": {"t": {"http": {"url": "http://127.0.0.1:1/"}}},
                  "routes": [{"name": "r", "topics": ["a"], "target": "t", "limits": limits}], **kept,
                  "redis": {"url": (server or self.primary).url, "namespace": "e2e", **redis}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(config, file)
            file.flush()
            done = subprocess.run([places.EINLASS, "check", "--connect", "-c", file.name], capture_output=True, text=True,
                                  timeout=60 * places.PATIENCE, env={"PATH": os.environ["PATH"]}, check=False)
        return [line for line in (done.stdout + done.stderr).splitlines() if "Redis" in line]

    def assert_says(self, text, kept, **how):
        said = self.check(kept, **how)
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], text)

    def test_a_replica_grants_nothing(self):
        replica = self.replica()
        self.assert_says(r"^  FAILED  Redis at .*\(READONLY\): .* is a replica; point redis.url at the primary", LIMITS,
                         server=replica)
        self.assert_says(r"^  FAILED  quotas and pauses in Redis at .* is a replica; point redis.url at the primary", QUOTAS,
                         server=replica)

    def test_a_user_who_may_not(self):
        """No script at all, or not what it calls."""
        for rights in (("+ping",), READS):
            self.assert_says(r"^  FAILED  Redis at .*does not let this user do it \(NOPERM\)", LIMITS, **self.user(*rights))
        self.assert_says(r"^  FAILED  quotas and pauses in .*does not let this user do it \(NOPERM\)", QUOTAS,
                         **self.user(*READS))
        self.assert_says(r"^  ok      quotas and pauses in ", QUOTAS, **self.user(*READS, "+hset", "+hdel", "+xadd"))
        self.assert_says(r"^  ok      Redis at ", LIMITS, **self.user(*told.redis_rights()))

    def test_replicas_that_are_to_have_each_grant(self):
        said = "only 0 of 1 replicas"
        self.assert_says(rf"(?i)^  FAILED  Redis at .*{said}", LIMITS, wait_replicas=1, timeout="1s")
        self.assert_says(rf"^  FAILED  quotas and pauses in .*{said}", QUOTAS, wait_replicas=1, timeout="1s")
        self.replica()
        for kept in (LIMITS, QUOTAS):
            self.assert_says("^  ok      ", kept, wait_replicas=1, timeout="1s")

    def test_nothing_is_left(self):
        for kept in (LIMITS, QUOTAS):
            self.assert_says("^  ok      ", kept)
        for key in self.primary.ask("KEYS", "*"):
            self.assertTrue(0 < self.primary.ask("PTTL", key) < 15_000, key)
            self.assertNotIn("quotas", key)

    def test_one_that_removes_keys(self):
        for name, value in (("maxmemory", "64mb"), ("maxmemory-policy", "allkeys-lru")):
            self.primary.ask("CONFIG", "SET", name, value)
        for kept in (LIMITS, QUOTAS, {**LIMITS, **QUOTAS}):
            warnings = [line for line in self.check(kept) if "has maxmemory-policy allkeys-lru: " in line]
            self.assertEqual(len(warnings), 1, kept)


if __name__ == "__main__":
    unittest.main(verbosity=2)
