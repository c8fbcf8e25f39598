#!/usr/bin/env python3
"""`einlass redrive` while people have paused something."""

import itertools
import threading
import unittest

from harness import places
from redrive_test import Books, Redrive, letter, letters


class Paused(Redrive):
    def test_a_paused_route_waits_and_the_other_goes_on(self):
        self.world.create_topic("quotas", 1, **{"cleanup.policy": "compact"})
        paused = {"key": b"pause:route/results", "value": b'{"paused": true, "by": "ann"}'}
        self.world.produce_records("quotas", [paused])
        self.world.produce_records("dead", [letter(i, at=0) for i in range(5)] +
                                   [letter(i, route="others", topic="others", at=1) for i in range(50)])
        process = self.start({**self.two_routes(), "quotas": {"topic": "quotas"}})
        self.world.receiver.wait_for(50, 30)
        self.assert_each_once([("others", 0, i) for i in range(50)])
        self.world.produce_records("quotas", [{**paused, "value": None}])
        books, _, errors = self.finish(process)
        self.assertEqual(books, Books("dead", 55, 55, 0, 0, 0))
        self.assertIn("redrive_paused", errors)
        self.assert_each_once([("others", 0, i) for i in range(50)] + [("results", 0, i) for i in range(5)])

    def test_a_pause_that_comes_while_it_sends_is_said_too(self):
        self.world.create_topic("quotas", 1, **{"cleanup.policy": "compact"})
        paused = {"key": b"pause:route/results", "value": b'{"paused": true, "by": "ann"}'}
        self.world.produce_records("dead", letters(100))
        process = self.start(self.config(limit=50, quotas={"topic": "quotas"}))
        self.world.receiver.wait_for(20, 30)
        self.world.produce_records("quotas", [paused])
        alarm = threading.Timer(30 * places.PATIENCE, process.kill)  # Or the next line would be waited for without end.
        alarm.start()
        said = list(itertools.takewhile(lambda line: "redrive_paused" not in line, process.stderr))
        alarm.cancel()
        self.assertIsNone(process.poll(), said)
        self.world.produce_records("quotas", [{**paused, "value": None}])
        books, _, _ = self.finish(process)
        self.assertEqual(books.delivered, 200)


if __name__ == "__main__":
    unittest.main()
