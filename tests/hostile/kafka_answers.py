"""What a broker never answers: each is made of an answer that it gave, and comes with how it is sent."""

import struct

from kafka_proxy import (FETCH, FIND_COORDINATOR, HEARTBEAT, JOIN_GROUP, LIST_OFFSETS, METADATA, OFFSET_COMMIT,
                         OFFSET_FETCH, SYNC_GROUP, frame)

HUGE = b"\x7f\xff\xff\xff"
NUMBERS = [0, 1, -1, -2, (1 << 63) - 1, -(1 << 63), 1 << 31, (1 << 31) - 1, 1 << 40]
CODES = range(-1, 121)
TOPIC = "well"
NAME = b"\0\4" + TOPIC.encode()
# Where numbers stand, and how long they are: in the head, and behind the topic's name (of its first partition).
IN_HEAD = {api: [(8, 2)] for api in (FIND_COORDINATOR, SYNC_GROUP, HEARTBEAT)} | {JOIN_GROUP: [(8, 2), (10, 4)],
                                                                                  FETCH: [(8, 2), (10, 4)]}
BEHIND_NAME = {
    FETCH: [(8, 2), (10, 8), (18, 8), (26, 8), (38, 4), (46, 8), (58, 4)], LIST_OFFSETS: [(8, 2), (10, 8), (18, 8)],
    METADATA: [(-8, 2), (5, 2), (11, 4)], OFFSET_COMMIT: [(8, 2)], OFFSET_FETCH: [(8, 8)]}


def wrong_length(draw, api, payload):
    length = draw.choice([len(payload) + draw.randrange(-9, 10), 0, 3, -1, -(1 << 31), (1 << 31) - 1,
                          draw.randrange(1 << 30)])
    return struct.pack(">i", length) + payload, ""


def wrong_correlation(draw, api, payload):
    return frame(draw.randbytes(1) + b"\x55" + payload[2:]), ""


def cut(draw, api, payload):
    return frame(payload)[:draw.randrange(len(payload) + 4)], "close"


def huge_count(draw, api, payload):
    """Not where offsets, records or the name of a broker stand: that would be a lie and no broken frame."""
    last = {FETCH: 18, LIST_OFFSETS: 12, OFFSET_FETCH: 12, METADATA: 16, FIND_COORDINATOR: 12}.get(api, len(payload))
    at = draw.randrange(4, max(5, min(last, len(payload)) - 3))
    return frame(payload[:at] + HUGE + payload[at + 4:]), ""


def garbage(draw, api, payload):
    return frame(payload[:4] + draw.randbytes(draw.randrange(400))), ""


def no_frame(draw, api, payload):
    start = draw.choice([b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28"])  # The last is TLS.
    return start + draw.randbytes(draw.randrange(1, 300)), draw.choice(["", "close"])


def twice(draw, api, payload):
    return frame(payload) * draw.randrange(2, 9), ""


def slowly(draw, api, payload):
    return frame(payload), "slowly"


def announced(draw, api, payload):
    return struct.pack(">i", draw.choice([99_000_000, 50_000_000, 1_000_000_000])) + payload, draw.choice(["", "close"])


FRAMING = [wrong_length, wrong_correlation, cut, huge_count, garbage, no_frame, twice, slowly, announced]


def lie(draw, api, payload, sizes=(2, 4, 8)):
    """One or two of its numbers are others: offsets, error codes, epochs, generations, leaders. No length is."""
    changed = bytearray(payload)
    name = payload.find(NAME)
    places = [(at, size) for at, size in IN_HEAD.get(api, [])]
    places += [(name + len(NAME) + at, size) for at, size in BEHIND_NAME.get(api, []) if name >= 0]
    places = [(at, size) for at, size in places if at + size <= len(payload) and size in sizes]
    for at, size in draw.sample(places, min(len(places), draw.randrange(1, 3))):
        number = draw.choice(CODES if size == 2 and draw.random() < 0.8 else NUMBERS + [draw.getrandbits(64)] * 5)
        changed[at:at + size] = (number % (1 << 8 * size)).to_bytes(size, "big")
    return (frame(bytes(changed)), "") if changed != payload else None


def wrong_code(draw, api, payload):
    """A lie of error codes alone, which librdkafka expects anywhere."""
    return lie(draw, api, payload, sizes=(2,))
