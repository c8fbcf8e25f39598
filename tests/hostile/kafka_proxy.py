"""Stands between a gate and its broker, and may change what the broker says."""

import socket
import struct
import threading
import time

import hostile  # noqa: F401  It knows the way to raw_server.
from harness.raw_server import RawServer

FETCH, LIST_OFFSETS, METADATA, OFFSET_COMMIT, OFFSET_FETCH = 1, 2, 3, 8, 9
FIND_COORDINATOR, JOIN_GROUP, HEARTBEAT, SYNC_GROUP = 10, 11, 12, 14


class Close(Exception):
    """This connection is over."""


def address(port):
    """As it stands in a broker's answer."""
    return b"127.0.0.1" + struct.pack(">i", port)


def frame(payload):
    return struct.pack(">i", len(payload)) + payload


def read_exactly(connection, size):
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise Close
        data += piece
    return bytes(data)


def read_frame(connection):
    return read_exactly(connection, struct.unpack(">i", read_exactly(connection, 4))[0])


class KafkaProxy(RawServer):
    """`change(api, payload)` returns the bytes to send in the place of an answer, and how: "", "slowly" or "close"."""

    def __init__(self, broker, advertised=None):
        """`advertised`: the port that answers name as the broker's, if something stands before this; else its own."""
        self.change, self._broker, self._advertised = None, broker, advertised
        super().__init__(self._join)

    @property
    def brokers(self):
        return f"127.0.0.1:{self.port}"

    def _join(self, gate):
        gate.settimeout(None)
        with socket.create_connection(("127.0.0.1", self._broker)) as broker:
            broker.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            apis = {}
            back = threading.Thread(target=self._run, args=(self._to_gate, gate, broker, apis), daemon=True)
            back.start()
            self._run(self._to_broker, gate, broker, apis)
            back.join()

    def _run(self, direction, gate, broker, apis):
        try:
            while True:
                direction(gate, broker, apis)
        except (Close, OSError, struct.error):
            pass
        finally:
            for one in (gate, broker):
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _to_broker(self, gate, broker, apis):
        request = read_frame(gate)
        api, _, correlation = struct.unpack_from(">hhi", request)
        apis[correlation] = api
        broker.sendall(frame(request))

    def _to_gate(self, gate, broker, apis):
        payload = read_frame(broker).replace(address(self._broker), address(self._advertised or self.port))
        api = apis.pop(struct.unpack_from(">i", payload)[0], -1)
        changed = self.change(api, payload) if self.change else None
        data, how = changed or (frame(payload), "")
        if how != "slowly":
            gate.sendall(data)
        step = max(1, len(data) // 500)
        for at in range(0, len(data), step) if how == "slowly" else ():
            gate.sendall(data[at:at + step])
            time.sleep(0.0005)
        if how == "close":
            raise Close
