#!/usr/bin/env python3
"""A token server that answers whatever no token server should, and then as it should: no record is lost meanwhile."""

import base64
import os
import re
import time

from hostile import Hostile, Inputs
from http1_answers import Answer, with_length
from http1_server import Http1Server, read_request
import namespace
from harness.plan import plan
from harness.raw_server import RawServer
import token_answers

RECORDS = 20       # Of each target.
TOKEN_LIFE = 1.0
RENEWED = 0.6      # Seconds; the files are looked at four times a second.
OK = b"HTTP/1.1 200 OK"
GOOD = Answer(with_length(OK, b'{"access_token": "good-token-93bb1f", "token_type": "Bearer", "expires_in": 3600}'),
              end="close")
AT_FIRST = Answer(with_length(OK, token_answers.VALID), end="close")  # Else the gate is not ready.


class Accepting:
    """It accepts everything, and keeps the heads of the requests."""

    def __init__(self):
        self.heads = []
        self._server = RawServer(self._talk)
        self.port, self.stop = self._server.port, self._server.stop

    def _talk(self, connection):
        while True:
            head, _ = read_request(connection)
            if not head:
                return
            self.heads.append([line.split(": ", 1) for line in head.decode("latin-1").split("\r\n")[1:]])
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


class TokenAnswers(Hostile):
    def setUp(self):
        super().setUp()
        self.good = Accepting()
        self.addCleanup(self.good.stop)
        self.secret_file, self.renewals = os.path.join(self.world.directory, "client-secret"), 0
        self.renew()

    def renew(self):
        """Another secret is tried at once. So the inputs need not wait for what is doubled up to 30 s between two."""
        self.renewals += 1
        # As many are, of letters alone: what is shown of an error could be one.
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(self.renewals))
        secret = self.world.secret(f"correct_horse_battery_{letters}")
        self.world.secret(base64.b64encode(f"einlass:{secret}".encode()).decode())
        with open(self.secret_file + ".next", "w") as file:
            file.write(secret)
        os.replace(self.secret_file + ".next", self.secret_file)

    def add_targets(self, config, port, targets):
        """Many, so that many tokens are asked for at a time."""
        for number in range(targets):
            oauth2 = {"token_url": f"http://127.0.0.1:{port}/{number}", "client_id": "einlass",
                      "client_secret_file": self.secret_file}
            name = f"evil-{number}"
            self.add_evil(config, {"url": f"http://127.0.0.1:{self.good.port}/in", "timeout": "500ms",
                                   "auth": {"oauth2": oauth2}},
                          topic=name, target=name, retry={"initial": "10ms", "max": "50ms"})

    def answer(self, count, targets, seconds):
        inputs = Inputs(token_answers.make, count)
        server = Http1Server(inputs, good=AT_FIRST, hostile=False)
        self.addCleanup(server.stop)
        config = self.well_config()
        self.add_targets(config, server.port, targets)
        self.start_well(config, seconds)
        server.good, server.hostile = GOOD, True
        time.sleep(TOKEN_LIFE)
        for number in range(targets):
            self.world.produce(f"evil-{number}", RECORDS, size=100)

        def under_way():
            time.sleep(RENEWED)
            self.renew()
            return not inputs.all_used()
        self.judge(under_way, seconds)
        self.note(f"{count} inputs, {self.renewals} client secrets")
        self.assertTrue(inputs.all_used())
        self.judge_delivery(targets)

    def judge_delivery(self, targets):
        """What has waited, and what comes with the good token; and no line of a header came from another one."""
        self.renew()
        for number in range(targets):
            self.world.produce(f"evil-{number}", RECORDS, size=100)
            self.judge_books(f"evil-{number}")
        heads = self.good.heads
        self.assertGreaterEqual(len(heads), 2 * targets * RECORDS)
        self.assertEqual(len({tuple(name for name, *_ in head) for head in heads}), 1)
        tokens = {value for head in heads for name, value in head if name == "Authorization"}
        self.assertIn("Bearer good-token-93bb1f", tokens)
        self.assertEqual([one for one in tokens if not re.fullmatch("Bearer [!-~]+", one)], [])
        self.assertEqual(self.gate.status()["books"]["dead_lettered"], 0)

    def test_a_sample(self):
        self.answer(48, 6, 40)

    @plan(whole=True, alone=False, seconds=300)
    def test_whole(self):
        self.answer(480, 16, 120)


if __name__ == "__main__":
    namespace.main()
