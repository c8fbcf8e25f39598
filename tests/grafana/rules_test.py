#!/usr/bin/env python3
"""The rules of deploy/prometheus: promtool takes them, each alert's test is whole and can fail, each has its section in
docs/runbook.md."""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import written
from prometheus import chosen

PROMETHEUS = os.path.join(written.ROOT, "deploy", "prometheus")
NEVER, ALWAYS = "expr: vector(0) > 1\n", "expr: vector(1)\n"


def contents(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def seconds(time):
    """Of 5m or 5m45s."""
    minutes, rest = re.fullmatch(r"(\d+)m(?:(\d+)s)?", time).groups()
    return 60 * int(minutes) + int(rest or 0)


def alerts():
    """{name: the text of its rule}."""
    parts = re.split(r"^      - alert: (\w+)\n", contents(PROMETHEUS, "alerts.yml"), flags=re.M)[1:]
    return dict(zip(parts[::2], parts[1::2]))


def with_expression(name, expression):
    """alerts.yml with another expression for that alert."""
    body = alerts()[name]
    changed = re.sub(r"expr: (\|\n(?: {10}.*\n)+|.*\n)", expression, body, count=1)
    assert changed != body
    return contents(PROMETHEUS, "alerts.yml").replace(body, changed)


class Rules(unittest.TestCase):
    def test_promtool_takes_them(self):
        for arguments in (("check", "rules", "alerts.yml", "recording.yml"), ("check", "config", "prometheus.yml")):
            paths = [os.path.join(PROMETHEUS, word) if word.endswith(".yml") else word for word in arguments]
            code, said = promtool(*paths)
            self.assertEqual(code, 0, said)

    def test_each_fires_stays_quiet_and_recovers(self):
        files = sorted(os.listdir(os.path.join(PROMETHEUS, "tests")))
        self.assertEqual(files, sorted(f"{name}.yml" for name in alerts()))
        for name in alerts():
            with self.subTest(alert=name):
                for place, story in enumerate(contents(PROMETHEUS, "tests", f"{name}.yml").split("- interval: ")[1:]):
                    cases = re.split(r"- alertname: ", story)[1:]
                    self.assertTrue(all(case.startswith(f"{name}\n") for case in cases))
                    times = [seconds(re.search(r"eval_time: (\S+)", case).group(1)) for case in cases]
                    fires = ["exp_alerts" in case for case in cases]
                    self.assertEqual(times, sorted(times))
                    self.assertFalse(fires[0], "quiet before")
                    self.assertIn(True, fires)
                    if place == 0:
                        self.assertFalse(fires[-1], "quiet again afterwards")
                code, said = promtool("test", "rules", os.path.join(PROMETHEUS, "tests", f"{name}.yml"))
                self.assertEqual(code, 0, said)

    def test_each_of_these_tests_can_fail(self):
        """One that never fires, and one that always does, are both found."""
        def passes(case):
            name, expression = case
            with tempfile.TemporaryDirectory() as directory:
                os.mkdir(os.path.join(directory, "tests"))
                shutil.copy(os.path.join(PROMETHEUS, "recording.yml"), directory)
                shutil.copy(os.path.join(PROMETHEUS, "tests", f"{name}.yml"), os.path.join(directory, "tests"))
                with open(os.path.join(directory, "alerts.yml"), "w") as file:
                    file.write(with_expression(name, expression))
                code, said = promtool("test", "rules", os.path.join(directory, "tests", f"{name}.yml"))
                assert code == 0 or "FAILED" in said, said
                return code == 0
        cases = [(name, expression) for name in alerts() for expression in (NEVER, ALWAYS)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertEqual([case for case, passed in zip(cases, pool.map(passes, cases)) if passed], [])


def answers(given, expected):
    """What promtool says of these series and what each expression is to answer, after 15 s."""
    cases = [{"expr": chosen(expression), "eval_time": "15s", "exp_samples": samples} for expression, samples in expected.items()]
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "test.json")
        with open(path, "w") as file:
            json.dump({"evaluation_interval": "1s", "tests": [{"interval": "1s", "input_series": given, "promql_expr_test": cases}]}, file)
        return promtool("test", "rules", path)


class StandStill(unittest.TestCase):
    def test_only_routes_whose_records_ought_to_move(self):
        """Of the panel: red for a target, Redis and a hang, and not for a slow limit, a pause or records' own time."""
        panel = next(one for one in written.panels(written.all_of()["einlass-route"]) if one["title"] == "Which routes stand still?")
        reasons = ("limit", "target", "retry", "order", "outage", "paused", "in_flight", "not_before")

        def series(name, route, value, more=""):
            return {"series": f'{name}{{job="einlass", instance="gate-1:9465", route="{route}"{more}}}', "values": f"{value}x20"}
        given = [one for route in reasons for one in (
            series("einlass_records_inside", route, 9), series("einlass_records_delivered_total", route, 5),
            *(series("einlass_waiting_records", route, 9 if reason == route else 0, f', reason="{reason}"') for reason in reasons))]
        expected = [{"labels": f'{{route="{route}"}}', "value": 9} for route in reasons
                    if route not in ("limit", "paused", "not_before")]
        code, said = answers(given, {panel["targets"][0]["expr"]: expected})
        self.assertEqual(code, 0, said)


class Fleets(unittest.TestCase):
    def test_two_of_one_prometheus_are_not_added_up(self):
        """One uses a fifth of its limit, the other all of the smaller one of the same name, and all its attempts fail."""
        def series(job, name, more, each_second, at_first=0):
            return {"series": f'{name}{{job="{job}", instance="gate-1:9465", {more}}}', "values": f"{at_first}+{each_second}x20"}
        given = []
        for job, used, most, outcome in (("einlass", 20, 100, "accepted"), ("einlass-b", 10, 10, "retry")):
            given += [series(job, "einlass_admissions_total", 'route="results", limit="callbacks"', used),
                      series(job, "einlass_attempts_total", f'route="results", outcome="{outcome}"', used),
                      series(job, "einlass_attempts_total", 'route="results", outcome="refused"', 0),
                      series(job, "einlass_limit_allowed_permits_per_second", 'limit="callbacks"', 0, most),
                      series(job, "einlass_limit_info", 'limit="callbacks", store="redis", key="none", shadow="false"', 0, 1)]
        shown = {panel["title"]: [one["expr"].replace("$job", "einlass.*") for one in panel["targets"]]
                 for board in written.all_of().values() for panel in written.panels(board)}
        code, said = answers(given, {
            shown["How full is the fullest?"][0]: [{"value": 1}],
            shown["How much is used of what is allowed?"][0]: [{"labels": '{limit="callbacks"}', "value": 1}],
            shown["How many permits are used, and how many allowed?"][1]: [{"labels": '{limit="callbacks"}', "value": 110}],
            shown["What share of each route's attempts fails?"][0]: [{"labels": '{route="results"}', "value": 1}]})
        self.assertEqual(code, 0, said)


class Panels(unittest.TestCase):
    @staticmethod
    def asked(board, title):
        panel = next(one for one in written.panels(written.all_of()[board]) if one["title"] == title)
        return [one["expr"].replace("$job", "einlass.*") for one in panel["targets"]]

    @staticmethod
    def series(name, more, value, gate=1):
        return {"series": f'{name}{{job="einlass", instance="gate-{gate}:9465", {more}}}', "values": f"{value}x20"}

    def test_offsets_that_a_gate_finds_deleted_when_it_starts_are_shown(self):
        asked, = self.asked("einlass-route", "Which offsets were never read?")
        code, said = answers([self.series("einlass_offsets_skipped_total", 'topic="results", reason="retention"', 5000),
                              self.series("einlass_offsets_skipped_total", 'topic="results", reason="reset"', 0)],
                             {asked: [{"labels": '{topic="results", reason="retention"}', "value": 5000}]})
        self.assertEqual(code, 0, said)

    def test_a_limit_in_memory_is_each_gates_own(self):
        """Eight at once are allowed to two gates: sixteen in memory, eight in Redis, and one in shadow has no line."""
        given = []
        for limit, store, shadow in (("own", "memory", "false"), ("shared", "redis", "false"), ("tried", "redis", "true")):
            info = f'limit="{limit}", algorithm="concurrency", store="{store}", key="none", shadow="{shadow}"'
            for gate in (1, 2):
                given += [self.series("einlass_limit_info", info, 1, gate),
                          self.series("einlass_limit_allowed_permits", f'limit="{limit}"', 8, gate)]
        asked = self.asked("einlass-limits", "How many attempts are in flight, of how many?")[1]
        code, said = answers(given, {asked: [{"labels": '{limit="own"}', "value": 16}, {"labels": '{limit="shared"}', "value": 8}]})
        self.assertEqual(code, 0, said)

    def test_a_breaker_that_nothing_waits_for_is_no_target_that_is_down(self):
        given = []
        for route, inside in (("results", 7), ("night", 0)):
            given += [self.series("einlass_route_info", f'route="{route}", target="{route}"', 1),
                      self.series("einlass_records_inside", f'route="{route}"', inside),
                      *(self.series(f"einlass_target_{name}", f'target="{route}"', value)
                        for name, value in (("breaker_open", 1), ("unusable", 0), ("in_flight", 1)))]
        asked, = self.asked("einlass-route", "Which targets are down?")
        code, said = answers(given, {asked: [{"labels": '{target="results"}', "value": 1}]})
        self.assertEqual(code, 0, said)

    def test_a_restart_is_no_reload(self):
        asked = next(one["expr"] for one in written.all_of()["einlass-overview"]["annotations"]["list"]
                     if one["name"] == "Reloaded").replace("$job", "einlass.*")
        given = [{"series": f'{name}{{job="einlass", instance="gate-{gate}:9465"}}', "values": values}
                 for gate, starts in ((1, "5x5 9x15"), (2, "5x20"))
                 for name, values in (("process_start_time_seconds", starts),
                                      ("einlass_config_last_reload_success_timestamp_seconds", "5x5 9x15"))]
        code, said = answers(given, {asked: [{"labels": '{job="einlass", instance="gate-2:9465"}', "value": 1}]})
        self.assertEqual(code, 0, said)


class Runbook(unittest.TestCase):
    def test_has_a_section_for_each_alert_and_none_besides(self):
        sections = re.split(r"^## (\w+)\n", contents(written.ROOT, "docs", "runbook.md"), flags=re.M)[1:]
        found = dict(zip(sections[::2], sections[1::2]))
        self.assertEqual(list(found), list(alerts()), "in the same order")
        for name, text in found.items():
            with self.subTest(alert=name):
                for heading in ("What it means", "Look", "Do"):
                    self.assertRegex(text, rf"\*\*{heading}\.\*\* [^\n]{{15}}")

    def test_is_where_each_alert_points(self):
        for name, text in alerts().items():
            with self.subTest(alert=name):
                self.assertIn(f"runbook_url: https://docs.example.org/einlass/runbook.html#{name.lower()}\n", text)
                self.assertRegex(text, r"severity: (critical|warning|info)}")
                self.assertRegex(text, r'summary: ".+"\n')
                self.assertRegex(text, r'description: ".+"\n')

    def test_names_panels_that_are_there(self):
        titles = {panel["title"] for board in written.all_of().values() for panel in written.panels(board)}
        named = re.findall(r"\*([A-Z][^*]+\?)\*", contents(written.ROOT, "docs", "runbook.md").replace("\n", " "))
        self.assertGreater(len(named), 6)
        self.assertEqual([one for one in named if one not in titles], [])


if __name__ == "__main__":
    unittest.main()
