#!/usr/bin/env python3
"""A TLS server that is none, or not who it should be, or breaks off whatever it began."""

import os

from hostile import Hostile, Inputs
import namespace
from harness.plan import plan
import tls_answers
import tls_certificates
from tls_server import TlsServer

SECRET = "hostile-key-c4b1a9d7"


class TlsServers(Hostile):
    def connect(self, count, seconds):
        authority, made = tls_certificates.make(os.path.join(self.world.directory, "certificates"))
        inputs = Inputs(tls_answers.make, count)
        server = TlsServer(inputs, made, os.path.join(self.world.directory, "openssl.txt"))
        self.addCleanup(server.stop)
        config = self.add_evil(self.well_config(), {"url": f"https://127.0.0.1:{server.port}/", "ca_file": authority,
                                                    "timeout": "500ms", "headers": {"X-Api-Key": SECRET}})
        # Else the gate is spared most of them.
        config["targets"]["evil"].update(breaker={"failures": 0}, retry={"budget": "100%"})
        self.troubles = set()
        self.start_well(config, seconds)
        self.judge(lambda: self.under_way(inputs), seconds)
        self.note(f"{count} inputs")
        self.assertTrue(inputs.all_used())
        self.assertIn("good", server.trusted)
        self.assertEqual(server.trusted - tls_certificates.RIGHT, set(), "it is not who it should be")
        self.judge_books()
        self.note(f"{len(self.troubles)} kinds of trouble seen")
        self.assertRegex(self.gate.log(1000), "event=target_(unusable|failing)")

    def under_way(self, inputs):
        targets = [one for one in self.gate.status().get("targets", []) if one["name"] == "evil"]
        self.troubles |= {text for target in targets for text in (target["unusable"], target["trouble"])}
        return self.feed(inputs)

    def test_a_sample(self):
        self.connect(48, 40)

    @plan(whole=True, alone=False, seconds=300)
    def test_whole(self):
        self.connect(480, 120)


if __name__ == "__main__":
    namespace.main()
