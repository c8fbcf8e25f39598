"""Records that nobody expects: untouched at the target, or named in the log or a dead letter, and nothing else stops."""

import base64
import unittest

from harness import places, scenario
from harness.plan import plan

EVERY_BYTE = bytes(range(256))
ORDINARY = 20


def headers_of(head):
    """The names in lower case with their values; a line that is no header fails the test."""
    lines = head.split(b"\r\n")[1:]
    assert all(b":" in line for line in lines), head
    return {line.split(b":", 1)[0].lower(): line.split(b":", 1)[1].strip() for line in lines}


@plan(kafka="4.1.1")
class OddRecords(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("odd", 5, **{"max.message.bytes": 20_000_000})
        self.world.create_topic("odd.dead", 1, **{"max.message.bytes": 20_000_000})
        self.world.receiver.keep_full()

    def _gate(self, **route):
        changes = {"limits": {"shared": {"store": "memory"}},
                   "kafka": {"properties": {"message.max.bytes": "20000000"}},
                   "targets": {"receiver": {"http": {"forward_headers": ["x-every-byte", "x-plain"]}}},
                   "route": {"inside": {"records": 100, "bytes": "1MiB"}, **route}}
        return self.world.gate("gate-1", self.world.config("odd", 1000, changes)).start()

    def _produce(self, odd):
        """The odd ones in the middle of ordinary ones, each kind in a partition of its own."""
        records = []
        for partition, middle in enumerate(odd):
            before = [{"partition": partition, "value": f"before {i}".encode()} for i in range(ORDINARY)]
            after = [{"partition": partition, "value": f"after {i}".encode()} for i in range(ORDINARY)]
            records += before + [{**record, "partition": partition} for record in middle] + after
        self.world.produce_records("odd", records)
        return records

    def _received(self):
        """{(partition, offset): (headers, body)}"""
        found = {}
        for head, body in self.world.receiver.full():
            headers = headers_of(head)
            found[int(headers[b"kafka-partition"]), int(headers[b"kafka-offset"])] = headers, body
        return found

    def _odd_records(self):
        return [
            [{"value": b""}, {"value": None}, {"key": b"gone", "value": None}],
            [{"key": EVERY_BYTE, "value": EVERY_BYTE}, {"key": b"", "value": b"empty key"},
             {"key": b"plain-key", "value": b"\r\n\r\nGET / HTTP/1.1\r\n\r\n"}],
            [{"value": b"h", "headers": [("x-every-byte", EVERY_BYTE), ("x-plain", b"yes"), ("x-plain", b"again"),
                                         ("content-type", b"text/plain\r\nX-Injected: 1"), ("nothing", None),
                                         ("traceparent", b"00-1\r\nX-Injected: 2"), ("\u0001 weird\u007f", EVERY_BYTE),
                                         ("", b"no name"), ("Kafka-Offset", b"7"), ("content-length", b"0")]}],
            [{"value": b"t", "headers": [("content-type", b"application/json"),
                                         ("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")]}],
        ]

    def test_untouched(self):
        gate = self._gate()
        records = self._produce(self._odd_records())
        self.world.receiver.wait_for(len(records), 30)
        received, offsets = self._received(), {}
        for record in records:
            partition = record["partition"]
            offset = offsets[partition] = offsets.get(partition, -1) + 1
            headers, body = received[partition, offset]
            self.assertEqual(body, record["value"] or b"", (partition, offset))
            tombstone = record["value"] is None
            self.assertEqual(headers.get(b"kafka-tombstone"), b"true" if tombstone else None, (partition, offset))
            self._check_key(headers, record.get("key"))
            self.assertNotIn(b"x-injected", headers)
        self._check_forwarded()
        plain = received[3, ORDINARY][0]
        self.assertEqual(plain[b"content-type"], b"application/json")
        self.assertEqual(plain[b"traceparent"], b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        self.assertEqual(self.world.receiver.summary()["strange"], 0, self.world.receiver.summary())
        self.assert_committed("odd")
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)

    def _check_forwarded(self):
        """Each as it is and in its order; one whose bytes would be others in a head is left out."""
        lines = [line for head, _ in self.world.receiver.full() for line in head.split(b"\r\n")]
        self.assertEqual([line for line in lines if line.lower().startswith(b"x-plain")], [b"x-plain: yes", b"x-plain: again"])
        self.assertEqual([line for line in lines if line.lower().startswith(b"x-every-byte")], [])

    def _check_key(self, headers, key):
        if b"kafka-key" in headers:
            self.assertEqual(headers[b"kafka-key"], key)
        elif b"kafka-key-base64" in headers:
            self.assertEqual(base64.b64decode(headers[b"kafka-key-base64"], validate=True), key)
        else:
            self.assertFalse(key, "the key is missing")

    def _assert_large_is_delivered(self, gate):
        """One record may be beyond inside.bytes, and is delivered as any other; those around it are too."""
        big = b"big " * (1 << 20)
        records = self._produce([[{"value": big}], [{"value": b"small"}]])
        self.world.receiver.wait_for(len(records), 30)
        received = self._received()
        self.assertEqual(set(received), {(partition, offset) for partition in (0, 1) for offset in range(2 * ORDINARY + 1)})
        self.assertEqual(received[0, ORDINARY][1], big)
        self.assert_committed("odd")
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)

    def test_larger_than_the_bounds(self):
        self._assert_large_is_delivered(self._gate(dead_letter="odd.dead"))
        self.assertEqual(self.world.ends("odd.dead"), [0])

    def test_one_that_the_broker_refuses_is_told_by_the_producer(self):
        """Each scenario counts on what it says was produced."""
        self.world.create_topic("narrow", 1, **{"max.message.bytes": 1000})
        with self.assertRaisesRegex(AssertionError, "a record was not taken: .*too large"):
            self.world.produce("narrow", 3, size=2000)

    def test_a_key_that_no_head_takes(self):
        """It is a dead letter without a request; where the target says so, it is sent without its key."""
        gate = self._gate(dead_letter="odd.dead")
        long_key = {"key": b"k" * (8 * 1024 + 1), "value": b"long"}
        fitting = {"key": b"k" * 8 * 1024, "value": b"fits"}
        self._produce([[long_key], [fitting]])
        self.world.receiver.wait_for(4 * ORDINARY + 1, 30)
        places.wait_until(lambda: self.world.ends("odd.dead") == [1], 30, "the dead letter")
        self._check_dead_letter(b"long")
        [letter] = self.world.consume("odd.dead")
        told = {name: bytes.fromhex(value).decode() for name, value in letter["headers"]}
        self.assertIn("its key is longer than head_bytes", told["einlass-error"])
        self.assertEqual((told["einlass-attempts"], bytes.fromhex(letter["key"])), ("1", long_key["key"]))
        received = self._received()
        self.assertNotIn((0, ORDINARY), received, "there was no request")
        self.assertEqual(received[1, ORDINARY][0][b"kafka-key"], fitting["key"])
        self.assertEqual(gate.reload({"targets": {"receiver": {"http": {"long_key": "leave_out"}}}})[0], 200)
        self.world.produce_records("odd", [{**long_key, "partition": 2}])
        places.wait_until(lambda: (2, 0) in self._received(), 30, "the record without its key")
        headers, body = self._received()[2, 0]
        self.assertEqual((body, headers.get(b"kafka-key"), headers.get(b"kafka-key-base64")), (b"long", None, None))
        self.assertEqual(self.world.ends("odd.dead"), [1])

    def _check_dead_letter(self, big):
        [letter] = self.world.consume("odd.dead")
        told = {name: bytes.fromhex(value).decode() for name, value in letter["headers"]}
        self.assertEqual(bytes.fromhex(letter["value"]), big)
        self.assertEqual(told["einlass-reason"], "too_large")
        self.assertEqual((told["einlass-topic"], told["einlass-partition"], told["einlass-offset"]),
                         ("odd", "0", str(ORDINARY)))

    def test_larger_than_the_bounds_without_a_dead_letter_topic(self):
        self._assert_large_is_delivered(self._gate())


if __name__ == "__main__":
    unittest.main()
