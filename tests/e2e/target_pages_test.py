"""The configs in docs/targets, each run: by a gate of its own, to servers that stand where the page's are."""

import base64
import glob
import os
import re
import unittest

import yaml

from harness import haproxy, http_scenario, places
import http_login_test
import http_proxy_test
import certificates

RECORDS = 20
PAGES = os.path.join(places.ROOT, "docs", "targets")
WHOLE, PARTS = 9, 5  # So many configs, and parts of one, the pages have at least.


def configs_of(page):
    """(its name, its text, whether it is a whole one) of each block; three ways to log in stand in one, each in a line.

    But for the login at Kafka, which kafka_oauth_test.py runs."""
    with open(page, encoding="utf-8") as file:
        blocks = [block for block in re.findall(r"```yaml\n(.*?)```", file.read(), re.DOTALL) if "\n  oauth:" not in block]
    texts = [line for block in blocks for line in (block.splitlines() if block.startswith("auth:") else [block])]
    name = os.path.basename(page).removesuffix(".md")
    return [(f"{name}-{number}", text, "routes:" in text) for number, text in enumerate(texts)]


class Pages(http_scenario.HttpScenario):
    redis = True

    def setUp(self):
        super().setUp()
        self.authority = certificates.Authority(self.world.directory)
        self.front = haproxy.Haproxy(self.world.directory, self.world.receiver.port, self.authority.sign("front")).start()
        self.addCleanup(self.front.stop)
        self.proxy = http_proxy_test.Tinyproxy(self.world.directory, "gate chosen")
        self.addCleanup(self.proxy.stop)
        self.proxy.start()
        secret = self.secret("secret-of-the-client")
        self.tokens = http_login_test.TokenServer(self, "einlass", secret)
        for name, text in (("billing", "password-of-billing"), ("token", "token-for-billing"), ("client", secret),
                           ("signing", "whsec_" + base64.b64encode(os.urandom(32)).decode()),
                           ("signing-old", "whsec_" + base64.b64encode(os.urandom(32)).decode())):
            with open(os.path.join(self.world.directory, name), "w") as file:
                file.write(text + "\n")
        self.world.create_topic("results.archive", 2)

    def here(self, text):
        """The page's text with our servers in place of those that it names."""
        port = self.front.tls_port
        for theirs, ours in ((r"https://b\.billing\.example", f"https://127.0.0.1:{port}"),
                             (r"https://(a\.)?billing\.example", f"https://localhost:{port}"),
                             (r"https://\{header:host\}", f"https://{{header:host}}:{port}"),
                             (r"hooks\.example", "localhost"), (r"proxy\.example:3128", f"127.0.0.1:{self.proxy.port}"),
                             (r"\$\{PROXY_PASSWORD:-chosen\}", "chosen"),
                             (r"https://login\.example/token", self.tokens.url),
                             (r"/run/secrets", self.world.directory),
                             (r"127\.0\.0\.1:9092", self.world.kafka.brokers)):
            text = re.sub(theirs, ours, text)
        return text

    def settings(self, name, text, whole):
        config = yaml.safe_load(self.here(text))
        if not whole:
            config = {"targets": {"billing": {"http": {"url": f"https://localhost:{self.front.tls_port}/", **config}}},
                      "routes": [{"name": "results", "topics": ["results"], "target": "billing"}]}
        config.setdefault("kafka", {"brokers": [self.world.kafka.brokers]})["group"] = name
        config["redis"] = {"url": self.world.redis.url}
        for target in config["targets"].values():
            if "http" in target and target["http"].get("url", "https").startswith("https"):
                target["http"]["ca_file"] = self.authority.file
            if "allow_hosts" in target.get("http", {}):
                target["http"]["allow_private"] = True
        return config

    def test_each(self):
        all_of_them = [one for page in sorted(glob.glob(os.path.join(PAGES, "*.md"))) for one in configs_of(page)]
        self.assertGreaterEqual(sum(whole for _, _, whole in all_of_them), WHOLE)
        self.assertGreaterEqual(sum(not whole for _, _, whole in all_of_them), PARTS)
        self.world.produce_records("results", [
            {"partition": number % 2, "key": f"key {number}".encode(), "value": f'{{"order": {{"id": {number}}}}}'.encode(),
             "headers": [("tenant", b"acme"), ("verb", b"PUT"), ("host", b"localhost")]} for number in range(RECORDS)])
        gates = [self.world.gate(name, self.settings(name, text, whole)).start(wait=False)
                 for name, text, whole in all_of_them]
        for gate in gates:
            with self.subTest(gate.name):
                gate.wait_until_ready()
                places.wait_until(lambda: gate.status()["books"]["received"] == RECORDS, 20, f"{gate.name} has read all")
                self.assert_books_closed([gate])
                self.assertEqual(gate.status()["books"]["delivered"], RECORDS, gate.log())
                self.assertEqual(gate.log(10_000).count("level=error"), 0, gate.log())
        self.assertGreaterEqual(self.tokens.given, 1)
        self.assertIn(f"CONNECT localhost:{self.front.tls_port}", self.proxy.log())


if __name__ == "__main__":
    unittest.main(verbosity=2)
