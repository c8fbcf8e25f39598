"""TLS to a real server: whoever is not who he should be gets nothing, and all goes on once that is repaired."""

import json
import os
import unittest

from harness import http_scenario, nginx, places
import certificates


class Tls(http_scenario.HttpScenario):
    def setUp(self):
        super().setUp()
        self.authority = certificates.Authority(self.world.directory)
        self.ca = self.authority.file
        self.good = self.authority.sign("good")
        self.receiver = self.answering()
        self.nginx = nginx.Nginx(self.world.directory, self.receiver.port)
        self.addCleanup(self.nginx.stop)
        self.produce()

    def strangers(self):
        return certificates.Authority(self.world.directory, "strangers")

    def start_gate(self, **http):
        return self.gate({"url": f"https://127.0.0.1:{self.nginx.port}/", "ca_file": self.ca, **http}, wait=False)

    def assert_repaired(self, gate, records=http_scenario.RECORDS):
        self.assert_delivered(self.receiver, records)
        gate.wait_until_ready()
        self.assertEqual(self.target(gate)["unusable"], "")
        self.assert_books_closed([gate])

    def assert_nothing_came(self):
        self.assertEqual(self.receiver.requests(), [])

    def test_a_certificate_of_another_authority(self):
        self.nginx.start(self.strangers().sign("strange"))
        gate = self.start_gate()
        self.wait_until_unusable(gate, "certificate refused: unable to get local issuer certificate")
        self.assert_check_says(gate, "certificate refused: unable to get local issuer certificate")
        self.assert_nothing_came()
        self.nginx.start(self.good)
        self.assert_repaired(gate)
        self.assert_check_is_good(gate)

    def test_the_wrong_authority_is_replaced_on_disk(self):
        path = self.strangers().file
        self.nginx.start(self.good)
        gate = self.start_gate(ca_file=path)
        self.wait_until_unusable(gate, "certificate refused")
        self.assert_nothing_came()
        os.replace(self.ca, path)
        self.assert_repaired(gate)

    def test_a_certificate_for_another_name(self):
        self.nginx.start(self.authority.sign("elsewhere", ["DNS:elsewhere.example"]))
        gate = self.start_gate()
        self.wait_until_unusable(gate, "certificate refused: IP address mismatch")
        self.assert_nothing_came()
        self.nginx.start(self.good)
        self.assert_repaired(gate)

    def test_an_expired_certificate(self):
        self.nginx.start(self.authority.sign("old", expired=True))
        gate = self.start_gate()
        self.wait_until_unusable(gate, "certificate refused: certificate has expired")
        self.assert_nothing_came()
        self.nginx.start(self.good)
        self.assert_repaired(gate)

    def test_the_server_wants_a_certificate_of_ours(self):
        wants = f"ssl_client_certificate {self.ca}; ssl_verify_client on;"
        self.nginx.start(self.good, wants)
        gate = self.start_gate()
        self.wait_until_unusable(gate, "the server asks for a client certificate")
        self.assert_nothing_came()
        self.assertEqual(gate.status()["books"]["dead_lettered"], 0)
        self.assertEqual(gate.terminate(), 0, gate.log())
        cert, key = self.authority.sign("gate", ["DNS:gate-1"])
        config = gate._config["targets"]["receiver"]["http"]
        config.update(cert_file=cert, key_file=key)
        gate.start(wait=False)
        self.assert_repaired(gate)
        self.assertEqual({request.headers["x-client-name"] for request in self.receiver.requests()}, {"CN=gate"})
        self.renew_on_disk(gate, cert, key)

    def renew_on_disk(self, gate, cert, key):
        # Half a pair: the old one is used on, and that is said.
        new_cert, new_key = self.authority.sign("renewed", ["DNS:gate-1"])
        os.replace(new_cert, cert)
        places.wait_until(lambda: "stays in use" in self.target(gate)["warning"], 10, "half a pair is said")
        self.assertIn("target_files_refused", gate.log())
        self.nginx.start(self.good, f"ssl_client_certificate {self.ca}; ssl_verify_client on;")
        self.produce()
        self.assert_delivered(self.receiver, 2 * http_scenario.RECORDS)
        self.assertEqual({request.headers["x-client-name"] for request in self.receiver.requests()}, {"CN=gate"})
        os.replace(new_key, key)
        places.wait_until(lambda: self.target(gate)["warning"] == "", 10, "the whole pair is taken")
        self.nginx.start(self.good, f"ssl_client_certificate {self.ca}; ssl_verify_client on;")
        self.produce()
        self.assert_delivered(self.receiver, 3 * http_scenario.RECORDS)
        names = [request.headers["x-client-name"] for request in self.receiver.requests()]
        self.assertEqual(set(names[-http_scenario.RECORDS:]), {"CN=renewed"})

    def test_a_certificate_of_ours_that_the_server_does_not_take(self):
        """nginx says so by a 400, which must not be taken for what it thinks of the record."""
        self.nginx.start(self.good, f"ssl_client_certificate {self.ca}; ssl_verify_client on;")
        cert, key = self.strangers().sign("stranger", ["DNS:gate-1"])
        gate = self.gate({"url": f"https://127.0.0.1:{self.nginx.port}/", "ca_file": self.ca, "cert_file": cert,
                          "key_file": key}, wait=False, dead_letter="results.dead")
        self.wait_until_unusable(gate, "the server does not take our client certificate")
        for new, old in zip(self.authority.sign("old", ["DNS:gate-1"], expired=True), (cert, key)):
            os.replace(new, old)
        self.wait_until_unusable(gate, "ours has expired")
        self.assert_nothing_came()
        for new, old in zip(self.authority.sign("gate", ["DNS:gate-1"]), (cert, key)):
            os.replace(new, old)
        self.assert_repaired(gate)
        self.assertEqual(gate.status()["books"]["dead_lettered"], 0)

    def test_not_verified_is_said(self):
        self.nginx.start(self.strangers().sign("strange", ["DNS:elsewhere.example"], expired=True))
        gate = self.start_gate(ca_file=None, verify=False)
        self.assert_repaired(gate)
        self.assertIn("not verified (verify: false)", self.target(gate)["warning"])
        self.assertIn("target_not_verified", gate.log())


class NothingToSend(http_scenario.HttpScenario):
    def test_is_ready_though_nobody_can_say_that_it_was_repaired(self):
        """The only record is too late, and becomes a dead letter: an attempt would tell, but nothing is left to send."""
        authority = certificates.Authority(self.world.directory)
        strangers = certificates.Authority(self.world.directory, "strangers")
        server = nginx.Nginx(self.world.directory, self.answering().port)
        self.addCleanup(server.stop)
        server.start(strangers.sign("strange"))
        gate = self.gate({"url": f"https://127.0.0.1:{server.port}/", "ca_file": authority.file},
                         dead_letter="results.dead", expires="json:/expires")
        over = places.now_us() // 1000 + int(6_000 * places.PATIENCE)
        self.world.produce_records("results", [{"value": json.dumps({"expires": over}).encode()}])
        self.wait_until_unusable(gate, "certificate refused")
        self.assertEqual(gate.metrics()['einlass_target_unusable{target="receiver"}'], 1)
        gate.wait_until_ready()
        self.assertEqual(self.world.ends("results.dead"), [1])
        self.assertEqual(self.target(gate)["unusable"], "")
        self.assertEqual(gate.metrics()['einlass_target_unusable{target="receiver"}'], 0)
        self.assert_books_closed([gate])


if __name__ == "__main__":
    unittest.main(verbosity=2)
