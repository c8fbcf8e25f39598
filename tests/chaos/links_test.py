"""The means of the run itself: links do what they are told, and a seed is a schedule."""

import asyncio
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "deploy", "local"))

import links  # noqa: E402
import schedule  # noqa: E402
import servers  # noqa: E402

_SOON_S = 5.0


async def echo(reader, writer):
    while data := await reader.read(1000):
        writer.write(b"port 20001:" + data)
        await writer.drain()
    writer.close()


class Links(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        port, to = servers.free_ports(2)
        self.server = await asyncio.start_server(echo, "127.0.0.1", to)
        self.link = links.Link("a>b", port, to, {"20001": "20002"})
        await self.link.start()
        self.port = port
        self.reader, self.writer = await self.connect()

    async def asyncTearDown(self):
        self.server.close()
        self.writer.close()
        self.link.set("closed")
        self.link._server.close()

    async def connect(self):
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def answer(self, reader=None):
        return await asyncio.wait_for((reader or self.reader).read(1000), _SOON_S)

    def seconds(self):
        return asyncio.get_running_loop().time()

    async def test_passes_on_and_names_the_port_that_this_side_knows(self):
        self.writer.write(b"x")
        self.assertEqual(await self.answer(), b"port 20002:x")

    async def test_silence_holds_everything_back_until_it_is_over(self):
        self.link.set("silent")
        self.writer.write(b"x")
        late_reader, late_writer = await self.connect()
        late_writer.write(b"y")
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(self.reader.read(1000), 0.3)
        self.link.set("open")
        self.assertEqual(await self.answer(), b"port 20002:x")
        self.assertEqual(await self.answer(late_reader), b"port 20002:y")
        late_writer.close()

    async def test_closed_resets_what_is_there_and_what_comes(self):
        self.writer.write(b"x")
        await self.answer()
        self.link.set("closed")
        with self.assertRaises(ConnectionResetError):
            await self.answer()
        reader, writer = await self.connect()
        with self.assertRaises(ConnectionResetError):
            await self.answer(reader)
            writer.write(b"y")
            await writer.drain()
            await self.answer(reader)
        self.link.set("open")
        reader, writer = await self.connect()
        writer.write(b"z")
        self.assertEqual(await self.answer(reader), b"port 20002:z")
        writer.close()

    async def test_slow_is_late_by_the_delay_each_way(self):
        self.link.set("open", delay_ms=150)
        begin = self.seconds()
        self.writer.write(b"x")
        await self.answer()
        self.assertGreaterEqual(self.seconds() - begin, 0.3)

    async def test_an_end_is_passed_on(self):
        self.writer.write(b"x")
        self.writer.write_eof()
        self.assertEqual(await self.answer(), b"port 20002:x")
        self.assertEqual(await self.answer(), b"")


class Schedule(unittest.TestCase):
    def test_a_seed_is_a_schedule(self):
        self.assertEqual(schedule.draw(7, 600), schedule.draw(7, 600))
        self.assertNotEqual(schedule.draw(7, 600), schedule.draw(8, 600))

    def test_every_kind_of_fault_comes_within_ten_minutes_and_ends_in_time(self):
        wanted = {"kill", "stop", "terminate", "visit", "link", "broker", "target", "kill_primary", "kill_replica",
                  "pause_primary", "pause_replica", "fail_over"}
        kinds = set()
        for seed in range(20):
            faults = schedule.draw(seed, 600)
            kinds |= {fault.kind for fault in faults}
            self.assertLess(max(fault.at + fault.seconds for fault in faults), 600)
            self.assertEqual(faults, sorted(faults, key=lambda fault: fault.at))
        self.assertLessEqual(wanted, kinds)

    def test_one_fault_at_a_time_for_a_gate_and_for_a_link(self):
        for seed in range(20):
            busy = {}
            for fault in schedule.draw(seed, 600):
                if fault.kind in ("kill", "stop", "terminate", "link"):
                    self.assertLessEqual(busy.get(fault.subject, 0), fault.at)
                    busy[fault.subject] = fault.at + fault.seconds

    def test_every_pair_can_be_cut(self):
        ends = {end for near, end in schedule.pairs() if near == "gate-1"}
        self.assertEqual(ends, {"broker-1", "broker-2", "broker-3", "kafka", "redis", "ordered", "keyed", "free"})


if __name__ == "__main__":
    unittest.main()
