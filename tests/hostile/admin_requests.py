"""Requests to the admin pages that no honest client makes. None of them may have the configuration read again."""

import collections

from byte_changes import mutated

# `must`: the status that the answer has to have; `ends`: nothing more comes from the client, and it says so.
Request = collections.namedtuple("Request", "data piece ends must", defaults=(0, False, None))

HOST = b"Host: 127.0.0.1:%PORT%\r\n"
STRANGER = b"Origin: https://evil.example\r\n"
PAGES = (b"/", b"/metrics", b"/healthz", b"/readyz", b"/v1/status", b"/v1/why?key=k", b"/v1/events", b"/-/reload",
         b"/none")
VALID = [b"GET " + page + b" HTTP/1.1\r\n" + HOST + b"Accept: */*\r\n\r\n" for page in PAGES]
VALID += [b"PUT /healthz HTTP/1.1\r\n" + HOST + b"Content-Length: 5\r\n\r\nhello",
          b"POST /metrics HTTP/1.1\r\n" + HOST
          + b"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n",
          b"GET /v1/why?topic=well&partition=0&offset=1 HTTP/1.1\r\n" + HOST + b"Sec-Fetch-Site: none\r\n\r\n"]
RELOAD = b"POST /-/reload HTTP/1.1\r\n"
METHODS = (b"HEAD", b"OPTIONS", b"PUT", b"DELETE", b"TRACE", b"PATCH", b"CONNECT", b"PRI", b"get", b"Get", b"GETX", b"",
           b"G\x00T", b"\xff", b"G" * 9000, b"PROPFIND", b"M-SEARCH", b"\x1b[2J", b"GET ", b" GET", b"\tGET",
           b"\r\nGET", b"(GET)", b"POST")
TARGETS = (b"*", b"", b"/%2e%2e/etc/passwd", b"/../../etc/passwd", b"//", b"///metrics", b"/metrics/", b"/metrics%00",
           b"/metrics\x00", b"/%6detrics", b"/METRICS", b"/metrics#x", b"/metrics?x", b"/metrics;a", b"/ metrics",
           b"\\metrics", b"metrics", b"http://127.0.0.1/metrics", b"http://", b"https://evil.example/v1/status",
           b"http://127.0.0.1", b"http://[::1", b"ftp://x/metrics", b"http:///metrics", b"127.0.0.1:80", b"evil:443",
           b"/\xff\xfe", b"/\x1b[2J", b"/%", b"/%zz", b"/v1/../metrics", b"/v1//status", b"/v1/status\t", b"/-/reload",
           b"/-/reload/", b"//-/reload", b"/%2d/reload", b"/-%2freload", b"/./-/reload", b"/a/../-/reload",
           b"/-/RELOAD", b"/-/reload%20", b"/-/reload\x00", b"?", b"/v1/why?")
LENGTHS = (b"-1", b"+5", b"5,5", b"5, 6", b"0x5", b"", b" ", b"a", b"5\x00", b"4097", b"99999999999999999999",
           b"18446744073709551621", b"9" * 400, b"5\r\nContent-Length: 6", b"0\r\nContent-Length: 5",
           b"5\r\nTransfer-Encoding: chunked", b"4096", b"1000000")
CODINGS = (b"gzip", b"chunked, chunked", b"gzip, chunked", b"identity", b"chunked;q=1", b"xchunked", b"chunked\x00",
           b",chunked", b"", b"chunked\r\nTransfer-Encoding: gzip", b"chunked\r\nContent-Length: 3", b"\x0bchunked",
           b"chunked, identity")
SIZES = (b"-5", b"+5", b"0x5", b"", b"g", b"FFFFFFFFFFFFFFFF", b"10000000000000005", b"5;a=\"\r\n\"", b"5 ", b" 5",
         b"5\x00", b"1001", b"0" * 9000 + b"5", b"5;" + b"x" * 20000)
QUERIES = (b"", b"key", b"key=", b"key=%00", b"key=%ff", b"key=%", b"key=%zz", b"key=a&key=b", b"key=a&topic=b", b"=",
           b"&", b"&&", b"a=b", b"key=" + b"k" * 9000, b"key=%1b[2J", b"key=+", b"key=%22%7d%5d", b"topic=well",
           b"topic=well&partition=0", b"topic=well&partition=-1&offset=0", b"key=\xff\xfe",
           b"topic=well&partition=99999999999&offset=0", b"topic=well&partition=0&offset=-1",
           b"topic=well&partition=0&offset=9223372036854775807", b"topic=well&partition=0&offset=9223372036854775808",
           b"topic=well&partition=1e1&offset=0", b"topic=&partition=0&offset=0", b"topic=none&partition=0&offset=0",
           b"topic=" + b"t" * 9000 + b"&partition=0&offset=0", b"topic=%0d%0aX:1&partition=0&offset=0",
           b"topic=well&partition=2147483647&offset=0", b"partition=0&offset=0&topic=well&key=",
           b"topic=well&partition= 0&offset=0", b"k" * 9000)
HOSTS = (b"", b"evil.example", b"127.0.0.1", b"localhost", b"gate", b"127.0.0.1:1", b"127.0.0.1.evil.example", b"[::1]",
         b"[::1", b"a b", b"\xff", b"\x00", b"x" * 9000, b"evil.example\r\nHost: localhost",
         b"localhost\r\nHost: evil.example", b"http://evil.example", b"u@localhost", b"LOCALHOST", b".", b":")
ORIGINS = (b"null", b"https://evil.example", b"http://evil.example:%PORT%", b"http://127.0.0.1", b"http://127.0.0.1:1",
           b"http://127.0.0.1:%PORT%.evil.example", b"http://127.0.0.1:%PORT%@evil.example", b"127.0.0.1:%PORT%",
           b"://", b"x", b"http://", b"http://localhost:%PORT%", b"file://", b"\xff\xfe", b"http://127.0.0.1:%PORT%/",
           b"http://127.0.0.1:%PORT% http://evil.example", b"chrome-extension://x")
SITES = (b"cross-site", b"same-site", b"Cross-Site", b"CROSS-SITE", b"same-originx", b"same-origin, cross-site",
         b"none, none", b"\xff", b"0", b"null", b"Same-Origin")


def _method(random, turn):
    page = PAGES[turn // len(METHODS) % len(PAGES)]
    method = METHODS[turn % len(METHODS)]
    return Request(method + b" " + page + b" HTTP/1.1\r\n" + HOST + STRANGER + b"\r\n")


def _target(random, turn):
    method, version = ((b"GET", b"HTTP/1.1"), (b"POST", b"HTTP/1.1"), (b"HEAD", b"HTTP/1.0"),
                       (b"CONNECT", b"HTTP/1.1"))[turn // len(TARGETS) % 4]
    return Request(method + b" " + TARGETS[turn % len(TARGETS)] + b" " + version + b"\r\n" + HOST + STRANGER + b"\r\n")


def _version(random, turn):
    one = (b"HTTP/0.9", b"HTTP/2.0", b"HTTP/1.2", b"HTTP/1", b"http/1.1", b"HTTP/1.1 x", b"", b"HTTP/11.1",
           b"HTTP/-1.1", b"HTTPS/1.1", b"\x00", b"HTTP/1.10")[turn % 12]
    return Request(b"GET " + PAGES[turn // 12 % len(PAGES)] + b" " + one + (b"\r\n", b"\n", b"\r")[turn // 108 % 3]
                   + HOST + b"\r\n")


def _headers(random, turn):
    count, size = (9, 99, 999, 9999)[turn % 4], (0, 1, 40, 900)[turn // 4 % 4]
    return Request(VALID[turn // 16 % 6][:-2] + ((b"X" * (1 + turn % 3) + b": " + b"v" * size + b"\r\n")
                                                 * count)[:1 << 18] + b"\r\n")


def _long(random, turn):
    size = (16384 + turn // 4 - 60) if turn % 2 else 1 << turn // 4 % 20
    return Request((b"GET /" + b"a" * size + b" HTTP/1.1\r\n" + HOST, VALID[1][:-2] + b"X: " + b"v" * size
                    + b"\r\n")[turn // 2 % 2] + b"\r\n")


def _control(random, turn):
    byte, place = bytes([turn * 5 % 256]), turn // 256 % 4
    texts = [b"", b"", b"", b""]
    texts[place] = byte
    return Request(b"GET%s /healthz%s HTTP/1.1\r\nHost: x\r\nX%sY: a%sb\r\n\r\n" % tuple(texts))


def _length(random, turn):
    page = PAGES[turn // len(LENGTHS) % len(PAGES)]
    return Request(b"POST " + page + b" HTTP/1.1\r\n" + HOST + STRANGER + b"Content-Length: "
                   + LENGTHS[turn % len(LENGTHS)] + b"\r\n\r\nhello", ends=turn % 2 == 0)


def _coding(random, turn):
    body = (b"5\r\nhello\r\n0\r\n\r\n", b"hello", b"0\r\n\r\nGARBAGE")[turn // len(CODINGS) % 3]
    return Request(b"PUT /healthz HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: " + CODINGS[turn % len(CODINGS)]
                   + b"\r\n\r\n" + body)


def _chunk(random, turn):
    after = (b"\r\nhello\r\n0\r\n\r\n", b"\r\nhello0\r\n\r\n", b"\nhello\n0\n\n",
             b"\r\nhello\r\n0\r\n" + b"x: y\r\n" * 2000)[turn // len(SIZES) % 4]
    return Request(b"PUT /metrics HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n"
                   + SIZES[turn % len(SIZES)] + after, ends=turn % 3 == 0)


def _smuggled(random, turn):
    """A reload inside of what can be taken for a body, and must be; or where the two ways to read it contradict."""
    inner = RELOAD + HOST + b"X: %d\r\n\r\n" % turn
    size = b"%d" % len(inner)
    heads = (b"Content-Length: " + size, b"Content-Length: 0\r\nContent-Length: " + size,
             b"Content-Length: " + size + b"\r\nContent-Length: 0",
             b"Transfer-Encoding: chunked\r\nContent-Length: " + size,
             b"Content-Length: " + size + b"\r\nTransfer-Encoding: x", b"Content-Length: 0, " + size)
    bodies = (inner, inner, inner, b"%x\r\n" % len(inner) + inner + b"\r\n0\r\n\r\n", inner, inner)
    page = PAGES[turn // 6 % 6]
    return Request(b"PUT " + page + b" HTTP/1.1\r\n" + HOST + heads[turn % 6] + b"\r\n\r\n" + bodies[turn % 6])


def _pipeline(random, turn):
    return Request(b"".join(random.choice(VALID) for _ in range(2 + turn % 60)), ends=turn % 2 == 0)


def _why(random, turn):
    return Request(b"GET /v1/why?" + QUERIES[turn % len(QUERIES)] + b"&" * (turn // len(QUERIES)) + b" HTTP/1.1\r\n"
                   + HOST + b"\r\n")


def _host(random, turn):
    return Request(b"GET " + PAGES[turn // len(HOSTS) % 6] + b" HTTP/1.1\r\nHost: " + HOSTS[turn % len(HOSTS)]
                   + b"\r\n\r\n")


def _cross_site(random, turn):
    """What a browser says of a page of another site that asks for a reload."""
    origin, site = ORIGINS[turn % len(ORIGINS)], SITES[turn // 4 % len(SITES)]
    browser = (b"Origin: " + origin + b"\r\n", b"Sec-Fetch-Site: " + site + b"\r\n",
               b"Origin: " + origin + b"\r\nSec-Fetch-Site: " + site + b"\r\n",
               b"Sec-Fetch-Site: " + site + b"\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nOrigin: "
               + origin + b"\r\n")[turn % 4]
    return Request(RELOAD + HOST + browser + b"Content-Length: 0\r\n\r\n", must=403)


def _cut(random, turn):
    valid = VALID[turn % len(VALID)]
    return Request(valid[:turn * 5 % len(valid)], ends=turn % 3 != 0)


def _slow(random, turn):
    return Request(VALID[turn % len(VALID)], piece=1 + turn // len(VALID))


def _mutation(random, turn):
    return Request(mutated(random, VALID[turn % len(VALID)]), ends=turn % 4 == 0)


def _garbage(random, turn):
    start = (b"", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x00",
             b"\r\n" * 999, b"GET ", b"\x80\x2e\x01")[turn % 7]
    return Request(start + random.randbytes(random.choice((1, 30, 900, 20000))), ends=turn % 2 == 0)


KINDS = (_method, _target, _version, _headers, _long, _control, _length, _coding, _chunk, _smuggled, _pipeline, _why,
         _host, _cross_site, _cut, _slow, _garbage, _mutation, _cross_site, _mutation, _target, _mutation)


def make(random, number):
    kind = KINDS[number % len(KINDS)]
    return kind(random, number // len(KINDS) * KINDS.count(kind) + KINDS[:number % len(KINDS)].count(kind))
