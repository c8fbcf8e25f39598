#!/usr/bin/env python3
"""`einlass redrive` while people have paused something."""

import unittest

from redrive_test import Books, Redrive, letter


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


if __name__ == "__main__":
    unittest.main()
