"""A Kafka topic as the target: each record as it was, nothing lost, in order, under the same limits."""

import bisect
import time
import unittest

from harness import places, scenario, world
import kafka as local_kafka
from harness.plan import plan

PARTITIONS = 6
LIMIT = 1000
LARGE = 37


def names(records):
    """(partition, number) of each record, as the producer wrote them into the value."""
    return [tuple(map(int, bytes.fromhex(record["value"]).split()[0].split(b"-"))) for record in records]


def without_offset(records):
    return [{name: value for name, value in record.items() if name != "offset"} for record in records]


def most_in_a_window(times_ms, window_ms):
    times = sorted(times_ms)
    return max(bisect.bisect_left(times, at + window_ms) - i for i, at in enumerate(times))


class KafkaTarget(scenario.Scenario):
    redis = False

    def _config(self, target, limit=LIMIT, **route):
        changes = {"targets": {"receiver": None, "archive": {"kafka": {"topic": "archive", **target}}},
                   "route": {"target": "archive", **route}}
        if not self.redis:
            changes["limits"] = {"shared": {"store": "memory"}}
        return self.world.config("results", limit, changes)

    def _second_kafka(self, extra=""):
        second = local_kafka.Kafka(world.KAFKA_VERSION, extra=extra).start()
        self.addCleanup(second.stop)
        return second

    def _archive(self, brokers=None):
        return world.tool("kafka_tool", "consume", "-b", brokers or self.world.kafka.brokers, "-t", "archive")

    def _target(self, gate):
        return next(iter(gate.status().get("targets", [])), {})

    def _wait_for_delivered(self, gate, count):
        places.wait_until(lambda: gate.status().get("books", {}).get("delivered", 0) >= count, 30, f"{count} delivered")

    def _not_ready_for(self, gate, text):
        places.wait_until(lambda: text in self._target(gate).get("unusable", ""), 40, f"status says {text}")
        code, answer = places.get(gate.port, "/readyz")
        self.assertEqual(code, 503)
        self.assertIn(text, answer)

    def _produce_one_too_large(self):
        """A hundred to `results`, of which the 37th is larger than `archive` takes; `dead` is there too."""
        self.world.create_topic("results", 1)
        self.world.create_topic("dead", 1)
        self.world.create_topic("archive", 1, **{"max.message.bytes": 20_000})
        self.world.produce_records("results", [
            {"value": b"0-%d " % i + b"." * (50_000 if i == LARGE else 3_000)} for i in range(100)])

    def assert_only_the_large_one_is_dead(self):
        self.assertEqual(sorted(names(self._archive())), [(0, i) for i in range(100) if i != LARGE])
        [letter] = self.world.consume("dead")
        self.assertEqual(names([letter]), [(0, LARGE)])
        return letter

    def assert_first_in_order(self, found):
        """The first occurrence of each record comes after that of the one before it."""
        last, seen = {}, set()
        for partition, number in found:
            if (partition, number) in seen:
                continue
            seen.add((partition, number))
            self.assertEqual(number, last.get(partition, -1) + 1, f"partition {partition}")
            last[partition] = number


@plan(half=True)
class Limited(KafkaTarget):
    redis = True

    def test_killed_in_the_middle(self):
        records = 12_000
        self.world.create_topic("results", PARTITIONS)
        # The brokers' clock shows when records came; elsewhere a record keeps the timestamp that it had.
        self.world.create_topic("archive", PARTITIONS, **{"message.timestamp.type": "LogAppendTime"})
        gates = self.world.start_gates(2, self._config({"partition": "same"}), PARTITIONS)
        self.world.produce("results", records, keys=60)
        for gate in gates:
            time.sleep(2 + self.world.random.random())
            gate.kill()
            gate.start(wait=False)
        self.world.gates[-1].wait_until_ready()
        places.wait_until(lambda: [one or 0 for one in self.world.committed("results")] == self.world.ends("results"),
                          60, "all of it is committed")
        archive = self._archive()
        found = names(archive)
        self.assertEqual(len(set(found)), records, "lost")
        self.assert_first_in_order(found)
        twice = len(found) - records
        worst = most_in_a_window([record["timestamp"] for record in archive], 800)
        self.note(f"{twice} of {records} twice after two kills; {worst} in the worst 0.8 s")
        # In flight or within the last commit's interval and way: nothing else comes again.
        self.assertLessEqual(twice, 2 * (PARTITIONS + LIMIT * 0.3))
        # A gate that has just started finds the brokers first: one record of each lane may come late.
        self.assertLessEqual(worst, LIMIT + PARTITIONS)
        self.assert_books_closed(gates)
        for gate in gates:
            self.assertEqual(gate.terminate(), 0)


class Trouble(KafkaTarget):
    @plan(whole=True, kafka="4.1.1")
    def test_brokers_of_another_cluster_away_and_back(self):
        second = self._second_kafka()
        second.create_topic("archive", 3)
        self.world.create_topic("results", PARTITIONS)
        config = self._config({"brokers": [second.brokers], "timeout": "2s"})
        gate = self.world.gate("gate-1", config).start()
        producer = self.world.start_producing("results", 10_000, keys=60, rate=800)
        self._wait_for_delivered(gate, 1_000)
        second.kill()
        self._not_ready_for(gate, "no Kafka broker")
        second.start()
        places.wait_until(lambda: places.get(gate.port, "/readyz")[0] == 200, 60, "ready again")
        self.assertEqual(producer.wait(60), 0)
        self.assert_committed_after("results", 90)
        found = names(self._archive(second.brokers))
        self.assertEqual(len(set(found)), 10_000, "lost")
        self.note(f"{len(found) - 10_000} twice")
        self.assert_books_closed([gate])
        self.assertEqual(self._target(gate)["trouble"], "")
        self.assertEqual(gate.terminate(), 0)

    def assert_committed_after(self, topic, patience):
        ends = self.world.ends(topic)
        places.wait_until(lambda: [one or 0 for one in self.world.committed(topic)] == ends, patience,
                          f"committed up to {ends}")

    @plan(whole=True)
    def test_a_topic_that_is_made_later(self):
        """It is held, told, not made by the gate, and costs no record one of its attempts."""
        second = self._second_kafka("auto.create.topics.enable=true\n")
        self.world.create_topic("results", PARTITIONS)
        self.world.create_topic("dead", 1)
        config = self._config({"brokers": [second.brokers]}, dead_letter="dead", retry={"attempts": 2})
        self.world.produce("results", 600, keys=60)
        gate = self.world.gate("gate-1", config).start(wait=False)
        self._not_ready_for(gate, "the topic archive is not there")
        places.wait_until(lambda: gate.metrics().get('einlass_attempts_total{route="results",outcome="retry"}', 0) > 20,
                          60, "several attempts of each lane")
        second.create_topic("archive", PARTITIONS)
        self.assert_committed_after("results", 60)
        self.assertEqual(len(set(names(self._archive(second.brokers)))), 600)
        self.assertEqual(self.world.ends("dead"), [0])
        places.wait_until(lambda: places.get(gate.port, "/readyz")[0] == 200, 10, "ready again")
        self.assertEqual(gate.terminate(), 0)


@plan(kafka="4.1.1")
class Records(KafkaTarget):
    def test_as_they_were(self):
        self.world.create_topic("results", 2)
        self.world.create_topic("archive", 2)
        everything = bytes(range(256))
        self.world.produce_records("results", [
            {"partition": i % 2, "key": [None, b"", everything][i % 3], "value": [b"x", None, b"", everything][i % 4],
             "headers": [["a", b"1"], ["a", None], ["", b""], ["all", everything]][: i % 5]} for i in range(60)])
        gate = self.world.gate("gate-1", self._config({"partition": "same"})).start()
        self.assert_committed("results")

        def in_order(topic):
            return sorted(self.world.consume(topic), key=lambda record: (record["partition"], record["offset"]))
        self.assertEqual(in_order("archive"), in_order("results"))
        self.assertEqual(gate.terminate(), 0)

    def test_too_large_for_the_topic(self):
        """It goes to the dead letter topic; those that it travelled with do not."""
        self._produce_one_too_large()
        config = self._config({"properties": {"linger.ms": 20}}, dead_letter="dead", order="none")
        gate = self.world.gate("gate-1", config).start()
        self.assert_committed("results")
        letter = self.assert_only_the_large_one_is_dead()
        headers = {name: bytes.fromhex(value) for name, value in letter["headers"]}
        self.assertEqual(headers["einlass-reason"], b"too_large")
        self.assertIn(b"max.message.bytes", headers["einlass-error"])
        self.assertEqual(places.get(gate.port, "/readyz")[0], 200, "one record's fault is not the target's")
        self.assertEqual(gate.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
