#!/usr/bin/env python3
"""The dashboards keep to Grafana's own schema: what its typed library (grafana-foundation-sdk, for Grafana 10.1) reads of them
and writes again is what was there. A key that it does not know, or one in the wrong place, is lost on the way.
"""

import json
import os
import re
import subprocess
import sys
import unittest

import written

LIBRARY = "grafana-foundation-sdk==1769699998!10.1.0"
FOLDER = os.path.join(os.environ.get("EINLASS_BUILD", os.path.join(written.ROOT, "build", "release")), "python-grafana")

# Of annotations the schema has what all data sources share; these are the Prometheus one's own.
UNKNOWN = {f".annotations.list[].{name}" for name in ("titleFormat", "textFormat", "step", "useValueForTime")}
# Grafana has it since 10.3; before that the place of a name is its own choice.
UNKNOWN.add(".panels[].options.namePlacement")

AGAIN = """
import json, sys
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
register_default_plugins()
print(JSONEncoder().encode(Dashboard.from_json(json.load(sys.stdin))))
"""


def python():
    path = os.path.join(FOLDER, "bin", "python")
    if not os.path.exists(path):
        subprocess.run([sys.executable, "-m", "venv", FOLDER], check=True)
    subprocess.run([path, "-m", "pip", "install", "-q", LIBRARY], check=True, stdout=sys.stderr, timeout=300)
    return path


def again(interpreter, board):
    done = subprocess.run([interpreter, "-c", AGAIN], input=json.dumps(board), capture_output=True, text=True,
                          check=True, timeout=60)
    return json.loads(done.stdout)


def lost(there, back, path=""):
    """The paths of what did not come back as it was."""
    if isinstance(there, dict):
        for key, value in there.items():
            known = isinstance(back, dict) and key in back
            yield from lost(value, back[key], f"{path}.{key}") if known else (f"{path}.{key}",)
    elif isinstance(there, list):
        if not isinstance(back, list) or len(there) != len(back):
            yield path
            return
        for one, other in zip(there, back):
            yield from lost(one, other, f"{path}[]")
    elif there != back:
        yield path


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.python = python()

    def test_has_a_place_for_everything(self):
        for uid, board in written.all_of().items():
            with self.subTest(dashboard=uid):
                self.assertEqual(set(lost(board, again(self.python, board))) - UNKNOWN, set())

    def test_what_it_does_not_know_is_found(self):
        board = written.all_of()["einlass-overview"]
        board["refreshh"] = "10s"
        board["panels"][1]["fieldConfig"]["defaults"]["units"] = "s"
        board["templating"]["list"][1]["multy"] = True
        found = {re.sub(r"^\.", "", path) for path in lost(board, again(self.python, board))}
        self.assertLessEqual({"refreshh", "panels[].fieldConfig.defaults.units", "templating.list[].multy"}, found)


if __name__ == "__main__":
    unittest.main()
