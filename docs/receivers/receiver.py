"""Does the work of each record once: python3 receiver.py PORT"""
import http.server
import json
import sys
import threading

done, lock = set(), threading.Lock()  # Yours is a table: see the page.


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Keeps connections open.

    def do_POST(self):
        status, body = 200, self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Idempotency-Key"]
        with lock:
            try:
                if key not in done:
                    print("work", key, json.loads(body), flush=True)
                    done.add(key)
            except ValueError:
                status = 422  # Useless to try again: to the dead letter topic.
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver).serve_forever()
