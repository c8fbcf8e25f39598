"""Wall clocks that are set, that go wrong, that stand still: the limit holds, nothing is lost, and nobody waits for long."""

import collections
import signal
import time
import unittest

from harness import deliveries, scenario
from harness.gate import merge
from harness.own_clock import OwnClock
from harness.places import now_us, wait_until
from harness.plan import plan
import kafka as local_kafka
import redis as local_redis

SECOND_US = 1_000_000
LIMIT = 40  # A second, of each limit.
RECORDS = 9_000
HOUR, DAY = 3_600, 86_400

# Each with a route, a topic and a target's part of its own.
LIMITS = {
    "sliding_log": {"algorithm": "sliding_log", "limit": LIMIT, "window": "1s"},
    "sliding_window": {"algorithm": "sliding_window", "limit": LIMIT, "window": "1s"},
    "newest": {"algorithm": "sliding_window", "log": "newest", "limit": LIMIT, "window": "1s"},
    "fixed_window": {"algorithm": "fixed_window", "limit": LIMIT, "window": "1s"},
    "counter": {"algorithm": "counter", "limit": LIMIT, "window": "1s"},
    "token_bucket": {"algorithm": "token_bucket", "rate": f"{LIMIT}/s", "burst": LIMIT, "start": "empty"},
    "gcra": {"algorithm": "gcra", "rate": f"{LIMIT}/s", "burst": LIMIT},
    "meter": {"algorithm": "leaky_bucket", "mode": "meter", "rate": f"{LIMIT}/s", "capacity": LIMIT},
    "queue": {"algorithm": "leaky_bucket", "mode": "queue", "rate": f"{LIMIT}/s", "capacity": LIMIT},
    "smooth": {"algorithm": "smooth", "rate": f"{LIMIT}/s", "burst": LIMIT, "timeout": "1s"},
}

# Of a second's permits. Where the limiter's clock shows more time than passed, a window or a bucket is full once more, beside
# what it has granted for the second that comes and what it grants in that second. Windows that begin by the clock may be two in
# one second anyway, and so may what a bucket has gathered and what runs into it.
ONCE_MORE, AS_EVER = 3, 1
AT_ONCE = {"fixed_window": 2, "counter": 2, "token_bucket": 2, "gcra": 2, "meter": 2, "smooth": 2}

# What is done, for how long a limit may grant nothing then, in seconds, and how many times its own number may come in one.
Phase = collections.namedtuple("Phase", "name do silence permits")


def off_by(seconds, silence, permits=AS_EVER):
    return Phase(f"set by {seconds:+} s", lambda clock: clock.is_off_by(clock.off_by() + seconds), silence, permits)


def goes(times_as_fast, silence, permits=AS_EVER):
    return Phase(f"goes {times_as_fast} times as fast", lambda clock: clock.goes(times_as_fast), silence, permits)


def stands_still(seconds, silence, permits=AS_EVER):
    def do(clock):
        clock.goes(0)
        time.sleep(seconds)
        clock.is_off_by(0)
    return Phase(f"stands still for {seconds} s and is set", do, silence, permits)


class Clocks(scenario.Scenario):
    """One gate with a route for each limit, and more records than pass."""

    redis = kafka = False
    repeats = 0

    def setUp(self):
        super().setUp()
        self.clock = OwnClock(self.world.directory, "own")

    def start(self, store, whose=None, **changes):
        def before(who):
            return self.clock.before if who == whose else []
        self.world.redis = local_redis.Redis(before=before("redis")).start()
        self.world.kafka = local_kafka.Kafka(before=before("kafka")).start()
        config = self.world.config("unused", LIMIT)
        config["limits"] = {name: {"store": store, **limit} for name, limit in LIMITS.items()}
        route = config.pop("routes")[0]
        config["routes"] = [{**route, "name": name, "topics": [name], "limits": [name], "order": "none"} for name in LIMITS]
        config["targets"]["receiver"]["http"]["max_in_flight"] = 500
        for name in LIMITS:
            self.world.create_topic(name, 1)
            self.world.produce(name, RECORDS, size=50)
        self.gate = self.world.gate("gate-1", merge(config, changes))
        self.gate.before = before("gate")
        self.gate.start()
        self.assertEqual(self.judge(Phase("the start", lambda clock: None, 5, ONCE_MORE)), [])

    def arrived(self, since, until=None):
        """{limit: instants}, as the target saw them."""
        found = {name: [] for name in LIMITS}
        for one in self.world.receiver.deliveries():
            if one.arrived >= since and (until is None or one.arrived < until):
                found[one.topic].append(one.arrived)
        return found

    def idle(self, since):
        """The limits that were not used for the last two seconds, with what came."""
        recent = max(since, now_us() - 2 * SECOND_US)
        return {name: len(instants) for name, instants in self.arrived(recent).items() if len(instants) < 1.5 * LIMIT}

    def judge(self, phase):
        """What is wrong with what came while it was done, until all limits were used again."""
        begun = now_us()
        phase.do(self.clock)
        time.sleep(3)
        try:
            wait_until(lambda: not self.idle(begun), phase.silence + 10, f"all limits are used again: {phase.name}")
        except AssertionError as error:
            raise AssertionError(f"{error}: {self.idle(begun)}") from None
        ended = now_us()
        said, wrong = [], []
        for name, instants in self.arrived(begun, ended).items():
            silence = max(b - a for a, b in zip([begun, *instants], [*instants, ended])) / SECOND_US
            worst, _ = deliveries.worst_window(instants, SECOND_US - 200_000)  # Late use, and jitter on the way.
            said.append(f"{name} {silence:.1f} s, {worst}")
            most = LIMIT * max(phase.permits, AT_ONCE.get(name, 1)) + 2
            if silence > phase.silence or worst > most:
                wrong.append(f"{phase.name}: {said[-1]} of {most:.0f}")
        self.note(f"{phase.name}: longest silence, most in 0.8 s: " + "; ".join(said))
        return wrong

    def through(self, *phases):
        wrong = [text for phase in phases for text in self.judge(phase)]
        self.assertEqual(wrong, [])
        self.assertNotIn("level=error", self.gate.log(2000))
        self.assertTrue(self.gate.status()["books"]["closed"])
        page = self.gate.metrics()
        for name in LIMITS:
            count, total = (page[f'einlass_delivery_delay_seconds_{of}{{route="{name}"}}'] for of in ("count", "sum"))
            self.assertTrue(0 <= total / count < 600, f"delay of {name}: {total} s of {count} records")
        self.assertEqual(self.gate.terminate(), 0)
        seen = self.world.receiver.deliveries()
        self.assertLessEqual(len(deliveries.duplicates(seen)), self.repeats)
        for name in LIMITS:
            missing = deliveries.missing(seen, name, self.world.committed(name))
            self.assertEqual(missing[:10], [], f"{len(missing)} records of {name} were committed and never accepted")

    def suspended(self, seconds, silence):
        def do(_):
            self.gate.process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self.gate.process.send_signal(signal.SIGCONT)
        return Phase(f"the gate is suspended for {seconds} s", do, seconds + silence, AS_EVER)

    def test_of_redis_is_set_by_an_hour(self):
        self.start("redis", "redis")
        self.through(off_by(HOUR, 2, ONCE_MORE), off_by(-HOUR, 5))
        self.assertIn("event=redis_limit_reopened", self.gate.log(2000))

    @plan(seconds=400, whole=True)
    def test_of_redis(self):
        self.start("redis", "redis")
        self.through(off_by(1, 2, ONCE_MORE), off_by(-1, 4), off_by(DAY, 2, ONCE_MORE), off_by(-DAY, 5),
                     goes(1.05, 2, 1.06), goes(0.95, 2), stands_still(5, 7, ONCE_MORE))

    @plan(seconds=400, whole=True)
    def test_of_a_gate_whose_limits_are_in_redis(self):
        self.start("redis", "gate")
        self.through(*EVERY_WAY_THAT_MATTERS_NOT)

    @plan(seconds=400, whole=True)
    def test_of_a_gate_whose_limits_are_its_own(self):
        self.start("memory", "gate")
        self.through(*EVERY_WAY_THAT_MATTERS_NOT)

    @plan(seconds=400, whole=True)
    def test_of_the_broker(self):
        self.start("redis", "kafka")
        self.through(*EVERY_WAY_THAT_MATTERS_NOT)

    def test_of_a_gate_is_set_by_an_hour_and_the_gate_is_suspended(self):
        self.start("redis", "gate")
        self.through(off_by(HOUR, 2), off_by(-HOUR, 2), self.suspended(1, 2))

    @plan(seconds=400, whole=True)
    def test_a_gate_is_suspended_whose_limits_are_in_redis(self):
        self.start("redis")
        self.through(self.suspended(1, 2), self.suspended(20, 2))

    @plan(seconds=400, whole=True)
    def test_a_gate_is_suspended_whose_limits_are_its_own(self):
        self.start("memory")
        self.through(self.suspended(1, 2), self.suspended(20, 2))

    @plan(seconds=400, whole=True)
    def test_a_gate_is_suspended_for_longer_than_its_session(self):
        self.start("redis", kafka={"properties": {"session.timeout.ms": 6000}})
        self.repeats = len(LIMITS) * LIMIT * 2  # What is not committed yet, in flight, and finishes meanwhile.
        self.through(self.suspended(12, 10))


EVERY_WAY_THAT_MATTERS_NOT = [
    off_by(1, 2), off_by(-1, 2), off_by(HOUR, 2), off_by(-HOUR, 2), off_by(DAY, 2), off_by(-DAY, 2), goes(1.05, 2), goes(0.95, 2),
    stands_still(5, 2)]

if __name__ == "__main__":
    unittest.main()
