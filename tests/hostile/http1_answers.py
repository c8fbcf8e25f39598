"""Answers of HTTP/1.1 that no server should give."""

import collections
import gzip

from byte_changes import mutated
import http1_bodies

# `piece`: bytes sent at a time; `before`: not waiting for the request; `end`: what becomes of the connection then
# (keep, close, reset, hold: silence, more: `again` without end).
Answer = collections.namedtuple("Answer", "data piece before end again", defaults=(0, False, "keep", b""))

MOST = 1 << 19  # Bytes of one: more than anybody reads of a head.
OK = b"HTTP/1.1 200 OK\r\n"
EMPTY = b"Content-Length: 0\r\n\r\n"
VALID = (OK + b"Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"good\":true}",
         OK + b"Transfer-Encoding: chunked\r\nTrailer: x\r\n\r\n5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nx: y\r\n\r\n",
         b"HTTP/1.1 404 No\r\nRetry-After: 1\r\nDate: Tue, 15 Nov 1994 08:12:31 GMT\r\nContent-Length: 4\r\n\r\nnone",
         b"HTTP/1.1 500 Oops\r\nX-A: b\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\noops!",
         b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 422 No\r\nContent-Length: 2\r\n\r\nno")
_STATUSES = ("+200 OK", "-200 OK", "2 00 OK", "20 OK", "2000 OK", "200OK", " 200 OK", "\t200 OK", "200\tOK", "", "OK",
             "0x200 OK", "1e2 OK", "200.0 OK", "00200 OK", "99999999999999999999 OK", "\xb2\xb0\xb0 OK", "200", "200 ",
             "200 \x00", "200 \x1b[2J\x1b]0;gone\x07", "200 \xff\xfe", "%u 200", "200 HTTP/1.1 500 No")
_VERSIONS = ("HTTP/2.0", "HTTP/2", "HTTP/1.2", "HTTP/0.9", "HTTP/3", "HTTP/11.1", "HTTP/1.11", "HTTP/1", "HTTP/1.",
             "HTTP/.1", "HTTP/-1.1", "HTTP/1,1", "HTTP/ 1.1", "HTTP /1.1", "http/1.1", "Http/1.1", "HTTPS/1.1",
             "HTP/1.1", "ICY", "RTSP/1.0", "SIP/2.0", "", "\x00", "\xef\xbb\xbfHTTP/1.1",
             "GET / HTTP/1.1\r\n\r\nHTTP/1.1", "SSH-2.0-x\r\nHTTP/1.1", "PRI * HTTP/2.0", "\r\n" * 9 + "HTTP/1.1",
             "\n" * 9 + "HTTP/1.1", " HTTP/1.1", "\x16\x03\x01\x02\x00", "+OK redis", "220 mail", "<html>")
LINES = [line.encode("latin-1") for line in (
    *(f"{version} {status}" for version in ("HTTP/1.1", "HTTP/1.0") for status in _STATUSES),
    *(f"{version} 200 OK" for version in _VERSIONS))]
LENGTHS = [b"+5", b"-1", b"-0", b"5,5", b"5, 5", b"5, 6", b"5 5", b"0x5", b"5.0", b"5e0", b"05", b"0" * 300 + b"5", b"",
           b" ", b"a", b"5\x00", b"5;", b"\"5\"", b"\xd9\xa5", b"4294967295", b"4294967296", b"9223372036854775807",
           b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"18446744073709551621",
           b"9" * 400, b"5\r\nContent-Length: 5", b"5\r\nContent-Length: 6", b"6\r\nContent-Length: 5",
           b"5\r\nContent-Length: -5", b"0\r\ncontent-length: 5", b"5\r\nTransfer-Encoding: chunked",
           b"0\r\nTransfer-Encoding: identity", b"5\r\n Content-Length: 9", b"5\t"]
PLACES = (b"Location: /", b"Location: //evil.example/", b"Location: http://169.254.169.254/latest/",
          b"Location: file:///etc/passwd", b"Location: ", b"Location: http://127.0.0.1:1/%HEAD%",
          b"Location: javascript:alert(1)", b"Location: http://[::1", b"Location: http://u:p@evil.example:99999/",
          b"Location: \x1b[31mred", b"Location: \xff\xfe", b"Location: gopher://x:25/_QUIT",
          b"Location: http://a/" + b"a" * 9000, b"Location: /\r\nLocation: //evil.example/", b"Location: %QUOTED%",
          b"Refresh: 0;url=/")
TEXTS = (b"\xff\xfe\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x1b[2J\x1b[H", b"\x1b]0;title\x07",
         b"\x9b31m", b"\x00", b"\r\n\r\nlevel=error event=made_up", b"\n# HELP made_up\nmade_up 1\n",
         b"<script>alert(1)</script>", b"\"}],\"x\":[{\"", b"%HEAD%", b"%LINES%", b"%JSON%", b"%QUOTED%",
         b"\xe2\x80\xae", b"%s%n%x", b"${jndi:ldap://x}", b"\\u0000", b"\x08" * 300, b"\x7f" * 9)


def with_length(line, body, extra=b""):
    return line + b"\r\n" + extra + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _code(random, turn):
    body = b"" if turn // 1000 % 2 else b"why"
    return Answer(with_length(b"HTTP/1.1 %03d x" % (turn * 37 % 1000), body))


def _line(random, turn):
    long = b"HTTP/1.1 200 " + b"x" * (1 << (turn - len(LINES)) % 22)
    return Answer((LINES[turn] if turn < len(LINES) else long) + b"\r\n" + EMPTY, end="close" if turn % 2 else "keep")


def _many_headers(random, turn):
    count, size = (9, 99, 999, 9999, 99999)[turn % 5], (0, 1, 40, 900)[turn // 5 % 4]
    return Answer(OK + ((b"X" * (1 + turn % 3) + b": " + b"v" * size + b"\r\n") * count)[:MOST] + b"\r\n" + EMPTY)


def _long_header(random, turn):
    size = (16384 + turn // 3 - 40) if turn % 3 else 1 << turn // 3 % 22
    return Answer(OK + (b"X: " + b"v" * size if turn % 2 else b"X" * size + b": v") + b"\r\n" + EMPTY)


def _folded(random, turn):
    fold = (b"\r\n ", b"\r\n\t", b"\n ", b"\r ", b"\r\n \r\n ", b"\r\n" + b" " * 9000)[turn % 6]
    name = (b"X", b"Content-Length", b"Transfer-Encoding", b"Retry-After")[turn // 6 % 4]
    return Answer(b"HTTP/1.1 404 x\r\n" + name + b":" + fold + b"0\r\n" + EMPTY, end="close")


def _control(random, turn):
    byte, place = bytes([turn * 5 % 256]), turn // 256 % 4
    texts = [b"", b"", b"", b""]
    texts[place] = byte
    return Answer(b"HTTP/1.1 200 a%sb\r\nX%sY: a%sb\r\nContent-Length: 0%s\r\n\r\n" % tuple(texts), end="close")


def _length(random, turn):
    line = (b"HTTP/1.1 200 OK", b"HTTP/1.1 500 x", b"HTTP/1.0 404 x")[turn // len(LENGTHS) % 3]
    return Answer(line + b"\r\nContent-Length: " + LENGTHS[turn % len(LENGTHS)] + b"\r\n\r\nhello",
                  end=("hold", "close")[turn % 2])


def _cut(random, turn):
    valid = VALID[turn % len(VALID)]
    return Answer(valid[:turn * 7 % len(valid)], end=("close", "reset", "hold")[turn // 5 % 3])


def _slow(random, turn):
    return Answer(VALID[turn % len(VALID)], piece=1 + turn // len(VALID), before=turn % 2 == 1)


def _early(random, turn):
    return Answer(VALID[turn % len(VALID)] * (1 + turn // 20), before=True,
                  end=("keep", "close", "reset", "hold")[turn // 5 % 4])


def _together(random, turn):
    rest = (b"HTTP/1.1 500 No\r\n" + EMPTY, b"garbage", b"\r\n" * turn, b"\x00",
            VALID[turn % len(VALID)] * (1 + turn // 6))
    return Answer(VALID[turn // 5 % len(VALID)] + rest[turn % len(rest)])


def _bomb(random, turn):
    packed = gzip.compress(b"\x00" * (1 << turn % 25), 1, mtime=0)[:MOST]
    name = (b"gzip", b"deflate", b"br", b"gzip, gzip", b"x-gzip", b"")[turn // 25 % 6]
    return Answer(with_length((b"HTTP/1.1 200 OK", b"HTTP/1.1 500 x")[turn % 2], packed,
                              b"Content-Encoding: " + name + b"\r\n"))


def _redirect(random, turn):
    place, code = PLACES[turn % len(PLACES)], (301, 302, 303, 307, 308, 300, 304, 201)[turn // len(PLACES) % 8]
    return Answer(with_length(b"HTTP/1.1 %d x" % code, b"", place + b"\r\n"))


def _text(random, turn):
    text, code = TEXTS[turn % len(TEXTS)], (500, 404, 200, 400)[turn // len(TEXTS) % 4]
    if turn // len(TEXTS) // 4 % 2:
        return Answer(b"HTTP/1.1 %d " % code + text + b"\r\nX: " + text + b"\r\n" + EMPTY, end="close")
    return Answer(b"HTTP/1.1 %d x\r\nX: y\r\n\r\n" % code + text, end="close")


def _mutation(random, turn):
    return Answer(mutated(random, VALID[turn % len(VALID)]), end=("close", "keep", "hold", "close")[turn % 4])


def _body(random, turn):
    data, end, again = http1_bodies.make(random, turn)
    return Answer(data, end=end, again=again)


KINDS = (_line, _many_headers, _long_header, _folded, _control, _length, _cut, _slow, _early, _together, _bomb,
         _redirect, _text, _mutation, _mutation, _body, _body, _body, _body)


def make(random, number):
    """Every other one goes through the 1,000 numbers of a status, the rest takes turns."""
    if number % 2 == 0:
        return _code(random, number // 2)
    number //= 2
    return KINDS[number % len(KINDS)](random, number // len(KINDS) * KINDS.count(KINDS[number % len(KINDS)])
                                      + KINDS[:number % len(KINDS)].count(KINDS[number % len(KINDS)]))
