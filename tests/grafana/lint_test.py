#!/usr/bin/env python3
"""The dashboards keep to the rules of lint.py, and each rule finds its breach."""

import copy
import os
import re
import tempfile
import unittest

import written
import generate  # `written` has put its folder on the path.
import lint

# Nobody on call asks for these first, or the live page and the log say it better.
FOR_YOUR_OWN = {
    "einlass_build_info", "einlass_config_reloads_total", "einlass_loop_turn_seconds", "einlass_quotas", "einlass_records_finished_before_total",
    "einlass_shadow_unanswered_total", "einlass_spans_dropped_total", "einlass_spans_exported_total",
    "einlass_store_connections", "einlass_waiting_behind_records", "process_cpu_seconds_total", "process_max_fds",
    "process_open_fds", "process_virtual_memory_bytes", "process_virtual_memory_max_bytes"}


class Dashboards(unittest.TestCase):
    def test_keep_to_the_rules(self):
        found = written.all_of()
        self.assertEqual(sorted(found), ["einlass-limits", "einlass-overview", "einlass-route"])
        self.assertEqual([text for board in found.values() for text in lint.mistakes(board)], [])

    def test_are_what_the_generator_makes(self):
        self.assertEqual(generate.differences(os.path.join(written.GRAFANA, "dashboards")), [])

    def test_that_are_not_current_are_found(self):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in generate.texts().items():
                with open(os.path.join(directory, name), "w") as file:
                    file.write(text.replace("How much", "How many", 1) if "limits" in name else text)
            os.remove(os.path.join(directory, "einlass-route.json"))
            with open(os.path.join(directory, "stray.json"), "w"):
                pass
            self.assertEqual([text.split(": ")[1].split(";")[0] for text in generate.differences(directory)],
                             ["is not current", "is missing", "no board makes this file"])

    def test_every_metric_is_asked_for(self):
        """All that docs/metrics.md names is on a board or in a rule, but for what is for questions of one's own."""
        with open(os.path.join(written.ROOT, "docs", "metrics.md")) as page:
            named = {line.split("`")[1] for line in page if line.startswith("| `") and line.count("|") == 5}
        self.assertGreater(len(named), 40)
        asked = " ".join(text for board in written.all_of().values() for _, text in written.expressions(board))
        for name in ("alerts.yml", "recording.yml"):
            with open(os.path.join(written.ROOT, "deploy", "prometheus", name)) as rules:
                asked += rules.read()
        self.assertEqual({name for name in named if not re.search(rf"\b{name}\b|\b{name}_bucket\b", asked)}, FOR_YOUR_OWN)


def first(board, kind="timeseries"):
    return next(panel for panel in board["panels"] if panel["type"] == kind)


def ask(expression):
    def breach(board):
        first(board)["targets"][0]["expr"] = expression
    return breach


def panel(key, value):
    def breach(board):
        first(board)[key] = value
    return breach


def variable(name, key, value):
    def breach(board):
        next(one for one in board["templating"]["list"] if one["name"] == name)[key] = value
    return breach


CHOSEN = 'job=~"$job", instance=~"$instance"'
BREACHES = (
    (lint.template_datasource, variable("datasource", "label", "Source")),
    (lint.template_datasource, lambda board: board["templating"]["list"].pop(0)),
    (lint.template_job_and_instance, variable("job", "allValue", ".+")),
    (lint.template_job_and_instance, variable("instance", "multi", False)),
    (lint.template_job_and_instance, lambda board: board["templating"]["list"].pop(1)),
    (lint.template_reload, variable("job", "refresh", 1)),
    (lint.template_expressions, variable("instance", "query", "label_values(einlass_build_info, instance)")),
    (lint.template_expressions, variable("job", "query", "einlass_build_info")),
    (lint.panel_datasource, panel("datasource", {"uid": "P1"})),
    (lint.panel_title, panel("title", "Admitted")),
    (lint.panel_title, lambda board: first(board).update(title=first(board, "stat")["title"])),
    (lint.panel_title_fits, lambda board: first(board, "stat").update(title="How many gates of all those that should be up by now are down?")),
    (lint.panel_description, panel("description", "")),
    (lint.panel_units, lambda board: first(board)["fieldConfig"]["defaults"].update(unit="seconds")),
    (lint.panel_no_targets, panel("targets", [])),
    (lint.target_job_and_instance, ask('sum(einlass_records_inside{job=~"$job"})')),
    (lint.target_job_and_instance, ask("sum(einlass_records_inside)")),
    (lint.target_counter, ask(f"sum(einlass_rejections_total{{{CHOSEN}}})")),
    (lint.target_rate_interval, ask(f"sum(rate(einlass_rejections_total{{{CHOSEN}}}[5m]))")),
    (lint.legend, lambda board: first(board)["targets"][0].update(legendFormat="")),
    (lint.links, lambda board: first(board)["links"][0].update(url="/d/einlass-route?x=1")),
    (lint.links, lambda board: first(board)["links"][0].update(url=first(board)["links"][0]["url"].replace(
        "einlass-route", "einlass-elsewhere"))),
    (lint.links, lambda board: board["links"].clear()),
    (lint.whole, lambda board: board.update(editable=True)),
    (lint.whole, lambda board: board.update(id=7)),
    (lint.layout, lambda board: first(board)["gridPos"].update(y=0)),
    (lint.layout, lambda board: first(board)["gridPos"].update(x=20)),
)


class Rules(unittest.TestCase):
    def test_each_finds_its_breach(self):
        for number, (rule, breach) in enumerate(BREACHES):
            with self.subTest(rule=rule.__name__, number=number):
                board = copy.deepcopy(written.all_of()["einlass-overview"])
                breach(board)
                self.assertNotEqual(list(rule(board)), [])

    def test_none_was_forgotten(self):
        self.assertEqual({rule for rule, _ in BREACHES}, set(lint.RULES))


if __name__ == "__main__":
    unittest.main()
