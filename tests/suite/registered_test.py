#!/usr/bin/env python3
"""No test is forgotten: ctest runs each *_test.py there is, of the scenarios each method that somebody has written, and of
a file whose classes it names each that has tests.

    registered_test.py BUILD

A method that several classes inherit counts as run where one of them runs it.
"""

import ast
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


def classes_left_out(text, chosen):
    """Those with tests, if `chosen` are classes of that file: neither one of them nor what one of them inherits."""
    classes = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.ClassDef)}
    if not chosen <= classes.keys():
        return []
    run, left = set(), set(chosen)
    while left:
        run |= left
        left = {base.id for one in left for base in classes[one].bases if isinstance(base, ast.Name)} & classes.keys() - run
    return [name for name, one in classes.items() if name not in run and any(
        isinstance(part, ast.FunctionDef) and part.name.startswith("test_") for part in one.body)]


def forgotten(runs):
    """What is run by nothing."""
    for path in sorted(glob.glob(os.path.join(TESTS, "**", "*_test.py"), recursive=True)):
        shown = os.path.relpath(path, TESTS)
        chosen = runs.get(os.path.realpath(path))
        if chosen is None:
            yield shown
        else:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if shown.split(os.sep)[0] not in SCENARIOS:
                yield from (f"{shown}: {name}" for name in classes_left_out(text, chosen))
            elif all("." in one for one in chosen):
                methods = {one.split(".")[1] for one in chosen}
                yield from (f"{shown}: {name}" for name in WRITTEN.findall(text) if name not in methods)


def main():
    missing = list(forgotten(registered(sys.argv[1])))
    for one in missing:
        print(f"tests/{one} is run by no test: name it in the CMakeLists.txt of its folder, or see tests/e2e/discover.py")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
