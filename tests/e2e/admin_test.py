#!/usr/bin/env python3
"""The admin pages of a gate that demands a token and speaks TLS: who gets them, and what is renewed while it runs."""

import base64
import http.client
import itertools
import os
import socket
import ssl
import subprocess
import time
import unittest

from harness import places, scenario
import certificates
import servers

TOKEN = "first-token-5f2c91"
PAGES = ("/", "/metrics", "/v1/status", "/v1/why?key=k", "/v1/events", "/no/such/page")
PROBES = ("/healthz", "/readyz")


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def basic(token, user="anybody"):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{token}".encode()).decode()}


class Admin(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", 1)
        self.token_file = os.path.join(self.world.directory, "admin-token")
        self.write(self.token_file, TOKEN + "\n")

    def write(self, path, text):
        """In one step, as secrets are renewed."""
        with open(path + ".next", "w") as file:
            file.write(text)
        os.replace(path + ".next", path)

    def gate(self, admin, wait=True, start=True, **changes):
        config = self.world.config("results", 1000, {
            "admin": admin, "limits": {"shared": {"limit": 1000, "store": "memory"}}, **changes})
        gate = self.world.gate("gate-1", config)
        return gate.start(wait=wait) if start else gate

    def command(self, gate, *words):
        done = subprocess.run([places.EINLASS, words[0], "-c", gate.path, *words[1:]], capture_output=True, text=True,
                              timeout=30 * places.PATIENCE, check=False)
        with open(os.path.join(self.world.directory, "verbs.log"), "a") as log:
            log.write(done.stdout + done.stderr)  # Secrets are looked for there too.
        return done.returncode, done.stdout, done.stderr

    def assert_verbs_work(self, gate):
        self.assertEqual(self.command(gate, "healthcheck"), (0, "the loop turns\n", ""))
        code, said, errors = self.command(gate, "top", "--once")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("results", said)
        code, said, errors = self.command(gate, "why", "--key", "nobody")
        self.assertEqual((code, errors), (0, ""))
        self.assertIn("key 'nobody'", said)

    def assert_no_secret_is_told(self):
        self.assertEqual(self.world.secrets_told(), "")


class Crowd(Admin):
    """They connect and say nothing, before anybody is asked for a token."""

    RATE, SECONDS = 100, 8

    def accepted(self):
        return self.world.receiver.summary()["accepted"]

    def test_takes_no_files_from_deliveries(self):
        gate = self.gate({"token": TOKEN}, wait=False, start=False, route={"order": "none"})
        gate.before = ["prlimit", "--nofile=1024:1024"]
        gate.start()
        with open(f"/proc/{gate.process.pid}/limits") as file:
            self.assertRegex(file.read(), r"Max open files +1024 +1024")
        self.world.receiver.tell("delay", delay_ms=400)  # So that some 40 requests are under way at a time.
        self.world.start_producing("results", self.RATE * (2 * self.SECONDS + 10), rate=self.RATE)
        places.wait_until(lambda: self.accepted() > 0, 20, "deliveries")
        crowd = [socket.socket() for _ in range(1000)]
        for one in crowd:
            self.addCleanup(one.close)
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", gate.port))
        before = self.accepted()
        time.sleep(self.SECONDS)  # For which deliveries are counted.
        rate = (self.accepted() - before) / self.SECONDS
        files = len(os.listdir(f"/proc/{gate.process.pid}/fd"))
        self.note(f"{rate:.1f} of {self.RATE} a second beside 1,000 silent connections; {files} files are open")
        self.assertGreaterEqual(rate, (1 - 0.1 * places.PATIENCE) * self.RATE)
        self.assertNotIn("too many open files", gate.log(1000).lower())
        for one in crowd:
            one.close()
        places.wait_until(lambda: gate.get("/healthz")[0] == 200, 20, "the pages again")


class Token(Admin):
    def test_who_gets_the_pages(self):
        gate = self.gate({"token_file": self.token_file})
        for page in PAGES:
            with self.subTest(page=page):
                for wrong in ({}, bearer("wrong"), basic("wrong"), basic("", TOKEN), {"Authorization": TOKEN}):
                    code, said = places.get(gate.port, page, headers=wrong)
                    self.assertEqual(code, 401, wrong)
                    self.assertIn("a token is needed here", said)
        for page in ("/", "/metrics", "/v1/status", "/v1/why?key=k"):
            for right in (bearer(TOKEN), basic(TOKEN)):
                self.assertEqual(places.get(gate.port, page, headers=right)[0], 200, page)
        self.assertEqual(places.get(gate.port, "/no/such/page", headers=bearer(TOKEN))[0], 404)
        for page in PROBES:
            self.assertEqual(places.get(gate.port, page)[0], 200, page)
        self.assertEqual(places.get(gate.port, "/readyz", "POST")[0], 405)
        self.assertIn('WWW-Authenticate: Basic realm="einlass"\r\nWWW-Authenticate: Bearer\r\n', self.head(gate, "/metrics"))
        self.assert_verbs_work(gate)
        self.assert_no_secret_is_told()

    def head(self, gate, page):
        with socket.create_connection(("127.0.0.1", gate.port), timeout=10) as connection:
            connection.sendall(f"HEAD {page} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".encode())
            return b"".join(iter(lambda: connection.recv(4096), b"")).decode()

    def events(self, gate, token):
        """As the live page reads them, for as long as they come."""
        connection = http.client.HTTPConnection("127.0.0.1", gate.port, timeout=20 * places.PATIENCE)
        connection.request("GET", "/v1/events", headers=bearer(token))
        answer = connection.getresponse()
        self.addCleanup(connection.close)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.readline()[:6], b"data: ")
        return answer

    def test_a_reload_is_asked_for_with_the_token_and_by_no_other_site(self):
        gate = self.gate({"token": TOKEN})

        def reload(**headers):
            return places.get(gate.port, "/-/reload", "POST", headers=headers)

        self.assertEqual(reload()[0], 401)
        self.assertEqual(reload(**basic(TOKEN), Origin="https://evil.example")[0], 403)
        self.assertEqual(reload(**basic(TOKEN), **{"Sec-Fetch-Site": "cross-site"})[0], 403)
        self.assertEqual(reload(**bearer(TOKEN)), (200, "nothing has changed\n"))
        self.assertEqual(reload(**basic(TOKEN), Origin=f"http://127.0.0.1:{gate.port}")[0], 200)
        second = self.world.secret("second-token-77aa03")
        gate.change({"admin": {"token": second}})
        self.assertEqual(reload(**bearer(TOKEN)), (200, 'admin.token: "***" -> "***"\n'))
        self.assertEqual(reload(**bearer(TOKEN))[0], 401)
        self.assertEqual(reload(**bearer(second))[0], 200)
        gate.change({"admin": {"token": "two words"}})
        code, said = reload(**bearer(second))
        self.assertEqual(code, 400)
        self.assertIn("admin.token: has a blank", said)
        gate.change({"admin": {"token": second, "listen": "127.0.0.1:1"}})
        self.assertIn("admin.listen: ", reload(**bearer(second))[1])
        self.assert_no_secret_is_told()

    def test_renewed_on_disk(self):
        gate = self.gate({"token_file": self.token_file})
        self.world.secret(TOKEN)
        second = "second-token-77aa03"
        opened = self.events(gate, TOKEN)
        self.write(self.token_file, second)
        self.assertEqual(places.get(gate.port, "/metrics", headers=bearer(TOKEN))[0], 401)
        self.assertLess(len(list(itertools.islice(opened, 20))), 20, "no page stays open: one event is two lines")
        with self.events(gate, second) as opened:
            self.assertEqual([opened.readline()[:6] for _ in range(4)], [b"\n", b"data: "] * 2)
        self.assertEqual(places.get(gate.port, "/metrics", headers=bearer(second))[0], 200)
        self.assert_verbs_work(gate)
        self.write(self.token_file, "")
        self.assertEqual(places.get(gate.port, "/metrics")[0], 401, "what is empty opens nothing")
        self.assertEqual(places.get(gate.port, "/metrics", headers=bearer(second))[0], 200)
        places.wait_until(lambda: "admin_token_failing" in gate.log(), 10, "it is said")
        self.write(self.token_file, second)
        self.assertEqual(places.get(gate.port, "/metrics", headers=bearer(second))[0], 200)
        places.wait_until(lambda: "admin_token_ok" in gate.log(), 10, "that it is over is said")
        self.assert_no_secret_is_told()

    def test_what_is_wrong_is_told_to_whoever_has_the_token(self):
        """The limit's Redis is not there."""
        port = servers.free_ports(1)[0]
        gate = self.gate({"token_file": self.token_file}, wait=False,
                         redis={"url": f"redis://127.0.0.1:{port}/0"},
                         limits={"shared": {"limit": 1000, "store": "redis"}})
        places.wait_until(lambda: places.get(gate.port, "/readyz", timeout=2.0)[0] == 503, 20, "it answers")

        def told():
            return str(port) in places.get(gate.port, "/readyz", timeout=2.0, headers=bearer(TOKEN))[1]

        places.wait_until(told, 20, "why it is not ready")
        self.assertEqual(places.get(gate.port, "/readyz"), (503, "not ready\n"))

    def test_without_a_token_a_strangers_name_leads_nowhere(self):
        gate = self.gate({})
        self.assertEqual(places.get(gate.port, "/v1/status", headers={"Host": f"evil.example:{gate.port}"})[0], 403)
        for own in (f"localhost:{gate.port}", f"gate-1:{gate.port}", f"127.0.0.1:{gate.port}"):
            self.assertEqual(places.get(gate.port, "/v1/status", headers={"Host": own})[0], 200, own)
        self.assertEqual(places.get(gate.port, "/-/reload", "POST", headers={"Origin": "https://evil.example"})[0], 403)
        self.assertNotIn("admin_open", gate.log(10_000))
        self.assertEqual(gate.terminate(), 0, gate.log())
        gate.change({"admin": {"listen": f"0.0.0.0:{gate.port}"}})
        gate.start()
        self.assertEqual(gate.log(400).count("admin_open"), 1, gate.log(400))
        self.assertEqual(places.get(gate.port, "/v1/status", headers={"Host": f"gates.example:{gate.port}"})[0], 200)


class Tls(Admin):
    def setUp(self):
        super().setUp()
        self.authority = certificates.Authority(self.world.directory)
        # For a terminal: what the second character begins is a command to it.
        self.pair = [os.path.join(self.world.directory, name) for name in ("admin\u009b2J.pem", "admin.key")]
        self.renew()
        self.trusting = ssl.create_default_context(cafile=self.authority.file)
        self.trusting.check_hostname = False  # It is asked at 127.0.0.1, for which this is no certificate.

    def renew(self, which=(0, 1), **how):
        made = self.authority.sign("fresh", ["DNS:gate.example.org"], **how)
        for place in which:
            os.replace(made[place], self.pair[place])

    def secured(self):
        return self.gate({"token_file": self.token_file, "tls": {"cert_file": self.pair[0], "key_file": self.pair[1]}})

    def get(self, gate, page, token=TOKEN):
        return places.get(gate.port, page, headers=bearer(token), tls=self.trusting)

    def serial(self, gate):
        with socket.create_connection(("127.0.0.1", gate.port), timeout=10) as plain:
            with self.trusting.wrap_socket(plain) as connection:
                return connection.getpeercert()["serialNumber"]

    def test_pages_probes_and_verbs(self):
        gate = self.secured()
        self.assertEqual(self.get(gate, "/metrics")[0], 200)
        self.assertEqual(self.get(gate, "/metrics", "wrong")[0], 401)
        self.assertEqual(places.get(gate.port, "/healthz", tls=self.trusting), (200, "the loop turns\n"))
        self.assertEqual(places.get(gate.port, "/healthz")[0], 0, "not without TLS")
        self.assert_verbs_work(gate)
        good, said = self.check(gate)
        self.assertTrue(good, said)
        self.assertIn("ok      certificate of the admin pages in", said)
        self.assertIn("/admin\\u009b2J.pem\n", said)
        self.assertIn("admin pages on https://127.0.0.1:", gate.log())
        self.assert_no_secret_is_told()

    def test_renewed_on_disk(self):
        gate = self.secured()
        first = self.serial(gate)
        self.renew(which=[0])
        self.assertEqual(self.serial(gate), first, "the key is not yet there")
        places.wait_until(lambda: "server_certificate_failing" in gate.log(), 10, "it is said")
        self.assertEqual(self.command(gate, "healthcheck")[0], 0, "which is no reason to end the gate")
        code, _, errors = self.command(gate, "top", "--once")
        self.assertEqual(code, 1, "no token for whoever shows another certificate")
        self.assertIn("certificate refused: it is not the one that is expected", errors)
        self.assert_check_says(gate, "or is not that of")
        self.renew()
        second = self.serial(gate)
        self.assertNotEqual(second, first)
        places.wait_until(lambda: "server_certificate_ok" in gate.log(), 10, "that it is over is said")
        self.assert_verbs_work(gate)
        self.renew(expired=True)
        self.assert_verbs_work(gate)

    def test_a_pair_that_does_not_fit_is_no_configuration(self):
        gate = self.world.gate("gate-1", self.world.config("results", 1, {
            "admin": {"tls": {"cert_file": self.pair[0], "key_file": self.authority.file}},
            "limits": {"shared": {"limit": 1, "store": "memory"}}})).start(wait=False)
        self.assertEqual(gate.process.wait(20 * places.PATIENCE), 78)
        self.assertIn("admin.tls: the key in ", gate.log())


if __name__ == "__main__":
    unittest.main(verbosity=2)
