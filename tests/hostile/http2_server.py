"""A server of HTTP/2 in the clear: each request gets the next hostile answer, and good ones when there are no more."""

from http2_frames import ACK, END_STREAM, DATA, HEADERS, PING, SETTINGS, Frame, Said, answer, settings, written
from harness.raw_server import RawServer, finish, send

MAX_STREAMS = 3  # One at a time: so each request gets an answer for itself, and what that does harms no other.
GOOD = Said(*answer(b"204"))
ECHO_EACH = 20  # One connection in so many sends the request's own head back first.
PREFACE = 24


class Http2Server:
    def __init__(self, inputs):
        self.inputs, self.connections = inputs, 0
        self._server = RawServer(self._talk)
        self.port, self.stop = self._server.port, self._server.stop

    def _next(self):
        return GOOD if self.inputs.all_used() else self.inputs.next()

    def _talk(self, connection):
        self.connections += 1
        echoes = self.connections % ECHO_EACH == 0
        said = None if echoes else self._next()
        if said and said.first:
            send(connection, said.bytes(1), said.piece)
            if not finish(connection, said.end, said.without_end(1)):
                return
            said = None
        connection.sendall(written(settings((MAX_STREAMS, 1))))
        _take(connection, PREFACE)
        while True:
            own, block = _next_request(connection)
            if not own:
                return
            if echoes:
                echoes, said = False, Said(*answer(b"404", body=block))
            said = said or self._next()
            send(connection, said.bytes(own), said.piece)
            if not finish(connection, said.end, said.without_end(own)):
                return
            said = None


def _take(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise ConnectionError
        data += more
    return data


def _next_request(connection):
    """Its stream, and the header block as it came."""
    block = b""
    while True:
        head = _take(connection, 9)
        payload = _take(connection, int.from_bytes(head[:3], "big"))
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
        if kind in (SETTINGS, PING) and not flags & ACK:
            connection.sendall(written(Frame(kind, ACK, 0, payload if kind == PING else b"")))
        if kind == HEADERS:
            block = payload
        if kind in (DATA, HEADERS) and flags & END_STREAM:
            return stream, block
