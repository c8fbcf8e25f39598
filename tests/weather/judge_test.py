"""The judge must see each kind of broken promise, and nothing where there is none."""

import hashlib
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "chaos")]

import history  # noqa: E402
import judge  # noqa: E402
from wire import Done, Weather  # noqa: E402

STEP = 100_000
COUNT = 20
ALLOWED = judge.Allowed(repeats=1, within_s=2.1)


def delivery(offset, at, **changes):
    fields = dict(target="target", arrived=at, answered=at, status=200, mode="ok", topic="main", partition=0, offset=offset,
                  key="k0", attempt=1, permit=f"p{offset}-{at}", admitted=at, gate="gate.1", token=f'"main-0-{offset}"',
                  hash=hashlib.sha1(b"%d" % offset).hexdigest())
    return history.Delivery(**{**fields, **changes})


class Judge(unittest.TestCase):
    """Twenty records, ten a second, as a limit of ten allows."""

    def setUp(self):
        self.h = judge.empty(10)
        for offset in range(COUNT):
            self.h.records.append(history.Record("main", 0, offset, "k0", b"%d" % offset, [], 0))
            self.h.deliveries.append(delivery(offset, (offset + 1) * STEP))

    def promises(self, allowed=ALLOWED):
        return {breach.promise for breach in judge.breaches(self.h, 0, allowed)}

    def test_nothing_is_wrong(self):
        self.assertEqual(self.promises(), set())

    def test_one_record_withheld(self):
        del self.h.deliveries[7]
        self.assertEqual(self.promises(), {"nothing is lost"})

    def test_one_record_that_was_never_produced(self):
        del self.h.records[7]
        self.assertEqual(self.promises(), {"records are untouched"})

    def test_one_overtakes_another(self):
        self.h.deliveries[7], self.h.deliveries[8] = (
            self.h.deliveries[8]._replace(arrived=8 * STEP), self.h.deliveries[7]._replace(arrived=9 * STEP))
        self.assertEqual(self.promises(), {"order"})

    def test_one_more_than_the_limit(self):
        self.h.deliveries[11] = self.h.deliveries[11]._replace(admitted=self.h.deliveries[10].admitted)
        self.assertEqual(self.promises(), {"limit"})
        self.assertEqual(self.promises(ALLOWED._replace(forgot=[(0, 20 * STEP)])), set())

    def test_more_arrive_at_once_than_the_way_explains(self):
        for number in range(5, 16):
            self.h.deliveries[number] = self.h.deliveries[number]._replace(arrived=16 * STEP + number)
        self.assertEqual(self.promises(), {"limit on the wire"})
        self.assertEqual(self.promises(ALLOWED._replace(on_the_way=True)), set())

    def test_one_permit_twice(self):
        self.h.deliveries.append(self.h.deliveries[19]._replace(arrived=21 * STEP))
        self.assertEqual(self.promises(), {"one permit an attempt"})

    def test_repeats(self):
        for most, number in enumerate((3, 4)):
            self.h.deliveries.append(delivery(number, (25 + 12 * most) * STEP))
        self.assertEqual(judge.repeats(self.h), 2)
        self.assertEqual(self.promises(), {"few repeats"})
        self.assertEqual(self.promises(ALLOWED._replace(repeats=2)), set())

    def test_in_time(self):
        self.assertEqual(judge.took_s(self.h, STEP), 1.9)
        self.assertEqual(self.promises(ALLOWED._replace(within_s=1.9)), {"it goes on"})
        self.assertEqual({breach.promise for breach in judge.others_go_on(self.h, 0, 1.9)}, {"the others go on"})
        self.assertEqual(list(judge.others_go_on(self.h, 0, 2.1)), [])

    def test_a_weather_that_did_not_come(self):
        storm = Weather(loss=0.1, reorder=0.1)
        self.assertEqual(list(judge.weather_came(storm, Done(1000, 90, 80, 0))), [])
        self.assertEqual(len(list(judge.weather_came(storm, Done(1000, 0, 0, 0)))), 2)
        self.assertEqual(len(list(judge.weather_came(Weather(silent="back"), Done(1000, 0, 0, 0)))), 1)
        self.assertEqual(len(list(judge.weather_came(Weather(delay_ms=1), Done(0, 0, 0, 0)))), 1)

    def test_silence(self):
        self.assertEqual(judge.silence_s(self.h, 550_000), 0.05)
        self.assertIsNone(judge.silence_s(self.h, 3_000_000))

    def test_below_what_is_committed(self):
        del self.h.deliveries[7]
        self.assertEqual(judge.nothing_lost_below(self.h, {0: 7}), [])
        self.assertEqual(len(judge.nothing_lost_below(self.h, {0: 8})), 1)


if __name__ == "__main__":
    unittest.main()
