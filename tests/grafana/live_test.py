#!/usr/bin/env python3
"""Every panel's and every alert's expression on a real Prometheus that scrapes two real gates: while a limit binds, and in one
trouble after the other. What comes back is compared with what the gates' pages say and with what the test did. A third gate, of
another fleet, has troubles of its own meanwhile, of which the panels of the first may show nothing."""

import json
import re
import socket
import time
import unittest

import expected
import written
from pages import Pages
from prometheus import BESIDE, WINDOW_S, Prometheus
from harness.places import get, now_us, wait_until
import rules_test
from harness import scenario
from harness.stopped_thread import StoppedThread

CONFIG = {
    "kafka": {"properties": {"session.timeout.ms": "6000", "heartbeat.interval.ms": "1000"}},
    "limits": {
        "shared": None,
        "callbacks": {"algorithm": "sliding_log", "limit": expected.CALLBACKS, "window": "1s", "store": "redis"},
        "per_key": {"algorithm": "token_bucket", "rate": "60/s", "burst": 60, "key": "record_key", "store": "redis"},
        "places": {"algorithm": "concurrency", "limit": expected.AT_ONCE, "lease": "10s", "store": "redis"},
        "local": {"algorithm": "token_bucket", "rate": f"{expected.LOCAL}/s", "burst": 5, "store": "memory"},
        "soft": {"algorithm": "token_bucket", "rate": "500/s", "burst": 50, "store": "redis", "cost": "header:units",
                 "on_outage": "pass"},
        "tried": {"algorithm": "token_bucket", "rate": f"{expected.TRIED}/s", "burst": 10, "store": "redis", "shadow": True},
    },
}

# Not brought about here: books that do not close are a mistake of ours, which no trouble around a gate makes. Of this what the
# alert compares must be there, and as it is when all is well.
HEALTHY = {"EinlassBooksDoNotClose": 0}
# Records for the gate beside, in two partitions. It takes 20 of them, and librdkafka fetches no more than some 200 ahead.
HELD, HELD_BYTES = 1000, 10_000
RETENTION_S = 30


def legend(form, labels):
    """As Grafana names a line."""
    return re.sub(r"\{\{(\w+)\}\}", lambda name: labels.get(name.group(1), ""), form)


class Live(scenario.Scenario):
    own_kafka = True

    def setUp(self):
        super().setUp()
        world = self.world
        for topic, partitions in (("results", 4), ("audit", 1), ("soft", 1), ("results.dead", 1)):
            world.create_topic(topic, partitions)
        world.create_topic("quotas", 1, **{"cleanup.policy": "compact"})
        target = world.config("results", 1)["targets"]["receiver"]
        auditor = {"http": {**target["http"], "max_in_flight": 32}}
        config = world.config("results", 1, {**CONFIG, "targets": {"receiver": target, "auditor": auditor}})
        route = {**config["routes"][0], "inside": {"records": 100}}
        config["quotas"] = {"topic": "quotas"}
        config["shares"] = {"tenants": {"by": "record_key", "weight": {"default": 1, "k1": 3}}}
        config["routes"] = [
            {**route, "limits": ["callbacks", "per_key", "places"], "dead_letter": "results.dead"},
            {**route, "name": "audit", "topics": ["audit"], "target": "auditor", "limits": ["local"], "order": "none"},
            {**route, "name": "soft", "topics": ["soft"], "target": "auditor", "limits": ["soft", "tried"], "order": "none",
             "share": "tenants"}]
        self.config = config
        self.gates = [world.gate(f"gate-{number}", config).start(wait=False) for number in (1, 2)]
        self.beside = self.gate_beside()
        for gate in self.gates:
            gate.wait_until_ready()
        wait_until(lambda: sorted(len(gate.partitions()) for gate in self.gates)[0] >= 2, 30, "each has partitions")
        ports = [gate.port for gate in self.gates]
        self.pages = Pages(ports)
        self.addCleanup(self.pages.stop)
        self.prometheus = Prometheus(world.directory, ports, beside=[self.beside.port])
        self.addCleanup(self.prometheus.stop)
        self.fired = set()

    def gate_beside(self):
        """Of another fleet: two shards; a topic, a target topic and a dead letter topic that are not there yet, a server that is
        nowhere and one that never answers, a tenant far above its limit, and records that Kafka keeps for half a minute only."""
        self.silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.silent.close)
        for topic, partitions in (("busy", 1), ("refused", 1), ("silent", 1), ("tenants", 1)):
            self.world.create_topic(topic, partitions)
        self.world.create_topic("held", 2, **{"retention.ms": RETENTION_S * 1000})
        self.world.produce("refused", 1)
        self.world.produce_records("tenants", [{"key": b"acme", "value": b"x"}] * 60)
        self.world.produce("held", HELD, HELD_BYTES)
        config = self.world.config("held", 1, {
            "kafka": {"group": "beside", "properties": {"queued.max.messages.kbytes": "64"}}, "shards": 2, "watchdog": "0s",
            "limits": {"shared": {"limit": 1_000_000, "store": "memory"},
                       "per_tenant": {"algorithm": "token_bucket", "rate": "1/10s", "burst": 1, "key": "record_key",
                                      "store": "memory"}},
            "targets": {"receiver": None, "archive": {"kafka": {"topic": "archive"}},
                        "nowhere": {"http": {"url": "http://127.0.0.1:1/"}, "breaker": {"failures": 0}},
                        "silent": {"http": {"url": f"http://127.0.0.1:{self.silent.getsockname()[1]}/", "timeout": "10m"}}},
            "route": {"name": "held", "target": "archive", "inside": {"records": 20}}})
        held = config["routes"][0]
        config["routes"].append({**held, "name": "busy", "topics": ["busy"], "target": "nowhere", "order": "none",
                                 "inside": {"records": 1000}, "retry": {"initial": "1ms", "max": "1ms"}})
        config["routes"].append({**held, "name": "refused", "topics": ["refused"], "target": "nowhere",
                                 "retry": {"attempts": 1, "max": "1s"}, "dead_letter": "beside.dead"})
        config["routes"].append({**held, "name": "silent", "topics": ["silent"], "target": "silent"})
        config["routes"].append({**held, "name": "lost", "topics": ["lost"], "target": "nowhere"})
        config["routes"].append({**held, "name": "tenants", "topics": ["tenants"], "target": "nowhere", "order": "none",
                                 "limits": ["per_tenant"], "inside": {"records": 1000}})
        return self.world.gate("gate-beside", config).start(wait=False)

    def load(self):
        """More than the limits allow, for longer than the test lasts."""
        self.world.receiver.tell("delay", delay_ms=20)
        self.producers = [
            self.world.start_producing("results", 40_000, rate=300, keys=40),
            self.world.start_producing("audit", 20_000, rate=120, keys=10),
            self.world.start_producing("soft", 10_000, rate=25, keys=10, header="units=1")]

    def ask(self, panel_target, at):
        answers = self.prometheus.ask(panel_target["expr"], at)
        named = {legend(panel_target["legendFormat"], labels): value for labels, value in answers}
        self.assertEqual(len(named), len(answers), f"two lines of one name: {answers}")
        return named

    def check_all_panels(self):
        """All agree at one instant. A window that begins in another moment than ours may disagree once, a wrong expression
        always does."""
        for _ in range(4):
            asked, wrong = self.look_at_all_panels()
            if not wrong:
                break
            time.sleep(3)
        self.note(f"{asked} expressions of panels")
        if wrong:
            self.fail("\n".join(wrong))

    def look_at_all_panels(self):
        at = time.time() - 0.5
        truth = expected.Truth(self.pages, at, len(self.gates))
        wrong, asked = [], 0
        for uid, board in written.all_of().items():
            panels = {panel["title"]: panel for panel in written.panels(board)}
            self.assertEqual(sorted(panels), sorted(expected.WHILE_ALL_WORKS[uid]), f"{uid}: all of them")
            for title, lines in expected.WHILE_ALL_WORKS[uid].items():
                targets = panels[title]["targets"]
                self.assertEqual(len(targets), len(lines), title)
                for target, line in zip(targets, lines):
                    asked += 1
                    try:
                        found = expected.disagreements(self.ask(target, at), line(truth))
                    except AssertionError as error:
                        found = str(error)
                    if found:
                        wrong.append(f"{uid}: {title} {target['refId']}: {found}")
        return asked, wrong

    def check_annotations_and_variables(self):
        for uid, board in written.all_of().items():
            for one in board["annotations"]["list"]:
                self.prometheus.ask(one["expr"], time.time())
            for one in board["templating"]["list"]:
                if one["type"] == "query":
                    metric, name = re.fullmatch(r"label_values\((.*), (\w+)\)", one["query"]).groups()
                    values = {labels[name] for labels, _ in self.prometheus.ask(metric, time.time())}
                    self.assertEqual(values, {"job": {"einlass", BESIDE}, "route": {"results", "audit", "soft"},
                                              "limit": {"callbacks", "per_key", "places", "local", "soft", "tried"},
                                              "instance": {f"127.0.0.1:{gate.port}" for gate in self.gates}}[name], uid)

    def check_healthy(self):
        for name, wanted in HEALTHY.items():
            expression = re.search(r"expr: (.*)\n", rules_test.alerts()[name]).group(1)
            compared = re.split(r" (?:==|>|<) ", expression)[0]
            values = [value for _, value in self.prometheus.ask(re.sub(r"\[\d+m\]", "[10s]", compared), time.time())]
            self.assertNotEqual(values, [], name)
            for value in values:
                self.assertTrue(expected.agree(value, wanted), f"{name}: {compared} is {value} and not {wanted}")

    def wait_for_alerts(self, wanted, never=(), patience=40, job="einlass"):
        """Until all of these fire; those of `never` must not meanwhile."""
        def all_fire():
            firing = self.prometheus.firing(job)
            self.assertEqual(firing & set(never), set(), "fires and should not")
            return set(wanted) <= firing
        try:
            wait_until(all_fire, patience, "alerts")
        except AssertionError as error:
            raise AssertionError(f"{sorted(wanted)} wanted, {sorted(self.prometheus.firing(job))} fire: {error}") from None
        self.fired |= set(wanted)

    def wait_until_quiet(self, names, patience=60, job="einlass"):
        wait_until(lambda: not self.prometheus.firing(job) & set(names), patience, f"{sorted(names)} are quiet again")

    def panel(self, uid, title):
        """What a panel shows now, line by line."""
        panel = next(one for one in written.panels(written.all_of()[uid]) if one["title"] == title)
        return {name: value for target in panel["targets"] for name, value in self.ask(target, time.time()).items()}

    def wait_for_panel(self, uid, title, line, condition, patience=20):
        """A panel's line shows what the condition says."""
        shown = {}

        def holds():
            shown.clear()
            shown.update(self.panel(uid, title))
            return line in shown and condition(shown[line])
        try:
            wait_until(holds, patience, title)
        except AssertionError as error:
            raise AssertionError(f"{uid}: {title}: {line} of {shown}: {error}") from None

    def test_every_panel_and_alert(self):
        self.while_all_works()
        self.somebody_steers()
        self.troubles_beside()
        self.target_refuses_connections()
        self.target_refuses_records()
        self.redis_is_away()
        self.a_wrong_file()
        self.a_cost_beyond_the_limit()
        self.a_gate_is_gone()
        self.kafka_is_away()
        self.assertEqual(self.fired | set(HEALTHY), set(rules_test.alerts()), "every alert was looked at")

    def while_all_works(self):
        self.load()
        self.world.receiver.wait_for(400, 40, self.gates)
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 2 * WINDOW_S + 2, 60, "two windows under load")
        self.check_all_panels()
        since = now_us() - WINDOW_S * 1_000_000
        arrived = sum(one.arrived > since for one in self.world.receiver.deliveries()) / WINDOW_S
        self.wait_for_panel("einlass-overview", "Does as much come out as goes in?", "delivered", lambda rate: abs(rate - arrived) < 0.1 * arrived)
        self.check_annotations_and_variables()
        self.check_healthy()
        self.wait_for_alerts({"EinlassLimitFull"})
        self.assertEqual(self.prometheus.firing(), {"EinlassLimitFull"}, "the limit is all that is told")

    def somebody_steers(self):
        panel = ("einlass-overview", "What have people paused, by whom, why, and until when?")
        since = int(time.time() * 1000)
        pauses = {"soft": {"by": "anna", "note": "upgrade", "until": since + 3_600_000}, "audit": {}}
        self.world.produce_records("quotas", [
            {"key": f"pause:topic/{name}".encode(), "value": json.dumps({"paused": True, "since": since, **told}).encode()}
            for name, told in pauses.items()])
        self.wait_for_panel(*panel, "topic soft by anna: upgrade", lambda seconds: 3500 < seconds <= 3600)
        self.wait_for_panel(*panel, "topic audit", lambda seconds: seconds == 0)
        wrong = b"per_key/k1"
        self.world.produce_records("quotas", [{"key": wrong, "value": b'{"rate": "sixty"}'}])
        self.wait_for_alerts({"EinlassPausedLong", "EinlassQuotasStale"})
        ended = [wrong, *(f"pause:topic/{name}".encode() for name in pauses)]
        self.world.produce_records("quotas", [{"key": key, "value": None} for key in ended])
        wait_until(lambda: not self.panel(*panel), 20, "nothing is paused")
        self.wait_until_quiet({"EinlassPausedLong", "EinlassQuotasStale"})

    def troubles_beside(self):
        """Records that nobody can deliver before Kafka deletes them, and that are deleted then; a tenant that sends more than it
        may; a loop that has always something to do, and one that does not turn."""
        self.wait_for_alerts({"EinlassTargetUnusable", "EinlassDeadLettersUnusable", "EinlassLagNearRetention",
                              "EinlassKeysAtLimit", "EinlassPartlyUnready"}, job=BESIDE, patience=RETENTION_S + 30, never={
            "EinlassOffsetsSkipped", "EinlassLoopBusy", "EinlassLoopStuck"})
        self.world.create_topic("beside.dead", 1)
        for partition, end in enumerate(self.world.ends("held")):
            self.world.kafka.delete_records("held", partition, end)
        self.world.create_topic("archive", 1)
        self.world.produce("busy", 1000)  # Tried again and again, a millisecond after each failure.
        self.world.produce("silent", 1)   # In flight for ever.
        self.wait_for_alerts({"EinlassOffsetsSkipped", "EinlassLoopBusy", "EinlassTargetDown", "EinlassNothingDelivered",
                              "EinlassRecordStuck"}, never={"EinlassLoopStuck"}, job=BESIDE)
        self.world.create_topic("lost", 1)  # Not before: the group assigns all anew then.
        self.wait_until_quiet({"EinlassTargetUnusable", "EinlassDeadLettersUnusable", "EinlassLagNearRetention",
                               "EinlassPartlyUnready"}, job=BESIDE)
        stopped = StoppedThread(self.beside.process, "shard-1")
        self.addCleanup(stopped.let_go)
        self.wait_for_alerts({"EinlassLoopStuck"}, never={"EinlassTargetUnusable", "EinlassGateDown"}, job=BESIDE)
        stopped.go_on()
        self.wait_until_quiet({"EinlassLoopStuck", "EinlassOffsetsSkipped"}, job=BESIDE)
        page = self.beside.metrics()
        skipped = page['einlass_offsets_skipped_total{topic="held",reason="retention"}']
        self.assertEqual(page['einlass_records_delivered_total{route="held"}'] + skipped, HELD)
        self.silent.close()
        self.assertEqual(self.beside.terminate(), 0)
        self.wait_for_alerts({"EinlassGateDown"}, never={"EinlassNoGates"}, job=BESIDE)
        self.prometheus.find_beside([])
        self.wait_for_alerts({"EinlassNoGates"}, job=BESIDE)
        self.wait_until_quiet({"EinlassGateDown"}, job=BESIDE)

    def at_first(self, what):
        """The name of a trouble at the first gate, as the panels have it."""
        return f"{what} at 127.0.0.1:{self.gates[0].port}"

    def target_refuses_connections(self):
        self.world.receiver.tell("refuse")
        self.wait_for_panel("einlass-overview", "What is wrong, and for how long?", self.at_first("target receiver"),
                            lambda seconds: 0 < seconds < 30)
        self.wait_for_panel("einlass-overview", "How many records wait for that?", "target receiver", lambda count: count > 4)
        self.wait_for_panel("einlass-route", "Which targets are down?", "receiver", lambda value: value >= 0)
        self.wait_for_panel("einlass-route", "When was a target paused, and for how long?", "receiver",
                            lambda seconds: 0 < seconds <= 31)
        self.wait_for_panel("einlass-route", "How do attempts end?", "results retry", lambda rate: rate > 0)
        self.wait_for_panel("einlass-overview", "What do the records in the gates wait for?", "target",
                            lambda count: count > 4)
        # One cause, one alert.
        self.wait_for_alerts({"EinlassTargetDown"}, never={
            "EinlassStoreDown", "EinlassDeadLetters", "EinlassGateDown", "EinlassNothingDelivered", "EinlassRecordStuck"})
        self.wait_for_panel("einlass-route", "Which routes stand still?", "results", lambda count: count > 4)
        self.assertEqual(self.prometheus.firing() & {"EinlassNothingDelivered", "EinlassRecordStuck"}, set())
        self.world.receiver.tell("delay", delay_ms=20)
        self.wait_until_quiet({"EinlassTargetDown", "EinlassTargetFails"})
        wait_until(lambda: not self.panel("einlass-overview", "What is wrong, and for how long?"), 20, "nothing is wrong")

    def target_refuses_records(self):
        # For as long as it takes: a route without a dead letter topic tries again, and uses answers up.
        self.world.receiver.tell("status", status=400)
        self.wait_for_alerts({"EinlassDeadLetters", "EinlassTargetFails"}, never={"EinlassTargetDown"})
        self.wait_for_panel("einlass-route", "What is not delivered?", "results refused", lambda rate: rate > 0)
        self.wait_for_panel("einlass-overview", "How many are unexplained?", "", lambda value: value == 0)
        self.world.receiver.tell("delay", delay_ms=20)
        self.wait_until_quiet({"EinlassDeadLetters", "EinlassTargetFails"})

    def redis_is_away(self):
        self.world.redis.kill()
        self.wait_for_panel("einlass-overview", "What is wrong, and for how long?", self.at_first("redis "),
                            lambda seconds: seconds > 0)
        self.wait_for_panel("einlass-limits", "Is its store unavailable?", "", lambda policies: policies >= 1)
        self.wait_for_panel("einlass-overview", "What do the records in the gates wait for?", "outage", lambda count: count > 0)
        self.wait_for_panel("einlass-limits", "How much is admitted without a permit?", "soft", lambda rate: rate > 5)
        self.wait_for_alerts({"EinlassStoreDown", "EinlassAdmitsWithoutLimiter"},
                             never={"EinlassTargetFails", "EinlassGateDown", "EinlassNothingDelivered"})
        self.world.redis.start()
        self.wait_until_quiet({"EinlassStoreDown", "EinlassAdmitsWithoutLimiter"})

    def a_wrong_file(self):
        gate = self.gates[0]
        with open(gate.path) as file:
            right = file.read()
        with open(gate.path, "w") as file:
            file.write(right.replace('"rate": "60/s"', '"rate": "sixty"'))
        self.assertEqual(get(gate.port, "/-/reload", "POST", "")[0], 400)
        self.wait_for_alerts({"EinlassReloadRefused"})
        self.wait_for_panel("einlass-overview", "What is held up, and for how long?", self.at_first("reload "),
                            lambda seconds: seconds >= 0)
        with open(gate.path, "w") as file:
            file.write(right)
        self.assertEqual(get(gate.port, "/-/reload", "POST", "")[0], 200)
        self.wait_until_quiet({"EinlassReloadRefused"})

    def a_cost_beyond_the_limit(self):
        self.world.produce_records("soft", [{"value": b"dear", "headers": [("units", b"5000")]}])
        self.wait_for_alerts({"EinlassRecordsNeverPass"})
        self.wait_for_panel("einlass-route", "How many can never pass?", "", lambda value: value == 1)

    def a_gate_is_gone(self):
        gate = self.gates[1]
        gate.kill()
        self.wait_for_alerts({"EinlassGateDown"})
        self.wait_for_panel("einlass-overview", "How many gates are down?", "", lambda value: value == 1)
        for _ in range(3):
            gate.start(wait=False)
            wait_until(lambda: get(gate.port, "/healthz")[0] == 200, 20, f"{gate.name} answers")
            begun = gate.metrics()["process_start_time_seconds"]
            wait_until(lambda: self._seen(gate, begun), 20, "Prometheus has seen the start")
            gate.kill()
        gate.start()
        self.wait_for_alerts({"EinlassRestarts"})
        self.wait_until_quiet({"EinlassGateDown"})

    def _seen(self, gate, begun):
        expression = f'process_start_time_seconds{{instance="127.0.0.1:{gate.port}"}}'
        return any(abs(value - begun) < 0.001 for _, value in self.prometheus.ask(expression, time.time()))

    def kafka_is_away(self):
        self.world.kafka.kill()
        self.wait_for_alerts({"EinlassCommitsFail"})
        self.wait_for_alerts({"EinlassKafkaAway", "EinlassPartitionsLost"})
        self.wait_for_panel("einlass-overview", "Do partitions move?", "lost", lambda rate: rate > 0)
        self.wait_for_panel("einlass-overview", "What is wrong, and for how long?", self.at_first("kafka "),
                            lambda seconds: seconds > 0)



if __name__ == "__main__":
    unittest.main()
