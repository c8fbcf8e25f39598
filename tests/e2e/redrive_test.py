"""`einlass redrive`: dead letters go through the same limits to the same target again, each once, up to the noted end."""

import collections
import datetime
import json
import os
import re
import signal
import subprocess
import unittest

from harness import deliveries, gate, places, reports, scenario
from harness.plan import plan

PARTITIONS = 2
BOOKS = re.compile(r"(\S+): read (\d+) = delivered (\d+) \+ dead again (\d+) \+ skipped (\d+) \+ left (\d+)")
Books = collections.namedtuple("Books", "topic read delivered dead_again skipped left")


def letter(offset, partition=0, reason="refused", route="results", topic="results", at=None, **changes):
    """A dead letter of the record `topic`-`partition`@`offset`, to be written into partition `at`."""
    headers = {"einlass-route": route, "einlass-topic": topic, "einlass-partition": str(partition),
               "einlass-offset": str(offset), "einlass-timestamp": "1234", "einlass-attempts": "1",
               "einlass-reason": reason, "einlass-status": "400", "einlass-error": "status 400",
               "einlass-first-attempt-at": "1000", "einlass-last-attempt-at": "2000", **changes}
    return {"partition": partition if at is None else at, "key": b"k%d" % (offset % 7),
            "value": b"%d-%d" % (partition, offset),
            "headers": [("x-own", b"kept")] + [(name, value.encode()) for name, value in headers.items()
                                               if value is not None]}


def letters(count, **changes):
    """So many of each partition of `results`."""
    return [letter(offset, partition, **changes) for offset in range(count) for partition in range(PARTITIONS)]


def story(record):
    return {name: bytes.fromhex(value).decode() for name, value in record["headers"] if name.startswith("einlass-")}


class Redrive(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", PARTITIONS)
        self.world.create_topic("dead", PARTITIONS)
        self._runs = 0

    def config(self, limit=1000, **changes):
        route = {"dead_letter": "dead", "order": "none", **changes.pop("route", {})}
        store = "redis" if self.redis else "memory"
        return self.world.config("results", limit, gate.merge(
            {"limits": {"shared": {"store": store}}, "route": route}, changes))

    def two_routes(self):
        """Each with a target of its own, that can be told by X-Gate."""
        config = self.config()
        one = config["targets"]["receiver"]
        config["targets"] = {"receiver": gate.merge(one, {"http": {"headers": {"X-Gate": "results.1"}}}),
                             "other": gate.merge(one, {"http": {"headers": {"X-Gate": "others.1"}}})}
        config["routes"].append({**config["routes"][0], "name": "others", "topics": ["others"], "order": "partition",
                                 "target": "other"})
        config["routes"].append({**config["routes"][0], "name": "without", "topics": ["without"]})
        del config["routes"][2]["dead_letter"]
        return config

    def start(self, config, *arguments):
        self._runs += 1
        path = os.path.join(self.world.directory, f"redrive-{self._runs}.json")
        with open(path, "w") as file:
            json.dump(config, file, indent=1)
        where = () if {"--topic", "--route"} & set(arguments) else ("--topic", "dead")
        # Its end is that of its test, whatever happens.
        process = subprocess.Popen([places.EINLASS, "redrive", "-c", path, *where, *arguments], text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def finish(self, process, code=0, patience=60):
        """(books, stdout, stderr) of one that must end with that code."""
        try:
            out, errors = process.communicate(timeout=patience * places.PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
            self.fail(f"the redrive did not end within {patience} s:\n{out}{errors}")
        self.assertEqual(process.returncode, code, out + errors)
        self.assertEqual(reports.first_in(errors), "")
        found = BOOKS.search(out)
        books = Books(found[1], *map(int, found.groups()[1:])) if found else None
        if books:
            self.assertEqual(books.read, sum(books[2:]), out)
        return books, out, errors

    def redrive(self, config, *arguments, code=0, patience=60):
        return self.finish(self.start(config, *arguments), code, patience)

    def progress(self):
        return self.world.committed("dead", "e2e.redrive")

    def accepted(self):
        """How often each record was accepted, by what it was at first."""
        return collections.Counter(deliveries.record_of(one)
                                   for one in deliveries.accepted(self.world.receiver.deliveries()))

    def assert_each_once(self, expected):
        accepted = self.accepted()
        self.assertEqual({record: count for record, count in accepted.items() if count > 1}, {}, "sent twice")
        self.assertEqual(sorted(accepted), sorted(expected))


def records(count, first=0):
    return [("results", partition, offset) for partition in range(PARTITIONS) for offset in range(first, count)]


class AfterARun(Redrive):
    """The whole way: refused by the target, in the dead letter topic, sent again."""

    def test_two_hundred_refused_records(self):
        config = self.config(route={"order": "partition"}, targets={"receiver": {"http": {
            "forward_headers": ["x-own"]}}})
        self.world.receiver.tell("status", status=400)
        running = self.world.gate("gate-1", config).start()
        self.world.produce_records("results", [
            {"partition": i % PARTITIONS, "key": b"key %d" % (i % 40), "value": b"value %d" % i,
             "headers": [("traceparent", b"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
                         ("einlass-route", b"from somewhere else"), ("x-own", b"kept")]} for i in range(200)])
        places.wait_until(lambda: sum(self.world.ends("dead")) == 200, 30, "200 dead letters")
        refused = self.world.receiver.deliveries()
        self.world.receiver.tell("ok")
        self.world.receiver.clear()
        self.world.receiver.keep_full()

        _, out, _ = self.redrive(config, "--dry-run")
        self.assertIn("dead: read 200, would send 200, skip 0, leave 0", out)
        self.assertIn("by route: results 200\n", out)
        self.assertIn("by reason: refused 200\n", out)
        self.assertIn("by status: 400 200\n", out)
        self.assertRegex(out, r"dead-[01]@0  refused  400  ")
        self.assertEqual(self.world.receiver.deliveries(), [])
        self.assertEqual(self.progress(), [None, None])

        books, _, errors = self.redrive(config, "--route", "results")
        self.assertEqual(books, Books("dead", 200, 200, 0, 0, 0))
        self.assertIn("redrive_limits_in_memory", errors)
        seen = self.world.receiver.deliveries()
        self.assert_each_once(records(100))
        self._check_order(seen)
        self.assertEqual(self.progress(), self.world.ends("dead"))
        self._check_requests(200)
        # The same record, the same body, and a permit of its own.
        self.assertEqual({(deliveries.record_of(one), one.hash) for one in refused},
                         {(deliveries.record_of(one), one.hash) for one in seen})
        self.assertEqual(deliveries.reused_permits(refused + seen), [])

        books, _, _ = self.redrive(config)
        self.assertEqual(books, Books("dead", 0, 0, 0, 0, 0))
        self.assertEqual(running.terminate(), 0)

    def _check_order(self, seen):
        """That of each partition of the dead letter topic."""
        arrived = {deliveries.record_of(one): number for number, one in enumerate(seen)}
        for partition in range(PARTITIONS):
            told = [story(one) for one in self.world.consume("dead") if one["partition"] == partition]
            order = [arrived[one["einlass-topic"], int(one["einlass-partition"]), int(one["einlass-offset"])]
                     for one in told]
            self.assertEqual(order, sorted(order), f"partition {partition} of the dead letter topic")

    def _check_requests(self, count):
        full = self.world.receiver.full()
        self.assertEqual(len(full), count)
        for head, body in full:
            headers = {line.split(b":", 1)[0].lower(): line.split(b":", 1)[1].strip()
                       for line in head.split(b"\r\n")[1:] if b":" in line}
            place = b"%s-%s-%s" % (headers[b"kafka-topic"], headers[b"kafka-partition"], headers[b"kafka-offset"])
            self.assertEqual(headers[b"kafka-topic"], b"results")
            self.assertEqual(headers[b"idempotency-key"], b'"%s"' % place)
            number = int(body.split()[1])
            self.assertEqual(int(headers[b"kafka-offset"]), number // PARTITIONS)
            self.assertGreater(int(headers[b"kafka-timestamp"]), 1_600_000_000_000)
            self.assertEqual(headers[b"einlass-attempt"], b"1")
            self.assertTrue(headers[b"traceparent"].startswith(b"00-0af7"))
            self.assertEqual(headers[b"x-own"], b"kept")


class Choosing(Redrive):
    def test_by_reason(self):
        self.world.produce_records("dead", [letter(i, i % 2, reason="attempts" if i % 3 == 0 else "refused")
                                            for i in range(90)])
        config = self.config()
        _, out, _ = self.redrive(config, "--dry-run", "--reason", "attempts,never")
        self.assertIn("would send 30, skip 60", out)
        self.assertIn("by reason: attempts 30\n", out)
        books, out, _ = self.redrive(config, "--reason", "attempts")
        self.assertEqual(books, Books("dead", 90, 30, 0, 60, 0))
        self.assertIn("--from beginning", out)
        self.assert_each_once([("results", i % 2, i) for i in range(0, 90, 3)])
        books, _, _ = self.redrive(config, "--from", "beginning", "--reason", "refused,never")
        self.assertEqual(books, Books("dead", 90, 60, 0, 30, 0))
        self.assert_each_once([("results", i % 2, i) for i in range(90)])
        # Where nothing at all is sent the progress goes on all the same.
        self.world.produce_records("dead", letters(3))
        books, _, _ = self.redrive(config, "--reason", "never")
        self.assertEqual(books, Books("dead", 6, 0, 0, 6, 0))
        self.assertEqual(self.progress(), [48, 48])

    def test_from_a_place(self):
        self.world.produce_records("dead", letters(20))
        config = self.config()
        for arguments, expected in (
                (("--from", "15"), records(20, first=15)),
                (("--from", "1:12"), [("results", 1, offset) for offset in range(12, 20)]),
                (("--from", "0:19,1:18"), [("results", 0, 19), ("results", 1, 18), ("results", 1, 19)]),
                (("--from", "beginning", "--partition", "1"), [("results", 1, offset) for offset in range(20)]),
                (("--from", "beginning", "--partition", "0", "--limit", "7"), [("results", 0, i) for i in range(7)]),
                (("--from", "1000"), []),
                (("--partition", "0", "--limit", "5"), [("results", 0, i) for i in range(7, 12)]),
                ((), [("results", 0, i) for i in range(12, 20)])):
            with self.subTest(arguments=arguments):
                self.world.receiver.clear()
                books, _, _ = self.redrive(config, *arguments)
                self.assertEqual(books.delivered, len(expected))
                self.assert_each_once(expected)

    def test_from_a_time(self):
        self.world.produce_records("dead", letters(10))
        between = (max(one["timestamp"] for one in self.world.consume("dead")) // 1000 + 1) * 1000
        places.wait_until(lambda: places.now_us() // 1000 > between, 5, "the next second")
        self.world.produce_records("dead", [letter(100, 0), letter(101, 1)])
        time = datetime.datetime.fromtimestamp(between / 1000, datetime.timezone.utc)
        config = self.config()
        before = self.progress()
        self.redrive(config, "--dry-run", "--from", "2100-01-01")
        self.assertEqual((self.redrive(config, "--from", "2100-01-01")[0].read, self.progress()), (0, before))
        books, _, _ = self.redrive(config, "--from", time.strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.assertEqual(books.delivered, 2)
        self.assert_each_once([("results", 0, 100), ("results", 1, 101)])


class Interrupted(Redrive):
    def _begin(self, order):
        self.world.produce_records("dead", letters(200))
        config = self.config(limit=100, route={"order": order})
        self.world.receiver.tell("delay", delay_ms=30)
        first = self.start(config)
        self.world.receiver.wait_for(100, 30)
        return config, first

    def _leave_and_begin_again(self, order):
        config, first = self._begin(order)
        first.send_signal(signal.SIGTERM)
        books, _, errors = self.finish(first, patience=15)
        self.assertIn("draining", errors)
        self.assertLess(books.delivered, 400)
        sent = self.accepted()
        self.assertEqual(sum(sent.values()), books.delivered)
        second, _, _ = self.redrive(self.config(limit=1000, route={"order": order}))
        self.assertEqual(second.delivered, 400 - books.delivered)
        self.assert_each_once(records(200))
        if order == "partition":
            self.assert_ordered(self.world.receiver.deliveries())
        self.assertEqual(self.progress(), [200, 200])

    def test_sigterm_in_order(self):
        self._leave_and_begin_again("partition")

    def test_sigterm_without_order(self):
        self._leave_and_begin_again("none")

    def test_sigterm_with_many_finished_ahead(self):
        """Every fifth is turned away and would wait for long: all behind them are finished, and not sent again."""
        self.world.produce_records("dead", letters(100))
        self.world.receiver.tell("mix", seed=self.world.seed, percent=20, statuses=[503])
        config = self.config(route={"retry": {"initial": "10m", "max": "10m"}})
        first = self.start(config)
        places.wait_until(lambda: len(self.world.receiver.deliveries()) == 200, 30, "all were tried once")
        first.send_signal(signal.SIGTERM)
        books, _, _ = self.finish(first, patience=30)
        self.assertGreater(books.left, 10)
        self.world.receiver.tell("ok")
        second, out, _ = self.redrive(config)
        self.assertEqual(second.delivered, books.left, out)
        self.assert_each_once(records(100))
        self.assertEqual(self.progress(), [100, 100])

    def test_killed(self):
        """Only what was under way or not yet committed comes again."""
        _, first = self._begin("none")
        first.kill()
        self.finish(first, code=-signal.SIGKILL)
        killed = places.now_us()
        self.redrive(self.config(limit=1000))
        twice = deliveries.duplicates(self.world.receiver.deliveries())
        first_seen = deliveries.first_accepted(self.world.receiver.deliveries())
        self.assertEqual(sorted(first_seen), sorted(records(200)))
        self.note(f"{len(twice)} duplicates")
        # 100 ms between commits, 100 records a second, and the way to Kafka.
        for one in twice:
            self.assertGreater(first_seen[deliveries.record_of(one)].arrived, killed - 500_000)


class Again(Redrive):
    def test_refused_again_and_new_letters_meanwhile(self):
        """What dies again stands behind the noted end: it is not read twice, and its story goes on."""
        self.world.produce_records("dead", letters(50))
        self.world.receiver.tell("status", status=422)
        config = self.config(limit=50)
        process = self.start(config)
        self.world.receiver.wait_for(0, 10)
        places.wait_until(lambda: len(self.world.receiver.deliveries()) > 20, 20, "it has begun")
        self.world.produce_records("dead", [letter(offset) for offset in range(1000, 1030)])
        books, _, _ = self.finish(process)
        self.assertEqual(books, Books("dead", 100, 0, 100, 0, 0))
        found = self.world.consume("dead")
        self.assertEqual(len(found), 100 + 30 + 100)
        again = [one for one in found if story(one)["einlass-status"] == "422"]
        self.assertEqual(len(again), 100)
        for one in again:
            told = story(one)
            self.assertEqual(len([name for name, _ in one["headers"]]), len({name for name, _ in one["headers"]}))
            self.assertEqual((told["einlass-route"], told["einlass-topic"], told["einlass-reason"]),
                             ("results", "results", "refused"))
            self.assertEqual((told["einlass-attempts"], told["einlass-first-attempt-at"]), ("2", "1000"))
            self.assertGreater(int(told["einlass-last-attempt-at"]), 1_600_000_000_000)
            self.assertEqual(told["einlass-timestamp"], "1234")
            self.assertIn(["x-own", b"kept".hex()], one["headers"])
            self.assertEqual(bytes.fromhex(one["value"]).decode(),
                             f"{told['einlass-partition']}-{told['einlass-offset']}")
        self.assertEqual({(story(one)["einlass-partition"], story(one)["einlass-offset"]) for one in again},
                         {(str(p), str(o)) for p in range(PARTITIONS) for o in range(50)})
        # The next one has them all.
        self.world.receiver.tell("ok")
        self.world.receiver.clear()
        books, _, _ = self.redrive(self.config())
        self.assertEqual(books, Books("dead", 130, 130, 0, 0, 0))

    def test_out_of_attempts_again(self):
        self.world.produce_records("dead", letters(3, reason="attempts"))
        self.world.receiver.tell("status", status=503)
        config = self.config(route={"retry": {"initial": "10ms", "max": "20ms", "attempts": 3}})
        books, _, _ = self.redrive(config)
        self.assertEqual(books, Books("dead", 6, 0, 6, 0, 0))
        again = [story(one) for one in self.world.consume("dead") if story(one)["einlass-status"] == "503"]
        self.assertEqual([(one["einlass-reason"], one["einlass-attempts"]) for one in again], 6 * [("attempts", "4")])


class SeveralRoutes(Redrive):
    def test_one_topic_for_two_routes_and_strangers(self):
        odd = [letter(1, route="gone"), letter(2, route="gone", at=1), letter(3, route="without"),
               letter(4, **{"einlass-offset": None}), letter(5, **{"einlass-partition": "-1"}),
               {"partition": 0, "value": b"no story at all"}]
        mixed = [letter(i, route="others" if i % 2 else "results", topic="others" if i % 2 else "results")
                 for i in range(60)]
        self.world.produce_records("dead", mixed[:30] + odd + mixed[30:])
        config = self.two_routes()
        _, out, _ = self.redrive(config, "--dry-run")
        self.assertIn("read 66, would send 60, skip 0, leave 6", out)
        self.assertIn("by route: others 30, results 30\n", out)
        books, out, errors = self.redrive(config)
        self.assertEqual(books, Books("dead", 66, 60, 0, 0, 6))
        self.assertIn("route 'gone' is not in the configuration", errors)
        self.assertIn("route 'without' has no dead_letter", errors)
        self.assertIn("einlass-offset is missing", errors)
        self.assert_each_once([("others" if i % 2 else "results", 0, i) for i in range(60)])
        self.assertEqual({(one.topic, one.gate) for one in self.world.receiver.deliveries()},
                         {("results", "results.1"), ("others", "others.1")})
        seen = [one for one in self.world.receiver.deliveries() if one.topic == "others"]
        self.assert_ordered(seen)
        self.assertEqual(self.progress(), self.world.ends("dead"))


class WithAGate(Redrive):
    redis = True

    @plan(alone=True)
    def test_the_limit_is_the_fleets(self):
        limit = 100
        config = self.config(limit=limit)
        self.world.produce_records("dead", letters(150))
        running = self.world.gate("gate-1", config).start()
        self.world.produce("results", 600)
        process = self.start(config)
        self.world.receiver.wait_for(600, 60, [running])
        books, _, errors = self.finish(process)
        self.assertEqual(books.delivered, 300)
        self.assertNotIn("redrive_limits_in_memory", errors)
        self.assert_within_limit(self.world.receiver.deliveries(), limit)
        self.assertEqual(running.terminate(), 0)

    def test_a_table_of_pauses_that_cannot_be_read_sends_nothing(self):
        self.world.produce_records("dead", letters(5))
        self.world.redis.pause()
        self.assertRegex(self.redrive(self.config(quotas={"redis": True}), code=1)[2], "pauses cannot be read: .+; nothing was sent")
        self.assertEqual(self.world.receiver.deliveries(), [])
        self.assertEqual(self.progress(), [None] * PARTITIONS)


if __name__ == "__main__":
    unittest.main()
