"""The promises every scenario ends with."""

import os
import subprocess
import unittest

from harness import deliveries, places, world


class Scenario(unittest.TestCase):
    """One world for one test; its logs are shown when the test fails."""

    redis = True
    kafka = True
    own_kafka = False  # One that the scenario may stop and kill.

    def setUp(self):
        self.world = world.World(kafka=self.kafka, redis=self.redis, own_kafka=self.own_kafka)
        self.addCleanup(self.world.stop)
        self.addCleanup(self._show_logs)
        print(f"{self.id()}: seed {self.world.seed}", flush=True)

    def run(self, result=None):
        # Of a subTest there stands what belongs to its test.
        self._failed = lambda: any(getattr(test, "test_case", test) is self for test, _ in result.failures + result.errors)
        return super().run(result)

    def _show_logs(self):
        if self._failed():
            print(self.world.logs(), flush=True)

    def note(self, text):
        print(f"  {text}", flush=True)

    def assert_nothing_lost(self, seen, topic):
        missing = deliveries.missing(seen, topic, self.world.ends(topic))
        self.assertEqual(missing[:10], [], f"{len(missing)} records were never accepted")

    def assert_no_duplicates(self, seen):
        found = deliveries.duplicates(seen)
        self.assertEqual(found[:5], [], f"{len(found)} records were accepted twice")

    def assert_ordered(self, seen):
        found = deliveries.order_violations(seen)
        self.assertEqual(found[:5], [], f"{len(found)} records overtook another of their partition")

    def assert_within_limit(self, seen, limit, window_us=1_000_000, use_within_us=100_000, jitter_us=100_000):
        """By the limiter's clock exactly; on the wire in any window shorter by use_within and jitter, which is longer in
        slow builds."""
        self.assertEqual(self.world.receiver.summary()["first_strange"], "", "deliveries without their headers")
        self.assertEqual(deliveries.reused_permits(seen)[:5], [], "each attempt needs a permit of its own")
        admitted = deliveries.permits(seen).values()
        worst, start = deliveries.worst_window(admitted, window_us)
        shorter = max(window_us // 4, window_us - use_within_us - int(jitter_us * places.PATIENCE))
        arrived, arrived_start = deliveries.worst_window([one.arrived for one in seen], shorter)
        self.note(f"worst window: {worst} of {limit} admitted in {window_us / 1e6} s, "
                  f"{arrived} arrived in {shorter / 1e6} s")
        self.assertLessEqual(worst, limit, f"admitted within {window_us} us from {start}")
        self.assertLessEqual(arrived, limit, f"arrived within {shorter} us from {arrived_start}")

    def assert_told(self, gate, *texts):
        """Not ready, and these stand in /readyz, in /v1/status and in the log."""
        def everywhere():
            code, ready = places.get(gate.port, "/readyz", timeout=2.0)
            said = [ready, places.get(gate.port, "/v1/status", timeout=2.0)[1], gate.log(400)]
            return code == 503 and all(text in place for text in texts for place in said)
        try:
            places.wait_until(everywhere, 40, f"told: {texts}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{places.get(gate.port, '/readyz')}\n{gate.status()}") from None

    def check(self, gate):
        """Whether all that its config names can be reached, and what is said of it."""
        done = subprocess.run([places.EINLASS, "check", "--connect", "-c", gate.path], capture_output=True, text=True,
                              timeout=60 * places.PATIENCE, check=False)
        said = done.stdout + done.stderr
        with open(os.path.join(self.world.directory, "check.log"), "a") as log:
            log.write(said)  # Secrets are looked for there too.
        return done.returncode == 0, said

    def assert_check_says(self, gate, reason):
        good, said = self.check(gate)
        self.assertFalse(good, said)
        self.assertIn(reason, said)

    def assert_check_is_good(self, gate):
        good, said = self.check(gate)
        self.assertTrue(good, said)

    def assert_books_closed(self, gates):
        """Of gates that have nothing left to do."""
        for gate in gates:
            places.wait_until(lambda: gate.status().get("books", {}).get("inside") == 0, 5, f"{gate.name} empty")
            books = gate.status()["books"]
            self.assertTrue(books["closed"], books)
            # A version that filters nothing does not say how much (tests/deploy/versions_test.py).
            finished = sum(books[name] for name in ("delivered", "dead_lettered", "returned")) + books.get("filtered", 0)
            self.assertEqual(books["received"], finished + books["inside"], books)

    def assert_committed(self, topic):
        """Kafka knows by now that all of the topic is finished."""
        ends = self.world.ends(topic)
        places.wait_until(lambda: [offset or 0 for offset in self.world.committed(topic)] == ends, 10,
                         f"committed up to {ends}")
