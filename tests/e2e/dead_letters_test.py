"""A dead letter topic that will not have what it is given: nothing is lost, nothing else waits, and it is said."""

import os
import unittest

from harness import places, scenario, world
import kafka as local_kafka
from harness.plan import plan


def value(record):
    return bytes.fromhex(record["value"])


class DeadLetters(scenario.Scenario):
    redis = False

    def _config(self, **route):
        return self.world.config("results", 1000, {"limits": {"shared": {"store": "memory"}}, "route": route})

    def _trouble(self, running):
        return running.status().get("dead_letters", {}).get("trouble", "")

    def _unusable(self, running):
        return running.metrics().get('einlass_dead_letters_unusable{route="results"}')

    def test_a_topic_that_is_not_there(self):
        """It is told before, and made by nobody who asks. Each partition waits behind its refused record, and the gate is
        not ready, until the topic is made."""
        self.world.kafka.stop()
        self.world.kafka = local_kafka.Kafka(world.KAFKA_VERSION, extra="auto.create.topics.enable=true\n").start()
        self.world.create_topic("results", 2)
        self.world.receiver.tell("status", status=400)
        running = self.world.gate("gate-1", self._config(dead_letter="dead"))
        running.change({})
        for _ in range(2):
            self.assert_check_says(running, "FAILED  dead letters of results, topic dead: the topic is not there, and is "
                                            "not made by the gate; create it")
        running.start()
        self.assertEqual(self._unusable(running), 0)
        places.wait_until(lambda: running.get("/readyz")[1].startswith(
            "ready, but the dead letter topic dead of route results is not there"), 20, "told before it is needed")
        places.wait_until(lambda: "event=kafka_partitions_assigned detail=\"the group e2e gave this gate results 0, 1\"" in
                          running.log(200), 10, "what came is logged")
        self.world.produce("results", 40)
        self.assert_told(running, "the topic dead is not there")
        self.assertEqual(self._unusable(running), 1)
        self.assertIn("the topic dead is not there", self._trouble(running))
        self.world.receiver.tell("ok")
        self.assertEqual([offset or 0 for offset in self.world.committed("results")], [0, 0])
        self.assertEqual(self.world.receiver.summary()["distinct"], 0)
        self.world.create_topic("dead", 1)
        self.world.receiver.wait_for(38, 90, [running])
        self.assert_committed("results")
        self.assertEqual(self.world.ends("dead"), [2])
        self.assertEqual({value(one).split()[0] for one in self.world.consume("dead")}, {b"0-0", b"1-0"})
        places.wait_until(lambda: self._trouble(running) == "", 10, "the trouble is over")
        running.wait_until_ready()
        self.assertEqual(self._unusable(running), 0)
        self.assert_check_is_good(running)
        self.assertRegex(running.log(200), "event=dead_lettered detail=\"records of route results go to the dead letter topic "
                                           "dead: refused \\(status 400\\)\".* example=results-[01]@0")
        self.assert_books_closed([running])
        self.assertEqual(running.terminate(), 0)

    def test_a_route_whose_topic_is_not_there(self):
        """The gate says so, and its other route goes on."""
        self.world.create_topic("results", 1)
        config = self._config(dead_letter="results.dead")
        self.world.create_topic("results.dead", 1)
        config["routes"].append({**config["routes"][0], "name": "orders", "topics": ["orders"]})
        running = self.world.gate("gate-1", config).start(wait=False)
        missing = "the topic orders of route orders is not there; create it, or correct the route's topics\n"
        places.wait_until(lambda: running.get("/readyz") == (503, missing), 40, "it is told")
        self.world.produce("results", 40)
        self.world.receiver.wait_for(40, 30, [running])
        places.wait_until(lambda: [(one["what"], one["name"], one["severity"]) for one in running.status()["troubles"]] ==
                          [("topic", "orders", "bad")], 10, "among what is wrong")
        self.world.create_topic("orders", 1)
        running.wait_until_ready()
        places.wait_until(lambda: running.status()["troubles"][0]["ended"] is not None, 10, "it is over")
        self.assertEqual(running.terminate(), 0)

    def test_a_topic_that_comes_is_no_trouble_of_who_gets_none_of_it(self):
        """Of two gates one gets its only partition; the other is told nothing more of it."""
        self.world.create_topic("results", 2)
        config = self.world.config("results", 1000, {"limits": {"shared": {"store": "memory"}}})
        config["routes"].append({**config["routes"][0], "name": "orders", "topics": ["orders"]})
        gates = [self.world.gate(f"gate-{i}", config).start(wait=False) for i in (1, 2)]
        for gate in gates:
            places.wait_until(lambda: "orders" in gate.get("/readyz")[1], 40, "it is told")
        self.world.create_topic("orders", 1)
        for gate in gates:
            gate.wait_until_ready()
        places.wait_until(lambda: sum(len(gate.partitions()) for gate in gates) == 3, 40, "it is read")
        for gate in gates:
            places.wait_until(lambda: gate.status()["kafka"]["trouble"] == "" and
                              not any(one["ended"] is None for one in gate.status()["troubles"]), 20, "all is well")
            self.assertEqual(gate.terminate(), 0)

    @plan(kafka="4.1.1")
    def test_a_topic_that_takes_only_smaller_records(self):
        """Small letters go beside the large one, which is named, kept, and written where it fits."""
        self.world.create_topic("results", 1)
        self.world.create_topic("small", 1, **{"max.message.bytes": 20_000})
        self.world.create_topic("large", 1)
        self.world.receiver.tell("status", status=400)
        config = self._config(dead_letter="small", order="none")
        running = self.world.gate("gate-1", config).start()
        large = 37
        records = [{"value": b"%d " % i + os.urandom(50_000 if i == large else 3_000)} for i in range(100)]
        self.world.produce_records("results", records)
        places.wait_until(lambda: self.world.ends("small") == [99], 60, "the 99 small ones")
        places.wait_until(lambda: f"results-0@{large} (" in running.log(200), 10, "the large one is named")
        places.wait_until(lambda: "max.message.bytes" in self._trouble(running), 10, "told in /v1/status")
        places.wait_until(lambda: self.world.committed("results") == [large], 10, "committed up to the large one")
        self.assertEqual(running.terminate(), 0)
        again = self.world.gate("gate-1", self._config(dead_letter="large", order="none")).start()
        places.wait_until(lambda: self.world.ends("large") == [1], 60, "the large one")
        [letter] = self.world.consume("large")
        self.assertEqual(value(letter), records[large]["value"])
        self.assert_committed("results")
        self.assertEqual(self.world.ends("small"), [99])
        self.assertEqual(again.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
