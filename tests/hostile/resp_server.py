"""A server that speaks Redis' protocol as badly as its test wants."""

import itertools
import select
import socket

import hostile  # noqa: F401  It knows the way to raw_server.
from harness.raw_server import RawServer


NOW = 1_700_000_000_000_000  # By the server's clock, in microseconds; any instant will do.


class End(Exception):
    """This connection is over."""


def array(*numbers):
    return b"*%d\r\n" % len(numbers) + b"".join(b":%d\r\n" % number for number in numbers)


def text(value):
    return b"$%d\r\n%s\r\n" % (len(value), value)


def read_commands(data):
    """The whole commands at its beginning, each as a list of its words, and what is left of it."""
    commands = []
    while True:
        words, at = [], data.find(b"\r\n")
        if at < 0:
            return commands, data
        count, at = int(data[1:at]), at + 2
        while len(words) < count:
            end = data.find(b"\r\n", at)
            size = int(data[at + 1:end]) if end >= 0 else 0
            if end < 0 or len(data) < end + 2 + size + 2:
                return commands, data
            words.append(data[end + 2:end + 2 + size])
            at = end + 2 + size + 2
        commands.append(words)
        data = data[at:]


class Ask:
    """A call for permits: lua/acquire.lua has its arguments."""

    def __init__(self, words):
        keys = int(words[2])
        self.buckets, self.most = keys - 1, int(words[-6])

    def grant(self, most=1, changes=()):
        """So much of what was asked for, at once. `changes`: {place: another number}; the last one counts as due."""
        granted = min(most, self.most)
        more = (-2, -1) if granted == self.most else (0, 0)  # When to ask for the rest, and which limit says so.
        values = [granted, NOW, *more, *[1000] * self.buckets, *[0] * granted]
        for place, value in dict(changes).items():
            values[min(place, len(values) - 1)] = value
        return array(*values)

    def deny(self, retry):
        return array(0, NOW, retry, 0, *[0] * self.buckets)


def is_ask(words):
    return words[0] in (b"EVAL", b"EVALSHA") and len(words) > 10 and len(words[-4]) == 14 and words[-3] in (b"0", b"1")


def is_look_at_holds(words):
    return words[0] == b"EVAL" and b"PTTL" in words[1]


def honest(words):
    """What a Redis that has enough of everything says."""
    name = words[0].upper()
    if is_ask(words):
        return Ask(words).grant(most=4000)
    if is_look_at_holds(words):
        return array(*[-2] * int(words[2]))
    if name in (b"EVAL", b"EVALSHA"):
        return b":1\r\n"  # Permits that come back.
    if name == b"SUBSCRIBE":
        return b"*3\r\n" + text(b"subscribe") + text(words[1]) + b":1\r\n"
    if name == b"PING":
        return b"+PONG\r\n"
    if name == b"ROLE":
        return b"*3\r\n" + text(b"master") + b":7\r\n*0\r\n"
    return b"+OK\r\n"


class Connection:
    """`sent` is false once the other side has gone."""

    def __init__(self, connection):
        self._socket, self._unread = connection, b""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(5)

    def commands(self):
        """Those that are there, at least one."""
        while True:
            found, self._unread = read_commands(self._unread)
            if found:
                return found
            self._take()

    def send(self, data):
        self._socket.sendall(data)

    def send_slowly(self, data):
        for at in range(len(data)):
            self.send(data[at:at + 1])

    def stays(self, seconds):
        """Ends here if the other side goes within that time."""
        if select.select([self._socket], [], [], seconds)[0]:
            self._take()

    def _take(self):
        data = self._socket.recv(1 << 16)
        if not data:
            raise End
        self._unread += data


class RespServer(RawServer):
    """`answer(connection, words, number)` sends what it likes, or raises End; `greet(connection, number)` may do so
    before. `number`: of the connection."""

    def __init__(self, answer, greet=lambda connection, number: None, host="127.0.0.1", port=None):
        self._answer, self._greet, self._numbers = answer, greet, itertools.count(1)
        super().__init__(self._converse, (host,), port)

    def _converse(self, accepted):
        number = next(self._numbers)
        try:
            connection = Connection(accepted)
            self._greet(connection, number)
            while True:
                for words in connection.commands():
                    self._answer(connection, words, number)
        except End:
            pass
