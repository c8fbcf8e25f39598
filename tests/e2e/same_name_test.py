"""Two processes under one name: Kafka fences the older, which says so, commits nothing more and ends; nothing is lost."""

import re
import signal
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

LIMIT = 100
PARTITIONS = 4
RECORDS = 1500


@plan(kafka="4.1.1")
class SameName(scenario.Scenario):
    redis = False

    def take_over(self, shards):
        self.world.create_topic("results", PARTITIONS)
        config = self.world.config("results", LIMIT, {"shards": shards, "limits": {"shared": {
            "algorithm": "sliding_log", "limit": LIMIT, "window": "1s", "store": "memory"}}})
        older = self.world.gate("older", config, instance="gate-1").start()
        places.wait_until(lambda: len(older.partitions()) == PARTITIONS, 30, "all partitions")
        self.world.produce("results", RECORDS, keys=60)
        self.world.receiver.wait_for(3 * LIMIT, 30)
        newer = self.world.gate("newer", config, instance="gate-1").start(wait=False)
        self.assertEqual(older.process.wait(40), 1, older.log())
        newer.process.send_signal(signal.SIGSTOP)  # It would deliver and commit before and while they are read.
        ended = places.now_us()
        committed = [offset or 0 for offset in self.world.committed("results")]
        newer.process.send_signal(signal.SIGCONT)
        self.check_what_it_said(older)
        newer.wait_until_ready(40)
        self.world.receiver.wait_for(RECORDS, 60, [newer])
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assertEqual([one for one in seen if one.gate == "older.1" and one.arrived > ended], [])
        self.assert_committed("results")
        # Nothing that was committed when it had ended was delivered anew by the other.
        for partition, offset in enumerate(committed):
            late = [one for one in seen if one.gate == "newer.1" and one.partition == partition and one.arrived > ended]
            self.assertEqual([one for one in late if one.offset < offset], [])
        twice = deliveries.duplicates(seen)
        self.note(f"{len(twice)} duplicates")
        self.assertLessEqual(len(twice), 2 * LIMIT, "what was delivered while the older one was no longer a member")
        self.assert_books_closed([newer])
        self.assertEqual(newer.terminate(), 0, newer.log())

    def check_what_it_said(self, older):
        log = older.log()
        self.assertRegex(log, r"level=error event=kafka_fatal detail=\".*gate-1.*\"")
        books = re.search(r"event=failed detail=\"received (\d+), delivered (\d+), dead-lettered (\d+), "
                          r"returned (\d+), filtered (\d+), inside (\d+)\"", log)
        self.assertIsNotNone(books, log)
        received, *parts = map(int, books.groups())
        self.assertEqual(received, sum(parts), log)
        self.note(next(line for line in log.splitlines() if "kafka_fatal" in line))

    def test_one_shard(self):
        self.take_over(1)

    @plan(whole=True)
    def test_two_shards(self):
        self.take_over(2)


if __name__ == "__main__":
    unittest.main()
