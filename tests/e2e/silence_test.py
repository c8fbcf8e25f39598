"""The way to Redis, to Kafka, to a target falls silent for a while, without a reset: nothing is lost, no limit is
exceeded, it goes on in time, and a route that does not need what is silent keeps its pace.

All links are the proxies of tests/chaos: what was sent meanwhile arrives late, as after TCP's retransmissions. Real
packets that are lost are the business of tests/weather, which takes root.
"""

import collections
import os
import sys
import time
import unittest

from harness import deliveries, places
from harness.plan import plan
import outages_test
import servers

sys.path += [os.path.join(places.ROOT, "tests", folder) for folder in ("chaos", "hostile")]
import kafka_proxy  # noqa: E402
import network  # noqa: E402

PARTITIONS = 6
SECOND_US = 1_000_000
# Of `results`, whose limit is in Redis, and of `others`, whose limit is in the gate: what comes in a second is less than
# the limit, so that what a silence has held up is made good at the limit's pace.
RATE, LIMIT = 100, 300
OTHERS_RATE, OTHERS_LIMIT = 200, 1000
BEFORE_S = 2          # In which the pace is measured.
SILENT_S = 5          # Longer than Redis' 2 s until a silent connection is given up.
LOAD_S = 22 * places.PATIENCE  # Until Kafka's silence, the last one; that has records of its own.
TIMEOUT_S, MAX_WAIT_S = 1, 1   # Of the target's attempts, and of its breaker.
REDIS_WITHIN_S, TARGET_WITHIN_S = 3, MAX_WAIT_S + TIMEOUT_S  # docs/guarantees.md, "A bad wire".
GOES_ON = 50          # So many records are no chance.
GRANTED_AHEAD_US = outages_test.RedisOutage.GRANTED_AHEAD_US
KEPT = max(0.2, 1 - 0.2 * places.PATIENCE)
# A pause that is made good at the limit's pace would not be seen in what comes in five seconds.
LONGEST_PAUSE_S = 1 * places.PATIENCE
SLACK_US = 200_000 * places.PATIENCE  # From the gate to the target and back, on a busy machine.

Silence = collections.namedtuple("Silence", "cut healed")


def breaker_is_not_closed(status):
    return any(target["name"] == "receiver" and target["breaker"]["state"] != "closed" for target in status["targets"])


@plan(half=True)
class OneAfterTheOther(outages_test.Outage):
    def setUp(self):
        super().setUp()
        self.links = dict(zip(("redis", "kafka", "receiver"), servers.free_ports(3)))
        # A broker that is lent names one port only, its own. Behind the link stands who writes the link's over it.
        broker = kafka_proxy.KafkaProxy(self.world.kafka.port, advertised=self.links["kafka"])
        self.addCleanup(broker.stop)
        ends = {"redis": self.world.redis.port, "kafka": broker.port, "receiver": self.world.receiver.port}
        self.network = network.Network(self.world.directory, [
            {"name": name, "port": port, "to": ends[name]} for name, port in self.links.items()], [], servers.start_child)
        self.addCleanup(servers.stop_child, self.network.process, 0.1)
        for topic in ("results", "others"):
            self.world.create_topic(topic, PARTITIONS)
        self.gates = self.world.start_gates(1, self._config(), 2 * PARTITIONS)

    def _config(self):
        """`others` shares nothing with `results` but the gate and Kafka: it has the way to the receiver that is never silent."""
        config = self.world.config("results", LIMIT, {
            "kafka": {"brokers": [f"127.0.0.1:{self.links['kafka']}"]},
            "redis": {"url": f"redis://127.0.0.1:{self.links['redis']}/0"},
            "limits": {"own": {"algorithm": "sliding_log", "limit": OTHERS_LIMIT, "window": "1s", "store": "memory"}},
            "targets": {
                "receiver": {
                    "http": {"url": f"http://127.0.0.1:{self.links['receiver']}/callback", "timeout": f"{TIMEOUT_S}s"},
                    # Fewer than there are partitions: of each only one record is on its way.
                    "breaker": {"failures": 4, "max_wait": f"{MAX_WAIT_S}s"}},
                "beside": {"http": {"url": f"http://127.0.0.1:{self.world.receiver.port}/beside", "timeout": "5s",
                                    "max_in_flight": 64}}},
        })
        config["routes"].append({**config["routes"][0], "name": "others", "topics": ["others"], "target": "beside",
                                 "limits": ["own"]})
        return config

    def silence(self, link, meanwhile):
        """Of that link, for SILENT_S; `meanwhile()` is called while it lasts."""
        self.network.order(do="link", name=link, state="silent")
        cut = places.now_us()
        meanwhile()
        time.sleep(max(0, SILENT_S - (places.now_us() - cut) / SECOND_US))
        healed = places.now_us()
        self.network.order(do="link", name=link, state="open")
        return Silence(cut, healed)

    def wait_until_it_goes_on(self):
        def delivered():
            return sum(route["delivered"] for route in self.gates[0].status().get("routes", [])
                       if route["name"] == "results")
        before = delivered()
        places.wait_until(lambda: delivered() >= before + GOES_ON, 20, "it goes on")

    # ---- what is done while a link is silent ----

    def while_redis_is_silent(self):
        self.assert_it_says("Redis is down", outages_test.store_is_down)
        self.assert_it_says("records wait for the outage's end", outages_test.waits_for("outage"))
        places.wait_until(lambda: self.gates[0].get("/readyz")[0] == 503, 3, "not ready")

    def while_the_target_is_silent(self):
        self.assert_it_says("the target does not answer", outages_test.target_trouble)
        self.assert_it_says("the breaker has opened", breaker_is_not_closed)
        self.assert_it_says("records wait for the target", outages_test.waits_for("target"))

    def while_kafka_is_silent(self):
        """Whatever comes from here on can only be read after it; some does, also where the load is over by now."""
        self.ends = {topic: self.world.ends(topic) for topic in ("results", "others")}
        for topic in self.ends:
            self.world.produce(topic, GOES_ON)

    # ---- what is judged of it ----

    def came_meanwhile(self, one):
        """Into Kafka, while that was silent."""
        return one.offset >= self.ends[one.topic][one.partition]

    def assert_goes_on_within(self, link, seen, silence, within_s, wanted=lambda one: True):
        """Of what was accepted since, the GOES_ON-th that is `wanted`: so long after, and what the limit needed until then."""
        after = [one for one in deliveries.first_accepted(seen).values() if one.arrived >= silence.healed]
        numbers = [number for number, one in enumerate(after, 1) if wanted(one)]
        self.assertGreaterEqual(len(numbers), GOES_ON, f"{link}: it did not go on")
        number = numbers[GOES_ON - 1]
        first, took = ((after[at - 1].arrived - silence.healed) / SECOND_US for at in (numbers[0], number))
        self.note(f"{link}: first delivery {first:.2f} s after it was well again, {GOES_ON} after {took:.2f} s")
        self.assertLessEqual(took, within_s * places.PATIENCE + number / LIMIT, f"{link}: it goes on too late")

    def assert_keeps_pace(self, link, seen, silence, before):
        arrived = [one.arrived for one in deliveries.accepted(seen) if silence.cut <= one.arrived < silence.healed]
        during = len(arrived) * SECOND_US / (silence.healed - silence.cut)
        instants = [silence.cut, *arrived, silence.healed]
        pause = max(later - earlier for earlier, later in zip(instants, instants[1:])) / SECOND_US
        self.note(f"others: {before:.0f}/s before, {during:.0f}/s while {link} was silent, longest pause {pause:.2f} s")
        self.assertGreaterEqual(during, KEPT * before)
        self.assertLess(pause, LONGEST_PAUSE_S)

    def assert_never_above_the_limit(self, seen):
        """By the permits' instants: what the way to the target held back arrives at once when that is well again."""
        self.assertEqual(self.world.receiver.summary()["first_strange"], "", "deliveries without their headers")
        self.assertEqual(deliveries.reused_permits(seen)[:5], [], "each attempt needs a permit of its own")
        worst, start = deliveries.worst_window(deliveries.permits(seen).values(), SECOND_US)
        self.note(f"worst window: {worst} of {LIMIT} admitted")
        self.assertLessEqual(worst, LIMIT, f"admitted within a second from {start}")
        self.assertGreater(worst, 0.8 * LIMIT, "the limit was never reached: nothing is shown")

    def assert_twice_only_what_was_on_its_way(self, seen, silence):
        """To the target, while that was silent: at most one record of each partition."""
        first = deliveries.first_accepted(seen)
        twice = {deliveries.record_of(one) for one in deliveries.duplicates(seen)}
        self.note(f"{len(twice)} records came twice")
        self.assertLessEqual(len(twice), PARTITIONS)
        for record in twice:
            self.assertGreater(first[record].arrived, silence.cut - SLACK_US)
            self.assertLess(first[record].arrived, silence.healed + SLACK_US)

    def test_all_ways(self):
        producers = [self.world.start_producing(topic, int(rate * LOAD_S), rate=rate)
                     for topic, rate in (("results", RATE), ("others", OTHERS_RATE))]
        self.world.receiver.wait_for(BEFORE_S * (RATE + OTHERS_RATE), 20, self.gates)
        redis = self.silence("redis", self.while_redis_is_silent)
        self.wait_until_it_goes_on()
        target = self.silence("receiver", self.while_the_target_is_silent)
        self.wait_until_it_goes_on()
        kafka = self.silence("kafka", self.while_kafka_is_silent)
        for producer in producers:
            self.assertEqual(producer.wait(60 * places.PATIENCE), 0)
        self.world.receiver.wait_for(sum(sum(self.world.ends(topic)) for topic in self.ends), 20, self.gates)

        for topic in self.ends:
            self.assert_committed(topic)
        self.assert_books_closed(self.gates)
        seen = self.world.receiver.deliveries()
        self.assert_ordered(seen)
        for topic in self.ends:
            self.assert_nothing_lost(seen, topic)
        results, others = ([one for one in seen if one.topic == topic] for topic in ("results", "others"))
        self.assert_no_duplicates(others)
        self.assert_twice_only_what_was_on_its_way(results, target)
        self.assert_never_above_the_limit(results)

        self.assert_silent(results, redis.cut + GRANTED_AHEAD_US, redis.healed)
        self.assert_silent(results, target.cut + SLACK_US, target.healed)
        self.assert_silent([one for one in seen if self.came_meanwhile(one)], kafka.cut, kafka.healed)
        self.assert_goes_on_within("redis", results, redis, REDIS_WITHIN_S)
        # What the link held of attempts that were given up arrives late, and shows nothing.
        self.assert_goes_on_within("target", results, target, TARGET_WITHIN_S, lambda one: one.admitted >= target.healed)
        self.assert_goes_on_within("kafka", results, kafka, (kafka.healed - kafka.cut) / SECOND_US, self.came_meanwhile)
        first = min(one.arrived for one in others)
        # What was there before the first delivery comes faster than it is produced.
        before = min(OTHERS_RATE, sum(one.arrived < redis.cut for one in others) * SECOND_US / (redis.cut - first))
        self.assertGreaterEqual(before, KEPT * OTHERS_RATE, "the load sets the pace, not the machine")
        self.assert_keeps_pace("redis", others, redis, before)
        self.assert_keeps_pace("the target", others, target, before)


if __name__ == "__main__":
    unittest.main()
