"""A server of HTTP/2 that never answers and never stops talking."""

import socket
import threading

import places  # noqa: F401  It knows the way to servers.
import servers

SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])


def frames(kind):
    """Much of one kind of frame, each without a body."""
    return bytes([0, 0, 0, kind, 0, 0, 0, 0, 0]) * 50_000


class Flooding:
    """`sent`: how many bytes the other side has taken so far, by all connections."""

    def __init__(self, kind=0x20):
        self.sent, self.connections = 0, 0
        self._flood = frames(kind)
        self._socket = socket.create_server(("127.0.0.1", servers.free_ports(1)[0]))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self):
        self._socket.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection):
        with connection:
            try:
                connection.recv(1 << 16)
                connection.sendall(SETTINGS)
                while True:
                    self.sent += connection.send(self._flood)
            except OSError:
                pass
