"""A server of HTTP/2 that never answers and never stops talking."""

import ssl

from harness.raw_server import RawServer

SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
WINDOW_UPDATE, UNKNOWN = 0x08, 0x20


def frames(kind):
    """Much of one kind of frame, each as short as that kind may be."""
    body = bytes([0, 0, 0, 1]) if kind == WINDOW_UPDATE else b""
    return (bytes([0, 0, len(body), kind, 0, 0, 0, 0, 0]) + body) * 50_000


class Flooding(RawServer):
    """`sent`: how many bytes the other side has taken so far, by all connections. `certificate`: it speaks TLS, with the
    files of a certificate and its key."""

    def __init__(self, kind=UNKNOWN, certificate=None):
        self.sent, self._flood, self._tls = 0, frames(kind), None
        if certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(*certificate)
            self._tls.set_alpn_protocols(["h2"])
        super().__init__(self._flow)

    def _flow(self, connection):
        if self._tls:
            connection = self._tls.wrap_socket(connection, server_side=True)
        connection.settimeout(None)
        connection.recv(1 << 16)
        connection.sendall(SETTINGS)
        while True:
            self.sent += connection.send(self._flood)
