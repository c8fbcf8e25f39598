#!/usr/bin/env python3
"""No test is forgotten: ctest runs each *_test.py there is, and of the scenarios each method that somebody has written.

    registered_test.py BUILD

A method that several classes inherit counts as run where one of them runs it.
"""

import glob
import json
import os
import re
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENARIOS = ("e2e", "hostile")
WRITTEN = re.compile(r"^    def (test_\w+)\(", re.MULTILINE)


def registered(build):
    """{file: what ctest runs of it, as CLASS.METHOD, as CLASS, or as nothing at all for the whole file}."""
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE)
    found = {}
    for test in json.loads(shown.stdout)["tests"]:
        words = test.get("command", [])
        for place, word in enumerate(words):
            if word.endswith("_test.py"):
                found.setdefault(os.path.realpath(word), set()).add(words[place + 1] if place + 1 < len(words) else "")
    return found


def forgotten(runs):
    """What is run by nothing."""
    for path in sorted(glob.glob(os.path.join(TESTS, "**", "*_test.py"), recursive=True)):
        shown = os.path.relpath(path, TESTS)
        chosen = runs.get(os.path.realpath(path))
        if chosen is None:
            yield shown
        elif shown.split(os.sep)[0] in SCENARIOS and all("." in one for one in chosen):
            methods = {one.split(".")[1] for one in chosen}
            with open(path, encoding="utf-8") as file:
                yield from (f"{shown}: {name}" for name in WRITTEN.findall(file.read()) if name not in methods)


def main():
    missing = list(forgotten(registered(sys.argv[1])))
    for one in missing:
        print(f"tests/{one} is run by no test: name it in the CMakeLists.txt of its folder, or see tests/e2e/discover.py")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
