#!/usr/bin/env python3
"""A real Prometheus scrapes a gate that demands a token and speaks TLS, as docs/admin.md says: nothing without the token, all
of it with it, also after both were renewed on disk."""

import os
import unittest

from prometheus import Prometheus
from harness.places import now_us, wait_until
from harness import scenario
import certificates

NAME = "gate.example.org"


class Secured(scenario.Scenario):
    redis = False

    def write(self, name, text):
        path = os.path.join(self.world.directory, name)
        with open(path + ".next", "w") as file:
            file.write(text)
        os.replace(path + ".next", path)
        return path

    def up(self, prometheus):
        """Whether the last scrape has come; None before the first."""
        values = prometheus.ask("up", now_us() / 1e6)
        return values[0][1] if values else None

    def test_scraped(self):
        self.world.create_topic("results", 1)
        authority = certificates.Authority(self.world.directory)
        certificate, key = authority.sign("gate", [f"DNS:{NAME}"])
        held = self.write("gate-token", "first-token-5f2c91")
        shown = self.write("prometheus-token", "another-token-77aa03")
        gate = self.world.gate("gate-1", self.world.config("results", 1000, {
            "admin": {"token_file": held, "tls": {"cert_file": certificate, "key_file": key}},
            "limits": {"shared": {"limit": 1000, "store": "memory"}}})).start()
        prometheus = Prometheus(self.world.directory, [gate.port], {
            "scheme": "https", "tls_config": {"ca_file": authority.file, "server_name": NAME},
            "authorization": {"credentials_file": shown}})
        self.addCleanup(prometheus.stop)
        wait_until(lambda: self.up(prometheus) == 0, 20, "refused without the right token")
        self.write("prometheus-token", "first-token-5f2c91")
        wait_until(lambda: self.up(prometheus) == 1, 20, "scraped with it")
        instance = prometheus.ask("einlass_build_info", now_us() / 1e6)
        self.assertEqual(len(instance), 1, instance)
        for new, old in zip(authority.sign("next", [f"DNS:{NAME}"]), (certificate, key)):
            os.replace(new, old)
        self.write("gate-token", "second-token-90be11")
        wait_until(lambda: self.up(prometheus) == 0, 20, "refused with the old one")
        self.write("prometheus-token", "second-token-90be11")
        wait_until(lambda: self.up(prometheus) == 1, 20, "scraped with the new one")


if __name__ == "__main__":
    unittest.main(verbosity=2)
