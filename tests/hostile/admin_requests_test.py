#!/usr/bin/env python3
"""Requests to the admin pages as no honest client makes them: whoever asks so holds up nobody and changes nothing."""

import re
import socket
import threading

from hostile import Hostile, Inputs
import admin_requests
from harness import places
import namespace
from harness.plan import plan
from harness.raw_server import send

CLIENTS = 12
# Seconds without another byte; then the answer is all there. The live page gets some each second, without end.
SILENCE = min(0.25 * places.PATIENCE, 0.7)


class Client(threading.Thread):
    """Asks until there are no more inputs; `wrong` has what was answered as it must not be."""

    def __init__(self, port, inputs):
        super().__init__(daemon=True)
        self._port, self._inputs, self.wrong, self.codes = port, inputs, [], set()

    def run(self):
        while not self._inputs.all_used():
            request = self._inputs.next()
            try:
                answer = self._ask(request)
            except OSError:
                answer = b""  # It may hang up on whoever asks so.
            self._judge(request, [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)])

    def _ask(self, request):
        with socket.create_connection(("127.0.0.1", self._port), timeout=10 * places.PATIENCE) as connection:
            send(connection, request.data.replace(b"%PORT%", b"%d" % self._port), request.piece)
            if request.ends:
                connection.shutdown(socket.SHUT_WR)
            connection.settimeout(SILENCE)
            answer = b""
            try:
                while more := connection.recv(65536):
                    answer += more
            except TimeoutError:
                pass
            return answer

    def _judge(self, request, codes):
        self.codes.update(codes)
        if request.must and codes != [request.must] or any(500 <= code and code != 503 for code in codes):
            self.wrong.append((codes, request))


class AdminRequests(Hostile):
    def ask(self, count, seconds):
        inputs = Inputs(admin_requests.make, count)
        self.start_well(self.well_config(), seconds)
        self.gate.change({"drain_timeout": "11s"})  # Whatever reads the configuration again finds something new.
        before = self.reloads()
        clients = [Client(self.gate.port, inputs) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        self.judge(lambda: any(client.is_alive() for client in clients), seconds)
        self.assertTrue(inputs.all_used())
        self.note(f"{count} inputs; statuses {sorted(set().union(*(client.codes for client in clients)))}")
        self.assertEqual([one for client in clients for one in client.wrong][:5], [])
        self.judge_pages()
        self.assertEqual(self.reloads(), before, "nothing had the configuration read again")
        self.assertEqual(self.gate.get("/-/reload", "POST")[0], 200)
        self.assertNotEqual(self.reloads(), before, "which would have been seen")

    def reloads(self):
        return {name: value for name, value in self.gate.metrics().items() if "reload" in name or "config" in name}

    def judge_pages(self):
        """Soon: of `why` there may have been too many questions at once."""
        for page in ("/", "/metrics", "/healthz", "/readyz", "/v1/status", "/v1/why?key=k"):
            places.wait_until(lambda: places.get(self.gate.port, page, timeout=5.0)[0] == 200, 5, page)

    def test_a_sample(self):
        self.ask(150, 40)

    @plan(whole=True, alone=False, seconds=300)
    def test_whole(self):
        self.ask(1500, 120)


if __name__ == "__main__":
    namespace.main()
