"""The judge must see each kind of broken promise."""

import unittest

from harness import deliveries as d
from harness.plan import plan


def delivery(offset, at, **changes):
    fields = dict(arrived=at, answered=at, status=200, admitted=at, partition=0, offset=offset, attempt=1, hash=0,
                  permit=f"p{offset}-{at}", topic="t", gate="g.1")
    return d.Delivery(**{**fields, **changes})


@plan(servers=False, together=True)
class Judge(unittest.TestCase):
    def test_reads_what_the_receiver_writes(self):
        self.assertEqual(d.parse("1 2 200 3 4 5 6 7 p t g\n"), [d.Delivery(1, 2, 200, 3, 4, 5, 6, 7, "p", "t", "g")])

    def test_a_clean_run_has_no_fault(self):
        run = [delivery(offset, offset * 10) for offset in range(100)]
        self.assertEqual(d.missing(run, "t", [100]), [])
        for fault in (d.duplicates, d.order_violations, d.run_order_violations, d.reused_permits):
            self.assertEqual(fault(run), [])

    def test_a_lost_record_is_missing_and_so_is_a_refused_one(self):
        run = [delivery(0, 0), delivery(1, 1, status=503), delivery(3, 3)]
        self.assertEqual(d.missing(run, "t", [4]), [(0, 1), (0, 2)])

    def test_a_second_acceptance_is_a_duplicate_and_a_second_attempt_is_not(self):
        run = [delivery(0, 0, status=500), delivery(0, 1), delivery(0, 2)]
        self.assertEqual([one.arrived for one in d.duplicates(run)], [2])

    def test_order_is_that_of_first_acceptances(self):
        replay = [delivery(0, 0), delivery(1, 1), delivery(0, 2, gate="g.2"), delivery(1, 3, gate="g.2")]
        self.assertEqual(d.order_violations(replay), [])
        self.assertEqual(d.run_order_violations(replay), [])
        swapped = [delivery(1, 0), delivery(0, 1)]
        self.assertEqual(len(d.order_violations(swapped)), 1)
        self.assertEqual(len(d.run_order_violations(swapped)), 1)

    def test_one_permit_is_one_attempt(self):
        run = [delivery(0, 0, permit="p"), delivery(0, 1, permit="p")]
        self.assertEqual(d.reused_permits(run), ["p"])

    def test_a_window_is_open_at_its_beginning(self):
        self.assertEqual(d.worst_window([0, 500, 1000], 1000), (2, 0))
        self.assertEqual(d.worst_window([999, 0, 500], 1000), (3, 0))

    def test_use_of_the_limit(self):
        full = [second * 1000 + i for second in range(10) for i in range(10)]
        self.assertEqual(d.use_of_limit(full, 10, 1000), 1.0)
        self.assertEqual(d.use_of_limit(full[:55], 10, 1000), 1.0)
        self.assertAlmostEqual(d.use_of_limit(full[:20] + full[22:], 10, 1000), 88 / 90)
        self.assertLess(d.use_of_limit([2 * at for at in full], 10, 1000), 0.6)


if __name__ == "__main__":
    unittest.main()
