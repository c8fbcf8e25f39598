"""The server that the gates of docker-compose.yml deliver to: takes every result, and says what came.

GET / answers {"delivered": ..., "distinct": ..., "worst_second": ...}: how many requests came, of how many different
records, and the most that were admitted in any second, by the permits' own instants. GET /deliveries answers
[[record, key, admitted at], ...]: each of the newest requests, as they came. `receiver.py check` asks a running one
whether it is there.
"""

import collections
import http.server
import json
import socket
import sys
import threading
import urllib.request

PORT = 8080


class Book:
    """What came; of the newest KEPT all that matters, which is enough to see whether the limit holds."""

    KEPT = 100_000
    SECOND_US = 1_000_000

    def __init__(self):
        self._lock = threading.Lock()
        self._delivered = 0
        self._records = set()
        self._newest = collections.deque(maxlen=self.KEPT)  # (record, key, admitted at us), as they came.

    def add(self, record, key, admitted_us):
        with self._lock:
            self._delivered += 1
            self._records.add(record)
            self._newest.append((record, key, admitted_us))

    def deliveries(self):
        with self._lock:
            return list(self._newest)

    def show(self):
        admitted = sorted(instant for _, _, instant in self.deliveries())
        worst = low = 0
        for high, instant in enumerate(admitted):
            while instant - admitted[low] >= self.SECOND_US:
                low += 1
            worst = max(worst, high - low + 1)
        with self._lock:
            return {"delivered": self._delivered, "distinct": len(self._records), "worst_second": worst}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    book = Book()

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.book.add(self.headers.get("Idempotency-Key", ""), self.headers.get("Kafka-Key", ""),
                      int(self.headers.get("Einlass-Admitted-At", 0)))
        self._answer(200, b"")

    def do_GET(self):
        answer = self.book.deliveries() if self.path == "/deliveries" else self.book.show()
        self._answer(200, json.dumps(answer).encode() + b"\n")

    def _answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=2).close()
    else:
        http.server.ThreadingHTTPServer(("0.0.0.0", PORT), Handler).serve_forever()
