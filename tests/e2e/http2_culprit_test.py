"""Records for whose sake a real server ends the connection that all share: they are found, and cost nobody else much."""

import time
import unittest

from harness import http_scenario, nginx, places
from harness.plan import plan
import certificates

GOOD, BAD = 1200, 20
MANY = 80                    # More than are tried alone at a time.
SECONDS_OF_AN_ANSWER = 0.2   # So that many are under way when a connection ends.


def slowly(_):
    time.sleep(SECONDS_OF_AN_ANSWER)
    return 204


class Http2Culprit(http_scenario.HttpScenario):
    """nginx takes 2 KB of a header here; over HTTP/2 it answers a longer one by the end of the connection."""

    def setUp(self):
        super().setUp()
        authority = certificates.Authority(self.world.directory)
        self.receiver = self.answering(slowly)
        self.nginx = nginx.Nginx(self.world.directory, self.receiver.port)
        self.addCleanup(self.nginx.stop)
        self.nginx.start(authority.sign("good"), "large_client_header_buffers 4 2k;", "ssl http2")
        self.http = {"url": f"https://127.0.0.1:{self.nginx.port}/", "ca_file": authority.file, "http2": "always"}

    def produce_both(self, bad):
        """The bad ones spread among the good ones."""
        every, self.good = GOOD // bad, GOOD
        records = []
        for number in range(GOOD):
            records.append({"partition": number % 2, "key": b"k%d" % number, "value": b"x"})
            if number % every == 0:
                records.append({"partition": number % 2, "key": b"%04d" % number * 1000, "value": b"bad",
                                "headers": [("culprit", b"yes")]})
        self.world.produce_records("results", records)

    def test_bad_records_are_refused_and_the_others_lose_no_attempt(self):
        self.expect_refused(BAD, self.http)

    @plan(whole=True)
    def test_more_of_them_than_are_tried_alone_at_a_time(self):
        self.expect_refused(MANY, {**self.http, "max_in_flight": 100})

    @plan(whole=True)
    def test_more_of_them_than_may_be_in_flight(self):
        self.expect_refused(BAD, {**self.http, "max_in_flight": 4})

    def produce_good(self, count):
        self.good += count
        self.world.produce_records("results", [
            {"partition": number % 2, "key": b"more", "value": b"x"} for number in range(count)])

    def start(self, http):
        """The good ones have one attempt: whoever of them loses it is a dead letter. The bad ones go to the same target by
        a route of their own, with attempts enough to be found out: others must be answered between two of theirs."""
        self.world.create_topic("culprits.dead", 1)
        config = self.world.config("results", 1000, {
            "limits": None, "targets": {"receiver": {"http": http, "breaker": {"max_wait": "1s"}}},
            "route": {"limits": [], "order": "none", "dead_letter": "results.dead",
                      "filter": [{"by": "header:culprit", "exists": False}], "else": "culprits",
                      "retry": {"initial": "100ms", "max": "500ms", "attempts": 1}}})
        good = config["routes"][0]
        config["routes"].append({
            "name": "culprits", "topics": [], "target": good["target"], "limits": [], "order": "none",
            "retry": {**good["retry"], "attempts": 30}, "dead_letter": "culprits.dead"})
        return self.world.gate("gate-1", config).start()

    def expect_refused(self, bad, http):
        self.produce_both(bad)
        gate = self.start(http)

        def all_ended():
            lost = sum(self.world.ends("results.dead"))
            self.assertEqual(lost, 0, f"{lost} of the good ones have lost the one attempt they had")
            if len(self.receiver.records()) < self.good:
                return False
            if sum(self.world.ends("culprits.dead")) == bad:
                return True
            self.produce_good(50)  # Who ends its connection while nobody else is answered may have no part in it.
            return False
        places.wait_until(all_ended, 240, f"all good ones accepted, {bad} dead letters")
        for letter in self.world.consume("culprits.dead"):
            headers = {name: bytes.fromhex(value) for name, value in letter["headers"]}
            self.assertEqual(headers["einlass-reason"], b"refused")
            self.assertIn(b"which had this request alone", headers["einlass-error"])
        requests = self.receiver.requests()
        again = sum(request.headers["einlass-attempt"] != "1" for request in requests)
        twice = sum(request.accepted for request in requests) - self.good
        self.note(f"{again} requests of good ones were not their first, {twice} of {self.good} were accepted twice, "
                  f"beside {bad} that end their connection")
        self.assertGreater(again, 0, "the culprits ended connections that good ones were on")
        self.assert_books_closed([gate])
        self.assertEqual(sum(self.world.ends("results.dead")), 0)


if __name__ == "__main__":
    unittest.main()
