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
        every = GOOD // bad
        records = []
        for number in range(GOOD):
            records.append({"partition": number % 2, "key": b"k%d" % number, "value": b"x"})
            if number % every == 0:
                records.append({"partition": number % 2, "key": b"%04d" % number * 1000, "value": b"bad"})
        self.world.produce_records("results", records)

    def test_bad_records_are_refused_and_the_others_lose_no_attempt(self):
        self.expect_refused(BAD, self.http)

    @plan(whole=True)
    def test_more_of_them_than_are_tried_alone_at_a_time(self):
        self.expect_refused(MANY, {**self.http, "max_in_flight": 100})

    @plan(whole=True)
    def test_more_of_them_than_may_be_in_flight(self):
        self.expect_refused(BAD, {**self.http, "max_in_flight": 4})

    def expect_refused(self, bad, http):
        self.produce_both(bad)
        gate = self.gate(http, order="none", retry={"initial": "100ms", "max": "500ms", "attempts": 3},
                         dead_letter="results.dead")
        places.wait_until(lambda: len(self.receiver.records()) >= GOOD, 180, f"{GOOD} records accepted")
        places.wait_until(lambda: sum(self.world.ends("results.dead")) == bad, 60, f"{bad} dead letters")
        for letter in self.world.consume("results.dead"):
            headers = {name: bytes.fromhex(value) for name, value in letter["headers"]}
            self.assertEqual(headers["einlass-reason"], b"refused")
            self.assertIn(b"which had this request alone", headers["einlass-error"])
        twice = sum(request.accepted for request in self.receiver.requests()) - GOOD
        self.note(f"{twice} of {GOOD} were accepted twice, beside {bad} that end their connection")
        self.assert_books_closed([gate])


if __name__ == "__main__":
    unittest.main()
