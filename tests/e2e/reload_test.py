"""The configuration is read anew while records pass: all of it or nothing, and nothing in flight is disturbed."""

import json
import signal
import time
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan
from harness.gate import merge

PARTITIONS = 6
SECOND_US = 1_000_000


class Reload(scenario.Scenario):
    redis = False
    store = "memory"
    shards = 2

    def begin(self, limit, changes=None):
        self.world.create_topic("results", PARTITIONS)
        shared = {"algorithm": "sliding_log", "limit": limit, "window": "1s", "store": self.store, "horizon": "200ms"}
        self.config = self.world.config("results", limit, {
            "shards": self.shards, "limits": {"shared": shared}, **(changes or {})})
        self.gate = self.world.gate("gate-1", self.config).start()
        places.wait_until(lambda: len(self.gate.partitions()) == PARTITIONS, 30, "all partitions")

    def write(self, changes):
        """The gate's file with `changes` laid over it."""
        with open(self.gate.path) as file:
            config = merge(json.load(file), changes)
        with open(self.gate.path, "w") as file:
            json.dump(config, file, indent=1)

    def post(self):
        return places.get(self.gate.port, "/-/reload", "POST", "")

    def result(self, name):
        return self.gate.metrics()[f'einlass_config_reloads_total{{result="{name}"}}']

    def finish(self, records, patience=60, in_order=True):
        self.world.receiver.wait_for(records, patience, [self.gate])
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_no_duplicates(seen)
        if in_order:
            self.assert_ordered(seen)
        self.assert_committed("results")
        self.assert_books_closed([self.gate])
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        return seen


class Watched(Reload):
    """With --watch-config nobody needs to ask."""

    def begin_watched(self):
        self.world.create_topic("results", PARTITIONS)
        self.gate = self.world.gate("gate-1", merge(self.world.config("results", 100), {
            "limits": {"shared": {"store": "memory"}}}))
        self.gate.options = ["--watch-config"]
        self.gate.start()

    def test_a_changed_limit_holds_soon(self):
        self.begin_watched()
        self.write({"limits": {"shared": {"limit": 50}}})
        places.wait_until(lambda: self.result("applied") == 1, 20, "the reload")
        self.assertIn("limits.shared.limit: 100 -> 50", self.gate.log())

    def test_one_with_a_mistake_changes_nothing_and_is_tried_once(self):
        self.begin_watched()
        self.write({"limits": {"shared": {"limit": "many"}}})
        places.wait_until(lambda: self.result("wrong") == 1, 20, "the refusal")
        places.wait_until(lambda: [one["ended"] for one in self.refusals()] == [None], 5, "it is told, and lasts")
        [refusal] = self.refusals()
        self.assertEqual(refusal["since"], self.gate.status()["reload"]["at"])
        self.write({"limits": {"shared": {"limit": 60}}})
        places.wait_until(lambda: self.result("applied") == 1, 20, "the reload")
        self.assertEqual(self.result("wrong"), 1)
        places.wait_until(lambda: [one["ended"] is None for one in self.refusals()] == [False], 5, "its end is told")

    def refusals(self):
        return [one for one in self.gate.status()["troubles"] if one["what"] == "reload"]


class DebugLog(Reload):
    """log.level: debug tells each step while it is wanted, and not each record of it."""

    RECORDS = 2_000

    def lines(self):
        return [line for line in self.gate.log(100_000).splitlines() if " level=debug " in line]

    def events(self):
        return {line.split(" event=")[1].split()[0] for line in self.lines()}

    def told(self, event):
        """How many of an event were told: the first by its line, the others by their count, which comes up to a second later."""
        lines = [line for line in self.lines() if f" event={event} " in line]
        return sum(int(line.rsplit("repeated=", 1)[1]) if "repeated=" in line else 1 for line in lines)

    def set_level(self, level):
        self.write({"log": {"level": level}})
        self.assertEqual(self.post()[0], 200, self.gate.log())

    def test_each_step_is_told_while_it_is_wanted(self):
        self.begin(self.RECORDS // 2, {"kafka": {"properties": {"debug": "cgrp"}}, "shards": 1})
        self.world.produce("results", 100)
        self.world.receiver.wait_for(100, 30, [self.gate])
        self.assertEqual(self.lines(), [])
        self.set_level("debug")
        began = time.monotonic()
        self.world.produce("results", self.RECORDS)
        self.world.receiver.wait_for(100 + self.RECORDS, 60, [self.gate])
        steps = {"record_read", "permits_asked", "permits_granted", "attempt_begun", "attempt_ended", "commit_begun",
                 "commit_ended", "kafka_log"}
        places.wait_until(lambda: not steps - self.events(), 20, f"{steps}: all of them")
        places.wait_until(lambda: self.told("attempt_ended") == self.RECORDS, 20, "the end of each attempt, told or counted")
        took = time.monotonic() - began
        self.assertLess(len(self.lines()), 110 * (took + 1))
        self.assertNotIn("debug", {one["severity"] for one in self.gate.status()["recent"]})
        self.set_level("info")
        told = len(self.lines())
        self.world.produce("results", 100)
        self.world.receiver.wait_for(200 + self.RECORDS, 30, [self.gate])
        self.assertEqual(len(self.lines()), told)
        self.finish(200 + self.RECORDS)


@plan(alone=True, seconds=300)
class Limits(Reload):
    """Raised, then lowered: in every window the larger of those that hold in it, in the end the smaller."""

    LOW, HIGH, LOWEST = 100, 400, 50

    def test_a_limit_raised_and_lowered_under_load(self):
        self.begin(self.LOW)
        records, later = 1500, 250
        self.world.produce("results", records, keys=60)
        self.world.receiver.wait_for(3 * self.LOW, 30)
        raised, _ = self.change_limit(self.HIGH, self.LOW)
        self.world.receiver.wait_for(1300, 60)
        _, lowered = self.change_limit(self.LOWEST, self.HIGH)
        # However many left before the reload was answered: enough for some seconds of the lowest.
        self.world.produce("results", later, keys=60)
        seen = self.finish(records + later)
        admitted = sorted(deliveries.permits(seen).values())
        # What was granted ahead under the numbers before, at most the horizon, comes due after the change.
        ahead = 200_000
        parts = [("before", 0, raised, self.LOW), ("raised", raised, lowered, self.HIGH),
                 ("lowered", lowered + ahead, places.now_us() + SECOND_US, self.LOWEST)]
        for name, begin, end, limit in parts:
            part = [at for at in admitted if begin <= at < end]
            worst, _ = deliveries.worst_window(part, SECOND_US)
            self.note(f"{name}: {worst} of {limit} in the worst second, {len(part)} in all")
            self.assertLessEqual(worst, limit, name)
        worst, _ = deliveries.worst_window(admitted, SECOND_US)
        self.assertLessEqual(worst, self.HIGH)
        # It is used, too: raised at once, and lowered it gives what it says.
        quick = [at for at in admitted if raised <= at < raised + SECOND_US]
        self.assertGreaterEqual(len(quick), self.HIGH // 2)
        self.assertGreaterEqual(deliveries.worst_window([at for at in admitted if at > lowered + 2 * SECOND_US],
                                                        SECOND_US)[0], self.LOWEST * 0.95)

    def change_limit(self, limit, before):
        """When it was asked for, and when it was answered that it holds."""
        self.write({"limits": {"shared": {"limit": limit}}})
        asked = places.now_us()
        code, text = self.post()
        self.assertEqual((code, text), (200, f"limits.shared.limit: {before} -> {limit}\n"))
        return asked, places.now_us()


@plan(whole=True)
class LimitsInRedis(Limits):
    redis = True
    store = "redis"
    shards = 1


@plan(whole=True)
class ShorterWindows(Reload):
    """An open window ends when it would have ended; that it takes longer than the new one is no trouble of Redis."""

    redis = True
    store = "redis"
    shards = 1

    def test_of_a_counter(self):
        self.shorten("counter")

    def test_of_a_fixed_window(self):
        self.shorten("fixed_window")

    def shorten(self, algorithm):
        self.begin(2, {"limits": {"shared": {"algorithm": algorithm, "limit": 2, "window": "1d", "store": "redis",
                                             "horizon": "0s"}}})
        self.world.produce("results", 5)
        self.world.receiver.wait_for(2, 30)
        self.write({"limits": {"shared": {"window": "1s"}}})
        self.assertEqual(self.post()[0], 200)
        asks = self.asks()
        # Those about Retry-After are among them, so some more than the one that the reload makes.
        self.is_no_trouble(asks)
        # Nor to one that knows nothing of the window as it was.
        self.assertEqual(self.gate.terminate(), 0)
        self.gate.start()
        self.is_no_trouble(self.asks())

    def is_no_trouble(self, asks):
        places.wait_until(lambda: self.asks() > asks + 10, 60, "the limit was asked under its new window")
        self.assertEqual(places.get(self.gate.port, "/readyz")[0], 200)
        self.assertNotIn("redis_limit_closed", self.gate.log(10_000))
        self.assertEqual(self.world.receiver.summary()["accepted"], 2)

    def asks(self):
        return sum(calls for name, (calls, _) in self.world.redis.command_calls().items() if name.startswith("eval"))


class Files(Reload):
    def test_a_wrong_file_changes_nothing(self):
        self.begin(500)
        with open(self.gate.path) as file:
            good = file.read()
        with open(self.gate.path, "w") as file:
            file.write(good.replace('"1s"', '"1 sec"', 1).replace('"limit": 500', '"limit": -1'))
        code, text = self.post()
        self.assertEqual(code, 400, text)
        lines = text.splitlines()
        self.assertEqual(len(lines), 2, text)
        for line, option in zip(lines, ("limits.shared.limit", "limits.shared.window")):
            self.assertRegex(line, rf"^{self.gate.path}:\d+:\d+: {option}: ")
            self.assertIn(option, self.gate.log())
        self.assertEqual(self.result("wrong"), 1)
        self.assertEqual(self.gate.metrics()["einlass_config_last_reload_successful"], 0)
        status = self.gate.status()["reload"]
        self.assertEqual((status["successful"], status["said"]), (False, text))
        # Not there at all, and by signal: the same way.
        with open(self.gate.path, "w") as file:
            file.write("")
        self.gate.process.send_signal(signal.SIGHUP)
        places.wait_until(lambda: self.result("wrong") == 2, 5, "the second wrong file is counted")
        self.world.produce("results", 300)
        with open(self.gate.path, "w") as file:
            file.write(good)
        self.assertEqual(self.post(), (200, "nothing has changed\n"))
        self.assertEqual(self.gate.metrics()["einlass_config_last_reload_successful"], 1)
        self.finish(300)

    def test_what_needs_a_restart_is_listed_and_nothing_is_changed(self):
        self.begin(100)
        self.write({"instance": "gate-9", "limits": {"shared": {"algorithm": "token_bucket", "limit": None,
                                                              "window": None, "rate": "1000/s", "burst": 1000}},
                    "kafka": {"group": "other", "commit_interval": "1s"}})
        code, text = self.post()
        self.assertEqual(code, 409, text)
        for option in ("instance: gate-1 -> gate-9 needs a restart: ", "kafka.group: e2e -> other needs a restart: ",
                       "limits.shared.algorithm: sliding_log -> token_bucket needs a restart: "):
            self.assertIn(option, text)
        self.assertNotIn("commit_interval", text)
        self.assertEqual(self.result("needs_restart"), 1)
        self.world.produce("results", 350)
        seen = self.finish(350)
        self.assert_within_limit(seen, 100)  # The old one.

    def test_a_target_that_cannot_be_made_changes_nothing(self):
        self.begin(100)
        self.write({"targets": {"receiver": {"http": {"url": "https://127.0.0.1:1/", "ca_file": "/no/such/file"}}}})
        code, text = self.post()
        self.assertEqual(code, 400, text)
        self.assertIn("/no/such/file", text)
        self.world.produce("results", 100)
        self.finish(100)

    def test_a_gate_that_drains_changes_nothing_more(self):
        self.begin(100)
        self.world.receiver.tell("delay", delay_ms=3000)
        self.world.produce("results", 1)
        places.wait_until(lambda: self.gate.status()["targets"][0]["in_flight"] == 1, 20, "it is in flight")
        self.gate.process.send_signal(signal.SIGTERM)
        places.wait_until(lambda: "event=draining" in self.gate.log(), 5, "it drains")
        self.write({"limits": {"shared": {"limit": 50}}})
        code, text = self.post()
        self.assertEqual((code, text), (409, "the gate drains and ends: the next one reads the file\n"))
        self.assertEqual(self.gate.process.wait(20 * places.PATIENCE), 0, self.gate.log())

    def test_other_methods_are_refused(self):
        self.begin(100)
        self.assertEqual(places.get(self.gate.port, "/-/reload"), (405, "only POST is served here\n"))
        self.assertEqual(places.get(self.gate.port, "/metrics", "POST")[0], 405)


@plan(seconds=300)
class UnderLoad(Reload):
    @plan(alone=True, whole=True)
    def test_twenty_reloads_in_a_row(self):
        """Half by signal: limits, bounds, retries, and headers of a target whose answers are slow."""
        self.begin(400)
        records = 4000
        self.world.receiver.tell("delay", delay_ms=20)
        producer = self.world.start_producing("results", records, keys=60, rate=500)
        self.world.receiver.wait_for(200, 30)
        for turn in range(20):
            self.write({"limits": {"shared": {"limit": 400 + turn}},
                        "inside": {"records": 100_000 - turn}, "drain_timeout": f"{10 + turn}s",
                        "targets": {"receiver": {"http": {"headers": {"X-Gate": f"gate-1.{turn + 2}"},
                                                          "max_in_flight": 64 - 2 * turn}}}})
            applied = self.result("applied")
            if turn % 2:
                self.gate.process.send_signal(signal.SIGHUP)
            else:
                self.assertEqual(self.post()[0], 200)
            places.wait_until(lambda: self.result("applied") == applied + 1, 5, f"reload {turn}")
            self.world.receiver.wait_for(self.world.receiver.summary()["distinct"] + 30, 20, [self.gate])
        self.assertEqual(producer.wait(60), 0)
        connections = self.gate.status()["targets"][0]["connections"]
        self.assertLessEqual(connections, 64, "old connections retire")
        seen = self.finish(records, 90)
        self.assert_within_limit(seen, 419)
        self.assertEqual(sum(one.status == 0 for one in seen), 0, "every attempt ended with its answer")
        self.assertGreaterEqual(len({one.gate for one in seen}), 15, "the new headers were used in between")

    def test_far_fewer_connections_while_answers_arrive(self):
        """What the gate had just meant to send was reckoned with the connections from before."""
        self.begin(1_000_000, {"route": {"order": "none"}})
        records = 30_000
        producer = self.world.start_producing("results", records, keys=60, rate=6000)
        self.world.receiver.wait_for(200, 30)
        reloads = 0
        while producer.poll() is None:
            reloads += 1
            self.write({"targets": {"receiver": {"http": {"max_in_flight": 2 if reloads % 2 else 256}}}})
            self.assertEqual(self.post()[0], 200)
        self.assertGreater(reloads, 5)  # With sanitizers, beside a build, two cores manage 10; else some hundred.
        self.finish(records, in_order=False)

    def test_a_new_url_takes_over(self):
        self.begin(400)
        self.world.produce("results", 800, keys=60)
        self.world.receiver.wait_for(200, 30)
        url = f"http://127.0.0.1:{self.world.receiver.port}/elsewhere"
        self.write({"targets": {"receiver": {"http": {"url": url}}}})
        self.world.receiver.keep_full()
        self.assertEqual(self.post()[0], 200)
        self.finish(800)
        paths = [head.split(b" ", 2)[1] for head, _ in self.world.receiver.full()]
        turned = paths.index(b"/elsewhere")
        self.assertEqual(set(paths[turned + 64:]), {b"/elsewhere"})

    def test_a_stuck_limit_is_set_free_at_once(self):
        """A line that was told to wait for an hour asks again."""
        self.begin(1, {"limits": {"shared": {"algorithm": "sliding_log", "limit": 1, "window": "1h", "store": "memory"}}})
        self.world.produce("results", 50)
        self.world.receiver.wait_for(1, 20)
        self.write({"limits": {"shared": {"limit": 1000}}})
        start = time.monotonic()
        self.assertEqual(self.post()[0], 200)
        self.world.receiver.wait_for(50, 5)
        self.note(f"{time.monotonic() - start:.2f} s from the reload to the last record")
        self.finish(50)


if __name__ == "__main__":
    unittest.main()
