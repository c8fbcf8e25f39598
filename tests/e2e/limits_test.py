"""Two gates share 1,000 a second in Redis: all of the limit, never more of it, in order, also while gates are killed."""

import time
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

LIMIT = 1000
RECORDS = 20_000
KILLS = 5
RECORDS_WITH_KILLS = 25_000
PARTITIONS = 6
COMMIT_INTERVAL_US = 100_000
COMMIT_RECORDS = 256
# A gate of another name would wait for the killed one's session to end, 45 s.
MUCH_LESS_THAN_A_SESSION_MS = 20_000
# What a busy two-core machine may add to an interval: the commit's way to Kafka and back, the loop's turn.
SLACK_US = 200_000 * places.PATIENCE


@plan(alone=True)
class Limits(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.world.create_topic("results", PARTITIONS)
        self.gates = self.world.start_gates(2, self.world.config("results", LIMIT), PARTITIONS)

    def test_all_of_the_limit_and_never_more(self):
        self.world.redis.ask("CONFIG", "RESETSTAT")
        self.world.produce("results", RECORDS, keys=60)
        self.world.receiver.wait_for(RECORDS, 75)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_ordered(seen)
        self.assertEqual(deliveries.run_order_violations(seen)[:5], [])
        self.assert_within_limit(seen, LIMIT)
        used = deliveries.use_of_limit([one.admitted for one in seen], LIMIT, 1_000_000)
        calls = sum(calls for name, (calls, _) in self.world.redis.command_calls().items() if name.startswith("eval"))
        self.note(f"{used:.2%} of the limit used; {calls / RECORDS:.3f} Redis calls a record")
        self.assertGreaterEqual(used, 1 - 0.01 * places.PATIENCE)
        self.assert_committed("results")
        self.assert_books_closed(self.gates)

    def test_five_kills(self):
        # One commits by time, and the other by count.
        self.gates[1].change({"kafka": {"commit_interval": "10s", "commit_records": COMMIT_RECORDS}})
        self.assertEqual(self.gates[1].get("/-/reload", "POST")[0], 200)
        kills = []
        # A little more than the limit lets through: were all there at once, the log would let a whole second's
        # permits through in one burst each second, and a gate that comes back just after it has to wait for the next.
        producer = self.world.start_producing("results", RECORDS_WITH_KILLS, keys=60, rate=1.1 * LIMIT)
        for number in range(KILLS):
            time.sleep(3.5 + self.world.random.random())
            kills.append(self._kill_and_restart(self.gates[number % 2]))
        self.assertEqual(producer.wait(30), 0)
        self.world.receiver.wait_for(RECORDS_WITH_KILLS, 90)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_ordered(seen)
        self.assertEqual(deliveries.run_order_violations(seen)[:5], [])
        self.assert_within_limit(seen, LIMIT)
        self._check_duplicates(seen, kills, self.world.slow_in_kafka())
        self._check_restarts(seen, kills)
        used = deliveries.use_of_limit([one.admitted for one in seen], LIMIT, 1_000_000)
        self.note(f"{used:.2%} of the limit used")
        self.assert_committed("results")

    def _kill_and_restart(self, gate):
        """(the killed run, the new run, when it was started)"""
        # Where the machine stood still nothing was committed either: it is killed once it goes on, and if it does not, that
        # is told.
        places.wait_until(lambda: all("kafka" in gate.status() for _ in range(5)), 20, f"{gate.name} goes on before its kill")
        killed = f"{gate.name}.{gate.run}"
        gate.kill()
        gate.start(wait=False)
        return killed, f"{gate.name}.{gate.run}", gate.started_us

    def _check_duplicates(self, seen, kills, slow):
        """A record comes twice only if its first delivery was in flight, or not committed yet, at a kill. While Kafka answers
        nobody (`slow`), or a gate does not run, nothing is committed: that is no age."""
        killed = {run for run, _, _ in kills}
        arrivals = {run: [one.arrived for one in seen if one.gate == run] for run in killed}
        first = deliveries.first_accepted(seen)
        twice = {run: [] for run in killed}  # When each first arrived.
        for one in deliveries.duplicates(seen):
            before = first[deliveries.record_of(one)]
            self.assertIn(before.gate, killed, f"{before} came twice though nobody killed its gate")
            twice[before.gate].append(before.arrived)
        for run, its in sorted(twice.items()):
            last = arrivals[run][-1]
            oldest = min(its, default=last)
            stood = max((taken - sent for sent, taken in slow if taken > oldest and sent < last), default=0)
            stood += deliveries.stood_still([at for at in arrivals[run] if at > oldest], oldest, last)
            self.note(f"{run}: {len(its)} came twice, the oldest {(last - oldest) / 1000:.0f} ms before the last, "
                      f"{stood / 1000:.0f} ms of them stood still")
            if run.startswith(f"{self.gates[0].name}."):
                self.assertLessEqual(last - oldest - stood, COMMIT_INTERVAL_US + SLACK_US)
            else:
                slack = PARTITIONS + LIMIT * (SLACK_US + stood) / 1_000_000
                self.assertLessEqual(len(its), COMMIT_RECORDS + slack)

    def _check_restarts(self, seen, kills):
        """Static membership: the partitions are still its own, so it delivers again at once."""
        first = {}
        for one in seen:
            first.setdefault(one.gate, one.arrived)
        took = [(first[run] - started) / 1000 if run in first else None for _, run, started in kills]
        self.note("start to first delivery, ms: " + " ".join("never" if ms is None else f"{ms:.0f}" for ms in took))
        for ms in took:
            self.assertIsNotNone(ms, "a restarted gate delivered nothing")
            self.assertLess(ms, MUCH_LESS_THAN_A_SESSION_MS * places.PATIENCE)


@plan(alone=True)
class Strict(scenario.Scenario):
    """A permit is used within a millisecond of its instant, or goes back; what lies between that look at the clock and the
    target's own is the grace that docs/guarantees.md speaks of."""

    LIMIT, STALLS, STALL, GRACE_US = 500, 5, 0.09, 50_000 * places.PATIENCE

    def test_a_target_that_stalls_is_sent_no_more_than_the_limit_by_its_own_clock(self):
        self.world.create_topic("results", PARTITIONS)
        config = self.world.config("results", self.LIMIT, {
            "limits": {"shared": {"strict": True}}, "targets": {"receiver": {"http": {"max_in_flight": 4}}},
            "route": {"order": "none", "retry": {"attempts": 1}, "dead_letter": "dead"}})
        self.world.create_topic("dead", 1)
        gates = self.world.start_gates(2, config, PARTITIONS)
        records = 2 * self.STALLS * self.LIMIT
        self.world.produce("results", records, keys=60)
        for number in range(1, self.STALLS + 1):
            self.world.receiver.wait_for(number * self.LIMIT, 20, gates)
            self.world.receiver.tell("hang")
            time.sleep(self.STALL)  # Less than use_within else is: without strict what came due meanwhile would follow.
            self.world.receiver.tell("ok")
        self.world.receiver.wait_for(records, 60, gates)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_within_limit(seen, self.LIMIT, use_within_us=1_000, jitter_us=self.GRACE_US)
        self.assertEqual(sum(self.world.ends("dead")), 0, "what went back was no attempt")
        late = self._used_later_than_a_millisecond(gates)
        released = sum(number for gate in gates for name, number in gate.metrics().items()
                       if name.startswith("einlass_permits_released_total"))
        used = deliveries.use_of_limit([one.admitted for one in seen], self.LIMIT, 1_000_000)
        self.note(f"{late:.2%} used later than 1 ms, {released:.0f} went back; {used:.1%} of the limit used")
        self.assertGreater(released, 0, "none was late: nothing is shown")
        self.assert_books_closed(gates)

    @staticmethod
    def _used_later_than_a_millisecond(gates):
        def used(bound):
            name = f'einlass_permit_lateness_seconds_bucket{{route="results",le="{bound}"}}'
            return sum(gate.metrics()[name] for gate in gates)
        return 1 - used("0.001") / used("+Inf")


@plan(alone=True, whole=True)
class StrictByMilliseconds(Strict):
    """How long the grace is, is a matter of the machine."""

    GRACE_US = 20_000 * places.PATIENCE


if __name__ == "__main__":
    unittest.main()
