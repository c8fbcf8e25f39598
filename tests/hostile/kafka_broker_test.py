"""A broker whose answers are broken, or lies: the gate lives, stays small, and goes on once the broker is well."""

import random
import re
import signal
import threading
import time

from hostile import PARTITIONS, Hostile
from harness.deliveries import missing
import kafka_proxy
from kafka_answers import FRAMING, TOPIC, lie, wrong_code
from harness.places import wait_until
import namespace
from harness.plan import plan

PASSWORD = "hostile-broker-0815"
SHARE = 0.35       # Of the answers are changed: without good ones between them the gate would never get far.
MOST_MB = 400
FAILED = 1         # The exit code after a fatal error of Kafka: docs/operations.md.
ASSERTED = -signal.SIGABRT  # After an assertion of librdkafka's own: README.md.
ASSERTION = re.compile(r"\brd\w*\.c:\d+:.*assert", re.IGNORECASE)  # It names its own file: rdbuf.c, rdkafka_partition.c.
# So that a broken connection is soon made anew, and what is answered to nobody soon given up.
SOON = {"reconnect.backoff.ms": "10", "reconnect.backoff.max.ms": "50", "retry.backoff.ms": "20",
        "socket.timeout.ms": "2000",
        "session.timeout.ms": "10000", "heartbeat.interval.ms": "100", "fetch.wait.max.ms": "20",
        "fetch.error.backoff.ms": "20",
        "topic.metadata.refresh.interval.ms": "500", "sasl.password": PASSWORD}
OF_PRODUCERS = ("reconnect.backoff.ms", "reconnect.backoff.max.ms", "retry.backoff.ms", "socket.timeout.ms",
                "topic.metadata.refresh.interval.ms")


class KafkaBroker(Hostile):
    def setUp(self):
        super().setUp()
        self.proxy = kafka_proxy.KafkaProxy(self.world.kafka.port)
        self.addCleanup(self.proxy.stop)
        self.lock = threading.Lock()

    def changing(self, kinds, count):
        """Each is made of its number, which alone decides whether, how, and what."""
        draws = random.Random(len(kinds))

        def change(api, payload):
            with self.lock:
                if self.used >= count or draws.random() > SHARE:
                    return None
                self.drawn += 1
                changed = kinds[self.drawn % len(kinds)](random.Random(self.drawn), api, payload)
                if changed:
                    self.used += 1
                    self.changed.add(changed)
                return changed
        return change

    def be_hostile(self, topic, kinds, count, patience, lasts=float("inf")):
        """`patience`: for how many seconds it may ask nothing that is answered wrongly. `lasts`: for how many seconds a
        process is lied to; it may end by itself then."""
        self.used, self.drawn, self.changed = 0, 0, set()
        self.proxy.change = self.changing(kinds, count)
        began, ends = time.monotonic(), 0
        started = moved = began
        used = 0
        while self.used < count:
            if self.used > used:
                used, moved = self.used, time.monotonic()
            self.assertLess(time.monotonic() - moved, patience, f"{used} of {count} answers were changed")
            self.world.produce(topic, 20)
            if self.gate.process.poll() is not None and (lasts < patience or self.is_fenced()):
                ends, started = ends + 1, time.monotonic()
                self.judge_end()
            self.judge_life()
            if time.monotonic() - started > lasts and self.gate.process.poll() is None:
                started = time.monotonic()
                self.gate.kill()
                self.start_again()
            time.sleep(0.1)
        self.proxy.change = None
        self.note(f"{count} answers changed, {len(self.changed)} of them different, in "
                  f"{time.monotonic() - began:.0f} s; {self.gate.resident_mb():.0f} MB, {ends} ends of the process")
        self.assertGreater(len(self.changed), 0.9 * count)

    def judge_life(self):
        self.assertIsNone(self.gate.process.poll(), f"the gate ended\n{self.gate.log()}")
        self.assertLess(self.gate.resident_mb(), MOST_MB)
        code, text = self.gate.get("/healthz", timeout=10.0)
        if self.gate.process.poll() is None:  # Else it is seen in the next turn.
            self.assertEqual(code, 200, text)

    def is_fenced(self):
        """Broken answers for a session's time: the group has given its place away, and Kafka takes it for a second process then."""
        return self.gate.process.returncode == FAILED and "no longer takes this process for the instance" in self.gate.log(50)

    def judge_end(self):
        """Of a gate that was told something after which it cannot go on: it says what, or librdkafka asserts and says
        where; and it is started again."""
        code = self.gate.process.returncode
        self.assertIn(code, (FAILED, ASSERTED), self.gate.log())
        said = [line for line in self.gate.log(200).splitlines()
                if ("level=error" in line if code == FAILED else ASSERTION.search(line))]
        self.assertTrue(said, self.gate.log())
        self.note(f"ended with {code}: {said[-1][:300]}")
        self.start_again()

    def start_again(self):
        self.gate.start(wait=False)
        wait_until(lambda: self.gate.get("/healthz", timeout=1.0)[0] == 200, 20, "the gate started again")

    def start(self):
        config = self.world.config(TOPIC, 1, changes={
            "limits": None, "route": {"limits": [], "order": "none"},
            "kafka": {"brokers": [self.proxy.brokers], "group": "hostile", "properties": SOON}})
        self.world.create_topic(TOPIC, PARTITIONS)
        self.gate = self.world.gate("gate", config).start()

    def judge_readiness(self):
        def ready():
            if self.gate.process.poll() is not None:
                self.judge_end()
            return self.gate.get("/readyz", timeout=2.0)[0] == 200
        wait_until(ready, 60, "ready again")
        self.judge_life()


class Framing(KafkaBroker):
    def check(self, count, patience):
        self.start()
        self.be_hostile(TOPIC, FRAMING, count, patience)
        process = self.gate.process.pid
        ends = self.world.ends(TOPIC)
        wait_until(lambda: not missing(self.world.receiver.deliveries(), TOPIC, ends), 60,
                   f"all {sum(ends)} of the topic")
        self.assert_nothing_lost(self.world.receiver.deliveries(), TOPIC)
        self.judge_readiness()
        self.assertEqual(self.gate.process.pid, process)

    def test_a_sample(self):
        self.check(60, 60)

    @plan(whole=True, seconds=900)
    def test_whole(self):
        """Slow: after some answers librdkafka asks nothing for a session's time, or until its next refresh."""
        self.check(500, 60)


class OfATarget(KafkaBroker):
    """The gate reads from the broker itself; what breaks its frames is the broker of one of its targets."""

    def check(self, count, patience):
        config = self.well_config()
        soon = {name: value for name, value in SOON.items() if name in OF_PRODUCERS}
        config["targets"]["evil"] = {
            "kafka": {"topic": "evil.copies", "brokers": [self.proxy.brokers], "properties": soon},
            "breaker": {"failures": 0}, "retry": {"budget": "100%"}}
        config["routes"].append({"name": "evil", "topics": ["evil"], "target": "evil", "order": "none", "limits": [],
                                 "inside": {"records": 500}, "retry": {"initial": "10ms", "max": "50ms"}})
        for topic in ("evil", "evil.copies"):
            self.world.create_topic(topic, PARTITIONS)
        self.start_well(config, patience + 60)
        self.used, self.drawn, self.changed = 0, 0, set()
        self.proxy.change = self.changing(FRAMING, count)

        def under_way():
            self.assertLess(self.gate.resident_mb(), MOST_MB)
            self.world.produce_records("evil", [{"partition": number % PARTITIONS, "key": b"%d" % (self.fed + number), "value": b"x"}
                                                for number in range(20)])
            self.fed += 20
            return self.used < count
        self.judge(under_way, patience)
        self.proxy.change = None
        self.note(f"{count} answers changed, {len(self.changed)} of them different; {self.gate.resident_mb():.0f} MB")
        self.assertGreater(len(self.changed), 0.9 * count)
        self.judge_books()
        arrived = {one["key"] for one in self.world.consume("evil.copies")}
        self.assertEqual(len(arrived), self.fed, "each has come, whatever was answered to it")
        self.judge_life()

    def test_a_sample(self):
        self.check(60, 60)

    @plan(whole=True, alone=False, seconds=400)
    def test_whole(self):
        self.check(500, 300)


class Lying(KafkaBroker):
    """It is trusted with which records there are (docs/security.md): only the gate's life is judged."""

    def check(self, kind, count, patience):
        self.start()
        # A lie about the group keeps a gate out of it for some time, and then it hears few more.
        self.be_hostile(TOPIC, [kind], count, patience, lasts=4)
        self.judge_readiness()

    def test_a_sample(self):
        self.check(wrong_code, 5, 60)

    @plan(whole=True)
    def test_a_few(self):
        """No more of them: librdkafka 2.0 ends the process at some lies, by an assertion of its own."""
        self.check(lie, 20, 60)


if __name__ == "__main__":
    namespace.main()
