"""A server that says what it wants, byte by byte, to whoever connects."""

import socket
import struct
import threading
import time

import servers

PATIENCE = 5.0           # Seconds for which a connection may be silent.
MOST = 8 << 20           # Bytes of what has no end.
BETWEEN_PIECES = 0.002


class RawServer:
    """Each connection is handed to `talk(connection)`, in a thread of its own; it is closed after that.
    `connections`: how many there have been."""

    def __init__(self, talk, addresses=("127.0.0.1",), port=None):
        self._talk, self._open, self._lock = talk, set(), threading.Lock()
        self.port, self.connections = port or servers.free_ports(1)[0], 0
        self._listening = [socket.create_server((address, self.port), backlog=1000) for address in addresses]
        for listening in self._listening:
            threading.Thread(target=self._accept, args=(listening,), daemon=True).start()

    def stop(self):
        with self._lock:
            for one in [*self._listening, *self._open]:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        for listening in self._listening:
            listening.close()

    def _accept(self, listening):
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with self._lock:
            self._open.add(connection)
            self.connections += 1
        try:
            connection.settimeout(PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._talk(connection)
        except OSError:
            pass  # The gate hung up, as it may.
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()


def send(connection, data, piece=0):
    """At once, or so many bytes at a time."""
    for at in range(0, len(data), piece or len(data) or 1):
        connection.sendall(data[at:at + piece] if piece else data)
        if piece:
            time.sleep(BETWEEN_PIECES)


def send_without_end(connection, data):
    """The same bytes again and again, until the other side hangs up or that is more than anybody should read."""
    many = data * max(1, 65536 // len(data))
    for _ in range(MOST // len(many)):
        connection.sendall(many)


def wait_for_the_end(connection):
    while connection.recv(65536):
        pass


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def finish(connection, how, again=b""):
    """Of an answer; true if another may follow on the same connection."""
    if how == "more":
        send_without_end(connection, again)
    if how in ("more", "hold"):
        wait_for_the_end(connection)
    if how == "reset":
        reset(connection)
    return how == "keep"
