#!/usr/bin/env python3
"""An HTTP/1.1 target that answers whatever no server should."""

from hostile import Hostile, Inputs
from http1_answers import Answer, with_length
import http1_answers
from http1_bodies import WAITS
from http1_server import Http1Server
import letters
import namespace
from harness.plan import plan

# Shown to whoever is hostile, who sends it back.
SECRET, IN_PATH = "hostile-key-77aa03c1", "xoxb-5d2e8f01"


def wait(random, number):
    """Asks for time, and means it."""
    code, asked = (503, 429, 408)[number // len(WAITS)], WAITS[number % len(WAITS)]
    return Answer(with_length(b"HTTP/1.1 %d x" % code, b"", b"Retry-After: " + asked + b"\r\n"))


class Http1Answers(Hostile):
    def serve(self, inputs, **options):
        server = Http1Server(inputs, **options)
        self.addCleanup(server.stop)
        return server

    def add_waits(self, config, count):
        """To hosts that the records name: each is held for itself, so one that waits for an hour holds up no input."""
        inputs = Inputs(wait, count)
        hosts = [f"127.0.3.{number + 1}" for number in range(count)]
        server = self.serve(inputs, addresses=hosts)
        self.add_evil(config, {"url": f"http://{{header:host}}:{server.port}/", "allow_hosts": ["*"],
                               "allow_private": True},
                      topic="waits", target="waits")
        self.world.produce_records("waits", [{"partition": number % 4, "value": b"x",
                                              "headers": [("host", host.encode())]}
                                             for number, host in enumerate(hosts)])
        return inputs

    def answer(self, count, seconds):
        inputs = Inputs(http1_answers.make, count)
        server = self.serve(inputs)
        config = self.add_evil(self.well_config(), {
            "url": f"http://127.0.0.1:{server.port}/in/{IN_PATH}", "timeout": "500ms",
            "headers": {"X-Api-Key": SECRET}})
        # Else the gate is spared most of them.
        config["targets"]["evil"].update(breaker={"failures": 0}, retry={"budget": "100%"})
        waits = self.add_waits(config, max(10, count // 24))
        self.start_well(config, seconds)
        self.judge(lambda: self.feed(inputs) or not waits.all_used(), seconds)
        self.assertTrue(inputs.all_used() and waits.all_used())
        self.judge_books()
        self.assert_not_told_in_dead_letters()

    def assert_not_told_in_dead_letters(self):
        told = letters.reasons(self.world, "evil.dead")
        self.assertTrue(any(b"answer is not HTTP/1.1" in text for text in told), "others were no answers")
        self.note(f"{len(set(told))} different reasons in {len(told)} dead letters")
        self.assertTrue(any(b"X-Api-Key: ***" in text for text in told), "it was sent back")
        self.assertTrue(any(b"POST /in/*** HTTP" in text for text in told), "the URL was too")
        for secret in (SECRET, IN_PATH):
            self.assertEqual([text for text in told if secret.encode() in text], [])

    def test_a_sample(self):
        self.answer(240, 40)

    @plan(whole=True, alone=False, seconds=300)
    def test_whole(self):
        self.answer(2400, 120)


if __name__ == "__main__":
    namespace.main()
