"""What deploy/kubernetes/components/scaling asks Prometheus, by promtool: waiting work asks for more gates, unless a limit is what
it waits for."""

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


def series(used_in_a_minute, lag, busy=0.3):
    """Of one gate with a limit of 60 a minute."""
    return [{"series": f"{name}{{{LABELS}{more}}}", "values": values} for name, more, values in (
        ("einlass_limit_info", ', limit="a", store="redis", key="none"', "1x60"),
        ("einlass_limit_allowed_permits_per_second", ', limit="a"', "1x60"),
        ("einlass_admissions_total", ', limit="a", route="r"', f"0+{used_in_a_minute}x60"),
        ("einlass_lag_records", ', topic="t", partition="0"', f"{lag}x60"),
        ("einlass_loop_busy_seconds_total", ', shard="0"', f"0+{60 * busy}x60"))]


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
        self._assert_asks(self.lag, series(used_in_a_minute=30, lag=50000), 50000)

    def test_work_that_waits_for_a_limit_does_not(self):
        self._assert_asks(self.lag, series(used_in_a_minute=60, lag=50000), 0)

    def test_without_gates_there_is_an_answer(self):
        self._assert_asks(self.lag, [], 0)

    def test_busy_loops(self):
        self._assert_asks(self.busy, series(used_in_a_minute=30, lag=0, busy=0.7), 70)

    def test_the_bounds(self):
        with open(os.path.join(os.path.dirname(SCALED), "autoscaler.yaml")) as file:
            other = yaml.safe_load(file)["spec"]
        spec = self.object["spec"]
        self.assertEqual((spec["minReplicaCount"], spec["maxReplicaCount"]), (other["minReplicas"], other["maxReplicas"]))
        self.assertEqual(spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"], other["behavior"])


if __name__ == "__main__":
    unittest.main()
