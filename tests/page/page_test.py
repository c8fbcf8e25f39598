#!/usr/bin/env python3
"""The live page in a real browser, with real gates behind it; one of the tenants has a name that is a piece of HTML."""

import http.client
import json
import os
import re
import signal
import socket
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from harness.places import get, wait_until  # noqa: E402
from harness.world import World  # noqa: E402
from browser import Browser  # noqa: E402

TENANTS = 10_000
STRANGE = "<img src=x onerror=document.title='broken'>"
MOST_LISTENERS = 32


class Page(unittest.TestCase):
    """A gate with very many tenants, the first of them with the most records, and a browser on its page."""

    opened = 0
    first_tenant = "tenant-00000"

    @classmethod
    def setUpClass(cls):
        cls.world = World(redis=False)
        cls.addClassCleanup(cls.world.stop)
        cls.world.create_topic("results", 4)
        cls.gate = cls.world.gate("gate-1", cls.world.config("results", 1, changes={
            "limits": {"shared": {"limit": 10, "store": "memory"},
                       "per_tenant": {"algorithm": "token_bucket", "rate": "1/60s", "burst": 1, "key": "header:tenant",
                                      "store": "memory"}},
            "route": {"limits": ["per_tenant", "shared"], "order": "none", "inside": {"records": 20_000}}})).start()
        # The first has the most, so it stands first among those that wait.
        tenants = [0] * 50 + list(range(TENANTS)) + [7] * 20
        cls.world.produce_records("results", [
            {"partition": place % 4, "key": b"k", "value": b"x", "headers": [("tenant", cls.tenant_name(tenant).encode())]}
            for place, tenant in enumerate(tenants)])
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)

    @classmethod
    def tenant_name(cls, number):
        return f"tenant-{number:05}" if number else cls.first_tenant

    def setUp(self):
        self.open()

    def open(self):
        self.browser.errors.clear()
        self.browser.requests.clear()
        self.browser.resize(1280, 900)
        Page.opened += 1  # So that the page before is not taken for this one.
        self.browser.open(f"http://127.0.0.1:{self.gate.port}/?{self.opened}")
        wait_until(lambda: self.browser.value("location.search") == f"?{self.opened}", 10, "another page")
        self.wait_for_text("#state-text", "ready")

    def wait_for_text(self, selector, wanted, patience=20):
        wait_until(lambda: wanted in self.browser.text(selector), patience,
                   f"{wanted!r} in {selector}, where it says {self.browser.text(selector)!r}")

    def stage(self, name):
        """A number of the way of a record; -1 before there is one."""
        return int(self.browser.text(f"[data-stage='{name}']").replace(",", "").replace("–", "") or -1)


class LivePage(Page):
    first_tenant = STRANGE

    def test_loads_and_moves_without_an_error_or_anything_from_outside(self):
        before = self.stage("delivered")
        wait_until(lambda: self.stage("delivered") > before >= 0, 10, "the numbers move")
        self.assertIn("gate-1", self.browser.text("#instance"))
        self.assertIn("The totals add up", self.browser.text("#books"))
        self.assertRegex(self.browser.text("#chart-of"), "of shared; this gate may use 10/s")
        used = "chart.data[1].filter((one) => one !== null)"
        wait_until(lambda: self.browser.value(f"{used}.length") >= 3, 10, "a curve")
        admitted = self.browser.value(used)
        self.assertLess(sum(admitted) / len(admitted), 14, "about what the limit allows")
        self.assertGreater(sum(admitted) / len(admitted), 6)
        self.assertEqual(self.browser.value("chart.data[2][0]"), 10, "and the limit beside it")
        self.assertIn("1 ms", self.browser.text("#late"))
        self.assertFalse(self.browser.value("byId('troubles').checkVisibility()"), "nothing is wrong")
        self.assertEqual(self.browser.errors, [])
        own = f"http://127.0.0.1:{self.gate.port}/"
        self.assertEqual([one for one in self.browser.requests if not one.startswith((own, "data:"))], [])

    def test_says_the_same_as_the_status(self):
        wait_until(lambda: self.browser.value("live.books.received") == TENANTS + 70, 60, "all records taken in")
        status = self.gate.status()
        self.assertEqual(status["books"]["received"], TENANTS + 70)
        self.assertLess(abs(self.stage("limit") - status["routes"][0]["waiting"]["limit"]), 200, "a second later at most")
        self.assertRegex(self.browser.text("#causes"), r"a limit .*per_tenant [0-9,]+ \([0-9,]+ of [0-9,]+ lines\)")
        self.assertRegex(self.browser.text("#limits"), "per_tenant\\s+0.017/s for each key")
        self.assertRegex(self.browser.text("#routes"), "results\\s+receiver")
        self.assertIn("results 0", self.browser.text("#partitions"))
        self.assertIn("receiver", self.browser.text("#targets"))
        self.assertIn("started", self.browser.text("#recent"))

    def test_ten_thousand_tenants(self):
        wait_until(lambda: self.gate.status()["lines"] > 0.9 * TENANTS, 60, "the lines are there")
        self.wait_for_text("#lines-total", "20 of ")
        self.assertEqual(self.browser.value("document.querySelectorAll('#lines tbody tr').length"), 20)
        first = self.browser.text("#lines tbody tr")
        self.assertIn(STRANGE, first, "a text, and not an image")
        self.assertIn("limit per_tenant", first)
        self.assertEqual(self.browser.value("document.title"), "Einlass gate-1")
        event = self.one_event()
        self.assertLess(len(event), 40_000, "bytes each second")
        self.assertGreater(json.loads(event)["lines_total"], 0.9 * TENANTS)
        self.assertEqual(self.browser.errors, [])

    def one_event(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.gate.port, timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", "/v1/events")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.getheader("Content-Type")), (200, "text/event-stream"))
        line = answer.fp.readline().decode()
        self.assertTrue(line.startswith("data: {"), line[:80])
        return line.removeprefix("data: ")

    def test_answers_why_when_a_key_of_a_line_is_chosen(self):
        self.wait_for_text("#lines tbody tr", STRANGE)
        self.browser.value("document.querySelector('#lines button').click()")
        self.assertEqual(self.browser.value("document.querySelector('#why [name=key]').value"), STRANGE)
        self.wait_for_text("#because", "records with this key are in this gate: results 0 to 3")
        self.assertRegex(self.browser.text("#because"), "results [0-3] @ [0-9]+, .* old, waits for a permit of limit ")
        self.assertEqual(self.browser.errors, [])

    def test_a_selection_stays_while_the_numbers_move(self):
        self.wait_for_text("#lines tbody tr", STRANGE)
        selected = "getSelection().toString()"
        self.browser.value("getSelection().selectAllChildren(byId('routes'))")
        text, at = self.browser.value(selected), self.browser.value("live.at")
        self.assertIn("results", text)
        wait_until(lambda: self.browser.value("live.at") > at + 2_500_000, 10, "three events later")
        self.assertEqual(self.browser.value(selected), text)
        before = self.stage("delivered")
        self.browser.value("getSelection().removeAllRanges()")
        wait_until(lambda: self.stage("delivered") > before, 10, "it moves again")

    def test_the_keyboard_is_enough(self):
        """Each thing that can be used is reached by Tab, and seen to be."""
        self.wait_for_text("#lines tbody tr", STRANGE)
        reached, ways = set(), ("pause", "limit", "lines", "topic", "key", "BUTTON")
        for _ in range(80):
            self.browser.press("Tab")
            reached |= set(self.browser.value(
                "((it) => [it.id, it.name, it.tagName, (it.closest('table') || {}).id])(document.activeElement)"))
            self.assertTrue(self.browser.value(
                "document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== 'none'"))
        self.assertLessEqual(set(ways), reached)
        self.assertEqual(self.browser.value(
            "[...document.querySelectorAll('.scroll')].filter((it) => it.tabIndex !== 0).length"), 0, "each can be scrolled")
        self.browser.value("byId('pause').focus()")
        self.browser.press("Enter")
        self.wait_for_text("#state-text", "paused")
        before = self.stage("delivered")
        at = self.browser.value("live.at")
        wait_until(lambda: self.browser.value("live.at") > at + 1_500_000, 10, "two events")
        self.assertEqual(self.stage("delivered"), before, "nothing moves")
        self.browser.press("Enter")
        self.wait_for_text("#state-text", "ready")

    def test_times_are_the_viewers_and_utc(self):
        self.browser.call("Emulation.setTimezoneOverride", timezoneId="America/New_York")
        self.addCleanup(lambda: self.browser.call("Emulation.setTimezoneOverride", timezoneId=""))
        self.open()
        wait_until(lambda: self.browser.text("#clock"), 10, "a time")
        here, utc = re.fullmatch(r"(\d\d:\d\d:\d\d) \((\d\d:\d\d:\d\d) UTC\)", self.browser.text("#clock")).groups()
        self.assertEqual(here[2:], utc[2:])
        self.assertIn((int(utc[:2]) - int(here[:2])) % 24, (4, 5))

    def test_light_and_dark_and_on_a_phone(self):
        grounds = set()
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            self.open()
            wait_until(lambda: self.stage("delivered") > 0, 10, "numbers")
            grounds.add(self.browser.value("getComputedStyle(document.body).backgroundColor"))
            for width in (390, 320):
                self.browser.resize(width, 844)
                wait_until(lambda: self.browser.value("document.documentElement.scrollWidth <= innerWidth"), 5,
                           f"nothing to be pushed aside at {width} pixels")
                self.assertEqual(self.browser.value(
                    "[...document.querySelectorAll('.scroll')].filter((it) => it.scrollWidth > it.clientWidth).length"), 0)
            wait_until(lambda: self.browser.value("past.length") > 3, 10, "a curve")
        self.browser.prefer("light")
        self.assertEqual(len(grounds), 2, grounds)
        self.assertEqual(self.browser.errors, [])

    def test_the_chart_has_new_colours_while_the_gate_is_silent(self):
        wait_until(lambda: self.browser.value("past.length") > 1, 10, "a curve")
        self.gate.process.send_signal(signal.SIGSTOP)
        self.addCleanup(lambda: self.browser.prefer("light"))
        try:
            self.wait_for_text("#state-text", "no connection")
            drawn = "chart.series[1].stroke() === getComputedStyle(document.documentElement).getPropertyValue('--mark').trim()"
            self.assertTrue(self.browser.value(drawn))
            self.browser.prefer("dark")
            wait_until(lambda: self.browser.value(drawn), 5, "the curve in the colours of the dark page")
        finally:
            self.gate.process.send_signal(signal.SIGCONT)
        self.wait_for_text("#state-text", "ready")

    def test_says_first_what_is_wrong_since_when_and_until_when(self):
        self.world.receiver.tell("refuse")
        self.addCleanup(lambda: self.world.receiver.tell("ok"))
        self.wait_for_text("#lasting", "target receiver", 60)
        wait_until(lambda: self.browser.value("document.querySelectorAll('#lasting li.bad').length") == 1, 60, "red")
        self.assertRegex(self.browser.text("#lasting"),
                         r"circuit breaker open.* · since \d\d:\d\d:\d\d \(.+\) · .*[0-9,]+ records wait")
        self.assertLess(self.browser.value("byId('troubles').getBoundingClientRect().top"), 150, "above everything")
        trouble = self.gate.status()["troubles"][0]
        self.assertEqual((trouble["what"], trouble["name"], trouble["severity"], trouble["ended"]),
                         ("target", "receiver", "bad", None))
        self.world.receiver.tell("ok")
        wait_until(lambda: not self.browser.value("byId('lasting').children.length"), 60, "it is over")
        self.assertRegex(self.browser.value("byId('ended').textContent"),
                         r"target receiver: .*, from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d")

    def test_survives_a_restart_of_the_gate(self):
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        self.wait_for_text("#state-text", "no connection to the gate")
        self.assertTrue(self.browser.value("document.body.classList.contains('stale')"), "old numbers look old")
        self.assertRegex(self.browser.text("#state-text"), r"the numbers are of \d\d:\d\d:\d\d")
        self.gate.start()
        self.wait_for_text("#state-text", "ready")
        wait_until(lambda: 0 < self.stage("delivered") < 5000, 20, "the new gate's numbers")
        self.assertIn("The totals add up", self.browser.text("#books"))
        self.assertFalse(self.browser.value("document.body.classList.contains('stale')"))
        self.assertEqual(self.browser.value("new Set(past.map((one) => one.started_at)).size"), 1, "nothing of the gate before")
        # That nobody answered for a while is the browser's own to say.
        self.assertEqual([one for one in self.browser.errors if "net::ERR" not in one], [])

    def test_no_more_listeners_than_may_be(self):
        streams = []
        self.addCleanup(lambda: [one.close() for one in streams])
        refused = 0
        for _ in range(MOST_LISTENERS + 1):
            stream = socket.create_connection(("127.0.0.1", self.gate.port), timeout=10)
            streams.append(stream)
            stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
            refused += b" 503 " in stream.recv(4096).splitlines()[0]
        self.assertGreaterEqual(refused, 1, "the browser's page is one of them")
        while streams:
            streams.pop().close()
        wait_until(lambda: self.is_listened_to(), 10, "whoever is gone makes room")
        self.assertEqual(get(self.gate.port, "/healthz")[0], 200)

    def test_pages_that_were_left_keep_no_connection(self):
        for _ in range(8):
            self.open()
        self.browser.value("window.history.back()")
        wait_until(lambda: self.browser.value("location.search") != f"?{self.opened}", 10, "the page before")
        self.wait_for_text("#state-text", "ready")
        before = self.stage("delivered")
        wait_until(lambda: self.stage("delivered") > before, 10, "it moves again")

    def is_listened_to(self):
        with socket.create_connection(("127.0.0.1", self.gate.port), timeout=10) as stream:
            stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n")
            return b" 200 " in stream.recv(4096).splitlines()[0]


if __name__ == "__main__":
    unittest.main(verbosity=2)
