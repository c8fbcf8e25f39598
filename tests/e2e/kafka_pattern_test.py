"""Topics by a pattern: those that are there, those that are made later, and those that are never meant."""

import subprocess
import unittest

from harness import deliveries, places, scenario
from harness.places import EINLASS


class Patterns(scenario.Scenario):
    redis = False

    def _config(self, **changes):
        """One route by its name, one by a pattern that fits it too; what is refused goes where the pattern fits."""
        config = self.world.config("results.named", 5000, {"limits": {"shared": {"store": "memory"}}, **changes})
        by_pattern = {**config["routes"][0], "name": "patterned", "topics": ["^results\\..*"],
                      "dead_letter": "results.dead"}
        config["routes"].append(by_pattern)
        # A new topic is found within this.
        config["kafka"]["properties"] = {"topic.metadata.refresh.interval.ms": 1000}
        return config

    def _topics(self, gates):
        return {partition["topic"] for gate in gates for partition in gate.partitions()}

    def _received(self, gates, route):
        name = f'einlass_records_received_total{{route="{route}"}}'
        return sum(gate.metrics().get(name, 0) for gate in gates)

    def test_topics_there_and_made_later(self):
        for topic, partitions in (("results.named", 2), ("results.first", 4), ("results.dead", 1), ("other", 1)):
            self.world.create_topic(topic, partitions)
        config = self._config()
        gates = self.world.start_gates(2, config, 6)
        self.assertEqual(self._topics(gates), {"results.named", "results.first"})
        for topic in ("results.named", "results.first", "other"):
            self.world.produce(topic, 600)
        self.world.receiver.wait_for(1200, 30, gates)

        # Made, and written to, while the gate works: found from its beginning, whenever that is.
        self.world.create_topic("results.later", 4)
        self.world.produce("results.later", 600)
        beside = self.world.start_producing("results.first", 2000, rate=400)
        self.world.receiver.wait_for(1800, 30, gates)
        self.assertEqual(beside.wait(30), 0)
        self.world.receiver.wait_for(3800, 30, gates)
        self.assertEqual(self._topics(gates), {"results.named", "results.first", "results.later"})

        # Refused records go to a topic that the pattern fits, and stay there.
        self.world.receiver.tell("status", status=400)
        self.world.produce("results.later", 40)
        places.wait_until(lambda: self.world.ends("results.dead") == [40], 30, "the dead letters")
        self.world.receiver.tell("ok")
        seen = self.world.receiver.deliveries()
        for topic in ("results.named", "results.first"):
            self.assert_nothing_lost(seen, topic)
        self.assert_no_duplicates(seen)
        self.assert_ordered(seen)
        self.assertEqual({one.topic for one in seen}, {"results.named", "results.first", "results.later"})
        self.assertEqual(self._received(gates, "results"), 600, "a name goes before a pattern")
        for topic in ("results.named", "results.first", "results.later"):
            self.assert_committed(topic)
        self.assert_books_closed(gates)
        page = {name for gate in gates for name in gate.metrics()}
        for reason in ("retention", "recreated", "reset"):
            self.assertIn(f'einlass_offsets_skipped_total{{topic="results.later",reason="{reason}"}}', page)

        # A topic that goes is given back without a word from anybody, and the others go on.
        self.world.kafka.delete_topic("results.first")
        places.wait_until(lambda: "results.first" not in self._topics(gates), 30, "the deleted topic is gone")
        places.wait_until(lambda: not any(gate.status()["kafka"]["trouble"] for gate in gates), 30, "and missed by nobody")
        self.world.produce("results.later", 100)
        self.world.receiver.wait_for(3900, 30, gates)
        for gate in gates:
            self.assertEqual(gate.terminate(), 0)

        # After a restart nothing is passed over, and the topic is told of nevertheless.
        gates = self.world.start_gates(2, config, 6)
        page = {name for gate in gates for name in gate.metrics()}
        self.assertIn('einlass_topic_info{topic="results.later",route="patterned"}', page)
        self.assertIn('einlass_offsets_skipped_total{topic="results.later",reason="retention"}', page)
        for gate in gates:
            self.assertEqual(gate.terminate(), 0)

    def test_nothing_fits_yet(self):
        self.world.create_topic("others", 1)  # With no topic at all librdkafka says less.
        config = self._config()
        config["routes"] = config["routes"][1:]
        gate = self.world.gate("gate-1", config).start(wait=False)
        waits = "it is joined once there is a topic that fits ^results\\..*"
        places.wait_until(lambda: waits in places.get(gate.port, "/readyz")[1], 30, "says what it waits for")
        self.assertEqual(places.get(gate.port, "/readyz")[0], 503)
        checked = subprocess.run([EINLASS, "check", "--connect", "-c", gate.path], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 1, checked)
        self.assertIn("topic ^results\\..*: no topic fits it", checked.stderr)
        self.world.create_topic("results.dead", 1)
        self.world.create_topic("results.first", 2)
        gate.wait_until_ready()
        self.world.produce("results.first", 200)
        self.world.receiver.wait_for(200, 30, [gate])
        checked = subprocess.run([EINLASS, "check", "--connect", "-c", gate.path], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked)
        self.assertIn("^results\\..* fits results.first\n", checked.stdout)
        self.assertEqual(deliveries.duplicates(self.world.receiver.deliveries()), [])
        self.assertEqual(gate.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
