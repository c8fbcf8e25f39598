"""Two gates whose limit has other numbers at some times of the week, by the clocks of a time zone of its own."""

import os
import struct
import time
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

PARTITIONS = 4
OWN, BY_DAY, OVER = 40, 200, 1000
RECORDS = 1500
SPAN = "08:00-09:00 Mon-Sun Test/Soon"
UNTIL_IT_BEGINS_S, LASTS_S = 4 * places.PATIENCE, 5
SECOND_US = 1_000_000
HORIZON_US = 500_000  # What was granted before a change may come due so long after it.
SOON_US = 200_000 * places.PATIENCE
CLOCKS_US = 5_000  # Between Redis' clock, which it looks at now and then, and ours.


def write_zone(path, begins, ends):
    """The clocks show 08:00 at `begins`, and are put forward by two hours at `ends`, both in seconds since 1970."""
    offset = (8 * 3600 - begins + 43_200) % 86_400 - 43_200
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(b"TZif" + bytes(16) + struct.pack(">6l", 0, 0, 0, 1, 2, 8))  # One change, of two offsets.
        file.write(struct.pack(">lB", ends, 1))
        file.write(struct.pack(">lBB", offset, 0, 0) + struct.pack(">lBB", offset + 7200, 1, 4) + b"ONE\0TWO\0")


@plan(alone=True)
class Scheduled(scenario.Scenario):
    """The span begins when the clocks show it, and ends when they leave out its end, in both gates. A reload tells them of it."""

    def setUp(self):
        super().setUp()
        self.zones = os.path.join(self.world.directory, "zones")
        self.world.create_topic("results", PARTITIONS)
        config = self.world.config("results", OWN, {"limits": {"shared": {"window": "1h"}}, "route": {"order": "none"}})
        self.gates = [self.world.gate(f"gate-{number}", config) for number in (1, 2)]
        for gate in self.gates:
            gate.before = ["env", f"TZDIR={self.zones}"]
            gate.start(wait=False)
        for gate in self.gates:
            gate.wait_until_ready()

    def schedules(self):
        """What each gate says of its limit: (what it allows, the span, until when in seconds)."""
        said = []
        for gate in self.gates:
            limit, = gate.status()["limits"]
            said.append((limit["per_second"], limit["schedule"]["span"], (limit["schedule"]["until"] or 0) / SECOND_US))
        return said

    def reload(self, gate, shared):
        gate.change({"limits": {"shared": shared}})
        code, text = gate.get("/-/reload", "POST")
        self.assertEqual(code, 200, text)
        return text

    def admitted(self):
        return sorted(one.admitted for one in deliveries.accepted(self.world.receiver.deliveries()))

    def test_numbers_come_and_go_at_the_instant(self):
        self.world.produce("results", RECORDS)
        places.wait_until(lambda: len(self.admitted()) == OWN, 30, "what the limit allows in an hour")
        begins = int(time.time() + UNTIL_IT_BEGINS_S)
        ends = begins + LASTS_S
        write_zone(os.path.join(self.zones, "Test", "Soon"), begins, ends)
        for gate in self.gates:
            said = self.reload(gate, {"schedule": {SPAN: {"limit": BY_DAY, "window": "1s"}}})
            self.assertIn(f"limits.shared.schedule.{SPAN}.limit: not there -> {BY_DAY}\n", said)
        self.assertEqual(self.schedules(), [(OWN / 3600, None, begins)] * 2)
        self.assertLess(time.time(), begins, "too slow to see it begin")
        places.wait_until(lambda: self.schedules() == [(BY_DAY, SPAN, ends)] * 2, UNTIL_IT_BEGINS_S + 2, "the span holds")
        places.wait_until(lambda: all((allowed, span) == (OWN / 3600, None) for allowed, span, _ in self.schedules()),
                          LASTS_S + 2, "the limit's own numbers hold again")
        used = ends * SECOND_US + HORIZON_US + 2 * SOON_US
        places.wait_until(lambda: places.now_us() > used, 10, "what was granted before is used")
        self.judge(self.admitted(), begins * SECOND_US, ends * SECOND_US)
        for gate in self.gates:
            self.reload(gate, {"limit": OVER, "window": "1s", "schedule": None})
        self.assertEqual([gate.status()["limits"][0]["schedule"] for gate in self.gates], [None, None])
        self.world.receiver.wait_for(RECORDS, 60, self.gates)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_books_closed(self.gates)

    def judge(self, admitted, begins, ends):
        by_day = [at for at in admitted if at >= begins - CLOCKS_US]
        self.assertEqual(len(admitted) - len(by_day), OWN, "by the limit's own numbers, as long as they held")
        worst, _ = deliveries.worst_window(by_day, SECOND_US)
        self.note(f"{by_day[0] - begins} us after the span began the first of {len(by_day)}, "
                  f"{by_day[-1] - ends} us after its end the last; in the worst second {worst} of {BY_DAY}")
        self.assertLess(by_day[0], begins + SOON_US, "who waits for an hour asks at once")
        self.assertLessEqual(worst, BY_DAY)
        self.assertGreater(len(by_day), 0.8 * BY_DAY * LASTS_S)
        self.assertLess(by_day[-1], ends + HORIZON_US + SOON_US)


if __name__ == "__main__":
    unittest.main()
