"""What a server of HTTP/2 may say that none should: header blocks, what they say, and bytes that are no frames."""

from http2_frames import (CONTINUATION, DATA, END_HEADERS, END_STREAM, OWN, Frame, Said, answer, fields, headers,
                          integer, settings, written)

STATUS = b":status"
STATUSES = (b"", b"0", b"20", b"2000", b"-20", b"+200", b"2e2", b"abc", b"200 ", b" 200", b"2\x000", b"\xff\xfe\xfd",
            b"099", b"000", b"999", b"600", b"99999999999999999999", b"200 OK", b"200\r\nx: y", b"\x1b[2J", b"101",
            b"100", b"199", b"495", b"496", b"0x1", b"2 0")
LENGTHS = (b"0", b"4", b"6", b"-1", b"+5", b"5,5", b"5, 6", b"0x5", b"", b"a", b"99999999999999999999",
           b"18446744073709551621", b"5\0")
TEXTS = (b"\0", b"\r\n", b"\n", b"\xff\xfe", b"\x1b[2J", b" x", b"x ", b"\t", b"\x7f", b"x" * 4000, b"\xed\xa0\x80",
         b"<script>")
PREFIXES = (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\3\1\0\2\2\x28",
            b"\x16\3\1\2\0\1", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"SSH-2.0-x\r\n", b"\0" * 9, b"\xff" * 9,
            b"\0\0\0\4", b"", b"-ERR\r\n", b"\r\n", b"GOAWAY")
EMPTY = written(settings())


def _hpack_garbage(random, turn):
    return Said(headers(random.randbytes(random.choice((1, 2, 5, 30, 900)))), end=("keep", "close")[turn % 2])


def _hpack_oddity(random, turn):
    huge = b"\xff" * (1 + turn // 12) + b"\x7f"
    block = (integer(4096 + turn, 5, 0x20), integer(MOST, 5, 0x20) + b"\x88", b"\x88" + integer(turn % 4096, 5, 0x20),
             integer(turn % 4096, 5, 0x20) * 9,
             b"\x80" + b"\x88" * (turn % 5), integer(62 + turn, 7, 0x80), b"\x7f" + huge, b"\x3f" + huge,
             b"\xff" + huge, b"\0\x7f" + huge,
             b"\0" + integer(turn + 5, 7) + b"abc", b"\0\x81\xff" + b"\xff" * (turn // 12) + b"\1y")[turn % 12]
    return Said(headers(block), *answer(b"404") * (turn // 24 % 2))


def _hpack_table(random, turn):
    """Entries that fill the table, and what refers to them."""
    entries = b"".join(b"\x40" + integer(3, 7) + b"x%02d" % (n % 100) + integer(turn % 300, 7) + b"v"
                       * (turn % 300) for n in range(turn % 90))
    return Said(headers(b"\x88" + entries + b"\xbe" * (turn * 40 % 9000) + integer(62 + turn % 80, 7, 0x80)))


def _status(random, turn):
    one = STATUSES[turn % len(STATUSES)]
    body = (None, b"x", b"\x1b[2J\xff")[turn // len(STATUSES) % 3]
    return Said(*answer(one, body=body), end=("keep", "close")[turn // 90 % 2])


def _pseudo(random, turn):
    name = (b":status", b":Status", b":method", b":path", b":scheme", b":", b"::status", b":protocol", b"status",
            b"")[turn // 6 % 10]
    value = (b"200", b"500", b"404", b"x", b"")[turn % 5]
    block = (fields((name, value)), fields((STATUS, b"200"), (name, value)),
             fields((b"x", b"y"), (STATUS, value), (name, b"1")),
             fields((name, value), (STATUS, b"200")), fields((STATUS, value), (STATUS, value)), b"")[turn % 6]
    return Said(headers(block), *[headers(fields((b"again", b"%d" % turn)))] * (turn // 60 % 3))


def _name(random, turn):
    names = (b"A", b"Content-Type", b"connection", b"transfer-encoding", b"upgrade", b"keep-alive", b"proxy-connection",
             b"te", b"", b"x y", b"host")
    byte = b"a" + bytes([turn * 7 % 256]) + b"b"
    name = names[turn // 2 % len(names)] if turn % 2 else byte
    return Said(*answer(b"200" if turn // 3 % 2 else b"404", (name, b"v%d" % (turn // 250))))


def _value(random, turn):
    name = (b"x", b"location", b"retry-after", b"date", b"content-type", b"set-cookie")[turn // len(TEXTS) % 6]
    return Said(*answer(b"404", (name, TEXTS[turn % len(TEXTS)]), body=(None,
                                                                        TEXTS[turn % len(TEXTS)])[turn // 72 % 2]))


def _trailers(random, turn):
    head, data = headers(b"\x88", END_HEADERS), Frame(DATA, turn // 8 % 2, OWN, b"%d" % turn)
    trailers = (fields((STATUS, b"500")), fields((b"X", b"y")), b"", fields((b"content-length", b"9")),
                fields((b"x", b"y" * 400)) * 50, b"\xff")[turn % 6]
    return Said(head, data, headers(trailers, END_HEADERS | (turn // 6 % 2)), *[headers(trailers)] * (turn // 12 % 3),
                *answer(b"404"))


def _length(random, turn):
    length = (b"content-length", LENGTHS[turn % len(LENGTHS)])
    more = (b"content-length", b"5")
    pairs = ((length,), (length, more), (more, length), (length, length))[turn // len(LENGTHS) % 4]
    return Said(*answer(b"200", *pairs, body=None if turn // 52 % 2 else b"hello"))


def _interim(random, turn):
    code, count = (b"100", b"103", b"101", b"199")[turn % 4], (1, 15, 16, 17, 900)[turn // 4 % 5]
    one = headers(fields((STATUS, code), (b"n", b"%d" % turn)), END_HEADERS | (END_STREAM if turn // 20 % 3 == 2
                                                                               else 0))
    return Said(*[one] * count, *answer(b"404") * (turn // 20 % 2))


def _large(random, turn):
    count, size = (10, 100, 1000, 4000)[turn % 4], (1, 40, 160, 400, 16000)[turn // 4 % 5]
    block = b"\x88" + (fields((b"x" * (1 + turn % 9), b"v" * size)) * count)[:200_000]
    parts = [block[at:at + 16384] for at in range(0, len(block), 16384)]
    last = len(parts) - 1
    return Said(headers(parts[0], END_STREAM | (0 if last else END_HEADERS)),
                *[Frame(CONTINUATION, END_HEADERS if n == last else 0, OWN, part) for n, part in enumerate(parts) if n],
                end="close" if turn > 20 else "keep")


def _no_frames(random, turn):
    prefix = PREFIXES[turn % len(PREFIXES)]
    kind = turn // len(PREFIXES)
    data = (prefix, EMPTY + prefix, prefix * 2000, prefix + EMPTY, prefix + random.randbytes(40))[kind % 5]
    return Said(data, first=kind % 2 == 0, end=("close", "hold", "more")[kind // 5 % 3])


def _wait(random, turn):
    """By an answer that refuses the record: there it holds nothing."""
    wait = (b"-1", b"0", b"1e9", b"", b"\xff", b"9" * 30, b"Fri, 31 Dec 9999 23:59:59 GMT", b"soon", b"1, 2",
            b"9" * 3000)[turn % 10]
    return Said(*answer(b"404", ((b"retry-after", b"date")[turn // 10 % 2], wait),
                        *[(b"retry-after", b"%d" % turn)] * (turn // 20 % 3)))


MOST = (1 << 32) - 1
KINDS = (_hpack_garbage, _hpack_oddity, _hpack_table, _status, _pseudo, _name, _value, _trailers, _length, _interim,
         _large, _no_frames, _wait, _hpack_garbage)
