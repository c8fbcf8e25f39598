"""The few requests of Kafka's protocol that starting a broker needs, by hand, so that nothing has to be installed."""

import socket
import struct


class ProtocolError(RuntimeError):
    pass


def _read_exactly(connection, size):
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ProtocolError("the broker closed the connection")
        data += piece
    return data


def _call(port, api, version, body, timeout=10.0):
    """One request of Kafka's protocol and its answer without the header."""
    client = b"einlass"
    message = struct.pack(">hhih", api, version, 1, len(client)) + client + body
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        connection.settimeout(timeout)
        connection.sendall(struct.pack(">i", len(message)) + message)
        size = struct.unpack(">i", _read_exactly(connection, 4))[0]
        return _read_exactly(connection, size)[4:]


class _Reader:
    def __init__(self, data):
        self._data, self._at = data, 0

    def number(self, form):
        value = struct.unpack_from(">" + form, self._data, self._at)[0]
        self._at += struct.calcsize(">" + form)
        return value

    def text(self):
        size = self.number("h")
        if size < 0:
            return None
        self._at += size
        return self._data[self._at - size:self._at].decode()


def _string(text):
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def metadata(port, topics=(), timeout=2.0):
    """(broker ids, controller id, {topic: {partition: leader}}) as the broker on that port knows it."""
    body = struct.pack(">i", len(topics)) + b"".join(_string(topic) for topic in topics)
    answer = _Reader(_call(port, 3, 1, body, timeout))
    brokers = []
    for _ in range(answer.number("i")):
        brokers.append(answer.number("i"))
        answer.text(), answer.number("i"), answer.text()
    controller, found = answer.number("i"), {}
    for _ in range(answer.number("i")):
        error, name, _ = answer.number("h"), answer.text(), answer.number("b")
        leaders = {}
        for _ in range(answer.number("i")):
            problem, partition, leader = answer.number("h"), answer.number("i"), answer.number("i")
            for _ in range(2):  # Replicas, in-sync replicas.
                for _ in range(answer.number("i")):
                    answer.number("i")
            leaders[partition] = -1 if problem else leader
        if not error:
            found[name] = leaders
    return brokers, controller, found


def create_topic(port, name, partitions, settings):
    """Throws ProtocolError with the broker's reason."""
    body = struct.pack(">i", 1) + _string(name) + struct.pack(">ihi", partitions, 1, 0)
    body += struct.pack(">i", len(settings))
    body += b"".join(_string(key) + _string(str(value)) for key, value in settings.items())
    answer = _Reader(_call(port, 19, 2, body + struct.pack(">i?", 10000, False), 30.0))
    answer.number("i"), answer.number("i"), answer.text()
    error, reason = answer.number("h"), answer.text()
    if error:
        raise ProtocolError(f"topic {name}: error {error}: {reason}")
