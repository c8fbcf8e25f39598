"""Signals that come early, together, or one after the other in no time."""

import signal
import socket
import subprocess
import unittest

from harness import places, scenario

SCRAM = {"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "SCRAM-SHA-256",
         "sasl.username": "gate", "sasl.password": "not-so-secret"}


class Signals(scenario.Scenario):
    redis = False

    def config(self, limit=100, changes=None):
        shared = {"algorithm": "sliding_log", "limit": limit, "window": "1s", "store": "memory"}
        return self.world.config("results", limit, {"limits": {"shared": shared}, **(changes or {})})

    def start(self):
        self.world.create_topic("results", 1)
        self.gate = self.world.gate("gate-1", self.config()).start()

    def limit(self):
        return self.gate.status()["limits"][0]["per_second"]

    def test_whoever_writes_and_signals_again_at_once_is_heard(self):
        self.start()
        for limit in range(1, 61):
            self.gate.change(self.config(limit))
            self.gate.process.send_signal(signal.SIGHUP)
        places.wait_until(lambda: self.limit() == 60, 10, "the limit that was written last")

    def test_two_at_once_are_one(self):
        self.start()
        self.world.receiver.tell("hang", for_ms=60_000)
        self.world.produce("results", 1)
        places.wait_until(lambda: self.gate.waiting("in_flight") > 0, 20, "a request that hangs")
        self.gate.process.send_signal(signal.SIGTERM)
        self.gate.process.send_signal(signal.SIGINT)
        places.wait_until(lambda: "event=drain_timeout" in self.gate.log() or "event=stopped" in self.gate.log(), 30,
                          "the end of the drain")
        self.assertEqual(self.gate.process.wait(20 * places.PATIENCE), 0)

    def test_one_before_the_gate_has_started_is_kept(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            broker = f"127.0.0.1:{silent.getsockname()[1]}"
            self.gate = self.world.gate("gate-1", self.config(changes={
                "kafka": {"brokers": [broker], "properties": SCRAM}})).start(wait=False)
            silent.settimeout(20 * places.PATIENCE)
            connection, _ = silent.accept()  # It asks whether the login is taken, before all else.
            with connection:
                self.gate.process.send_signal(signal.SIGHUP)
                places.wait_until(lambda: "event=config_reloaded" in self.gate.log(), 20, "the signal is heard")
                self.assertEqual(self.gate.terminate(patience=40), 0)

    def test_a_redrive_that_has_not_begun_leaves(self):
        """By itself, and not by the signal's default, which the first process of a container does not have."""
        for more in ((), ("--dry-run",)):
            with self.subTest(more), socket.create_server(("127.0.0.1", 0)) as silent:
                gate = self.world.gate("gate-1", self.config(changes={
                    "kafka": {"brokers": [f"127.0.0.1:{silent.getsockname()[1]}"]}}))
                gate.change({})
                silent.settimeout(20 * places.PATIENCE)
                with subprocess.Popen([places.EINLASS, "redrive", "-c", gate.path, "--topic", "dead", *more]) as redrive:
                    with silent.accept()[0]:
                        redrive.send_signal(signal.SIGTERM)
                        self.assertEqual(redrive.wait(20 * places.PATIENCE), 128 + signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
