"""Frames of HTTP/2 by hand, also such as nobody may send."""

import collections
import random as randoms

from byte_changes import mutated

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED, WITH_PRIORITY, ACK = 1, 4, 8, 32, 1
# Streams by what they are to the request that is answered.
OWN, NEXT, FORMER, EVEN, RESERVED = -1, -2, -3, -4, -5
MANY = 0x7FFFFFFF

# `length`: what the frame claims, where that is not so.
Frame = collections.namedtuple("Frame", "type flags stream payload length", defaults=(b"", None))


def number_of(stream, own):
    return {OWN: own, NEXT: own + 2, FORMER: max(1, own - 2), EVEN: own + 1,
            RESERVED: own | 1 << 31}.get(stream, stream)


def written(frame, own=1):
    length = len(frame.payload) if frame.length is None else frame.length
    return (length.to_bytes(3, "big") + bytes([frame.type, frame.flags])
            + number_of(frame.stream, own).to_bytes(4, "big")
            + frame.payload)


def integer(value, prefix, first=0):
    """RFC 7541, 5.1."""
    most = (1 << prefix) - 1
    if value < most:
        return bytes([first | value])
    data, value = bytes([first | most]), value - most
    while value > 127:
        data, value = data + bytes([value & 127 | 128]), value >> 7
    return data + bytes([value])


def fields(*pairs):
    """A header block that uses no table."""
    return b"".join(b"\0" + integer(len(name), 7) + name + integer(len(value), 7) + value for name, value in pairs)


def headers(block, flags=END_HEADERS | END_STREAM, stream=OWN):
    return Frame(HEADERS, flags, stream, block)


def answer(status=b"200", *more, body=None):
    head = headers(fields((b":status", status), *more), END_HEADERS | (END_STREAM if body is None else 0))
    return (head,) if body is None else (head, Frame(DATA, END_STREAM, OWN, body))


def settings(*pairs, stream=0, flags=0):
    return Frame(SETTINGS, flags, stream, b"".join(name.to_bytes(2, "big") + value.to_bytes(4, "big") for name,
                                                   value in pairs))


class Said:
    """What is said to a request: frames and raw bytes, so many times, changed by a seed, and then an `end` as of
    raw_server. `first`: in the place of the settings that begin a connection."""

    def __init__(self, *parts, end="keep", first=False, times=1, seed=None, cut=None, piece=0):
        self._parts, self.end, self.first, self.piece = parts, end, first, piece
        self._times, self._seed, self._cut = times, seed, cut
        self.again = b""

    def bytes(self, own):
        data = b"".join(part if isinstance(part, bytes) else written(part, own) for part in self._parts) * self._times
        if self._seed is not None:
            data = mutated(randoms.Random(self._seed), data)
        return data[:self._cut]

    def without_end(self, own):
        return self.bytes(own) or b"\0"

    def __repr__(self):
        return repr((self.bytes(1), self.end, self.first, self.piece))
