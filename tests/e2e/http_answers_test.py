"""What a target's answers mean where the configuration says so, and what is told of them."""

import json
import unittest

from harness import http_scenario, places


class Answers(http_scenario.HttpScenario):
    def test_by_status_and_by_body(self):
        echoed = self.secret("the-key-of-this-scenario")
        limited = json.dumps({"error": {"code": "RATE_LIMIT"}}).encode()

        def answer(request):
            """By the record's offset; the third kind is accepted at its second attempt."""
            kind = int(request.headers["kafka-offset"]) % 4
            if kind == 0:
                return 409, {}, b"there already"
            if kind == 1:
                return 501, {}, b"no\nsuch thing: " + request.headers["x-api-key"].encode()
            if kind == 2:
                return (200, {}, limited) if request.headers["einlass-attempt"] == "1" else 202
            return 204
        receiver = self.answering(answer)
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/", "headers": {"X-Api-Key": echoed},
                          "accept": [202, 409], "refuse": [501],
                          "by_body": [{"json": "/error/code", "equals": "RATE_LIMIT", "then": "retry"}]},
                         dead_letter="results.dead", order="none")
        self.produce()
        places.wait_until(lambda: gate.status()["books"]["inside"] == 0 and
                          gate.status()["books"]["received"] == http_scenario.RECORDS, 30, "all are finished")
        books = gate.status()["books"]
        half = http_scenario.RECORDS // 2
        self.assertEqual((books["delivered"], books["dead_lettered"]), (half, half), "204 is not among the accepted")
        errors = set()
        for letter in self.world.consume("results.dead"):
            headers = {name: bytes.fromhex(value).decode() for name, value in letter["headers"]}
            errors.add((headers["einlass-status"], headers["einlass-error"]))
        self.assertEqual(errors, {("501", "status 501: no such thing: ***"), ("204", "status 204")})
        self.assert_no_secret_is_told()

    def test_a_redirect_is_not_followed(self):
        elsewhere = self.answering()
        place = f"http://127.0.0.1:{elsewhere.port}/moved"
        receiver = self.answering(lambda request: (307, {"Location": place}, b""))
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/"}, dead_letter="results.dead")
        self.produce()
        places.wait_until(lambda: gate.status()["books"]["dead_lettered"] == http_scenario.RECORDS, 30, "all refused")
        self.assertEqual(elsewhere.requests(), [])
        self.assertIn(f"redirects are not followed (to {place})", self.target(gate)["trouble"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
