#!/usr/bin/env python3
"""A test by which a page shows what it promises is one that ctest runs, and each guarantee is shown in every run."""

import glob
import json
import os
import re
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("EINLASS_BUILD", os.path.join(ROOT, "build", "release"))
# Where a name ends in `*`, or stands for all of a file, others begin so.
NAMED = re.compile(r"`((?:e2e|hostile|unit|adapters|conformance|chaos|weather)_\w+?)(?:_?\*)?`")


# These have real servers.
WITH_SERVERS = re.compile(r"(?:e2e|hostile|adapters_kafka|adapters_redis|conformance)_")


def registered():
    """{name: its labels}"""
    shown = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE)
    return {test["name"]: {label for one in test.get("properties", []) if one["name"] == "LABELS" for label in one["value"]}
            for test in json.loads(shown.stdout)["tests"]}


def stands_for(name, test):
    return f"{test}_".startswith(f"{name}_")


def named():
    """(page, name) of each."""
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            yield from ((os.path.relpath(path, ROOT), name) for name in NAMED.findall(file.read()))


class NamedTests(unittest.TestCase):
    def test_each_is_run(self):
        found, tests = list(named()), registered()
        self.assertGreater(len(found), 20)
        missing = [(page, name) for page, name in found if not any(stands_for(name, test) for test in tests)]
        self.assertEqual(missing, [])

    def test_each_guarantee_is_shown_by_one_of_every_run_on_real_servers(self):
        """Of each section, and of each place there that says what shows it."""
        every_run = [test for test, labels in registered().items() if WITH_SERVERS.match(test) and "whole" not in labels]
        with open(os.path.join(ROOT, "docs", "guarantees.md"), encoding="utf-8") as file:
            sections = file.read().split("\n## ")[1:]
        self.assertGreater(len(sections), 8)
        unshown = []
        for section in sections:
            said = [line for line in section.splitlines() if "shown by" in line.lower()]
            unshown += [section.splitlines()[0]] if not said else []
            unshown += [line for line in said
                        if not any(stands_for(name, test) for name in NAMED.findall(line) for test in every_run)]
        self.assertEqual(unshown, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
