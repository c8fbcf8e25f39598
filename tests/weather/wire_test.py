"""Whether packets meet the weather that was ordered, each way by itself, and names lead where they are to: without a clock, a
network or luck."""

import os
import random
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import names  # noqa: E402
import wire  # noqa: E402
from wire import Weather  # noqa: E402

PACKETS = 20_000


class Ways(unittest.TestCase):
    def way(self, name="there", **weather):
        one = wire.Way(name, random.Random(1))
        one.change(Weather(**weather))
        return one

    def delays(self, way, every=0.001, size=100):
        """Of packets that are sent so many seconds apart; None for one that is lost."""
        found = []
        for number in range(PACKETS):
            now = number * every
            arrives = way.arrival(size, now)
            found.append(None if arrives is None else arrives - now)
        return found

    def test_calm(self):
        self.assertEqual(set(self.delays(self.way())), {0.0})

    def test_delay_and_jitter_keep_the_order(self):
        way = self.way(delay_ms=50, jitter_ms=20)
        found = self.delays(way)
        self.assertAlmostEqual(min(found), 0.030, delta=0.02)
        self.assertAlmostEqual(max(found), 0.070, delta=0.001)
        arrivals = [number * 0.001 + delay for number, delay in enumerate(found)]
        self.assertEqual(arrivals, sorted(arrivals))
        self.assertEqual(way.done().overtook, 0)

    def test_loss(self):
        for loss in (0.001, 0.05, 0.2):
            way = self.way(loss=loss)
            lost = self.delays(way).count(None)
            self.assertEqual(way.done(), wire.Done(PACKETS, lost, 0, 0))
            self.assertAlmostEqual(lost / PACKETS, loss, delta=loss / 3)

    def test_reordering(self):
        way = self.way(delay_ms=20, reorder=0.25)
        found = self.delays(way)
        self.assertAlmostEqual(way.done().overtook / PACKETS, 0.25, delta=0.02)
        self.assertAlmostEqual(found.count(0.0) / PACKETS, 0.25, delta=0.02)

    def test_bandwidth(self):
        way = self.way(bits=1_000_000)
        found = self.delays(way, every=0.001, size=1000)  # Eight times what fits through.
        through = [delay for delay in found if delay is not None]
        self.assertAlmostEqual(len(through) / PACKETS, 1 / 8, delta=0.01)
        self.assertLess(max(through), 0.51)
        self.assertAlmostEqual(self.way(bits=1_000_000).arrival(1000, 0.0), 0.008)

    def test_silence(self):
        for silent, there, back in (("there", True, False), ("back", False, True), ("both", True, True), ("", False, False)):
            for name, lost in (("there", there), ("back", back)):
                self.assertEqual(self.way(name, silent=silent).arrival(100, 0.0) is None, lost, (silent, name))

    def test_size(self):
        way = self.way(mtu=576)
        self.assertEqual([way.fits(size) for size in (40, 576, 577)], [True, True, False])
        self.assertEqual(way.done().too_large, 1)
        self.assertTrue(self.way().fits(65535))

    def test_what_is_too_large_is_refused_as_by_a_router(self):
        packet = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 1000, 0, 0x4000, 64, 6, 0, b"\x0a\x4d\x01\x01", b"\x0a\x4d\x00\x02")
        answer = wire.refusal(packet.ljust(1000, b"x"), 576)
        self.assertEqual((answer[9], answer[12:16], answer[16:20]), (1, b"\x0a\x4d\x00\x02", b"\x0a\x4d\x01\x01"))
        self.assertEqual((answer[20], answer[21], struct.unpack("!H", answer[26:28])), (3, 4, (576,)))
        self.assertEqual(answer[28:], packet + b"x" * 8)
        self.assertEqual((wire.checksum(answer[:20]), wire.checksum(answer[20:])), (0, 0))


class Names(unittest.TestCase):
    """As the resolver of glibc asks: with one question, and an option behind it."""

    QUESTION = b"\x05redis\x04Test\x00"

    def answer(self, kind, addresses):
        query = b"\x12\x34\x01\x20\x00\x01\x00\x00\x00\x00\x00\x01" + self.QUESTION + struct.pack("!HH", kind, 1) + b"\x00" * 11
        found = names.answer(query, addresses)
        self.assertEqual(found[:2], query[:2])
        return struct.unpack("!HHHHH", found[2:12]), found[12 + len(self.QUESTION) + 4:]

    def test_an_address(self):
        head, rest = self.answer(1, {"redis.test": "10.77.0.2"})
        self.assertEqual((head, rest[-4:]), ((0x8180, 1, 1, 0, 0), bytes([10, 77, 0, 2])))

    def test_none_of_that_kind(self):
        self.assertEqual(self.answer(28, {"redis.test": "10.77.0.2"}), ((0x8180, 1, 0, 0, 0), b""))

    def test_silence(self):
        self.assertIsNone(names.answer(b"\x00" * 12 + self.QUESTION + struct.pack("!HH", 1, 1), {"redis.test": names.SILENCE}))

    def test_no_such_name(self):
        self.assertEqual(self.answer(1, {"other.test": "10.77.0.2"}), ((0x8183, 1, 0, 0, 0), b""))


if __name__ == "__main__":
    unittest.main()
