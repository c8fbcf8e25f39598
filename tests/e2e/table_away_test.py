"""A gate whose table of quotas and pauses was not read yet: it waits for that, and says nothing else."""

import json
import os
import signal
import socket
import types
import unittest

from harness import places, scenario
from harness.plan import plan


class Waiting(scenario.Scenario):
    redis = kafka = False
    quotas = {"topic": "einlass.quotas"}

    def setUp(self):
        super().setUp()
        if self.redis:
            self.world.redis.kill()
        self.world.kafka = types.SimpleNamespace(brokers="127.0.0.1:1", stop=lambda: None)
        self.told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.told.close)
        self.told.settimeout(20)
        self.told.bind(f"\0einlass-table-away-{os.getpid()}")
        self.gate = self.world.gate("gate-1", self.world.config("results", 10, {
            "limits": {"shared": {"store": "memory"}}, "quotas": self.quotas,
            "admin": {"token": self.world.secret("table-away-token-5e1")}}))
        self.gate.before = ["env", f"NOTIFY_SOCKET=@einlass-table-away-{os.getpid()}"]
        self.gate.start(wait=False)
        places.wait_until(lambda: self.gate.get("/readyz")[0] == 503, 20, "its pages")

    def told_to_systemd(self):
        return self.told.recv(4096).decode()

    def ask_for_a_reload(self):
        os.kill(self.gate.process.pid, signal.SIGHUP)
        self.assertIn("RELOADING=1", self.told_to_systemd())


@plan(servers=False)
class TableAway(Waiting):
    def test_that_alone_is_said(self):
        why = "the quotas and pauses were not read yet"
        self.assertIn(why, self.gate.get("/readyz")[1])
        places.wait_until(lambda: self.gate.status()["troubles"], 20, "a trouble")
        status = self.gate.status()
        self.assertIn(why, status["why_not_ready"])
        self.assertEqual([(one["what"], one["severity"]) for one in status["troubles"]], [("quotas", "bad")])
        metrics = self.gate.metrics()
        self.assertEqual(metrics["einlass_shards_answering"], metrics["einlass_shards"])

    def test_it_has_started_nevertheless(self):
        """Or systemd would kill it again and again while Kafka is away."""
        waits = "READY=1\nSTATUS=waiting for the table of quotas and pauses"
        self.assertEqual(self.told_to_systemd(), waits)
        self.ask_for_a_reload()
        self.assertEqual(self.told_to_systemd(), waits)

    def test_a_reload_is_answered(self):
        with open(self.gate.path) as file:
            config = json.load(file)
        config["limits"]["shared"]["limit"] = 20
        with open(self.gate.path, "w") as file:
            json.dump(config, file)
        self.assertEqual(self.gate.get("/-/reload", "POST"), (200, "limits.shared.limit: 10 -> 20\n"))
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())


class TableComes(Waiting):
    redis = True
    quotas = {"redis": True}

    def test_a_refused_reload_is_shown_until_one_is_taken(self):
        self.assertIn("STATUS=waiting", self.told_to_systemd())
        with open(self.gate.path) as file:
            sound = file.read()
        with open(self.gate.path, "w") as file:
            file.write("nonsense: true\n")
        self.ask_for_a_reload()
        self.assertIn("STATUS=reload refused", self.told_to_systemd())
        self.world.redis.start()
        self.assertIn("STATUS=reload refused", self.told_to_systemd(), "the table has come")
        with open(self.gate.path, "w") as file:
            file.write(sound)
        self.ask_for_a_reload()
        self.assertTrue(self.told_to_systemd().endswith("STATUS=running"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
