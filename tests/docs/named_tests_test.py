#!/usr/bin/env python3
"""A test by which a page shows what it promises is one that ctest runs."""

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


def registered():
    shown = subprocess.run(["ctest", "--test-dir", BUILD, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE)
    return [test["name"] for test in json.loads(shown.stdout)["tests"]]


def named():
    """(page, name) of each."""
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            yield from ((os.path.relpath(path, ROOT), name) for name in NAMED.findall(file.read()))


class NamedTests(unittest.TestCase):
    def test_each_is_run(self):
        found, tests = list(named()), registered()
        self.assertGreater(len(found), 20)
        missing = [(page, name) for page, name in found if not any(f"{test}_".startswith(f"{name}_") for test in tests)]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
