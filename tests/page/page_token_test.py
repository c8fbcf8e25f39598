#!/usr/bin/env python3
"""The live page of a gate that demands a token and speaks TLS, in a real browser that is asked for a login."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from harness.places import wait_until  # noqa: E402
from harness.scenario import Scenario  # noqa: E402
import certificates  # noqa: E402
from browser import Browser  # noqa: E402

TOKEN = "token-of-the-page-41d0"


class LivePageWithToken(Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", 1)
        self.world.create_topic("quotas", 1, **{"cleanup.policy": "compact"})
        certificate, key = certificates.Authority(self.world.directory).sign("gate")
        self.gate = self.world.gate("gate-1", self.world.config("results", 1, changes={
            "quotas": {"topic": "quotas"}, "admin": {"token": TOKEN, "tls": {"cert_file": certificate, "key_file": key}},
            "limits": {"shared": {"limit": 10, "store": "memory"},
                       "per_tenant": {"algorithm": "counter", "limit": 5, "window": "1s", "key": "record_key", "store": "memory"}},
            "route": {"limits": ["shared", "per_tenant"]}})).start()
        self.world.produce("results", 2000)
        self.browser = Browser()
        self.addCleanup(self.browser.stop)
        self.browser.call("Security.setIgnoreCertificateErrors", ignore=True)  # The authority is the test's own.
        self.url = f"https://127.0.0.1:{self.gate.port}/"

    def stage(self, name):
        return int(self.browser.text(f"[data-stage='{name}']").replace(",", "").replace("–", "") or -1)

    def test_moves_after_one_login(self):
        self.browser.log_in_with(TOKEN)
        self.browser.open(self.url)
        wait_until(lambda: "ready" in self.browser.text("#state-text"), 20, "the events come")
        before = self.stage("delivered")
        wait_until(lambda: self.stage("delivered") > before, 10, "the numbers move")
        self.browser.value("document.querySelector('#why [name=key]').value = 'nobody'")
        self.browser.value("document.querySelector('#why').requestSubmit()")
        wait_until(lambda: "no record" in self.browser.text("#because").lower(), 10, "an answer to why")
        self.assertNotIn(TOKEN, self.browser.value("document.documentElement.outerHTML"))
        self.assertEqual([one for one in self.browser.errors if "401" not in one], [])

    def test_a_paused_partition_says_who_paused_it(self):
        self.browser.log_in_with(TOKEN)
        self.browser.open(self.url)
        wait_until(lambda: "paused: full" in self.browser.text("#partitions"), 20, "the partition has more than fits")
        self.browser.value("window.confirm = () => true")
        self.browser.value("document.querySelector('#routes tbody button').click()")
        self.fill_in(note="upgrade")
        wait_until(lambda: "paused: route results by the live page, since " in self.browser.text("#partitions"), 10, "it says so")
        self.assertIn(": upgrade", self.browser.text("#partitions"))
        self.assertNotIn("full", self.browser.text("#partitions"))
        self.browser.value("document.querySelector('#routes tbody button').click()")
        wait_until(lambda: "paused: full" in self.browser.text("#partitions"), 10, "it goes on")

    def test_a_key_is_paused_for_a_time_by_somebody(self):
        self.browser.log_in_with(TOKEN)
        self.browser.open(self.url)
        wait_until(lambda: "results" in self.browser.text("#routes"), 20, "the page is filled in")
        self.browser.value("window.confirm = () => true")
        self.fill_in(what="limit", name="per_tenant", key="a/b", note="full", by="anna", **{"for": "2h"})
        wait_until(lambda: "limit per_tenant, key a/b" in self.browser.text("#paused"), 10, "it is listed")
        pause, = self.gate.status()["quotas"]["pauses"]
        self.assertEqual((pause["key"], pause["by"], pause["note"]), ("a/b", "anna", "full"))
        self.assertEqual(pause["until"] - pause["since"], 7_200_000)
        self.fill_in(what="topic", name="results", **{"for": "soon"})
        wait_until(lambda: "for" in self.browser.text("#steered"), 10, "what is wrong with it")
        self.browser.value("document.querySelector('#paused tbody button').click()")
        wait_until(lambda: "nothing" in self.browser.text("#paused"), 10, "it goes on")

    def fill_in(self, **fields):
        """And sends it; what the form has already stays."""
        for name, text in fields.items():
            self.browser.value(f"byId('steer').elements['{name}'].value = '{text}'")
        self.browser.value("byId('steer').elements.what.dispatchEvent(new Event('change')); byId('steer').requestSubmit()")

    def test_without_a_login_nothing_is_shown(self):
        self.browser.log_in_with(None)
        self.browser.open(self.url)
        wait_until(lambda: "a token is needed here" in self.browser.text("body"), 20, "the refusal")
        self.assertNotIn("results", self.browser.text("body"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
