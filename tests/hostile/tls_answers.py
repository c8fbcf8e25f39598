"""What a server may say to a ClientHello, or after the handshake, that none should."""

import collections

from tls_certificates import NAMES

# Raw: `data` in the place of a ServerHello. Flight: one of a real handshake (`step`), changed by `seed` or cut at
# `cut`. Shown: a whole handshake with a `certificate`, and a good answer. After: `data` behind a good handshake.
Raw = collections.namedtuple("Raw", "data before end again", defaults=(False, "close", b""))
Flight = collections.namedtuple("Flight", "version step seed cut end", defaults=(None, None, "close"))
Shown = collections.namedtuple("Shown", "certificate version")
After = collections.namedtuple("After", "version how data alpn", defaults=(b"", None))
Asked = collections.namedtuple("Asked", "version command")  # Of `openssl s_server`: to renegotiate, or for new keys.

ALERT, HANDSHAKE = 21, 22
VERSIONS = ("1.2", "1.3")
ENDS = ("close", "hold", "reset")
ALERTS = (0, 10, 20, 21, 22, 30, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 60, 70, 71, 80, 86, 90, 100, 109, 110,
          111, 112, 113, 114, 115, 116, 120, 255)
RETRY = bytes.fromhex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c")  # RFC 8446, 4.1.3.
TEXTS = (b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
         b"SSH-2.0-OpenSSH_9.2\r\n", b"220 mail ESMTP\r\n", b"-ERR unknown command\r\n", b"+OK\r\n", b"\0" * 5,
         b"\xff" * 5, b"", b"\x16", b"\x16\3", b"\x16\3\3\0", b"<html>", b"\0\0\0\4\0\0\0\0\0", b"\x1b[2J")
OLD = (b"\x80\x2e\1\3\1\0\x15\0\0\0\x10" + b"\0" * 37, b"\x80\x0b\4\0\1\0\2\0\0\0\0\0\0", b"\x80\3\0\0\1",
       b"\x40\x2e\0\4\0\1\0\2" + b"\0" * 40, b"\xff\xff\4" + b"\0" * 99)


def record(kind, data, version=0x0303, length=None):
    return bytes([kind]) + version.to_bytes(2, "big") + (len(data) if length is None
                                                         else length).to_bytes(2, "big") + data


def message(kind, data, length=None):
    return bytes([kind]) + (len(data) if length is None else length).to_bytes(3, "big") + data


def hello(version=0x0303, cipher=0xC02F, random=b"r" * 32, extensions=b"", session=b""):
    body = version.to_bytes(2, "big") + random + bytes([len(session)]) + session + cipher.to_bytes(2, "big") + b"\0"
    return message(2, body + (len(extensions).to_bytes(2, "big") + extensions if extensions else b""))


def _text(random, turn):
    text = TEXTS[turn % len(TEXTS)]
    return Raw(text * (1 + turn // 15 * 40), before=turn // 15 % 2 == 1, end=ENDS[turn % 3])


def _alert(random, turn):
    level = (2, 1, 0, 255)[turn // len(ALERTS) % 4]
    return Raw(record(ALERT, bytes([level, ALERTS[turn % len(ALERTS)]])), end=("close", "hold")[turn // 7 % 2])


def _record(random, turn):
    kind = (22, 21, 20, 23, 24, 0, 255, 128)[turn % 8]
    length = (0, 1, 5, 16384, 16385, 18432, 18433, 65535)[turn // 8 % 8]
    return Raw(record(kind, random.randbytes(min(length, 20000)), (0x0303, 0x0301, 0x0300, 0x0200, 0x0000,
                                                                   0xFFFF)[turn % 6],
                      length), end=ENDS[turn // 3 % 3])


def _old(random, turn):
    if turn % 2:
        return Raw(OLD[turn // 2 % len(OLD)] + b"x" * (turn // 10))
    version = (0x0300, 0x0301, 0x0302, 0x0303, 0x0304, 0x0305, 0x0002, 0xFEFD)[turn // 2 % 8]
    return Raw(record(HANDSHAKE, hello(version, cipher=(0xC02F, 0x002F, 0x0000, 0x1301, 0xFFFF)[turn // 4 % 5]),
                      min(version, 0x0303)), end="hold")


def _hello(random, turn):
    """Each with something that was not asked for."""
    extension = (b"", b"\0\x2b\0\2\3\4", b"\0\x2b\0\2\3\4" * 2, b"\0\x10\0\5\0\3\2h3", b"\xff\x01\0\1\0",
                 b"\0\x33\0\2\0\x1d", b"\0\x2b\0\2\x7f\x1c",
                 b"\0\0\xff\xff", b"\0\x05\0\0", random.randbytes(40))[turn % 10]
    chosen = RETRY if turn // 10 % 2 else b"r" * 24 + (b"DOWNGRD\1", b"DOWNGRD\0", b"12345678")[turn % 3]
    one = hello(random=chosen, extensions=extension, cipher=(0x1301, 0xC02F)[turn // 5 % 2], session=b"s" * (turn % 33))
    return Raw(record(HANDSHAKE, one) * (1 + turn // 20), end=("hold", "close")[turn % 2])


def _message(random, turn):
    """Of a kind, or of a length, that is none or comes too early."""
    kind = (11, 0, 1, 2, 4, 12, 13, 14, 20, 24, 254, 255)[turn % 12]
    length = (None, 0, 1, 0x4000, 0x19000, 0xFFFFFF)[turn // 12 % 6]
    start = b"" if turn // 5 % 2 else hello()
    return Raw(record(HANDSHAKE, start + message(kind, random.randbytes(turn % 60), length)),
               end=("hold", "close")[turn % 2])


def _endless(random, turn):
    again = (record(ALERT, b"\1\0"), record(ALERT, b"\1\x5a"), record(20, b"\1"), record(HANDSHAKE, b""),
             record(HANDSHAKE, message(0, b"")),
             record(HANDSHAKE, message(11, b"\0" * 9000, 0xFFFFFF)), record(23, b"x" * 16384), b"\x16\3\3\x40\0",
             record(HANDSHAKE, b"\x0b"),
             record(HANDSHAKE, message(4, b"\0" * 99)))[turn % 10]
    return Raw((record(HANDSHAKE, hello()), b"", hello())[turn // 10 % 3], end="more", again=again)


def _flight(random, turn):
    return Flight(VERSIONS[turn % 2], 1 + turn // 2 % 4 // 3, seed=random.getrandbits(40), end=ENDS[turn % 3])


def _cut(random, turn):
    return Flight(VERSIONS[turn % 2], 1 + turn // 2 % 3 // 2, cut=turn * 13 % 900, end=ENDS[turn % 3])


def _shown(random, turn):
    return Shown(NAMES[turn % len(NAMES)], VERSIONS[turn // len(NAMES) % 2])


def _after(random, turn):
    """outside: as it is, beside the records. inside: as application data. cut: no close_notify."""
    texts = (b"\0" * 99, b"garbage", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe", record(ALERT, b"\2\x28"),
             record(HANDSHAKE, message(0, b"")),
             record(23, b"x" * 40), record(23, b"x", length=65535), record(20, b"\1"), record(HANDSHAKE, hello()),
             b"HTTP/1.1 200 OK\r\n\r\nhello")
    how = ("outside", "inside", "cut", "half", "endless")[turn // 10 % 5]
    return After(VERSIONS[turn % 2], how, texts[turn // 2 % 10] + b"!" * (turn // 100),
                 (None, "h2", "http/1.1")[turn % 3])


def _asked(random, turn):
    return Asked(VERSIONS[turn // 4 % 2], "rRkK"[turn % 4])


KINDS = (_text, _alert, _record, _old, _hello, _message, _endless, _flight, _cut, _shown, _after, _flight, _alert,
         _shown, _after, _asked)


def make(random, number):
    kind = KINDS[number % len(KINDS)]
    return kind(random, number // len(KINDS) * KINDS.count(kind) + KINDS[:number % len(KINDS)].count(kind))
