"""Several shards in one process: one limit in memory for all of them, nothing lost, order kept; and a loop that stops."""

import concurrent.futures
import signal
import sys
import time
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan
from harness.slow_sends import SlowSends
from harness.stopped_thread import StoppedThread

LIMIT = 400
PARTITIONS = 6
RECORDS = 3000
NO_PRELOAD = "nothing may be loaded before a sanitizer"


def in_memory(changes=None):
    limit = {"algorithm": "sliding_log", "limit": LIMIT, "window": "1s", "store": "memory"}
    return {"shards": 2, "limits": {"shared": limit}, **(changes or {})}


def shards_of(gate):
    """{shard: the partitions it has}."""
    found = {}
    for one in gate.partitions():
        found.setdefault(one["shard"], []).append(one["partition"])
    return found


class Shards(scenario.Scenario):
    redis = False

    def begin(self, changes=None, route=None):
        self.world.create_topic("results", PARTITIONS)
        self.config = self.world.config("results", LIMIT, {**in_memory(changes), "route": route or {}})
        self.gate = self.world.gate("gate-1", self.config).start()
        self.wait_for_halves()

    def wait_for_halves(self):
        half = PARTITIONS // 2
        places.wait_until(lambda: sorted(map(len, shards_of(self.gate).values())) == [half, half], 30,
                          "half of the partitions for each shard")

    def finish(self, gates, patience=60):
        self.world.receiver.wait_for(RECORDS, patience, gates)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        self.assert_ordered(seen)
        self.assertEqual(deliveries.run_order_violations(seen)[:5], [])
        return seen

    @plan(alone=True)
    def test_a_limit_in_memory_holds_over_both(self):
        self.begin()
        self.world.produce("results", RECORDS, keys=60)
        seen = self.finish([self.gate])
        self.assert_within_limit(seen, LIMIT)
        used = deliveries.use_of_limit([one.admitted for one in seen], LIMIT, 1_000_000)
        self.note(f"{used:.2%} of the limit used")
        self.assertGreaterEqual(used, 1 - 0.01 * places.PATIENCE)
        # Both took part, and the pages show their sum.
        halves = shards_of(self.gate)
        for partitions in halves.values():
            self.assertTrue(any(one.partition in partitions for one in seen), halves)
        self.assert_committed("results")
        self.assert_books_closed([self.gate])
        metrics = self.gate.metrics()
        self.assertEqual(metrics['einlass_records_delivered_total{route="results"}'], RECORDS)
        self.assertEqual(metrics['einlass_admissions_total{route="results",limit="shared"}'], RECORDS)
        self.assertEqual(metrics['einlass_admission_wait_seconds_count{route="results"}'], RECORDS)
        committed = [value for name, value in metrics.items() if name.startswith("einlass_committed_offset{")]
        self.assertEqual((len(committed), sum(committed)), (PARTITIONS, RECORDS))
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())

    def test_partitions_move_between_shards_and_gates(self):
        self.begin(changes={"kafka": {"properties": {"session.timeout.ms": 6000}}})  # A gate keeps its own for so long.
        self.world.produce("results", RECORDS, keys=60)
        self.world.receiver.wait_for(RECORDS // 5, 30)
        other = self.world.gate("gate-2", self.config).start()
        # Kafka shares them out by the members' names: two for each shard of gate-1, one for each of gate-2.
        places.wait_until(lambda: (len(self.gate.partitions()), len(other.partitions())) == (4, 2), 30,
                          "partitions for all four shards")
        self.assertIn('event=kafka_partitions_revoked detail="shard 0: the group e2e takes from this gate results ', self.gate.log(1000))
        self.world.receiver.wait_for(RECORDS // 2, 30)
        self.assertEqual(other.terminate(), 0, other.log())
        seen = self.finish([self.gate])
        self.assertEqual({one.gate for one in seen}, {"gate-1.1", "gate-2.1"})
        self.assert_committed("results")
        self.assert_books_closed([self.gate])

    def test_sigterm_and_back(self):
        self.begin()
        self.world.receiver.tell("delay", delay_ms=20)
        self.world.produce("results", RECORDS, keys=60)
        self.world.receiver.wait_for(RECORDS // 5, 30)
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        self.world.receiver.tell("ok")
        self.gate.start()
        seen = self.finish([self.gate])
        self.assertEqual(sum(one.status == 0 for one in seen), 0, "left without waiting for an answer")
        # The members' names are the same, so nothing moved.
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())

    def test_the_places_at_a_target_are_for_both_together(self):
        self.begin(changes={"targets": {"receiver": {"http": {"max_in_flight": 6}}}}, route={"order": "none"})
        self.world.receiver.tell("delay", delay_ms=100)
        self.world.produce("results", 300)
        self.world.receiver.wait_for(300, 60, [self.gate])
        self.assertEqual(deliveries.most_at_once(self.world.receiver.deliveries()), 6)

    def test_a_second_sigterm_leaves_at_once(self):
        self.begin(changes={"drain_timeout": "60s"})
        self.world.receiver.tell("hang", for_ms=60_000)
        self.world.produce("results", 100)
        places.wait_until(lambda: self.gate.waiting("in_flight") > 0, 20, "requests that hang")
        self.gate.process.send_signal(signal.SIGTERM)
        places.wait_until(lambda: "event=draining" in self.gate.log(), 5, "draining")
        self.assertIsNone(self.gate.process.poll(), "the first one drains")
        # What comes with the first one is no second: one after the other, until one is.
        def ended_by_one_more():
            self.gate.process.send_signal(signal.SIGTERM)
            return self.gate.process.poll() is not None
        places.wait_until(ended_by_one_more, 5, "the end")
        self.assertEqual(self.gate.process.returncode, 128 + signal.SIGTERM)


class StuckLoop(scenario.Scenario):
    """One shard's thread is stopped, the rest of the process is not."""

    redis = False

    def begin(self, watchdog):
        self.world.create_topic("results", PARTITIONS)
        self.gate = self.world.gate("gate-1", self.world.config(
            "results", LIMIT, in_memory({"watchdog": watchdog}))).start()
        places.wait_until(lambda: len(shards_of(self.gate)) == 2, 30, "both shards")
        self.assertEqual(places.get(self.gate.port, "/healthz")[0], 200)
        stopped = StoppedThread(self.gate.process, "shard-1")
        self.addCleanup(stopped.let_go)
        self.stopped_at = time.monotonic()
        return stopped

    def after(self):
        return time.monotonic() - self.stopped_at

    def test_not_everybody_may_wait_for_it(self):
        """Who asks why waits for a second; what has been asked stays with the shard, and is bounded."""
        stopped = self.begin("60s")
        with concurrent.futures.ThreadPoolExecutor(24) as askers:
            path = "/v1/why?topic=results&partition=0&offset=0"
            codes = list(askers.map(lambda _: places.get(self.gate.port, path)[0], range(24)))
        self.assertEqual((codes.count(200), codes.count(503)), (16, 8))
        self.assertEqual(places.get(self.gate.port, path)[0], 503, "the shard has still all of them before it")
        stopped.go_on()
        places.wait_until(lambda: places.get(self.gate.port, path)[0] == 200, 10, "it is asked again")
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())

    def test_is_told_and_ends_the_process(self):
        stopped = self.begin("8s")
        status = self.gate.status()  # Within its bounded wait, and names the shard.
        self.assertLess(self.after(), 3 * places.PATIENCE)
        self.assertEqual([shard["answers"] for shard in status["shards"]], [True, False])
        self.assertEqual(status["shards"][1]["trouble"], "shard 1 does not answer")
        code, text = places.get(self.gate.port, "/readyz")
        self.assertEqual((code, text), (503, "shard 1 does not answer\n"))
        self.assertEqual(places.get(self.gate.port, "/metrics")[0], 200)
        places.wait_until(lambda: places.get(self.gate.port, "/healthz")[0] == 503, 8, "not healthy")
        self.assertGreater(self.after(), 4.5)
        text = places.get(self.gate.port, "/healthz")[1]
        self.assertRegex(text, r"^the event loop of shard 1 has been stuck for [5-7] s, in the phase \w+\n$")
        self.assertRegex(self.gate.status()["shards"][1]["trouble"], "^the event loop of shard 1 has been stuck")
        self.assertEqual(stopped.exit_code(10), 1)
        self.note(f"ended {self.after():.1f} s after the loop had stopped, with watchdog: 8s")
        self.assertGreater(self.after(), 7.5)
        self.assertLess(self.after(), 11)
        self.assertIn("level=error event=loop_stuck", self.gate.log())
        self.assertIn("level=error event=watchdog", self.gate.log())

    def test_goes_on_when_it_turns_again(self):
        stopped = self.begin("0s")
        places.wait_until(lambda: places.get(self.gate.port, "/healthz")[0] == 503, 8, "not healthy")
        stopped.go_on()
        places.wait_until(lambda: places.get(self.gate.port, "/healthz")[0] == 200, 3, "healthy again")
        self.world.produce("results", 100)
        self.world.receiver.wait_for(100, 20, [self.gate])
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())

    @plan(whole=True)
    @unittest.skipIf(places.SANITIZER, NO_PRELOAD)
    def test_one_that_turns_slowly_is_told_and_stays_healthy(self):
        """Each for too short to be silent."""
        self.world.create_topic("results", 1)
        self.world.start_producing("results", 200, rate=5)
        slow = SlowSends(self.world.directory)
        self.gate = self.world.gate("gate-1", self.world.config("results", LIMIT, in_memory({"shards": 1})))
        self.gate.before = slow.before
        self.gate.start()
        self.world.receiver.wait_for(5, 20, [self.gate])
        slow.begin()
        places.wait_until(lambda: "is slow" in self.gate.get("/healthz")[1], 40, "slow turns are told")
        code, text = self.gate.get("/healthz")
        self.assertEqual(code, 200, text)
        self.assertRegex(text, r"^the event loop is slow: one iteration in a hundred or more takes a second, the longest \d{4} ms\n$")
        places.wait_until(lambda: "level=error event=loop_slow" in self.gate.log(10_000), 5, "the log")
        slow.end()
        places.wait_until(lambda: self.gate.get("/healthz")[1] == "the loop turns\n", 40, "it turns as it should")
        self.assertEqual(self.gate.log(10_000).count("event=loop_slow"), 1)
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())

    @plan(whole=True)
    def test_a_process_that_was_stopped_as_a_whole_goes_on(self):
        stopped = self.begin("4s")
        stopped.go_on()
        self.gate.process.send_signal(signal.SIGSTOP)
        time.sleep(8)  # The stop is what is tested.
        self.gate.process.send_signal(signal.SIGCONT)
        self.world.produce("results", 100)
        self.world.receiver.wait_for(100, 40, [self.gate])
        self.assertNotIn("event=loop_stuck", self.gate.log(10_000))
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())


if __name__ == "__main__":
    if places.SANITIZER and sys.argv[1:] == ["StuckLoop.test_one_that_turns_slowly_is_told_and_stays_healthy"]:
        print(f"not run: {NO_PRELOAD}")
        sys.exit(77)  # For ctest, to which a test that is skipped in a file has passed.
    unittest.main()
