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
LABELS = 'job="einlass", instance="gate-1:9465"'


REASONS = ("limit", "target", "retry", "order", "outage", "paused", "in_flight", "not_before")  # As core/stats.h has them.
FOR_NO_GATE = ("limit", "target", "retry", "outage", "paused", "not_before")


def series(route, lag, **waiting):
    """Of one gate with that route, whose records in the gate wait for these reasons."""
    return [{"series": f"{name}{{{LABELS}{more}}}", "values": f"{value}x60"} for name, more, value in (
        ("einlass_route_lag_records", f', route="{route}"', lag),
        ("einlass_records_inside", f', route="{route}"', sum(waiting.values())),
        *(("einlass_waiting_records", f', route="{route}", reason="{reason}"', waiting.get(reason, 0)) for reason in REASONS))]


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
        self._assert_asks(self.lag, series("r", 50000, in_flight=40, order=40, limit=20), 50000)
        self._assert_asks(self.lag, series("r", 50000), 50000)

    def test_work_that_waits_for_something_else_does_not(self):
        """Such as a limit with a key, a dead target, or Redis."""
        for reason in FOR_NO_GATE:
            with self.subTest(reason):
                self._assert_asks(self.lag, series("r", 50000, in_flight=40, **{reason: 60}), 0)

    def test_one_route_that_waits_does_not_hold_up_another(self):
        self._assert_asks(self.lag, series("dead", 50000, target=60, retry=1) + series("live", 20000, in_flight=60), 20000)

    def test_without_gates_there_is_an_answer(self):
        self._assert_asks(self.lag, [], 0)

    def test_busy_loops(self):
        busy = [{"series": f'einlass_loop_busy_seconds_total{{{LABELS}, shard="0"}}', "values": "0+42x60"}]
        self._assert_asks(self.busy, busy, 70)

    def test_the_bounds(self):
        with open(os.path.join(os.path.dirname(SCALED), "autoscaler.yaml")) as file:
            other = yaml.safe_load(file)["spec"]
        spec = self.object["spec"]
        self.assertEqual((spec["minReplicaCount"], spec["maxReplicaCount"]), (other["minReplicas"], other["maxReplicas"]))
        self.assertEqual(spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"], other["behavior"])


if __name__ == "__main__":
    unittest.main()
