"""Bodies of HTTP/1.1 that end where nobody can tell, or never; interim answers, and waits that are asked for."""

_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_CODINGS = (b"gzip", b"chunked, chunked", b"gzip, chunked", b"chunked, gzip", b"identity", b"identity, chunked",
            b"chunked;q=1", b"\tchunked", b"chunked\x00", b"xchunked", b"CHUNKED", b"chunked,", b",chunked", b"",
            b"chunked\r\nTransfer-Encoding: chunked", b"\"chunked\"", b"chunked\r\nContent-Length: 3",
            b"chunked\r\nContent-Length: 99", b"chunk", b"\x0bchunked", b"chunked\r\nTransfer-Encoding: x")
_SIZES = (b"-5", b"+5", b"0x5", b"5 ", b" 5", b"5\t", b"", b"g", b"FFFFFFFF", b"100000000", b"7FFFFFFFFFFFFFFF",
          b"8000000000000000", b"FFFFFFFFFFFFFFFF", b"FFFFFFFFFFFFFFFB", b"10000000000000005", b"5" * 400,
          b"0" * 400 + b"5", b"0" * 9000 + b"5", b"5;", b"5;a", b"5;a=\"\r\n\"", b"5;a=b;c=d", b"5 ;a",
          b"5;" + b"x" * 70000, b"5,5", b"5\x00", b"\xef\xbc\x95", b"5.", b"05", b"5\n", b"\r\n5")
_ENDLESS = ((b"HTTP/1.1 200 OK\r\n\r\n", b"x"), (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"{"),
            (_CHUNKED, b"1\r\nx\r\n"), (_CHUNKED, b"fff\r\n" + b"x" * 4095 + b"\r\n"),
            (_CHUNKED + b"5;", b"extension=1;"),
            (_CHUNKED + b"0\r\n", b"trailer: x\r\n"), (_CHUNKED, b"0"), (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
            (b"HTTP/1.1 200 ", b"reason"),
            (b"HTTP/1.1 200 OK\r\nX: ", b"y"), (b"", b"\r\n"), (b"", b"\x00"), (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
            (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), (b"HTTP/1.1 500 x\r\n\r\n", b"[[[["),
            (b"HTTP/1.1 404 x\r\n\r\n", b"\x1b[2J"))
WAITS = (b"-1", b"+1", b"0", b"00", b"1.5", b"1e9", b"0x10", b"", b" ", b"soon", b"\x00", b"\xff",
         b"99999999999999999999", b"9" * 4000, b"1 1", b"1, 2", b"1;2", b"NaN", b"-99999999999999999999", b"Inf",
         b"18446744073709551616", b"Fri, 31 Dec 9999 23:59:59 GMT", b"Thu, 01 Jan 1970 00:00:00 GMT",
         b"Fri, 31 Dec 1999 23:59:59", b"Fri, 32 Dec 1999 23:59:59 GMT", b"Fri, 31 Dec 1999 24:61:61 GMT",
         b"Friday, 31-Dec-99 23:59:59 GMT", b"Fri Dec 31 23:59:59 1999", b"Fri, 31 Dec -1999 23:59:59 GMT",
         b"31 Dec 99999 23:59:59 GMT", b"Sun, 29 Feb 2100 00:00:00 GMT", b"Fri, 31 Dec 0000 00:00:00 GMT",
         b"Mon, 19 Jan 2038 03:14:08 GMT", b"Tue, 19 Jan 2038 03:14:08 +0100", b"Sat, 30 Jun 2012 23:59:60 GMT",
         b"9223372036854775807", b"9223372036854775", b"4294967296", b"86400000", b"3601")


def _coding(random, turn):
    body = (b"3\r\nabc\r\n0\r\n\r\n", b"abc", b"")[turn // len(_CODINGS) % 3]
    coding = _CODINGS[turn % len(_CODINGS)]
    version = b"HTTP/1.0" if turn // len(_CODINGS) // 3 % 2 else b"HTTP/1.1"
    return version + b" 200 OK\r\nTransfer-Encoding: " + coding + b"\r\n\r\n" + body, "close", b""


def _size(random, turn):
    after = (b"\r\nhello\r\n0\r\n\r\n", b"\r\nhello0\r\n\r\n", b"\nhello\n0\n\n", b"\r\n")[turn // len(_SIZES) % 4]
    return _CHUNKED + _SIZES[turn % len(_SIZES)] + after, ("close", "hold")[turn % 2], b""


def _chunks(random, turn):
    """Valid but for one thing in some of them."""
    data = _CHUNKED
    for _ in range(random.randrange(1, 40)):
        size = random.choice((1, 2, 15, 16, 255, 4096))
        data += b"%x" % (size + random.choice((0,) * 30
                                              + (1, -1))) + random.choice((b"", b"", b";a", b";a=\"b\"")) + b"\r\n"
        data += random.randbytes(size) + random.choice((b"\r\n",) * 30 + (b"", b"\n", b"\r", b"\r\n\r\n"))
    trailers = random.choice((b"", b"x: y\r\n", b"Content-Length: 5\r\n", b":status: 200\r\n", b"x\r\n", b" x: y\r\n",
                              b"Retry-After: 9\r\n"))
    return data + b"0\r\n" + trailers + b"\r\n", "keep", b""


def _endless(random, turn):
    start, again = _ENDLESS[turn % len(_ENDLESS)]
    return start + b"z" * (turn // len(_ENDLESS) % 3 if start else 0), "more", again


def _interim(random, turn):
    code, count = (100, 101, 102, 103, 199)[turn % 5], (1, 15, 16, 17, 18, 500, 9000)[turn // 5 % 7]
    last = (b"HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n", b"")[turn // 35 % 2]
    extra = (b"", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n",
             b"X: " + b"y" * 400 + b"\r\n")[turn // 5 % 4]
    return (b"HTTP/1.1 %d x\r\n" % code + extra + b"\r\n") * count + last, "hold", b""


def _wait(random, turn):
    """By an answer that refuses the record: there it holds nothing."""
    name = (b"Retry-After", b"Date", b"Retry-After: 1\r\nDate", b"Date: 5\r\nRetry-After")[turn // len(WAITS) % 4]
    asked = WAITS[turn % len(WAITS)]
    return b"HTTP/1.1 404 x\r\n" + name + b": " + asked + b"\r\nContent-Length: 0\r\n\r\n", "close", b""


_KINDS = (_coding, _size, _chunks, _endless, _interim, _wait, _size, _wait)


def make(random, turn):
    """The bytes, what becomes of the connection after them, and what then comes again and again."""
    return _KINDS[turn % len(_KINDS)](random, turn // len(_KINDS) * 2 + turn % len(_KINDS) // 6)
