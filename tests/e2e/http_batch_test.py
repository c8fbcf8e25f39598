"""Several records in one request to an HTTP server of ours."""

import collections
import json
import re
import unittest

from harness import http_scenario, places

POISON = 7  # Every so many records one that the server refuses.


def named(request):
    """The records of a request, as (topic, partition, offset) of texts."""
    found = []
    for entry in request.headers["einlass-records"].split(", "):
        topic, partition, first, last = re.fullmatch(r"(.+)-(\d+)-(\d+)(?:\.\.(\d+))?", entry).groups()
        found += [(topic, partition, offset) for offset in range(int(first), int(last or first) + 1)]
    return found


class Batches(http_scenario.HttpScenario):
    def batching(self, answer, **batch):
        """A server, and a gate that delivers several records at a time to it."""
        server = self.answering(answer)
        gate = self.gate({"url": f"http://127.0.0.1:{server.port}/", "max_in_flight": 4,
                          "batch": {"records": 16, "linger": "20ms", **batch}}, dead_letter="results.dead")
        return server, gate

    def finish(self, gate, records):
        def done():
            books = gate.status()["books"]
            return books["inside"] == 0 and books["received"] == records
        places.wait_until(done, 60, "all records are finished")
        return gate.status()["books"]

    def accepted(self, server):
        """Each partition's offsets in the order in which the server took them."""
        order = collections.defaultdict(list)
        for request in server.requests():
            for (_, partition, offset), failed in zip(named(request), request.failed):
                if not failed:
                    order[partition].append(offset)
        return order

    def assert_all_in_order(self, server, records):
        accepted = self.accepted(server)
        for offsets in accepted.values():
            self.assertEqual(offsets, list(range(len(offsets))))
        self.assertEqual(sum(map(len, accepted.values())), records)

    def test_all_arrive_once_and_in_order_in_few_requests(self):
        def answer(request):
            request.failed = [False] * len(named(request))
            return 204
        server, gate = self.batching(answer, format="lines")
        self.produce(400)
        self.assertEqual(self.finish(gate, 400)["delivered"], 400)
        self.assert_all_in_order(server, 400)
        for request in server.requests():
            self.assertEqual(request.body.count(b"\n"), len(named(request)))
            self.assertEqual(request.headers["einlass-batch"], str(len(named(request))))
            self.assertLessEqual(len(named(request)), 16)
        self.assertLess(len(server.requests()), 200, "hardly any went together")
        self.assert_committed("results")

    def test_the_answer_says_who_is_refused(self):
        def answer(request):
            request.failed = [offset % POISON == 0 for _, _, offset in named(request)]
            list_of = [{"index": i, "status": 422, "error": "no such account"}
                       for i, failed in enumerate(request.failed) if failed]
            return 200, {"Content-Type": "application/json"}, json.dumps({"failed": list_of}).encode()
        server, gate = self.batching(answer, format="length_prefixed")
        self.produce(200)
        self.check_refused(server, gate, "422", "status 422 in the answer to its batch: no such account")

    def test_a_refusal_that_names_nobody_is_taken_apart(self):
        def answer(request):
            refused = any(offset % POISON == 0 for _, _, offset in named(request))
            request.failed = [refused] * len(named(request))
            return (400, {}, b"bad batch") if refused else 204
        server, gate = self.batching(answer, format="lines")
        self.produce(200)
        self.check_refused(server, gate, "400", "status 400: bad batch")

    def check_refused(self, server, gate, status, error):
        books = self.finish(gate, 200)
        letters = self.world.consume("results.dead")
        dead = set()
        for letter in letters:
            headers = {name: bytes.fromhex(value).decode() for name, value in letter["headers"]}
            self.assertEqual((headers["einlass-status"], headers["einlass-error"]), (status, error))
            dead.add((headers["einlass-partition"], int(headers["einlass-offset"])))
        poison = {(str(partition), offset) for partition, end in enumerate(self.world.ends("results"))
                  for offset in range(0, end, POISON)}
        self.assertEqual(dead, poison, "an innocent record was refused, or one that the server refused is none")
        self.assertEqual(len(letters), len(dead))
        self.assertEqual((books["delivered"], books["dead_lettered"]), (200 - len(dead), len(dead)))
        accepted = self.accepted(server)
        self.assertEqual(sum(map(len, accepted.values())), 200 - len(dead))
        for partition, offsets in accepted.items():
            self.assertEqual(offsets, sorted(set(offsets)), "out of order, or twice")
            self.assertFalse({(partition, offset) for offset in offsets} & dead)

    def test_values_that_are_no_json_are_refused_and_the_rest_goes(self):
        def answer(request):
            request.failed = [False] * len(named(request))
            self.assertEqual(len(json.loads(request.body)), len(named(request)))
            return 204
        server, gate = self.batching(answer)
        values = [b'{"n": 1}', b"no json", b"[2]", b"3 4"]
        self.world.produce_records("results", [{"key": b"k", "value": value} for value in values])
        books = self.finish(gate, 4)
        self.assertEqual((books["delivered"], books["dead_lettered"]), (2, 2))
        self.assertEqual(sum(len(named(request)) for request in server.requests()), 2)

    def test_a_server_that_fails_gets_all_again_in_order(self):
        self.failing = True

        def answer(request):
            request.failed = [self.failing] * len(named(request))
            return 503 if self.failing else 204
        server, gate = self.batching(answer, format="lines")
        self.produce(100)
        places.wait_until(lambda: len(server.requests()) >= 3, 20, "the first attempts")
        self.failing = False
        self.assertEqual(self.finish(gate, 100)["delivered"], 100)
        self.assert_all_in_order(server, 100)


if __name__ == "__main__":
    unittest.main(verbosity=2)
