"""What a server of HTTP/2 may say that none should: frames."""

from http2_frames import (CONTINUATION, DATA, END_HEADERS, END_STREAM, EVEN, FORMER, GOAWAY, HEADERS, MANY, NEXT, OWN,
                          PADDED, PING, PRIORITY, PUSH_PROMISE, RESERVED, RST_STREAM, SETTINGS, WINDOW_UPDATE,
                          WITH_PRIORITY, Frame, Said, answer, fields, headers, settings)
import http2_fields

VALID = ((settings((1, 4096), (3, 1), (4, 65535)), *answer(b"200", (b"content-type", b"text/plain"), body=b"hello")),
         (Frame(PING, 0, 0, b"12345678"), Frame(WINDOW_UPDATE, 0, OWN, b"\0\0\1\0"),
          *answer(b"404", (b"retry-after", b"1"), body=b"none")),
         (headers(fields((b":status", b"103"), (b"link", b"</a>")), END_HEADERS), headers(b"\x88", END_HEADERS),
          Frame(DATA, PADDED, OWN, b"\3abc\0\0\0"), headers(fields((b"grpc-status", b"0")))),
         (Frame(HEADERS, END_STREAM | PADDED | WITH_PRIORITY, OWN, b"\2\0\0\0\0\x0f\x8e\0\0"),
          Frame(CONTINUATION, END_HEADERS, OWN, fields((b"x", b"y")))),
         (Frame(RST_STREAM, 0, OWN, b"\0\0\0\7"),), (Frame(GOAWAY, 0, 0, b"\x7f\xff\xff\xff\0\0\0\0"), *answer(b"200")))
STREAMS = (0, OWN, NEXT, FORMER, EVEN, RESERVED, MANY, 1)
FLAGS = (0, 1, 4, 5, 8, 0x0D, 0x20, 0x2D, 0xFF)
LENGTHS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 255, 16384, 16385, 70000)
VALUES = (0, 1, 2, 100, 16383, 16384, 65535, 65536, (1 << 24) - 1, 1 << 24, MANY - 1, MANY, MANY + 1, (1 << 32) - 1)
CODES = (*range(15), 255, MANY, (1 << 32) - 1)
BIG = (5, 999, 1001, 20000)  # A thousand frames that say nothing are allowed.


def four(value):
    return value.to_bytes(4, "big")


def _any_frame(random, turn):
    kind = turn % 14 if turn % 14 < 13 else 0xFA
    length = random.choice(LENGTHS)
    frame = Frame(kind, random.choice(FLAGS), random.choice(STREAMS), random.randbytes(length))
    return Said(frame, *answer(b"404"))


def _wrong_length(random, turn):
    """It claims more or less than there is."""
    length = (0, 1, 3, 5, 9, 16384, 16385, 0xFFFFFF)[turn // 10 % 8]
    frame = Frame(turn % 10, FLAGS[turn // 80 % len(FLAGS)], (OWN, 0)[turn // 5 % 2], b"\0" * 8, length)
    return Said(frame, *answer(b"404"), end=("hold", "close")[turn % 2])


def _settings(random, turn):
    name = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 255, 65535)[turn // len(VALUES) % 13]
    one = (name, VALUES[turn % len(VALUES)])
    return Said(settings(one, *[(3, 1)] * (name != 3)), *answer(b"404"), first=turn % 3 == 0)


def _settings_oddly(random, turn):
    count = BIG[turn % 4]
    return (Said(settings((4, MANY), stream=STREAMS[turn % len(STREAMS)], flags=turn % 2), *answer()),
            Said(settings(*[(4, random.randrange(MANY)) for _ in range(count)]), *answer()),
            Said(settings((1, turn)), times=count), Said(Frame(SETTINGS, 1, 0), times=count + turn),
            Said(settings((4, 0), (4, MANY), (5, 16384 + turn)), times=count // 4))[turn % 5]


def _continuation(random, turn):
    count, bit = BIG[turn % 4], b"" if turn // 4 % 2 else fields((b"x%d" % turn, b"y"))
    part, last = Frame(CONTINUATION, 0, OWN, bit), Frame(CONTINUATION, END_HEADERS, OWN, bit)
    start = headers(b"\x88", END_STREAM)
    return (Said(start, *[part] * count, last), Said(start, *[part] * count, end="hold"), Said(part, *answer()),
            Said(last, *answer(b"404")),
            Said(start, Frame(PING, 0, 0, b"%08d" % turn), last), Said(start,
                                                                       Frame(CONTINUATION, END_HEADERS, NEXT, bit)),
            Said(start, headers(bit), last), Said(start, part, end="close"), Said(start, *[part] * turn, last, last),
            Said(start, part._replace(length=99), last), Said(start, part, end="more"))[turn % 11]


def _push(random, turn):
    promised = four((2, 0, 1, 3, 4, MANY, MANY - 1)[turn % 7])
    block = fields((b":method", b"GET"), (b":path", b"/%d" % turn), (b":scheme", b"http"), (b":authority", b"x"))
    push = Frame(PUSH_PROMISE, FLAGS[turn // 7 % len(FLAGS)], STREAMS[turn // 3 % len(STREAMS)], promised + block)
    return Said(push, *answer(b"404"), times=1 + turn % 2 * turn)


def _goaway(random, turn):
    last = (0, 1, 3, MANY, MANY + 1, 2, 99)[turn // len(CODES) % 7]
    one = Frame(GOAWAY, 0, (0, 0, 0, OWN)[turn % 4], four(last) + four(CODES[turn % len(CODES)]) + b"\x1b[2Jwhy"
                * (turn % 5))
    return (Said(one, *answer()), Said(*answer(), one), Said(one, end="close"), Said(one, one, *answer(), one),
            Said(one, end="hold"), Said(one, first=True, end="close"), Said(one, times=turn))[turn // 3 % 7]


def _reset(random, turn):
    one = Frame(RST_STREAM, FLAGS[turn // 5 % len(FLAGS)], STREAMS[turn // 2 % len(STREAMS)],
                four(CODES[turn % len(CODES)]))
    head = headers(fields((b":status", b"200"), (b"n", b"%d" % turn)), END_HEADERS)
    return (Said(one, *answer(b"404")), Said(*answer(), one), Said(head, one), Said(one, times=BIG[turn % 4] + turn),
            Said(one._replace(payload=b"\0" * (turn % 9))), Said(one, head, one))[turn % 6]


def _window(random, turn):
    size, stream = (0, 1, MANY, MANY + 1, 1 << 30)[turn % 5], STREAMS[turn // 5 % len(STREAMS)]
    one = Frame(WINDOW_UPDATE, FLAGS[turn // 40 % len(FLAGS)], stream, four(size))
    return Said(one, *answer(b"404"), times=(1, 2, 3, BIG[turn % 4])[turn // 3 % 4],
                end=("keep", "close")[turn // 90 % 2])


def _priority(random, turn):
    stream, on = STREAMS[turn % len(STREAMS)], (0, 1, 3, MANY, MANY + 2)[turn // 8 % 5]
    body = four(on) + bytes([turn % 256])
    return (Said(Frame(PRIORITY, 0, stream, body), *answer(b"404"), times=1 + turn % 9),
            Said(Frame(PRIORITY, 0, stream, body), times=turn * 50),
            Said(Frame(HEADERS, END_HEADERS | WITH_PRIORITY | END_STREAM, OWN, body + b"\x88")),
            Said(Frame(PRIORITY, 0, stream, body * 3), *answer()))[turn // 5 % 4]


def _ping(random, turn):
    one = Frame(PING, (0, 1, 0xFF)[turn % 3], STREAMS[turn // 3 % len(STREAMS)] if turn % 2 else 0, b"%08d" % turn)
    return (Said(one, *answer(b"404")), Said(one, times=BIG[turn % 4]), Said(one._replace(payload=b"\0" * (turn % 18))),
            Said(one, end="more"),
            Said(*[one] * (turn % 30), *answer(b"500")))[turn // 2 % 5]


def _data(random, turn):
    stream, text = STREAMS[turn % len(STREAMS)], b"%d" % turn
    one, head = Frame(DATA, turn // 9 % 2, stream, text), headers(b"\x88", END_HEADERS)
    whole = Frame(DATA, 0, OWN, b"x" * 16384)
    return (Said(one, *answer(b"404")), Said(*answer(), one), Said(one._replace(stream=OWN, flags=0), head, one),
            Said(head, whole, times=turn),
            Said(head, *[whole] * (turn % 99), end="hold"), Said(head, *[one] * 1200, end="hold"),
            Said(head, whole, end="more"),
            Said(head, *[Frame(DATA, 0, OWN)] * (900 + turn), *answer(b"404")),
            Said(head, one._replace(length=MANY & 0xFFFFFF)),
            Said(head, Frame(DATA, 0, OWN, b"x" * (16384 + turn))))[turn // 3 % 10]


def _padding(random, turn):
    pad, room = turn % 256, (0, 1, 5, 254, 255, 256)[turn // 4 % 6]
    kind, rest = ((DATA, b""), (HEADERS, b"\x88"), (PUSH_PROMISE, b"\0\0\0\2"), (HEADERS, b"\0\0\0\0\1\x88"))[turn % 4]
    flags = PADDED | END_HEADERS | (WITH_PRIORITY if len(rest) > 4 else 0) | turn // 3 % 2
    start = [headers(b"\x88", END_HEADERS)] if kind == DATA else []
    return Said(*start, Frame(kind, flags, OWN, bytes([pad]) + rest + b"\0" * room), *answer(b"404"))


def _mutation(random, turn):
    return Said(*VALID[turn % len(VALID)], seed=random.getrandbits(40), first=turn % 7 == 6,
                end=("keep", "close", "hold")[turn % 3])


def _cut(random, turn):
    said = VALID[turn % len(VALID)]
    return Said(*said, cut=turn // len(VALID) + 1, end=("close", "reset")[turn // 60 % 2])


def _slow(random, turn):
    return Said(*VALID[turn % len(VALID)], piece=1 + turn // len(VALID), end=("close", "keep")[turn % 2])


KINDS = (_any_frame, _wrong_length, _settings, _settings_oddly, _continuation, _push, _goaway, _reset, _window,
         _priority, _ping, _data, _padding, _mutation, _cut, _slow, _mutation, _any_frame, *http2_fields.KINDS)


def make(random, number):
    kind = KINDS[number % len(KINDS)]
    return kind(random, number // len(KINDS) * KINDS.count(kind) + KINDS[:number % len(KINDS)].count(kind))
