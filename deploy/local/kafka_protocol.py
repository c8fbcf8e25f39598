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

    def skip_bytes(self):
        size = self.number("i")
        self._at += max(size, 0)


def _string(text):
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def metadata(port, topics=(), timeout=2.0):
    """(broker ids, controller id, {topic: {partition: leader}}) as the broker on that port knows it."""
    body = struct.pack(">i", len(topics)) + b"".join(_string(topic) for topic in topics)
    brokers, controller, found = _read_metadata(_Reader(_call(port, 3, 1, body, timeout)))
    return brokers, controller, {topic: {partition: leader for partition, (leader, _, _) in partitions.items()}
                                 for topic, partitions in found.items()}


def replicas(port, timeout=2.0):
    """(broker ids, controller id, {(topic, partition): (its replicas, those in sync)}) of all topics."""
    brokers, controller, found = _read_metadata(_Reader(_call(port, 3, 1, struct.pack(">i", -1), timeout)))
    return brokers, controller, {(topic, partition): (every, in_sync) for topic, partitions in found.items()
                                 for partition, (_, every, in_sync) in partitions.items()}


def _read_metadata(answer):
    brokers = []
    for _ in range(answer.number("i")):
        brokers.append(answer.number("i"))
        answer.text(), answer.number("i"), answer.text()
    controller, found = answer.number("i"), {}
    for _ in range(answer.number("i")):
        error, name, _ = answer.number("h"), answer.text(), answer.number("b")
        partitions = {}
        for _ in range(answer.number("i")):
            problem, partition, leader = answer.number("h"), answer.number("i"), answer.number("i")
            every, in_sync = ([answer.number("i") for _ in range(answer.number("i"))] for _ in range(2))
            partitions[partition] = (-1 if problem else leader, every, in_sync)
        if not error:
            found[name] = partitions
    return brokers, controller, found


def create_topic(port, name, partitions, settings, replicas=1):
    """Throws ProtocolError with the broker's reason."""
    body = struct.pack(">i", 1) + _string(name) + struct.pack(">ihi", partitions, replicas, 0)
    body += struct.pack(">i", len(settings))
    body += b"".join(_string(key) + _string(str(value)) for key, value in settings.items())
    answer = _Reader(_call(port, 19, 2, body + struct.pack(">i?", 10000, False), 30.0))
    answer.number("i"), answer.number("i"), answer.text()
    error, reason = answer.number("h"), answer.text()
    if error:
        raise ProtocolError(f"topic {name}: error {error}: {reason}")


def add_partitions(port, name, count):
    """The topic has that many from then on. Throws ProtocolError with the broker's reason."""
    body = struct.pack(">i", 1) + _string(name) + struct.pack(">iii?", count, -1, 10000, False)
    answer = _Reader(_call(port, 37, 0, body, 30.0))
    answer.number("i"), answer.number("i"), answer.text()
    error, reason = answer.number("h"), answer.text()
    if error:
        raise ProtocolError(f"topic {name}: error {error}: {reason}")


def elect_leaders(port, name, partitions):
    """The preferred replica of each of these leads from then on, if it is there."""
    body = struct.pack(">i", 1) + _string(name) + struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    _call(port, 43, 0, body + struct.pack(">i", 10000), 30.0)


def delete_topic(port, name):
    """Throws ProtocolError with the broker's error."""
    body = struct.pack(">i", 1) + _string(name) + struct.pack(">i", 10000)
    answer = _Reader(_call(port, 20, 1, body, 30.0))
    answer.number("i"), answer.number("i"), answer.text()
    error = answer.number("h")
    if error:
        raise ProtocolError(f"topic {name}: error {error}")


def delete_records(port, name, partition, before):
    """Those of a partition that come before that offset. Throws ProtocolError with the broker's error."""
    body = struct.pack(">i", 1) + _string(name) + struct.pack(">iiqi", 1, partition, before, 10000)
    answer = _Reader(_call(port, 21, 0, body, 30.0))
    answer.number("i"), answer.number("i"), answer.text(), answer.number("i"), answer.number("i"), answer.number("q")
    error = answer.number("h")
    if error:
        raise ProtocolError(f"{name}/{partition}: error {error}")


def groups(port):
    """The names of all consumer groups that the broker has."""
    answer = _Reader(_call(port, 16, 1, b""))
    answer.number("i")
    if error := answer.number("h"):
        raise ProtocolError(f"groups: error {error}")
    found = []
    for _ in range(answer.number("i")):
        found.append(answer.text())
        answer.text()
    return found


def delete_group(port, name):
    """Its members are made to leave first, also those that were killed. Throws ProtocolError with the broker's error."""
    members = _members(port, name)
    if members:
        body = _string(name) + struct.pack(">i", len(members))
        body += b"".join(_string(member) + (_string(instance) if instance else struct.pack(">h", -1))
                         for member, instance in members)
        _call(port, 13, 3, body)
    answer = _Reader(_call(port, 42, 1, struct.pack(">i", 1) + _string(name)))
    answer.number("i"), answer.number("i"), answer.text()
    if error := answer.number("h"):
        raise ProtocolError(f"group {name}: error {error}")


def _members(port, group):
    """[(member id, group.instance.id or None)] of a group."""
    answer = _Reader(_call(port, 15, 4, struct.pack(">i", 1) + _string(group) + struct.pack(">?", False)))
    answer.number("i"), answer.number("i"), answer.number("h")
    for _ in range(4):  # The group's name, its state, its protocol and the kind of it.
        answer.text()
    members = []
    for _ in range(answer.number("i")):
        members.append((answer.text(), answer.text()))
        answer.text(), answer.text()
        answer.skip_bytes(), answer.skip_bytes()
    return members
