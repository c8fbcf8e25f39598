"""A small HTTP server that keeps what it gets and answers as a scenario tells it at the time."""

import http.server
import sys
import threading

import servers


class Request:
    def __init__(self, handler, body):
        self.method, self.path, self.body = handler.command, handler.path, body
        self.headers = {name.lower(): value for name, value in handler.headers.items()}

    def record(self):
        return self.headers.get("kafka-topic"), self.headers.get("kafka-partition"), self.headers.get("kafka-offset")


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024  # Of five the sixth that comes at once waits for seconds.

    def handle_error(self, *who):
        if not isinstance(sys.exc_info()[1], OSError):  # Such a one has gone.
            super().handle_error(*who)


class Answering:
    """`answer` gets each Request and returns a status, or (status, headers, body). `tls`: an SSLContext."""

    def __init__(self, answer=lambda request: 204, tls=None, address="127.0.0.1", port=None):
        self.answer = answer
        self.port = port or servers.free_ports(1)[0]
        self._requests = []
        self._lock = threading.Lock()
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                try:
                    owner._handle(self)
                except ConnectionError:  # Whoever asked has gone.
                    self.close_connection = True

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET = handle_any

            def log_message(self, *_):
                pass

        self._server = _Server((address, self.port), Handler)
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True,
                                                        do_handshake_on_connect=False)  # Each in its own thread.
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def requests(self):
        with self._lock:
            return list(self._requests)

    def records(self):
        """Which records were accepted."""
        return {request.record() for request in self.requests() if request.accepted}

    def _handle(self, handler):
        request = Request(handler, handler.rfile.read(int(handler.headers.get("Content-Length", 0))))
        answer = self.answer(request)
        status, headers, body = answer if isinstance(answer, tuple) else (answer, {}, b"")
        request.accepted = 200 <= status < 300
        with self._lock:
            self._requests.append(request)
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if status != 204:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
