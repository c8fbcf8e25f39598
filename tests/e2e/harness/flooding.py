"""A server of HTTP/2 that never answers and never stops talking."""

from harness.raw_server import RawServer

SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


def frames(kind):
    """Much of one kind of frame, each without a body."""
    return bytes([0, 0, 0, kind, 0, 0, 0, 0, 0]) * 50_000


class Flooding(RawServer):
    """`sent`: how many bytes the other side has taken so far, by all connections."""

    def __init__(self, kind=0x20):
        self.sent, self._flood = 0, frames(kind)
        super().__init__(self._flow)

    def _flow(self, connection):
        connection.settimeout(None)
        connection.recv(1 << 16)
        connection.sendall(SETTINGS)
        while True:
            self.sent += connection.send(self._flood)
