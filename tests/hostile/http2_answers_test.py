#!/usr/bin/env python3
"""An HTTP/2 target that says whatever no server should."""

from hostile import Hostile, Inputs
import http2_answers
import letters
from http2_server import Http2Server
import namespace
from harness.plan import plan

# Of characters for which HPACK has no shorter code, so it stands in a header block as it is, and the server sends it back.
SECRET = "hostile-<~^|#<~^|"


class Http2Answers(Hostile):
    def answer(self, count, seconds):
        inputs = Inputs(http2_answers.make, count)
        server = Http2Server(inputs)
        self.addCleanup(server.stop)
        config = self.add_evil(self.well_config(), {"url": f"http://127.0.0.1:{server.port}/", "http2": "always",
                                                    "timeout": "500ms", "headers": {"X-Api-Key": SECRET}})
        # Else the gate is spared most of them.
        config["targets"]["evil"].update(breaker={"failures": 0}, retry={"budget": "100%"})
        self.start_well(config, seconds)
        self.judge(lambda: self.feed(inputs), seconds)
        self.note(f"{count} inputs")
        self.assertTrue(inputs.all_used())
        self.judge_books()
        reasons = letters.reasons(self.world, "evil.dead")
        self.note(f"{len(set(reasons))} different reasons in {len(reasons)} dead letters")
        self.assertTrue(any(b"the server breaks HTTP/2" in one for one in reasons), "not only the fields were wrong")
        self.assertTrue(any(b"***" in one for one in reasons), "it was sent back")
        self.assertEqual([one for one in reasons if SECRET.encode() in one], [])

    def test_a_sample(self):
        self.answer(160, 40)

    @plan(whole=True, alone=False, seconds=300)
    def test_whole(self):
        self.answer(1600, 120)


if __name__ == "__main__":
    namespace.main()
