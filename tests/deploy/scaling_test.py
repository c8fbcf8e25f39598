"""What deploy/kubernetes/components/scaling asks Prometheus, by promtool: waiting work asks for more gates, unless what it waits for
is something else."""

import json
import os
import tempfile
import unittest

import yaml

from commands import must

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCALED = os.path.join(ROOT, "deploy", "kubernetes", "components", "scaling", "scaled_object.yaml")
RULES = os.path.join(ROOT, "deploy", "prometheus", "recording.yml")
GATES = ("gate-1:9465", "gate-2:9465")


REASONS = ("limit", "target", "retry", "order", "outage", "paused", "in_flight", "not_before")  # As core/contract/stats.h has them.
FOR_NO_GATE = ("limit", "target", "retry", "order", "outage", "paused", "not_before")


def series(route, lag, gate="gate-1:9465", **waiting):
    """Of one gate with that route, its own topic and target, whose records in the gate wait for these reasons. `lag`: in that
    topic, or {topic: lag}."""
    topics = lag if isinstance(lag, dict) else {f"{route}-topic": lag}
    return [{"series": f'{name}{{job="einlass", instance="{gate}", {more}}}', "values": f"{value}x60"} for name, more, value in (
        ("einlass_route_lag_records", f'route="{route}"', sum(topics.values())),
        ("einlass_route_info", f'route="{route}", target="{route}-target"', 1),
        *(("einlass_topic_info", f'topic="{topic}", route="{route}"', 1) for topic in topics),
        *(("einlass_lag_records", f'topic="{topic}", partition="{part}"', of / 2)
          for topic, of in topics.items() for part in (0, 1)),
        ("einlass_records_inside", f'route="{route}"', sum(waiting.values())),
        *(("einlass_waiting_records", f'route="{route}", reason="{reason}"', waiting.get(reason, 0)) for reason in REASONS))]


def paused(what, name):
    """At both gates: that is a series of each."""
    return [{"series": f'einlass_paused{{job="einlass", instance="{gate}", what="{what}", name="{name}"}}', "values": "1x60"}
            for gate in GATES]


class Scaling(unittest.TestCase):
    def setUp(self):
        with open(SCALED) as file:
            self.object = yaml.safe_load(file)
        self.lag, self.busy = (trigger["metadata"]["query"] for trigger in self.object["spec"]["triggers"])

    def _assert_asks(self, query, given, value):
        expected = [{"labels": "{}", "value": value}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test.json")
            with open(path, "w") as file:
                json.dump({"rule_files": [RULES], "evaluation_interval": "1m", "tests": [
                    {"interval": "1m", "input_series": given,
                     "promql_expr_test": [{"expr": query, "eval_time": "30m", "exp_samples": expected}]}]}, file)
            must("promtool", "test", "rules", path)

    def test_work_that_waits_for_gates_asks_for_more(self):
        self._assert_asks(self.lag, series("r", 50000, in_flight=60, order=20, limit=20), 50000)
        self._assert_asks(self.lag, series("r", 50000), 50000)

    def test_work_that_waits_for_something_else_does_not(self):
        """Such as a limit with a key, a dead target, Redis, or the one record of their partition that is under way."""
        for reason in FOR_NO_GATE:
            with self.subTest(reason):
                self._assert_asks(self.lag, series("r", 50000, in_flight=40, **{reason: 60}), 0)

    def test_one_route_that_waits_does_not_hold_up_another(self):
        self._assert_asks(self.lag, series("dead", 50000, target=60, retry=1) + series("live", 20000, in_flight=60), 20000)

    def test_what_is_paused_does_not(self):
        """Nothing of it is read: no record of it may be in a gate. Another route counts all the while."""
        for what, name in (("route", "r"), ("target", "r-target"), ("topic", "r-topic")):
            with self.subTest(what):
                both = [one for gate in GATES for one in series("r", 50000, gate) + series("live", 1000, gate, in_flight=3)]
                self._assert_asks(self.lag, both + paused(what, name), 2000)
                self._assert_asks(self.lag, both + paused(what, f"{name}-2"), 102000)
        self._assert_asks(self.lag, series("r", 50000) + paused("limit", "r/acme"), 50000)

    def test_of_a_route_with_one_paused_topic_the_others_count(self):
        self._assert_asks(self.lag, series("r", {"r-eu": 50000, "r-us": 2000}, in_flight=9) + paused("topic", "r-eu"), 2000)
        self._assert_asks(self.lag, series("r", {"r-eu": 50000, "r-us": 2000}, in_flight=1, limit=9) + paused("topic", "r-eu"), 0)

    def test_else_counts_by_the_route_that_reads(self):
        """As the file says, and how it says to leave such a route out."""
        others = series("others", {}, limit=60)
        given = series("germany", 50000, in_flight=9) + [one for one in others if "lag" not in one["series"]]
        self._assert_asks(self.lag, given, 50000)
        self._assert_asks(self.lag, given + paused("route", "others"), 50000)
        self._assert_asks(self.lag, given + paused("route", "germany"), 0)
        first = 'einlass_route_lag_records{job="einlass"'
        self._assert_asks(self.lag.replace(first, first + ', route!="germany"', 1), given + series("live", 300, in_flight=1), 300)

    def test_without_gates_there_is_an_answer(self):
        self._assert_asks(self.lag, [], 0)

    def test_busy_loops(self):
        busy = [{"series": f'einlass_loop_busy_seconds_total{{job="einlass", instance="{GATES[0]}", shard="0"}}',
                 "values": "0+42x60"}]
        self._assert_asks(self.busy, busy, 70)

    def test_the_bounds(self):
        with open(os.path.join(os.path.dirname(SCALED), "autoscaler.yaml")) as file:
            other = yaml.safe_load(file)["spec"]
        spec = self.object["spec"]
        self.assertEqual((spec["minReplicaCount"], spec["maxReplicaCount"]), (other["minReplicas"], other["maxReplicas"]))
        self.assertEqual(spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"], other["behavior"])


if __name__ == "__main__":
    unittest.main()
