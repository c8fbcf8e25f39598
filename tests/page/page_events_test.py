#!/usr/bin/env python3
"""The live page of web/ in a real browser, with events that the test makes: what a real gate would take minutes and misfortune
for."""

import http.server
import json
import os
import queue
import re
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
WEB = os.path.join(os.path.dirname(os.path.dirname(HERE)), "web")
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))

from harness.places import wait_until  # noqa: E402
from browser import Browser  # noqa: E402

CAUSES = ("limit", "target", "retry", "order", "outage", "paused", "in_flight", "not_before")


def read(name):
    with open(os.path.join(WEB, name), encoding="utf-8") as file:
        return file.read()


def page():
    """As web/CMakeLists.txt puts it together."""
    text = read("page.html")
    parts = re.search(r"foreach\(part (.*?)\)", read("CMakeLists.txt"), flags=re.S)[1].split()
    for mark, name in (part.split(":") for part in parts):
        text = text.replace(f"/*{mark}*/", read(name))
    return text


def route(name, target, /, **waiting):
    return {"name": name, "target": target, "delivered": 0, "dead_lettered": 0, "lag": 0, "lag_seconds": 0, "partitions": 1,
            "partitions_held": 0, "waiting": {**dict.fromkeys(CAUSES, 0), **waiting}, "behind": dict.fromkeys(CAUSES, 0)}


def event(routes, down=(), table=False, waiting=None, shares=()):
    none = {"bounds": [1000], "counts": [0, 0]}
    return {"started_at": 1, "configured_at": 1, "instance": "gate-1", "version": "0", "ready": True, "why_not_ready": "",
            "troubles": [{"what": "target", "name": name, "severity": "bad", "says": "circuit breaker open", "since": None,
                          "ended": None, "next": None, "waiting": waiting} for name in down],
            "books": {**dict.fromkeys(("received", "delivered", "dead_lettered", "returned", "filtered", "inside"), 0), "closed": True},
            "routes": routes, "limits": [], "shares": list(shares), "quotas": {"table": table, "pauses": []}, "waits": none, "delays": none, "lines": [],
            "lines_total": 0, "partitions": [], "partitions_total": 0, "targets": [], "stores": [], "kafka_trouble": "", "recent": []}


class Gate(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.0"

    def do_GET(self):
        self.server.asked.append(self.path)
        if "key=slow" in self.path:
            self.server.slow.get()
        body = {"/": page(), "/v1/why": json.dumps(self.server.why)}.get(self.path.partition("?")[0])
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if self.path.startswith("/v1/") else "text/html")
        self.end_headers()
        if body is not None:
            self.wfile.write(body.encode())
            return
        self.server.connections += 1
        events = self.server.events = queue.Queue()  # Of the newest connection: one that the page gave up takes none from it.
        while (one := events.get()) is not None:
            self.wfile.write(f"data: {json.dumps({'at': time.time_ns() // 1000, **one})}\n\n".encode())
            self.wfile.flush()

    def do_POST(self):
        status, text = self.server.refusal
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Events(unittest.TestCase):
    opened = 0

    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate)
        cls.server.daemon_threads = True
        cls.server.asked, cls.server.slow = [], queue.Queue()
        cls.server.events, cls.server.why, cls.server.connections = None, {}, 0
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.stop)

    def setUp(self):
        Events.opened += 1
        self.browser.open(f"http://127.0.0.1:{self.server.server_port}/?{self.opened}")
        wait_until(lambda: self.browser.value("location.search + document.readyState") == f"?{self.opened}complete", 10, "a page")
        self.addCleanup(self.end_connection)

    def end_connection(self):
        wait_until(lambda: self.server.events, 10, "a connection")
        events, self.server.events = self.server.events, None
        events.put(None)

    def send(self, one):
        """Once the page has had it."""
        before = self.browser.value("live && live.at")
        wait_until(lambda: self.server.events, 10, "a connection")
        asked = set()

        def had():
            events = self.server.events
            if events is not None and id(events) not in asked:  # A new connection, where the page heard nothing for too long.
                asked.add(id(events))
                events.put(one)
            return self.browser.value("live && live.at") != before
        wait_until(had, 20, "the event")

    def state(self):
        return self.browser.text("#state-text")

    def wait_for_state(self, words):
        wait_until(lambda: re.search(words, self.state()), 10, f"{words!r}, where it says {self.state()!r}")

    def is_stale(self):
        return self.browser.value("Number(getComputedStyle(byId('troubles')).opacity)") < 1

    def classes(self):
        return {name: self.browser.value(f"document.querySelector(\"[data-stage='{name}']\")?.closest('li').className")
                for name in ("target", "target_down")}

    def test_only_records_of_a_target_that_is_down_are_red(self):
        both = [route("dead", "erp", target=7, retry=5), route("live", "crm", target=3, retry=2)]
        self.send(event(both, down=["erp"]))
        self.assertEqual(self.classes(), {"target": "", "target_down": "bad"})
        self.assertRegex(self.browser.text("#causes"),
                         r"3\s+the target\s+12\s+a target that is down: erp\s+2\s+their next attempt")
        self.send(event(both))
        self.assertEqual(self.classes(), {"target": "", "target_down": None})
        self.assertRegex(self.browser.text("#causes"), r"10\s+the target\s+7\s+their next attempt")

    def test_only_troubles_that_begin_and_end_are_read_aloud(self):
        """The strip counts seconds and records: a screen reader that is told of it would not stop."""
        self.assertEqual(self.browser.value("[...document.querySelectorAll('[role=status] *, [role=status]')]"
                                            ".filter((one) => one.id === 'lasting').length"), 0)
        self.browser.value("window.heard = []; new MutationObserver(() => heard.push(byId('told').textContent))"
                           ".observe(byId('told'), {childList: true, characterData: true, subtree: true})")
        routes = [route("results", "crm")]
        for waiting in (5, 6, 7):
            self.send(event(routes, down=["crm"], waiting=waiting))
        self.assertIn("7 records wait", self.browser.text("#lasting"))
        self.send(event(routes, down=["crm", "erp"]))
        self.send(event(routes, down=["erp"]))
        self.send(event(routes))
        self.assertEqual(self.browser.value("heard"), ["error: target crm: circuit breaker open", "error: target erp: circuit breaker open",
                                                       "target crm: over", "target erp: over"])

    def test_a_refusal_that_is_plain_text_is_shown(self):
        self.server.refusal = (403, "requests of other sites are refused\n")
        self.send(event([route("results", "crm")], table=True))
        self.browser.value("byId('steer').elements.name.value = 'results'; byId('steer').requestSubmit()")
        self.wait_for_steered("requests of other sites are refused")

    def wait_for_steered(self, words):
        wait_until(lambda: words in self.browser.text("#steered"), 10, f"{words!r}, where it says {self.browser.text('#steered')!r}")

    def test_a_pause_that_is_not_in_force_yet_is_no_success(self):
        self.server.refusal = (202, '{"pending": true}')
        self.send(event([route("results", "crm")], table=True))
        self.browser.value("byId('steer').elements.name.value = 'results'; byId('steer').requestSubmit()")
        self.wait_for_steered("written, but not in force here")
        self.assertFalse(self.browser.value("byId('steer').querySelector('button').disabled"))

    def test_many_pauses_are_said_to_be_more(self):
        def pauses(names, more):
            one = event([route("results", "crm")], table=True)
            one["quotas"]["pauses"] = [{"what": "limit", "name": "per_tenant", "key": name, "by": "", "since": 1, "until": None,
                                        "note": ""} for name in names]
            return {**one, "quotas": {**one["quotas"], "more_pauses": more}}
        self.send(pauses((), 0))
        self.send(pauses(("acme", "globex"), 150))
        self.assertIn("2 of 152", self.browser.text("#h-pauses"))
        self.assertEqual(self.browser.value("[...document.querySelectorAll('#paused button')].map((one) => one.ariaLabel)"),
                         ["resume limit per_tenant, key acme", "resume limit per_tenant, key globex"])

    def line(self, waits_for, /, **keys):
        return {"keys": keys, "route": "results", "waiting": 1, "oldest": 1, "waits_for": "limit", "limit": waits_for, "behind": None,
                "drain_seconds": None}

    def test_asks_by_the_key_that_a_line_waits_for_also_an_empty_one(self):
        self.server.why = {"at": 2, "key": "", "says": "these", "records": []}
        for line, asks, shown in ((self.line("per_tenant", region="eu", per_tenant="acme"), "key=acme", "region: eu, per_tenant: acme"),
                                  (self.line("per_tenant/burst", region="eu", per_tenant="bolt"), "key=bolt", "region: eu, per_tenant: bolt"),
                                  (self.line("per_tenant", per_tenant=""), "key=", "(no key)")):
            self.send({**event([route("results", "crm")]), "lines": [line]})
            self.assertEqual(self.browser.text("#lines tbody th"), shown)
            self.browser.value("document.querySelector('#lines button').click()")
            wait_until(lambda: "these" in self.browser.text("#because"), 10, "an answer")
            self.assertEqual(self.server.asked[-1], f"/v1/why?{asks}")
            self.browser.value("byId('because').replaceChildren()")

    def test_only_the_last_question_is_answered(self):
        self.send(event([route("results", "crm")]))
        self.server.why = {"at": 2, "key": "", "says": "the answer", "records": []}
        self.browser.value("ask({key: 'slow'})")
        self.assertIn("asking", self.browser.text("#because"))
        wait_until(lambda: "/v1/why?key=slow" in self.server.asked, 10, "the question")
        self.browser.value("ask({key: 'acme'})")
        wait_until(lambda: "the answer" in self.browser.text("#because"), 10, "an answer")
        self.assertRegex(self.browser.text("#because"), r"^key .acme., at \d\d:\d\d:\d\d:")
        ended = "performance.getEntriesByType('resource').filter((one) => one.name.includes('slow')).length"
        self.server.slow.put(None)
        wait_until(lambda: self.browser.value(ended), 10, "the first question's answer")
        self.assertRegex(self.browser.text("#because"), "^key .acme.")

    def test_a_target_is_in_trouble_where_the_gate_says_so(self):
        target = {"name": "crm", "in_flight": 0, "max_in_flight": 64, "unusable": "", "trouble": "status 404", "warning": "",
                  "held_until": None, "breaker": {"state": "closed", "until": None}}
        state = "((cell) => [cell.textContent, cell.className])(byId('targets').tBodies[0].rows[0].cells[2])"
        untried = {**event([], down=["crm"])["troubles"][0], "severity": "warning", "says": "circuit breaker open, and no record may try it now"}
        for breaker, troubles, shown in (("closed", [], ["last attempt failed: status 404", "says"]),
                ("closed", [untried], ["attempts fail: status 404", "warning says"]), ("probing", [untried], [untried["says"], "warning says"])):
            self.send({**event([route("results", "crm")]), "targets": [{**target, "breaker": {"state": breaker, "until": None}}], "troubles": troubles})
            self.assertEqual(self.browser.value(state), shown)

    def test_a_limiter_that_is_closed_is_not_healthy(self):
        self.send({**event([route("results", "crm")]), "stores": [{"name": "redis", "up": True, "trouble": "", "closed": "limit x is closed"}]})
        self.assertIn("limit x is closed", self.browser.text("#targets"))

    def test_severity_is_said_in_words(self):
        said = [{"at": 1, "severity": severity, "what": "reload", "detail": "refused"} for severity in ("info", "error")]
        self.send({**event([route("results", "crm")], down=["crm"]), "recent": said})
        self.assertRegex(self.browser.text("#recent"), r"error: reload: refused\n.*\dreload: refused")
        self.assertRegex(self.browser.text("#lasting"), "^error: target crm")

    def test_a_connection_that_is_lost_and_back_is_said_while_the_page_is_paused(self):
        first = event([route("results", "crm")], down=["crm"])
        self.send(first)
        self.assertFalse(self.is_stale())
        self.browser.value("byId('pause').click()")
        self.wait_for_state("^paused; the numbers are of ")
        shown = self.state()
        self.end_connection()
        self.wait_for_state("^paused, and no connection to the gate .*; the numbers are of ")
        self.assertTrue(self.is_stale(), "the strip of troubles too")
        self.send(first)
        self.assertEqual(self.state(), shown, "of the event that is shown")
        self.assertFalse(self.is_stale())
        self.browser.value("byId('pause').click()")
        self.wait_for_state("^ready, but something is wrong$")

    def test_a_connection_that_is_back_is_said_while_something_is_selected(self):
        self.send(event([route("results", "crm")]))
        self.browser.value("getSelection().selectAllChildren(byId('routes'))")
        self.end_connection()
        self.wait_for_state("^no connection")
        self.send(event([route("results", "crm")]))
        self.wait_for_state("^ready$")
        self.assertFalse(self.is_stale())
        self.browser.value("getSelection().removeAllRanges()")

    def test_what_is_wrong_is_said_while_something_is_selected(self):
        self.send(event([route("results", "crm")]))
        self.browser.value("getSelection().selectAllChildren(byId('routes'))")
        self.send(event([route("results", "crm")], down=["crm"]))
        self.assertRegex(self.browser.text("#state").strip(), "^ready, but something is wrong; something is selected; "
                         r"the numbers are of \d\d:\d\d:\d\d$")
        self.assertIn("target crm", self.browser.text("#lasting"))
        self.browser.value("getSelection().removeAllRanges()")
        self.send(event([route("results", "crm")]))
        self.assertEqual(self.browser.text("#state").strip(), "ready")

    def test_what_is_wrong_can_be_selected(self):
        self.send(event([route("results", "crm")], down=["crm"], waiting=1))
        selected = "getSelection().toString()"
        self.browser.value("getSelection().selectAllChildren(byId('lasting'))")
        text = self.browser.value(selected)
        self.assertIn("1 records wait", text)
        for waiting in (2, 3):
            self.send(event([route("results", "crm")], down=["crm"], waiting=waiting))
        self.assertEqual(self.browser.value(selected), text)
        self.browser.value("getSelection().removeAllRanges()")

    def test_a_row_stays_where_it_is_while_its_button_has_the_focus(self):
        both = [route("one", "crm"), route("two", "crm")]
        self.send(event(both, table=True))
        self.browser.value("byId('limit').focus()")
        for _ in range(30):
            self.browser.press("Tab")
            if self.browser.value("Boolean(document.activeElement.closest('#routes button'))"):
                break
        self.send(event(both[::-1], table=True))
        self.assertEqual(self.browser.value("document.activeElement.closest('tr').cells[0].textContent"), "one")
        self.assertIn("a button in a table has the focus", self.browser.text("#state"))
        self.browser.value("document.activeElement.blur()")
        self.send(event(both[::-1], table=True))
        self.assertEqual(self.browser.value("byId('routes').tBodies[0].rows[0].cells[0].textContent"), "two")

    def test_says_all_of_why_the_gate_is_not_ready(self):
        self.send({**event([route("results", "crm")]), "ready": False, "why_not_ready": "shard 0: not yet in the consumer group"})
        self.assertEqual(self.state(), "shard 0: not yet in the consumer group")

    def test_a_page_that_is_left_and_shown_again_has_one_connection(self):
        self.send(event([route("results", "crm")]))
        self.end_connection()
        self.wait_for_state("^no connection")
        before = self.server.connections
        self.browser.value("dispatchEvent(new PageTransitionEvent('pagehide'));"
                           "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
        self.browser.value("new Promise((done) => setTimeout(done, 2 * AGAIN_MS))")
        self.send(event([route("results", "crm")]))
        self.assertEqual(self.server.connections, before + 1)

    def test_an_event_that_it_does_not_understand_leaves_no_connection_open(self):
        self.send(event([route("results", "crm")]))
        self.browser.value("window.stopped = 0; ((all, old) => { all.abort = function () { ++stopped; old.call(this); }; })"
                           "(AbortController.prototype, AbortController.prototype.abort)")
        self.server.events.put({**event([route("results", "crm")]), "books": None})
        self.wait_for_state("^this page cannot show what the gate says .*load it again")
        self.assertEqual(self.browser.value("stopped"), 1)

    def test_the_page_of_another_version_is_loaded(self):
        self.send(event([route("results", "crm")]))
        self.browser.value("window.old = true")
        wait_until(lambda: self.server.events, 10, "a connection")
        self.server.events.put({**event([route("results", "crm")]), "version": "1"})
        wait_until(lambda: self.browser.value("!window.old && document.readyState === 'complete'"), 10, "another page")

    def test_requests_in_flight_are_told_from_records(self):
        target = {"name": "crm", "in_flight": 58, "max_in_flight": 64, "unusable": "", "trouble": "", "warning": "",
                  "held_until": None, "breaker": {"state": "closed", "until": None}}
        self.send({**event([route("results", "crm", in_flight=5800)]), "targets": [target]})
        self.assertRegex(self.browser.text("#flight"), r"5,800\s+in 58 of 64 requests")

    def test_the_chart_writes_numbers_as_the_page(self):
        german = "Object.defineProperty(navigator, 'language', {value: 'de-DE'})"  # From before the page is loaded.
        made = self.browser.call("Page.addScriptToEvaluateOnNewDocument", source=german)["identifier"]
        self.addCleanup(lambda: self.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=made))
        self.browser.value("location.reload()")
        wait_until(lambda: self.browser.value("navigator.language + document.readyState") == "de-DEcomplete", 10, "another page")
        for received in (0, 3_000_000):
            one = event([{**route("results", "crm"), "delivered": received}])
            one["books"]["delivered"] = received
            self.send(one)
        wait_until(lambda: self.browser.value("chart.axes[1]._values && chart.axes[1]._values.some((one) => one.includes(','))"), 10,
                   "1,000 and no 1.000")

    def test_the_chart_of_a_page_that_is_paused_is_of_then(self):
        self.send(event([route("results", "crm")]))
        self.browser.value("byId('pause').click()")
        for _ in range(2):
            self.send(event([route("results", "crm")]))
        self.browser.value("newColours()")
        self.assertEqual(self.browser.value("chart.data[0].length"), 1)

    def test_a_table_has_the_columns_of_now(self):
        heads = "[...document.querySelectorAll('#routes thead th')].map((one) => one.textContent)"
        self.send(event([route("results", "crm")]))
        before = self.browser.value(heads)
        self.send(event([route("results", "crm")], table=True))
        self.assertEqual(self.browser.value(heads), [*before, "for all gates"])
        self.send(event([route("results", "crm")]))
        self.assertEqual(self.browser.value(heads), before)

    def test_a_share_says_what_each_flow_and_each_level_used(self):
        def share(acme, urgent, others):
            return {"name": "tenants", "levels": [{"name": "urgent", "waiting": 7}, {"name": "bulk", "waiting": 1900}],
                    "flows": [{"name": "acme", "weight": 5, "permits": {"urgent": 0, "bulk": acme}},
                              {"name": "other", "weight": None, "permits": {"urgent": urgent, "bulk": others}}]}
        self.send(event([route("results", "crm")]))
        self.assertFalse(self.browser.value("byId('divided').checkVisibility()"))
        for counts in ((0, 0, 0), (150, 20, 30)):
            self.send(event([route("results", "crm")], shares=[share(*counts)]))
        rows = self.browser.value("[...byId('shares').tBodies[0].rows].map((row) => [...row.cells].map((one) => one.textContent))")
        self.assertEqual([row[:3] + row[4:] for row in rows], [
            ["tenants", "acme", "5", "75 %", "–"], ["tenants", "other", "–", "25 %", "–"],
            ["tenants", "level urgent", "–", "10 %", "7"], ["tenants", "level bulk", "–", "90 %", "1,900"]])

    def test_the_first_of_a_lane_is_described_once(self):
        def record(offset, first):
            return {"topic": "results", "partition": 0, "offset": offset, "written": 1, "last_error": "", "says": f"says {offset}",
                    "first": first}
        self.send(event([route("results", "crm")]))
        self.server.why = {"at": 2, "key": "acme", "says": "these", "records": [
            record(5, record(4, None)), record(6, record(4, None)), record(8, record(7, None))]}
        self.browser.value("byId('why').requestSubmit()")
        wait_until(lambda: "says 8" in self.browser.text("#because"), 10, "an answer")
        said = self.browser.value("[...document.querySelectorAll('#because li')].map((one) => one.textContent.replace(/^.* old, /, ''))")
        self.assertEqual(said, ["says 5", "the first of them, results 0 @ 4, says 4", "says 6", "says 8",
                                "the first of them, results 0 @ 7, says 7"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
