#!/usr/bin/env python3
"""A target to look at: takes every POST and prints a line for it, as `results-0@17 200`.

    printing_receiver.py [--port 8080] [--refuse TEXT]

With --refuse it answers 422 to each body that holds TEXT, as a server does that cannot use what it was sent.
"""

import argparse
import http.server
import socket


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    refuse = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = 422 if self.refuse and self.refuse in body else 200
        name = self.headers.get("Idempotency-Key", "").strip('"')
        # topic-partition-offset, written as Kafka's tools do.
        print("@".join(name.rsplit("-", 1)), status, flush=True)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--refuse", metavar="TEXT")
    options = parser.parse_args()
    Handler.refuse = options.refuse.encode() if options.refuse else None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
