"""What is done to a healthy cluster on an ordinary day: nothing is lost, nothing comes twice, and nobody waits for long."""

import collections
import os
import sys
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan
import kafka_protocol
import servers

sys.path.append(os.path.join(places.ROOT, "tests", "chaos"))
import brokers  # noqa: E402

TOPIC = "results"
PARTITIONS = 6
RATE, LIMIT = 100, 300
SECONDS = 40          # Records come for at least so long.
LONGEST_S = 10.0      # Of silence in a partition, which has a leader but for moments: a third of socket.timeout.ms.
# A producer of librdkafka 2.0.2 that is idempotent gives up when partitions change their leaders.
SAFE = {"enable.idempotence": "false", "acks": "all", "message.send.max.retries": 1000000}


class Kafka:
    """Three brokers in the place of the one that scenarios have."""

    def __init__(self, directory, version):
        nodes = range(1, brokers.COUNT + 1)
        wanted = [(listener, node) for listener in ("TOOLS", "CONTROLLER", "REPLICAS") for node in nodes]
        ports = dict(zip(wanted, servers.free_ports(len(wanted))))
        self.cluster = brokers.Cluster(version, directory, ports, {(None, node): ports["REPLICAS", node] for node in nodes})
        self.cluster.start()
        self.brokers = self.cluster.addresses
        self.stop = self.cluster.stop

    @property
    def port(self):
        return self.cluster.any_port()

    def wait_until_whole(self):
        places.wait_until(self.cluster.whole, 90, "three brokers with all replicas")

    def create_topic(self, name, partitions, _configs):
        self.cluster.create_topic(name, partitions)
        self.wait_until_led(partitions)

    def wait_until_led(self, partitions):
        places.wait_until(lambda: all(len(leaders) == partitions and min(leaders.values()) >= 0 for leaders in self.known()),
                          30, f"{TOPIC} with leaders, at each broker")
        self.wait_until_whole()

    def known(self):
        """{partition: leader}, as each of the brokers has it."""
        return [kafka_protocol.metadata(broker.port, [TOPIC])[2].get(TOPIC, {}) for broker in self.cluster.brokers.values()]

    def leaders(self):
        return self.known()[0]

    def led_as_preferred(self):
        """Asks for it too: the controller may take a moment to trust a broker that has just come back."""
        kafka_protocol.elect_leaders(self.port, TOPIC, list(self.leaders()))
        preferred = {partition: every[0] for (topic, partition), (every, _) in kafka_protocol.replicas(self.port)[2].items()
                     if topic == TOPIC}
        return self.leaders() == preferred


@plan(whole=True, alone=True, seconds=300)
class Brokers(scenario.Scenario):
    kafka = False

    def setUp(self):
        super().setUp()
        self.world.kafka = Kafka(self.world.directory, os.environ.get("KAFKA_VERSION", brokers.local_kafka.LATEST_3))
        self.world.kafka.wait_until_whole()
        self.world.create_topic(TOPIC, PARTITIONS)
        config = self.world.config(TOPIC, LIMIT)
        self.gates = self.world.start_gates(2, config, PARTITIONS)

    def produce(self, records, **options):
        return self.world.start_producing(TOPIC, records, rate=RATE, properties=SAFE, **options)

    def wait_for_all(self, producer):
        self.assertEqual(producer.wait(120 * places.PATIENCE), 0)
        self.world.receiver.wait_for(sum(self.world.ends(TOPIC)), 30, self.gates)
        self.assert_committed(TOPIC)
        self.assert_books_closed(self.gates)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, TOPIC)
        self.assert_ordered(seen)
        self.assert_no_duplicates(seen)
        self.assert_within_limit(seen, LIMIT)
        return seen

    def assert_no_silence(self, seen, what):
        """Of any partition, between two of its records."""
        arrived = collections.defaultdict(list)
        for one in deliveries.accepted(seen):
            arrived[one.partition].append(one.arrived)
        longest = max(b - a for instants in arrived.values() for a, b in zip(instants, instants[1:])) / 1e6
        self.note(f"{what}: longest silence of a partition {longest:.1f} s")
        self.assertLess(longest, LONGEST_S * places.PATIENCE)

    def test_are_restarted_one_after_the_other(self):
        producer = self.produce(RATE * SECONDS)
        for node, broker in self.world.kafka.cluster.brokers.items():
            servers.stop_child(broker.process, 60)
            broker.spawn()
            self.world.kafka.wait_until_whole()
            self.note(f"broker {node} is back; leaders {sorted(self.world.kafka.leaders().items())}")
        moved = self.world.kafka.leaders()
        places.wait_until(self.world.kafka.led_as_preferred, 30, "all leaders back")
        self.assertNotEqual(self.world.kafka.leaders(), moved)
        self.assert_no_silence(self.wait_for_all(producer), "three restarts, and all leaders back")

    def test_get_more_partitions_and_a_topic_made_anew(self):
        self.wait_for_all(self.produce(10 * RATE))
        kafka_protocol.add_partitions(self.world.kafka.port, TOPIC, 2 * PARTITIONS)
        self.world.kafka.wait_until_led(2 * PARTITIONS)  # Else what writes there may be refused.
        self.assert_no_silence(self.wait_for_all(self.produce(10 * RATE))[10 * RATE:], "partitions added")
        kafka_protocol.delete_topic(self.world.kafka.port, TOPIC)
        places.wait_until(lambda: not any(self.world.kafka.known()), 30, "no topic")
        self.world.receiver.clear()
        self.world.create_topic(TOPIC, PARTITIONS)
        self.wait_for_all(self.produce(10 * RATE))


if __name__ == "__main__":
    unittest.main()
