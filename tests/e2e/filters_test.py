"""What a route leaves out is finished without anybody's seeing it, what is early waits, what is late is a dead letter; and
nothing else is lost for it."""

import json
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan

RECORDS, PARTITIONS = 600, 3
STATUSES = ("paid", "open", "test")


def status_of(number):
    return STATUSES[number % len(STATUSES)]


def filtered(gate):
    return gate.metrics()['einlass_records_filtered_total{route="results"}']


@plan(kafka="4.1.1")
class Filters(scenario.Scenario):
    def _produce(self, count=RECORDS):
        """{(partition, offset): its status}"""
        records, statuses = [], {}
        for number in range(count):
            partition, status = number % PARTITIONS, status_of(number // PARTITIONS)
            statuses[partition, number // PARTITIONS] = status
            records.append({"partition": partition, "value": json.dumps({"order": {"status": status}}).encode(),
                            "headers": [("status", status.encode())]})
        self.world.produce_records("results", records)
        return statuses

    def _config(self, *conditions):
        return self.world.config("results", 100, {"route": {"filter": list(conditions)}})

    def _assert_delivered(self, statuses, wanted):
        accepted = {(one.partition, one.offset) for one in deliveries.accepted(self.world.receiver.deliveries())}
        self.assertEqual(accepted, {place for place, status in statuses.items() if status in wanted})

    def _assert_all_committed(self):
        places.wait_until(lambda: self.world.committed("results") == self.world.ends("results"), 10, "all is committed")

    def test_killed_in_the_middle(self):
        """In order of partition, by a header, with a limit that only the others need."""
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate-1", self._config({"by": "header:status", "in": ["paid", "shipped"]})).start()
        statuses = self._produce()
        self.world.receiver.wait_for(60, 30, [gate])
        self.assertGreater(filtered(gate), 0)
        gate.kill()
        gate.start()
        self.world.receiver.wait_for(RECORDS // 3, 60, [gate])
        self._assert_all_committed()
        self._assert_delivered(statuses, ["paid"])
        seen = self.world.receiver.deliveries()
        self.assert_ordered(seen)
        self.assert_within_limit(seen, 100)
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)
        self.assertRegex(gate.log(3), r"event=stopped detail=\"received \d+, delivered \d+, dead-lettered 0, returned 0, "
                                      r"filtered \d+, inside 0\"")

    def test_all_of_them(self):
        """Nothing passes, so nothing asks Redis, and all is committed all the same."""
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate-1", self._config({"by": "json:/order/status", "equals": "gone"})).start()
        self._produce()
        self._assert_all_committed()
        self.assertEqual(filtered(gate), RECORDS)
        self.assertEqual(gate.status()["books"],
                         {"received": RECORDS, "delivered": 0, "dead_lettered": 0, "returned": 0, "filtered": RECORDS,
                          "inside": 0, "closed": True})
        self.assertEqual(gate.metrics()['einlass_limiter_calls_total{store="redis",result="granted"}'], 0)
        self.assertEqual(gate.terminate(), 0)

    def test_a_reload(self):
        """The filter holds for what is read from then on."""
        self.world.create_topic("results", PARTITIONS)
        gate = self.world.gate("gate-1", self._config({"by": "json:/order/status", "not_in": ["open", "test"]})).start()
        statuses = self._produce(30)
        self.world.receiver.wait_for(10, 30, [gate])
        self._assert_all_committed()
        config = self._config({"by": "header:status", "equals": "open"})
        self.assertEqual(gate.reload({"routes": config["routes"]})[0], 200)
        more = self._produce(30)
        self.world.receiver.wait_for(20, 30, [gate])
        self._assert_all_committed()
        later = {(partition, offset + 10): status for (partition, offset), status in more.items()}
        expected = {place: status for place, status in statuses.items() if status == "paid"}
        expected |= {place: status for place, status in later.items() if status == "open"}
        self._assert_delivered(expected, STATUSES)
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)


@plan(kafka="4.1.1")
class Else(scenario.Scenario):
    """One topic for three servers."""

    def test_each_to_its_own(self):
        self.world.create_topic("results", PARTITIONS)
        config = self.world.config("results", 300)
        here = config["targets"]["receiver"]["http"]["url"]
        config["targets"] |= {name: {"http": {**config["targets"]["receiver"]["http"],
                                              "url": here.replace("/callback", f"/{name}")}} for name in ("open", "rest")}
        [first] = config["routes"]
        config["routes"] = [
            {**first, "filter": [{"by": "header:status", "equals": "paid"}], "else": "open"},
            {**first, "name": "rest", "topics": [], "target": "rest", "order": "none",
             "filter": [{"by": "json:/n", "not_in": ["599"]}]},
            {**first, "name": "open", "topics": [], "target": "open", "else": "rest",
             "filter": [{"by": "json:/status", "equals": "open"}]}]
        gate = self.world.gate("gate-1", config).start()
        self.world.receiver.keep_full()
        records = [{"partition": number % PARTITIONS, "headers": [("status", status_of(number).encode())],
                    "value": json.dumps({"status": status_of(number), "n": number}).encode()} for number in range(RECORDS)]
        self.world.produce_records("results", records[:-1])
        self.world.receiver.wait_for(100, 30, [gate])
        gate.kill()
        gate.start()
        self.world.receiver.wait_for(RECORDS - 1, 60, [gate])
        self.world.produce_records("results", records[-1:])
        places.wait_until(lambda: self.world.committed("results") == self.world.ends("results"), 20, "all is committed")
        came = {}
        for head, body in self.world.receiver.full():
            came.setdefault(json.loads(body)["n"], set()).add(head.split()[1].decode())
        wanted = {"paid": "/callback", "open": "/open", "test": "/rest"}
        self.assertEqual(came, {number: {wanted[status_of(number)]} for number in range(RECORDS - 1)})
        filtered_by = {name: gate.metrics()[f'einlass_records_filtered_total{{route="{name}"}}']
                       for name in ("results", "open", "rest")}
        self.assertEqual(filtered_by, {"results": 0, "open": 0, "rest": 1})
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)


@plan(kafka="4.1.1")
class Times(scenario.Scenario):
    redis = False
    EARLY, WAIT_MS, LIFE_MS = 20, 6_000, 5_000

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", 1)
        self.world.create_topic("results.dead", 1)

    def _gate(self, limit, **route):
        changes = {"limits": {"shared": {"store": "memory"}},
                   "route": {"dead_letter": "results.dead", "not_before": "header:not-before",
                             "expires": "json:/expires", **route}}
        return self.world.gate("gate-1", self.world.config("results", limit, changes))

    def _letters(self):
        """[(offset, reason, error)]"""
        found = []
        for letter in self.world.consume("results.dead"):
            told = {name: bytes.fromhex(value).decode() for name, value in letter["headers"] if name.startswith("einlass-")}
            found.append((int(told["einlass-offset"]), told["einlass-reason"], told.get("einlass-error", "")))
        return found

    def _assert_all_committed(self):
        places.wait_until(lambda: self.world.committed("results") == self.world.ends("results"), 20, "all is committed")

    def test_early_ones_wait_and_nobody_waits_for_them(self):
        """The gate is killed meanwhile, and they wait on."""
        gate = self._gate(1000, order="none").start()  # Before the time runs in which all is looked at.
        due = places.now_us() // 1000 + int(self.WAIT_MS * places.PATIENCE)
        early = [{"value": b"{}", "headers": [("not-before", str(due).encode())]} for _ in range(self.EARLY)]
        bad = [{"value": b"{}", "headers": [("not-before", b"tomorrow")]}]
        self.world.produce_records("results", early + bad + [{"value": b"{}"} for _ in range(30)])
        self.world.receiver.wait_for(30, 30, [gate])
        places.wait_until(lambda: gate.waiting("not_before") == self.EARLY, 5, "they wait")
        code, why = gate.get("/v1/why?topic=results&partition=0&offset=0")
        self.assertEqual(code, 200)
        [record] = json.loads(why)["records"]
        self.assertEqual((record["waits_for"], record["until"]), ("not_before", due * 1000))
        self._assert_names_the_bad_one()
        gate.kill()
        gate.start()
        self.world.receiver.wait_for(self.EARLY + 30, 30, [gate])
        seen = self.world.receiver.deliveries()
        self.assertEqual({one.gate for one in seen if one.offset < self.EARLY}, {"gate-1.2"}, "they waited across the kill")
        first = min(one.arrived for one in seen if one.offset < self.EARLY)
        self.note(f"the first came {first / 1000 - due:.1f} ms after its time")
        self.assertGreaterEqual(first, due * 1000 - 20_000, "the clocks of two processes")
        self._assert_all_committed()
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)

    def _assert_names_the_bad_one(self):
        places.wait_until(lambda: self.world.ends("results.dead") == [1], 10, "the one that cannot be read")
        self.assertEqual(self._letters(), [(self.EARLY, "bad_key", "not_before: no time at header:not-before")])

    def test_late_ones_are_dead_letters(self):
        """So few permits that most of them are too late."""
        gate = self._gate(5, order="partition").start()
        over = places.now_us() // 1000 + self.LIFE_MS
        value = json.dumps({"expires": over}).encode()
        self.world.produce_records("results", [{"value": value} for _ in range(100)] + [{"value": b"{}"}])
        self._assert_all_committed()
        seen = deliveries.accepted(self.world.receiver.deliveries())
        letters = self._letters()
        self.note(f"{len(seen)} in time, {len(letters)} too late")
        self.assertGreater(len(seen), 1)
        self.assertGreater(len(letters), 50)
        self.assertEqual({(reason, error) for _, reason, error in letters},
                         {("expired", "it may not be delivered any more, by its own `expires`")})
        self.assertEqual(sorted([one.offset for one in seen] + [offset for offset, _, _ in letters]), list(range(101)))
        self.assertLess(max(one.arrived for one in seen if one.offset < 100), over * 1000 + 300_000 * places.PATIENCE)
        self.assertEqual(seen[-1].offset, 100, "the one that may leave at any time")
        self.assert_ordered(seen)
        self.assert_books_closed([gate])
        self.assertEqual(gate.terminate(), 0)


if __name__ == "__main__":
    unittest.main()
