"""Producers who write what they like: each request is its record's, and the other routes do not notice."""

import base64
import json
import re
import urllib.parse

from hostile import PARTITIONS, Hostile, Inputs
import odd_records
import namespace
from harness.places import now_us
from harness.plan import plan
from strict_server import StrictServer, values

OWN = [b"idempotency-key", b"kafka-topic", b"kafka-partition", b"kafka-offset", b"einlass-attempt"]
AT_MOST_ONCE = [b"kafka-key", b"kafka-key-base64", b"kafka-tombstone", b"kafka-timestamp", b"einlass-permit",
                b"einlass-admitted-at",
                b"host", b"content-length", b"content-type", b"authorization", b"x-tenant"]
LEADS_ELSEWHERE = re.compile(rb"[/\\\0]|\.\.?|\.\.?;.*", re.DOTALL)


def named(request):
    """The records of a batch, as (partition, offset)."""
    found = []
    for entry in values(request, b"einlass-records")[0].decode().split(", "):
        _, partition, first, last = re.fullmatch(r"(.+)-(\d+)-(\d+)(?:\.\.(\d+))?", entry).groups()
        found += [(int(partition), offset) for offset in range(int(first), int(last or first) + 1)]
    return found


class HostileRecords(Hostile):
    def add_route(self, config, topic, http, limits=()):
        server = StrictServer()
        self.addCleanup(server.stop)
        url = f"http://127.0.0.1:{server.port}{http.pop('url', '/in')}"
        self.add_evil(config, {"url": url, **http}, topic, target=topic, limits=list(limits))
        config["targets"][topic]["breaker"] = {"failures": 0}
        return server

    def produce(self, topic, make, count):
        """What stands at each (partition, offset)."""
        found, inputs = {}, Inputs(make, count)
        for number in range(count):
            found[number % PARTITIONS, number // PARTITIONS] = {**inputs.next(), "partition": number % PARTITIONS}
        self.assertTrue(inputs.all_used())
        self.world.produce_records(topic, found.values())
        return found

    def check(self, count, seconds):
        config = self.well_config()
        config["limits"]["by_value"] = {"algorithm": "token_bucket", "rate": "100000/s", "burst": 100000,
                                        "store": "memory",
                                        "key": "json:/customer/id", "cost": "header:weight"}
        servers = {
            "templates": self.add_route(config, "templates", {
                "url": "/in/{header:tenant}/{key}/x?order={json:/order/id}", "method": "{header:verb}",
                "headers": {"X-Tenant": "tenant {header:tenant}"}, "forward_headers": ["x-plain"]}, ["by_value"]),
            "plain": self.add_route(config, "plain", {"forward_headers": ["x-plain", "a-b"]}),
            "listed": self.add_route(config, "listed", {"batch": {"records": 20, "format": "json"}}),
            "lined": self.add_route(config, "lined", {"batch": {"records": 20, "format": "lines"}})}
        self.start_well(config, seconds)
        began = now_us()
        made = {topic: self.produce(topic, make, many) for topic, make, many in (
            ("templates", odd_records.of_template, count // 3), ("plain", odd_records.plain, count // 3),
            ("listed", odd_records.of_batch, count // 6), ("lined", odd_records.of_batch, count // 6))}
        self.judge(lambda: any(route["inside"] or not route["received"] for route in self.gate.status()["routes"][1:]),
                   since=began)
        for topic, records in made.items():
            self.judge_books(topic)
            self.judge_requests(topic, records, servers[topic])

    def judge_requests(self, topic, records, server):
        self.assertEqual(server.faults, [])
        letters = {(int(told["einlass-partition"]), int(told["einlass-offset"])) for told in self.letters(topic)}
        seen = []
        for request in server.requests:
            seen += self.judge_batch(topic, records, request) if values(request, b"einlass-batch") else \
                [self.judge_request(topic, records, request)]
        self.assertTrue(seen, f"no record of {topic} was delivered")
        self.assertEqual(len(seen), len(set(seen)), "a record came twice, and nobody asked for that")
        self.assertFalse(letters & set(seen), "both delivered and a dead letter")
        self.assertEqual(letters | set(seen), set(records))
        self.note(f"{topic}: {len(records)} records, {len(seen)} in {len(server.requests)} requests, "
                  f"{len(letters)} dead letters")

    def letters(self, topic):
        for letter in self.world.consume(f"{topic}.dead"):
            yield {name: bytes.fromhex(value).decode(errors="replace")
                   for name, value in letter["headers"] if name.startswith("einlass-") and value}

    def judge_request(self, topic, records, request):
        for name in OWN:
            self.assertEqual(len(values(request, name)), 1, (name, request.fields[:30]))
        for name in AT_MOST_ONCE:
            self.assertLessEqual(len(values(request, name)), 1, (name, request.fields[:30]))
        self.assertEqual(values(request, b"x-injected"), [])
        place = int(values(request, b"kafka-partition")[0]), int(values(request, b"kafka-offset")[0])
        record = records[place]
        self.assertEqual(values(request, b"kafka-topic"), [topic.encode()])
        self.assertEqual(values(request, b"idempotency-key"), [b'"%s-%d-%d"' % (topic.encode(), *place)])
        self.assertEqual(request.body, record["value"] or b"", place)
        self.assertEqual(values(request, b"kafka-tombstone"), [b"true"] if record["value"] is None else [])
        self.judge_key(request, record["key"])
        if topic == "templates":
            self.judge_parts(request, record)
        else:
            self.assertEqual((request.method, request.path), (b"POST", b"/in"))
        return place

    def judge_key(self, request, key):
        plain, encoded = values(request, b"kafka-key"), values(request, b"kafka-key-base64")
        self.assertLessEqual(len(plain) + len(encoded), 1)
        shown = plain[0] if plain else base64.b64decode(encoded[0], validate=True) if encoded else b""
        self.assertEqual(shown, key or b"")

    def judge_parts(self, request, record):
        tenant = dict(record["headers"])["tenant"]
        path, _, query = request.path.partition(b"?")
        _, first, *parts, last = path.split(b"/")
        self.assertEqual((first, last, len(parts)), (b"in", b"x", 2), request.path)
        self.assertEqual([urllib.parse.unquote_to_bytes(part) for part in parts], [tenant, record["key"]])
        for part in parts:
            twice = urllib.parse.unquote_to_bytes(urllib.parse.unquote_to_bytes(part))
            self.assertFalse(LEADS_ELSEWHERE.fullmatch(twice) or set(twice) & set(b"/\\\0"), request.path)
        self.assertRegex(query, rb"^order=[-._~%0-9A-Za-z]*$")
        self.assertEqual(values(request, b"x-tenant"), [(b"tenant " + tenant).strip()])
        self.assertIn(request.method, [value for name, value in record["headers"] if name == "verb"])

    def judge_batch(self, topic, records, request):
        places = named(request)
        self.assertEqual(values(request, b"einlass-batch"), [b"%d" % len(places)])
        own = [records[place]["value"] for place in places]
        if topic == "lined":
            self.assertEqual(request.body, b"".join((value or b"") + b"\n" for value in own))
        else:
            # As text, for a number that Python rounds is the same text all the same.
            listed = b",".join(b"null" if value is None else value for value in own)
            self.assertEqual(request.body, b"[" + listed + b"]")
            self.judge_list(request.body, len(places))
        return places

    def judge_list(self, body, elements):
        try:
            found = json.loads(body, parse_constant=lambda text: self.fail(f"{text} is no JSON"))
        except RecursionError:
            return  # One is nested deeper than Python reads; each has been looked at as text.
        self.assertEqual(len(found), elements)

    def test_a_sample(self):
        self.check(60, 30)

    @plan(whole=True, seconds=300)
    def test_whole(self):
        self.check(1200, 60)


if __name__ == "__main__":
    namespace.main()
