"""Requests whose parts come from their records, and records that lack them."""

import unittest

from harness import http_scenario, places


class Templates(http_scenario.HttpScenario):
    def records(self):
        return [
            {"key": b"a&b", "value": b'{"order": {"id": 7}}', "headers": [("tenant", b"acme & co"), ("verb", b"PUT")]},
            {"key": b"..a", "value": b'{"order": {"id": "x/../y"}}',
             "headers": [("tenant", b"t"), ("verb", b"PATCH")]},
            {"key": b"no-order", "value": b"{}", "headers": [("tenant", b"t"), ("verb", b"PUT")]},
            {"key": b"injects", "value": b'{"order": {"id": 1}}',
             "headers": [("tenant", b"t\r\nX-Injected: 1"), ("verb", b"PUT")]},
            {"key": b"odd-verb", "value": b'{"order": {"id": 1}}', "headers": [("tenant", b"t"), ("verb", b"put")]},
            {"key": b"../../admin", "value": b'{"order": {"id": 1}}', "headers": [("tenant", b"t"), ("verb", b"PUT")]},
            {"key": b"last", "value": b'{"order": {"id": 9}}', "headers": [("tenant", b"t"), ("verb", b"PUT")]},
        ]

    def http(self, receiver):
        return {"url": f"http://127.0.0.1:{receiver.port}/in/{{key}}/{{topic}}?order={{json:/order/id}}",
                "method": "{header:verb}", "headers": {"X-Tenant": "tenant {header:tenant}"}}

    def test_each_part_is_written_rightly_or_the_record_is_a_dead_letter(self):
        receiver = self.answering()
        gate = self.gate(self.http(receiver), dead_letter="results.dead")
        self.world.produce_records("results", self.records())
        places.wait_until(lambda: gate.status()["books"]["delivered"] == 3 and
                          gate.status()["books"]["dead_lettered"] == 4, 30, "all are finished")
        seen = [(one.method, one.path, one.headers["x-tenant"]) for one in receiver.requests()]
        self.assertEqual(seen, [("PUT", "/in/a%26b/results?order=7", "tenant acme & co"),
                                ("PATCH", "/in/..a/results?order=x%2F..%2Fy", "tenant t"),
                                ("PUT", "/in/last/results?order=9", "tenant t")])
        letters = [{name: bytes.fromhex(value).decode(errors="replace") for name, value in letter["headers"]}
                   for letter in self.world.consume("results.dead")]
        self.assertEqual({letter["einlass-reason"] for letter in letters}, {"refused"})
        self.assertEqual(sorted(letter["einlass-error"] for letter in letters), [
            "no URL for it: the record has no {json:/order/id}",
            "no URL for it: {key} has a slash, a backslash or a NUL, plain or percent-encoded",
            "no header X-Tenant for it: what the record has holds control characters",
            "no method for it: what the record has is none"])
        self.assert_books_closed([gate])

    def test_without_a_dead_letter_topic_it_waits(self):
        receiver = self.answering()
        gate = self.gate(self.http(receiver))
        self.world.produce_records("results", self.records())
        places.wait_until(lambda: len(receiver.records()) == 2 and gate.waiting("retry") == 5, 30,
                          "the third waits, and all behind it")
        self.assertEqual(gate.status()["books"]["inside"], 5)

    def test_what_waits_is_read_again_for_the_url_of_a_reload(self):
        receiver = self.answering()
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/in/{{json:/old}}"})
        self.world.produce_records("results", [{"key": b"k", "value": b'{"new": {"id": 7}}'}])
        places.wait_until(lambda: gate.waiting("retry") == 1, 30, "it has no /old")
        url = f"http://127.0.0.1:{receiver.port}/in/{{json:/new/id}}"
        self.assertEqual(gate.reload({"targets": {"receiver": {"http": {"url": url}}}})[0], 200)
        places.wait_until(lambda: gate.status()["books"]["delivered"] == 1, 30, "it is delivered")
        self.assertEqual([one.path for one in receiver.requests()], ["/in/7"])
        self.assert_books_closed([gate])


if __name__ == "__main__":
    unittest.main(verbosity=2)
