"""SIGTERM: it drains, commits and exits with 0, and the next start delivers nothing twice."""

import signal
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

RECORDS = 3000
PARTITIONS = 4


class Leaving(scenario.Scenario):
    def _leave_and_come_back(self, order, number):
        self.world.create_topic("results", PARTITIONS)
        # Slow answers, so that there is always something in flight when it is asked to go.
        self.world.receiver.tell("delay", delay_ms=20)
        gate = self.world.gate("gate-1", self.world.config("results", 800, {"route": {"order": order}})).start()
        self.world.produce("results", RECORDS, keys=40)
        for share in (0.2, 0.5):
            self.world.receiver.wait_for(int(share * RECORDS) if order == "none" else int(share * RECORDS / 4), 30)
            self.assertEqual(gate.terminate(number=number), 0, gate.log())
            self._check_commit()
            gate.start()
        self.world.receiver.tell("ok")
        self.world.receiver.wait_for(RECORDS, 30)
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(number=number), 0, gate.log())
        gate.start()
        places.wait_until(lambda: len(gate.partitions()) == PARTITIONS, 20, "assigned again")
        self.assertEqual(gate.terminate(), 0, gate.log())
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assertEqual([one for one in seen if one.gate == "gate-1.4"], [])
        self.assertEqual(sum(one.status == 0 for one in seen), 0, "left without waiting for an answer")
        if order == "partition":
            self.assert_ordered(seen)

    def _check_commit(self):
        """What was accepted in one piece from the beginning is committed."""
        accepted = deliveries.first_accepted(self.world.receiver.deliveries())
        for partition, committed in enumerate(self.world.committed("results")):
            done = 0
            while ("results", partition, done) in accepted:
                done += 1
            self.assertEqual(committed or 0, done, f"partition {partition}")

    def test_is_not_ready_while_it_drains(self):
        self.world.create_topic("results", 1)
        self.world.receiver.tell("delay", delay_ms=3000)
        gate = self.world.gate("gate-1", self.world.config("results", 800)).start()
        self.world.produce("results", 1)
        places.wait_until(lambda: gate.status()["targets"][0]["in_flight"] == 1, 20, "a record at the target")
        self.assertEqual(gate.get("/readyz")[0], 200)
        gate.process.send_signal(signal.SIGTERM)
        places.wait_until(lambda: gate.get("/readyz") == (503, "the gate drains: it reads nothing more, and ends\n"), 10, "not ready")
        self.assertFalse(gate.status()["ready"])
        self.assertEqual(gate.process.wait(30), 0, gate.log())

    def test_latest_and_nothing_finished(self):
        """Where a partition began is kept, though nothing of it had finished when the gate left."""
        self.world.create_topic("results", 2)
        self.world.produce("results", 100)
        changes = {"kafka": {"auto_offset_reset": "latest", "commit_interval": "60s"}}
        config = self.world.config("results", 5000, changes)
        ends = self.world.ends("results")
        self.world.receiver.tell("status", status=503)
        gate = self.world.start_gates(1, config, 2)[0]
        # Of both partitions, also of one that has come behind the commit of the other: long before the interval is over.
        places.wait_until(lambda: self.world.committed("results") == ends, 20, "it is committed at once")
        self.world.produce("results", 200)
        places.wait_until(lambda: gate.metrics()['einlass_records_received_total{route="results"}'] == 200, 30,
                          "all of them inside")
        self.assertEqual(gate.terminate(), 0)
        self.assertEqual(self.world.committed("results"), ends)
        self.world.receiver.tell("ok")
        self.world.produce("results", 100)
        gate.start()
        self.world.receiver.wait_for(300, 30, [gate])
        accepted = deliveries.accepted(self.world.receiver.deliveries())
        expected = [("results", partition, offset) for partition, end in enumerate(self.world.ends("results"))
                    for offset in range(ends[partition], end)]
        self.assertEqual(sorted(map(deliveries.record_of, accepted)), expected)

    @plan(kafka="4.1.1")
    def test_sigterm_in_order(self):
        self._leave_and_come_back("partition", signal.SIGTERM)

    @plan(kafka="4.1.1")
    def test_sigint_without_order(self):
        self._leave_and_come_back("none", signal.SIGINT)


if __name__ == "__main__":
    unittest.main()
