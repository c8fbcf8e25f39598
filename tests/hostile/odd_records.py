"""Records that somebody wrote who wants a request of his own, or a gate that stumbles."""

import json

EVERY_BYTE = bytes(range(256))
BIG = 900_000      # Bytes; Kafka takes a little more.
LONG_KEY = 8 << 10
TEXTS = [
    b"", b".", b"..", b"../x", b"a/../../b", b"..%2f..%2fadmin", b"%2e%2e", b"%252e%252e%252f", b"%2E%2E%5C", b"..;a",
    b"..%3ba",
    b"\\..\\..\\x", b"a\0b", b"%00", b"//other.invalid/", b"?a=b#c", b"#", b"@127.0.0.1", b"a b", b"\tx", b"x ", b"%",
    b"%zz", b"%u002e",
    b"\xc0\xae\xc0\xae\xc0\xaf", b"\xff\xfe", b"\xe2\x80\xae", b"\xef\xbc\x8e\xef\xbc\x8e\xef\xbc\x8f",
    b"\x1b]0;title\x07\x1b[2J", b"\r", b"\n",
    b"a\r\nX-Injected: 1", b"a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n", b"a HTTP/1.1\r\nHost: x\r\n\r\n",
    b"{key}", b"{{", b"${HOME}",
    EVERY_BYTE, b"a" * (LONG_KEY - 1), b"a" * LONG_KEY, b"a" * (LONG_KEY + 1), b"%" * 7000, b"\xff" * 6200,
    b"k" * 100_000]
VERBS = [b"put", b"PUT ", b"P\r\nUT", b"CONNECT", b"TRACE", b"HEAD", b"PRI", b"GET /x HTTP/1.1\r\n\r\nPUT", b"",
         b"M-SEARCH", b"PUT\0", b"DELETE",
         b"OPTIONS", b"A" * 40, b"\xffPUT", b"PATCH", b"QUERY"]
NUMBERS = ["1e999", "-1e999", "9" * 400, "-0", "0.1e-400", "18446744073709551616", "1" + "0" * 20, "NaN", "Infinity",
           "0x10", "+1", "01",
           "1.", ".5", "1_000", "null", "true", "[]", "{}", "[[[]]]", '"\\ud800"', '"\\u0000"', '"\\r\\nX-Injected: 1"',
           '"../.."', '""',
           "[" * 20_000, "[" * 3_000 + "]" * 3_000, '{"a":' * 5_000, '"' + "x" * 20_000 + '"', '"\\', '"\\x"', "1} {",
           "//", "/**/1", "'x'"]
COLLIDING = ["Idempotency-Key", "Kafka-Topic", "Kafka-Partition", "Kafka-Offset", "Kafka-Key", "Kafka-Tombstone",
             "Einlass-Attempt",
             "Einlass-Permit", "einlass-reason", "einlass-topic", "einlass-offset", "Host", "Content-Length",
             "Transfer-Encoding",
             "Connection", "Authorization", "X-Tenant", "Content-Encoding", "Expect", "Upgrade", ":path", "", "a b",
             "\u0001", "\u00e4", "x\r\ny",
             "x" * 5000, "Content-Type", "x-plain", "traceparent", "tracestate", "baggage", "b3"]


def text(random, number):
    """One of those above, alone, within others, or bytes by chance."""
    one = random.choice(TEXTS)
    return random.choice([one, one, b"%d" % number + one, one + b"%d" % number,
                          random.randbytes(random.randrange(1, 60))])


def trace(random, number):
    good = bytearray(b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    good[random.randrange(len(good))] = random.randrange(256)
    return random.choice([bytes(good), b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-01", bytes(good) * 50,
                          b"ff" + bytes(good)[2:]])


def headers(random, number):
    if number % 150 == 7:
        return [(f"h{i}", b"%d" % i) for i in range(10_000)]
    found = [(random.choice(COLLIDING), random.choice([text(random, number), b"0", b"chunked", None]))
             for _ in range(random.randrange(1, 8))]
    found += [("traceparent", trace(random, number))] * random.randrange(3)
    return found + [("x-plain", b"one"), ("x-plain", text(random, number))]


def plain(random, number):
    value = random.choice([None, b"", text(random, number), EVERY_BYTE * random.randrange(1, 40), b"%d" % number])
    if number % 60 == 11:
        value = random.randbytes(BIG)
    return {"key": random.choice([None, b"", text(random, number)]), "value": value, "headers": headers(random, number)}


def odd_json(random, number):
    one = random.choice(NUMBERS)
    whole = random.choice([
        f'{{"order": {{"id": {one}}}, "customer": {{"id": {one}}}}}', f'{{"order": {{"id": 1, "id": {one}}}}}', one,
        f'{{"order": {one}}}', f'\ufeff{{"order": {{"id": {number}}}}}', f'{{"order": {{"id": {number}}}}} {one}',
        json.dumps({"order": {"id": number, "~/": [one]}})]).encode()
    return random.choice([whole, whole, whole[:random.randrange(len(whole) + 1)], whole + b"\xff", b"\0" + whole])


def of_template(random, number):
    """Good in all its parts but for one, so that this one is looked at."""
    record = {"key": b"k%d" % number, "value": b'{"order": {"id": %d}, "customer": {"id": 1}}' % number,
              "headers": [("tenant", b"t"), ("verb", b"PUT"), ("weight", b"1")]}
    part = number % 6
    if part < 2:
        record["key"] = text(random, number)
    elif part == 2:
        record["headers"][0] = ("tenant", text(random, number))
    elif part == 3:
        record["headers"][1] = ("verb", random.choice(VERBS))
    elif part == 4:
        record["value"] = odd_json(random, number)
    else:
        record["headers"] += headers(random,
                                     number) + random.choice([[("tenant", b"u")], [("weight", text(random, number))],
                                                              []])
    return record


def of_batch(random, number):
    """Some that may stand in a list, and some that may not."""
    value = random.choice([odd_json, odd_json, text])(random, number)
    value = random.choice([value, None, b"]", b"],[", b"1\n2", b"1\r", b' {"a": [1, 2]} ', b"%d" % number])
    return {"key": text(random, number)[:1000], "value": value, "headers": [("n", b"%d" % number)]}
