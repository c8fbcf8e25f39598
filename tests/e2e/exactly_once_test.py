"""exactly_once: true. A reader of the target that is shown no aborted records sees each record once, in order,
whatever is killed or stopped meanwhile."""

import signal
import time
import unittest

from harness import places, world
import kafka_protocol
import kafka_target_test
from harness.plan import plan
from kafka_target_test import PARTITIONS, names

RECORDS = 12_000


@plan(seconds=240)
class ExactlyOnce(kafka_target_test.KafkaTarget):
    own_kafka = True

    def _config(self, target=None, limit=2000, **route):
        return super()._config({"exactly_once": True, **(target or {})}, limit, **route)

    def _topics(self):
        self.world.create_topic("results", PARTITIONS)
        self.world.create_topic("archive", PARTITIONS)

    def _all_is_committed(self, patience=90):
        places.wait_until(lambda: [one or 0 for one in self.world.committed("results")] == self.world.ends("results"),
                          patience, "all of it is committed")

    def assert_each_once(self, archive, count):
        found = names(archive)
        self.assertEqual(len(set(found)), count, "lost")
        self.assertEqual(len(found), count, "twice")
        self.assert_first_in_order(found)

    def _written_and_aborted(self, count):
        """How many more than those `count` records a reader is shown who asks for the aborted ones too."""
        return len(world.tool("kafka_tool", "consume", "-b", self.world.kafka.brokers, "-t", "archive",
                              "-X", "isolation.level=read_uncommitted")) - count

    def _kill_while(self, producer, gates):
        kills = 0
        while producer.poll() is None:
            gate = gates[kills % 2]
            time.sleep(0.7 + self.world.random.random())
            gate.kill()
            gate.start(wait=False)
            kills += 1
        self.assertEqual(producer.wait(), 0)
        for gate in gates:
            gate.wait_until_ready()
        return kills

    def test_killed_in_the_middle(self):
        """Each gate several times, until some kill has met an open transaction."""
        self._topics()
        gates = self.world.start_gates(2, self._config({"partition": "same"}), PARTITIONS)
        kills = records = aborted = 0
        while (aborted == 0 or kills < 4) and records < 5 * RECORDS:
            producer = self.world.start_producing("results", RECORDS, keys=60, rate=1500, first=records // PARTITIONS)
            records += RECORDS
            kills += self._kill_while(producer, gates)
            self._all_is_committed()
            archive = self._archive()
            self.assert_each_once(archive, records)
            aborted = self._written_and_aborted(records)
        self.note(f"{kills} kills; {aborted} records written in transactions that were aborted")
        self.assertGreaterEqual(kills, 4)
        self.assertGreater(aborted, 0, "no kill has met an open transaction: nothing is shown")
        self.assert_books_closed(gates)
        for gate in gates:
            self.assertEqual(gate.terminate(), 0)

    def test_its_marks_are_no_lag_of_whoever_reads_on(self):
        """A transaction leaves an offset without a record at the end of the log: another gate comes to the end all the same.
        The commits of the first one are counted."""
        self._topics()
        first = self.world.start_gates(1, self._config({"partition": "same"}), PARTITIONS)[0]
        self.world.produce("results", 600, keys=60)
        self._all_is_committed()
        self.assertGreater(first.metrics()['einlass_commits_total{result="committed"}'], 0)
        self.assertEqual(first.terminate(), 0)
        config = self.world.config("archive", 2000, {"limits": {"shared": {"store": "memory"}},
                                                     "kafka": {"group": "readers"}})
        reader = self.world.start_gates(1, config, PARTITIONS)[0]
        places.wait_until(lambda: [one or 0 for one in self.world.committed("archive", "readers")] == self.world.ends("archive"),
                          30, "the last offset is committed, though it has no record")
        self.assertEqual(reader.status()["books"]["delivered"], 600)

    @plan(whole=True)
    def test_one_that_was_away_for_too_long(self):
        """The group and the transactions' coordinator have given it up; another gate has gone on."""
        self._topics()
        config = self._config()
        config["kafka"]["properties"] = {"session.timeout.ms": 6000}
        gates = self.world.start_gates(2, config, PARTITIONS)
        producer = self.world.start_producing("results", RECORDS, keys=60, rate=800)
        self._wait_for_delivered(gates[0], 500)
        gates[0].process.send_signal(signal.SIGSTOP)
        self.assertEqual(producer.wait(60), 0)
        self._all_is_committed()
        gates[0].process.send_signal(signal.SIGCONT)
        places.wait_until(lambda: all(len(gate.partitions()) > 0 for gate in gates), 60, "both have partitions")
        self.world.produce("results", 600, keys=60)
        self._all_is_committed()
        # The second batch has the numbers of the first records again.
        self.assertEqual(len(self._archive()), RECORDS + 600, "lost, or twice")
        self.assertEqual(len(set(names(self._archive()))), RECORDS, "lost")
        for gate in gates:
            self.assertEqual(gate.terminate(), 0)

    @plan(whole=True)
    def test_brokers_killed(self):
        self._topics()
        gate = self.world.gate("gate-1", self._config({"partition": "same"})).start()
        producer = self.world.start_producing("results", 6000, keys=60, rate=1000)
        self._wait_for_delivered(gate, 1_000)
        self.world.kafka.kill()
        self._not_ready_for(gate, "no Kafka broker")
        self.world.kafka.start()
        self.assertEqual(producer.wait(90), 0)
        self._all_is_committed()
        self.assert_each_once(self._archive(), 6000)
        places.wait_until(lambda: places.get(gate.port, "/readyz")[0] == 200, 60, "ready again")
        self.assertEqual(gate.terminate(), 0)

    @plan(whole=True, kafka="4.1.1")
    def test_beside_a_route_that_commits_all_the_time(self):
        """Those commits are of other partitions: no transaction is aborted for them."""
        self._topics()
        self.world.create_topic("calls", PARTITIONS)
        config = self._config({"partition": "same"})
        config["kafka"]["commit_interval"] = "10ms"
        config["targets"]["receiver"] = self.world.config("calls", 1)["targets"]["receiver"]
        config["routes"].append({"name": "calls", "topics": ["calls"], "target": "receiver"})
        gate = self.world.gate("gate-1", config).start()
        producers = [self.world.start_producing(topic, 6000, keys=60, rate=500) for topic in ("results", "calls")]
        self.assertEqual([one.wait() for one in producers], [0, 0])
        self._all_is_committed()
        self.assert_committed("calls")
        self.assert_each_once(self._archive(), 6000)
        self.assertEqual(self._written_and_aborted(6000), 0, "records of transactions that were aborted")
        self.assertEqual(gate.terminate(), 0)

    @plan(whole=True)
    def test_partitions_added_meanwhile(self):
        """To the target and to what is read, while a producer that does not know of them writes and two gates send."""
        self._topics()
        gates = self.world.start_gates(2, self._config({"partition": "same"}), PARTITIONS)
        producer = self.world.start_producing("results", RECORDS, rate=1500)
        self._wait_for_delivered(gates[0], 500)
        for topic in ("archive", "results"):
            kafka_protocol.add_partitions(self.world.kafka.port, topic, 2 * PARTITIONS)
        self.assertEqual(producer.wait(60), 0)
        self.world.produce("results", RECORDS)
        self._all_is_committed()
        came = {partition: [] for partition in range(2 * PARTITIONS)}
        for partition, number in names(self._archive()):
            came[partition].append(number)
        later = list(range(RECORDS // (2 * PARTITIONS)))
        before = list(range(RECORDS // PARTITIONS))
        for partition, numbers in came.items():
            self.assertEqual(numbers, before + later if partition < PARTITIONS else later, f"partition {partition}")
        self.assertTrue(all(gate.partitions() for gate in gates), "each gate has some")
        self.assert_books_closed(gates)
        for gate in gates:
            self.assertEqual(gate.terminate(), 0)

    def test_a_bad_record_spoils_nobody_elses_transaction(self):
        self._produce_one_too_large()
        gate = self.world.gate("gate-1", self._config(dead_letter="dead", order="none")).start()
        self._all_is_committed()
        self.assert_only_the_large_one_is_dead()
        self.assertEqual(gate.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
