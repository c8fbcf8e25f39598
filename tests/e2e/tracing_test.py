"""Spans of traced records, as a collector gets them: read strictly, by OpenTelemetry's own definition of the protocol."""

import base64
import fcntl
import json
import os
import subprocess
import sys
import unittest

from harness import answering, places, scenario

LIBRARY = "opentelemetry-proto==1.34.1"
TRACE, PARENT = "0af7651916cd43dd8448eb211c8031", "b7ad6b71692033"
CONSUMER, CLIENT, PRODUCER = 5, 3, 4
KEY, NEXT_KEY = "of-the-collector-4711", "of-the-collector-4712"

# Reads requests from standard input, one a line, and says what is wrong with them; nothing if all is well.
READER = """
import sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
for line in sys.stdin:
    request = json_format.Parse(line, ExportTraceServiceRequest())
    print(sum(len(scope.spans) for resource in request.resource_spans for scope in resource.scope_spans))
"""


def reader():
    """A Python that has the definitions; scenarios that run at once make it one after the other."""
    folder = os.path.join(places.BUILD, "otlp_venv")
    python = os.path.join(folder, "bin", "python")
    with open(folder + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(python):
            subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", LIBRARY], check=True, stdout=sys.stderr)
    return python


def traced(number, sampled=True):
    return ("traceparent", f"00-{TRACE}{number:02x}-{PARENT}{number:02x}-0{int(sampled)}".encode())


def spans_of(requests):
    found = []
    for request in requests:
        for resource in json.loads(request.body)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                found += scope["spans"]
    return found


def attributes(span):
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


class Tracing(scenario.Scenario):
    def setUp(self):
        super().setUp()
        for topic, partitions in (("results", 2), ("results.dead", 1), ("archive", 1)):
            self.world.create_topic(topic, partitions)
        self.collector = answering.Answering(lambda request: 200)
        self.addCleanup(self.collector.stop)

    def start(self, changes=None):
        url = f"http://127.0.0.1:{self.collector.port}/v1/traces"
        config = self.world.config("results", 1000, {
            "tracing": {"url": url, "headers": {"x-api-key": KEY}}, "route": {"dead_letter": "results.dead"},
            **(changes or {})})
        self.gate = self.world.gate("gate-1", config).start()
        places.wait_until(lambda: len(self.gate.partitions()) == 2, 30, "all partitions")
        return self.gate

    def taken(self):
        return spans_of([request for request in self.collector.requests() if request.accepted])

    def wait_for_spans(self, count):
        places.wait_until(lambda: len(self.taken()) >= count, 15, f"{count} spans")
        return self.taken()

    def check_the_form(self):
        """Each request as the definition has it, but for ids, which the protocol's JSON writes in hexadecimal."""
        lines = []
        for request in self.collector.requests():
            self.assertEqual((request.method, request.path), ("POST", "/v1/traces"))
            self.assertEqual(request.headers["content-type"], "application/json")
            self.assertEqual(request.headers["x-api-key"], KEY)
            body = json.loads(request.body)
            for span in spans_of([request]):
                for name in ("traceId", "spanId", "parentSpanId"):
                    text = base64.b64encode(bytes.fromhex(span[name])).decode()
                    body = json.loads(json.dumps(body).replace(f'"{span[name]}"', f'"{text}"'))
            lines.append(json.dumps(body))
        done = subprocess.run([reader(), "-c", READER], input="\n".join(lines), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sum(map(int, done.stdout.split())), len(spans_of(self.collector.requests())))

    def test_a_record_and_its_attempts(self):
        target = answering.Answering()
        self.addCleanup(target.stop)
        self.start({"targets": {"receiver": {"http": {"url": f"http://127.0.0.1:{target.port}/"}}}})
        began = places.now_us()
        self.world.produce_records("results", [
            {"key": b"k", "value": b"one", "headers": [traced(1)]},
            {"key": b"k", "value": b"not sampled", "headers": [traced(2, sampled=False)]},
            {"key": b"k", "value": b"not traced"},
            {"key": b"k", "headers": [traced(3)]}])  # A tombstone.
        places.wait_until(lambda: len(target.records()) == 4, 20, "all are delivered")
        spans = self.wait_for_spans(4)
        self.assertEqual(sorted(span["traceId"] for span in spans), sorted([f"{TRACE}01", f"{TRACE}03"] * 2))
        self.assertEqual(len({span["spanId"] for span in spans}), 4)
        record = next(span for span in spans if span["traceId"] == f"{TRACE}01" and span["kind"] == CONSUMER)
        attempt = next(span for span in spans if span["traceId"] == f"{TRACE}01" and span["kind"] == CLIENT)
        self.assertEqual((record["name"], record["parentSpanId"]), ("process results", f"{PARENT}01"))
        self.assertEqual((attempt["name"], attempt["parentSpanId"]), ("POST", record["spanId"]))
        said = attributes(record)
        self.assertEqual({key: value for key, value in said.items() if not key.startswith("messaging.destination.part")}, {
            "messaging.system": "kafka", "messaging.operation.name": "process", "messaging.operation.type": "process",
            "messaging.destination.name": "results", "messaging.kafka.offset": said["messaging.kafka.offset"],
            "messaging.consumer.group.name": "e2e", "einlass.route": "results", "einlass.outcome": "delivered",
            "einlass.attempts": "1"})
        self.assertEqual(attributes(attempt), {
            "einlass.attempt": "1", "einlass.target": "receiver", "http.request.method": "POST",
            "server.address": "127.0.0.1", "server.port": str(target.port)})
        times = [int(span[name]) // 1000 for span, name in (
            (record, "startTimeUnixNano"), (attempt, "startTimeUnixNano"), (attempt, "endTimeUnixNano"),
            (record, "endTimeUnixNano"))]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], began)
        self.assertLess(times[-1], places.now_us())
        tombstone = next(span for span in spans if span["traceId"] == f"{TRACE}03" and span["kind"] == CONSUMER)
        self.assertIs(attributes(tombstone)["messaging.kafka.message.tombstone"], True)
        self.assertNotIn("status", record)
        self.check_the_form()
        places.wait_until(lambda: self.gate.metrics()["einlass_spans_exported_total"] == 4, 5, "all are counted")
        # What the producer wrote goes on as it was.
        passed = [request.headers["traceparent"] for request in target.requests() if "traceparent" in request.headers]
        self.assertEqual(sorted(passed), sorted(traced(*one)[1].decode() for one in ((1,), (2, False), (3,))))
        self.assert_check_is_good(self.gate)

    def test_attempts_that_fail_and_a_dead_letter(self):
        self.start()
        self.world.receiver.tell("status", status=503)
        self.world.produce_records("results", [{"key": b"k", "value": b"x", "headers": [traced(1)]}])
        places.wait_until(lambda: self.gate.metrics()['einlass_attempts_total{route="results",outcome="retry"}'] >= 2, 20,
                          "two have failed")
        self.world.receiver.tell("status", status=404)
        places.wait_until(lambda: any(one["kind"] == CONSUMER for one in self.taken()), 20, "the record is finished")
        spans = self.taken()
        attempts = [span for span in spans if span["kind"] == CLIENT]
        record = next(span for span in spans if span["kind"] == CONSUMER)
        self.assertGreaterEqual(len(attempts), 3)
        self.assertEqual([attributes(one)["einlass.attempt"] for one in attempts],
                         [str(number + 1) for number in range(len(attempts))])
        statuses = [attributes(one)["http.response.status_code"] for one in attempts]
        self.assertEqual(set(statuses[:-1]), {"503"})
        self.assertEqual(statuses[-1], "404")
        self.assertTrue(all(one["status"]["code"] == 2 and one["parentSpanId"] == record["spanId"] for one in attempts))
        self.assertEqual((attributes(record)["einlass.outcome"], record["status"]), (
            "dead_lettered", {"code": 2, "message": "refused"}))
        self.check_the_form()

    def test_a_host_that_the_record_names_stands_in_no_span(self):
        self.start({"targets": {"receiver": {"http": {"url": "http://{header:host}:1/", "allow_hosts": ["*"]}}}})
        self.world.produce_records("results", [{"key": b"k", "value": b"x",
                                                "headers": [traced(1), ("host", b"169.254.169.254")]}])
        attempt = next(one for one in self.wait_for_spans(2) if one["kind"] == CLIENT)
        self.assertEqual(attempt["status"], {"code": 2, "message": "not accepted"})
        self.assertNotIn("169.254.169.254", json.dumps(self.taken()))

    def test_what_waits_for_a_host_that_is_left_alone_has_no_attempts(self):
        count = 20
        self.start({"targets": {"receiver": {
            "http": {"url": "http://{header:host}:1/", "allow_hosts": ["*"], "allow_private": True}, "breaker": {"failures": 1}}},
            "route": {"order": "none"}})
        self.world.produce_records("results", [{"key": b"k%d" % number, "value": b"x",
                                                "headers": [traced(number), ("host", b"127.0.0.1")]} for number in range(count)])

        def of_which_nothing_was_sent():
            said = self.gate.metrics()
            made = sum(value for name, value in said.items() if name.startswith("einlass_attempts_total"))
            return sum(value for name, value in said.items() if name.startswith("einlass_admissions_total")) - made

        # What is under way counts there, too, until it has ended.
        places.wait_until(lambda: of_which_nothing_was_sent() > 3 * count, 30, "records ask whether they may go")
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        spans = self.taken()
        records = [span for span in spans if span["kind"] == CONSUMER]
        self.assertEqual(len(records), count)
        for record in records:
            attempts = [one for one in spans if one["kind"] == CLIENT and one["parentSpanId"] == record["spanId"]]
            self.assertEqual(str(len(attempts)), attributes(record)["einlass.attempts"])

    def test_to_a_topic_and_the_last_spans_when_it_leaves(self):
        self.start({"targets": {"receiver": {"http": None, "kafka": {"topic": "archive"}}}})
        self.world.produce_records("results", [{"key": b"k", "value": b"x", "headers": [traced(1)]}])
        places.wait_until(lambda: self.gate.status()["books"]["delivered"] == 1, 20, "it is delivered")
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        sent = next(span for span in self.taken() if span["kind"] == PRODUCER)
        self.assertEqual(sent["name"], "send archive")
        self.assertEqual(attributes(sent), {
            "einlass.attempt": "1", "einlass.target": "receiver", "messaging.system": "kafka",
            "messaging.operation.name": "send", "messaging.operation.type": "send",
            "messaging.destination.name": "archive"})
        self.assertEqual(len(self.taken()), 2)

    def test_a_record_that_is_given_back(self):
        self.start({"limits": {"shared": {"limit": 1, "window": "1h"}}})
        self.world.produce_records("results", [{"key": b"k", "value": b"x", "headers": [traced(number)]} for number in (1, 2)])
        places.wait_until(lambda: self.gate.waiting("limit") == 1, 20, "the second waits")
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        said = {span["traceId"]: attributes(span) for span in self.taken() if span["kind"] == CONSUMER}
        self.assertEqual({trace: (one["einlass.outcome"], one["einlass.attempts"]) for trace, one in said.items()},
                         {f"{TRACE}01": ("delivered", "1"), f"{TRACE}02": ("returned", "0")})

    def test_a_record_that_was_finished_before_has_no_second_span(self):
        per_tenant = {"algorithm": "token_bucket", "rate": "1/600s", "burst": 1, "key": "header:tenant", "store": "redis"}
        self.start({"limits": {"shared": None, "tenants": per_tenant},
                    "route": {"limits": ["tenants"], "order": "none"}})
        self.world.produce_records("results", [
            {"partition": 0, "key": b"k", "value": b"x", "headers": [traced(number), ("tenant", tenant)]}
            for number, tenant in ((1, b"acme"), (2, b"acme"), (3, b"bolt"))])
        places.wait_until(lambda: self.gate.status()["books"]["delivered"] == 2, 20, "two are delivered")
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        self.gate.start()
        name = 'einlass_records_finished_before_total{route="results"}'
        places.wait_until(lambda: self.gate.metrics().get(name) == 1, 20, "the third is passed over")
        self.assertEqual(self.gate.terminate(), 0, self.gate.log())
        records = sorted(span["traceId"][-2:] for span in self.taken() if span["kind"] == CONSUMER)
        self.assertEqual(records, ["01", "02", "02", "03"])

    def test_a_request_that_the_collector_will_never_take(self):
        self.start()
        self.collector.answer = lambda request: 500
        self.world.produce_records("results", [{"key": b"k", "value": b"x", "headers": [traced(1)]}])
        places.wait_until(lambda: self.gate.metrics()["einlass_spans_dropped_total"] == 2, 20, "it is given up at once")
        # A new key, by a reload, and what comes then is taken.
        self.gate.change({"tracing": {"headers": {"x-api-key": NEXT_KEY}}})
        code, text = places.get(self.gate.port, "/-/reload", "POST", "")
        self.assertEqual((code, KEY in text, NEXT_KEY in text), (200, False, False), text)
        self.collector.answer = lambda request: 200 if request.headers["x-api-key"] == NEXT_KEY else 401
        self.world.produce_records("results", [{"key": b"k", "value": b"x", "headers": [traced(2)]}])
        self.assertEqual({span["traceId"] for span in self.wait_for_spans(2)}, {f"{TRACE}02"})

    def test_a_collector_that_is_away_is_nobodys_trouble(self):
        self.start()
        self.collector.answer = lambda request: 503
        count = 3000  # Two spans each: more than there is room for.
        self.world.produce_records("results", [{"key": b"k%d" % number, "value": b"x", "headers": [traced(number % 256)]}
                                               for number in range(count)])
        self.world.receiver.wait_for(count, 30, [self.gate])
        self.assertGreater(self.gate.metrics()["einlass_spans_dropped_total"], 0)
        self.assertEqual(places.get(self.gate.port, "/readyz")[0], 200)
        self.collector.answer = lambda request: 200
        dropped = self.gate.metrics()["einlass_spans_dropped_total"]
        self.wait_for_spans(2 * count - dropped)
        self.assertEqual(len(self.taken()), 2 * count - dropped)
        self.assertEqual(self.gate.metrics()["einlass_spans_exported_total"], 2 * count - dropped)
        self.assertIn("tracing", self.gate.log())


if __name__ == "__main__":
    unittest.main()
