"""An HTTP server that takes nothing on trust: what is not exactly one good request is a fault that it remembers."""

import collections
import re
import threading

from harness import raw_server

_LINE = re.compile(rb"([A-Z]+) (/[!-~]*) HTTP/1\.1")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t -~\x80-\xff]*)")
_LONGEST_HEAD = 64 << 10

Request = collections.namedtuple("Request", "method path fields body")


def values(request, name):
    return [value for field, value in request.fields if field == name]


class StrictServer:
    def __init__(self):
        self.requests, self.faults, self._lock = [], [], threading.Lock()
        self._server = raw_server.RawServer(self._talk)
        self.port, self.stop = self._server.port, self._server.stop

    def _talk(self, connection):
        unread = b""
        while True:
            head, unread = self._take_until(connection, unread, b"\r\n\r\n")
            if head is None:
                return
            request, length = self._read_head(head)
            if request is None:
                return
            while len(unread) < length:
                data = connection.recv(1 << 18)
                if not data:
                    return self._fault("a body that was cut", head)
                unread += data
            body, unread = unread[:length], unread[length:]
            with self._lock:
                self.requests.append(request._replace(body=body))
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    def _take_until(self, connection, unread, end):
        while end not in unread:
            data = connection.recv(1 << 18)
            if not data or len(unread) > _LONGEST_HEAD:
                if unread:
                    self._fault("a head without an end", unread)
                return None, b""
            unread += data
        head, _, rest = unread.partition(end)
        return head, rest

    def _read_head(self, head):
        first, *lines = head.split(b"\r\n")
        line, fields = _LINE.fullmatch(first), [_FIELD.fullmatch(one) for one in lines]
        if not line or not all(fields):
            return self._fault("a head that is none", head)
        pairs = [(one.group(1).lower(), one.group(2).strip()) for one in fields]
        lengths = [value for name, value in pairs if name == b"content-length"]
        if len(lengths) > 1 or any(not one.isdigit() for one in lengths) or b"transfer-encoding" in dict(pairs):
            return self._fault("a body of unclear length", head)
        return Request(line.group(1), line.group(2), pairs, b""), int(lengths[0]) if lengths else 0

    def _fault(self, what, data):
        with self._lock:
            self.faults.append((what, data[:500]))
        return None, 0
