"""A machine that is short of something: of room for the log, of files, of the processor. Nothing is lost, and records go on."""

import contextlib
import signal
import threading
import time
import unittest

from harness import places, scenario

LIMIT = 200
PARTITIONS = 6
RECORDS = 5 * LIMIT
FILES = 100  # Of which the gate needs some for itself.


@contextlib.contextmanager
def a_fifth_of_a_core(process):
    """As a quota of 0.2 gives it to who wants more (cpu.max: 20000 100000): 20 ms, and then nothing for 80."""
    over = threading.Event()

    def stop_and_go_on():
        while not over.wait(0.02):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.08)
            process.send_signal(signal.SIGCONT)
    thread = threading.Thread(target=stop_and_go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


class Scarce(scenario.Scenario):
    def start(self, before=(), **changes):
        self.world.create_topic("results", PARTITIONS)
        self.gate = self.world.gate("gate-1", self.world.config("results", LIMIT, changes))
        self.gate.before = list(before)
        return self.gate.start()

    def deliver_all(self):
        """The limit needs four seconds for them behind the first one; three times as long is enough."""
        self.world.produce("results", RECORDS, keys=60)
        self.world.receiver.wait_for(RECORDS, 15, [self.gate])

    def end(self):
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_ordered(seen)
        self.assert_within_limit(seen, LIMIT)
        self.assert_committed("results")
        self.assert_books_closed([self.gate])
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())

    def test_no_room_for_the_log(self):
        """As on a disk that is full: each line is refused, also of a target that fails."""
        self.start(["sh", "-c", 'exec "$@" 2>/dev/full', "sh"])
        self.world.receiver.tell("status", status=503, for_ms=1000)
        self.deliver_all()
        self.end()

    def test_fewer_files_than_connections(self):
        """So many records are at the target at once that each connection of its own is more than may be open: each waits, and no
        attempt is counted."""
        self.world.create_topic("dead", 1)
        gate = self.start(["prlimit", f"--nofile={FILES}:{FILES}"], targets={"receiver": {"http": {"max_in_flight": 2 * FILES}}},
                          route={"order": "none", "dead_letter": "dead", "retry": {"initial": "10ms", "max": "100ms", "attempts": 1}})
        self.world.receiver.tell("delay", delay_ms=1000)
        self.world.produce("results", RECORDS, keys=60)
        places.wait_until(lambda: "too many open files" in gate.log(1000), 20, "that there are no files is told")
        self.world.receiver.tell("ok")
        self.world.receiver.wait_for(RECORDS, 30, [gate])
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assertEqual(self.world.ends("dead"), [0])
        self.assertEqual(gate.terminate(), 0, gate.log())

    def test_a_fifth_of_a_core(self):
        gate = self.start()
        with a_fifth_of_a_core(gate.process):
            self.deliver_all()
            self.assertEqual(places.get(gate.port, "/healthz")[0], 200)
            self.assertEqual(len(gate.partitions()), PARTITIONS, "it is in its group")
        self.assertNotIn("level=error", gate.log(2000))
        self.end()


if __name__ == "__main__":
    unittest.main()
