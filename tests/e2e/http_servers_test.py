"""Several servers of one target, hosts that records name, and compressed bodies."""

import gzip
import json
import unittest

from harness import http_scenario, places


class Servers(http_scenario.HttpScenario):
    def test_one_of_two_dies_and_comes_back(self):
        up = [True]
        steady = self.answering()
        shaky = self.answering(lambda request: 204 if up[0] else 503)
        gate = self.gate({"url": None, "balance": "round_robin",
                          "urls": [f"http://127.0.0.1:{one.port}/in" for one in (steady, shaky)]})
        self.produce()
        self.assert_delivered_by(steady, shaky, http_scenario.RECORDS)
        self.assertGreater(min(len(steady.records()), len(shaky.records())), 5, "both take turns")
        up[0] = False
        self.produce()
        self.assert_delivered_by(steady, shaky, 2 * http_scenario.RECORDS)
        refused = sum(1 for one in shaky.requests() if not one.accepted)
        self.assertLess(refused, 20, "the one that fails is left alone")
        self.assertEqual(places.get(gate.port, "/readyz")[0], 200)
        self.assertIn(f"127.0.0.1:{shaky.port}: status 503", self.target(gate)["trouble"])
        up[0] = True
        before = len(shaky.records())

        def goes_on():
            self.produce(10)
            return len(shaky.records()) > before + 5
        places.wait_until(goes_on, 60, "it takes its turns again")
        self.assert_books_closed([gate])

    def assert_delivered_by(self, one, other, records):
        places.wait_until(lambda: len(one.records() | other.records()) >= records, 30, f"{records} records accepted")
        self.assertEqual(one.records() & other.records(), set(), "records were accepted twice")

    def test_hosts_of_records(self):
        receiver = self.answering()
        gate = self.gate({"url": f"http://{{header:host}}:{receiver.port}/in", "allow_hosts": ["*"]},
                         dead_letter="results.dead")
        hosts = [b"127.0.0.1", b"localhost", b"2130706433", b"169.254.169.254", b"no host"]
        self.world.produce_records("results", [{"key": b"k", "value": b"{}", "headers": [("host", host)]}
                                               for host in hosts])
        places.wait_until(lambda: gate.status()["books"]["dead_lettered"] == len(hosts), 30, "all are refused")
        self.assertEqual(receiver.requests(), [], "nothing goes inside")
        letters = [{name: bytes.fromhex(value).decode() for name, value in letter["headers"]}
                   for letter in self.world.consume("results.dead")]
        self.assertEqual({letter["einlass-reason"] for letter in letters}, {"refused"})
        errors = sorted(letter["einlass-error"] for letter in letters)
        self.assertEqual(sum("is at a private address" in error for error in errors), 4, errors)
        self.assertIn("no URL for it: what the record has is no host", errors)
        self.assertEqual(gate.terminate(), 0, gate.log())
        gate.change({"targets": {"receiver": {"http": {"allow_hosts": ["localhost"], "allow_private": True}}}})
        gate.start()
        self.world.produce_records("results", [{"key": b"k", "value": b"{}", "headers": [("host", host)]}
                                               for host in (b"localhost", b"127.0.0.1", b"LOCALHOST")])
        places.wait_until(lambda: gate.status()["books"]["dead_lettered"] == 1 and
                          gate.status()["books"]["delivered"] == 2, 30, "only the one that is allowed")
        self.assertEqual({one.headers["host"] for one in receiver.requests()}, {f"localhost:{receiver.port}"})
        self.assert_books_closed([gate])

    def test_a_host_that_fails_holds_up_its_own_records_alone(self):
        down = [True]
        receiver = self.answering(lambda request: 500 if down[0] and request.headers["host"].startswith("localhost") else 204)
        gate = self.gate({"url": f"http://{{header:host}}:{receiver.port}/in", "allow_hosts": ["*"], "allow_private": True},
                         order="none", retry={"max": "1s"})

        def produce(host, records):
            self.world.produce_records("results", [{"partition": number % 2, "key": b"k", "value": b"{}",
                                                    "headers": [("host", host)]} for number in range(records)])
        produce(b"localhost", 20)
        places.wait_until(lambda: len(receiver.requests()) >= 20, 30, "each has been tried")
        produce(b"127.0.0.1", 200)
        places.wait_until(lambda: len(receiver.records()) == 200, 10, "all of the other host")
        down[0] = False
        self.assert_delivered(receiver, 220)
        self.assert_books_closed([gate])

    def test_bodies_are_compressed(self):
        receiver = self.answering()
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/in", "compress": "gzip"})
        long = json.dumps({"lines": ["the same again"] * 200}).encode()
        self.world.produce_records("results", [{"key": b"k", "value": value} for value in (long, b"short")])
        places.wait_until(lambda: len(receiver.records()) == 2, 30, "both are accepted")
        first, second = receiver.requests()
        self.assertEqual(first.headers["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(first.body), long)
        self.assertLess(len(first.body), len(long) / 5)
        self.assertNotIn("content-encoding", second.headers)
        self.assertEqual(second.body, b"short")
        self.assert_books_closed([gate])


if __name__ == "__main__":
    unittest.main(verbosity=2)
