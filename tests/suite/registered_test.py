#!/usr/bin/env python3
"""No test is forgotten: ctest runs each *_test.py there is, and of a file whose classes or methods it names each test that
somebody has written.

    registered_test.py BUILD

A method that several classes inherit counts as run where one of them runs it.
"""

import ast
import glob
import json
import os
import subprocess
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


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


def tests_left_out(text, chosen):
    """Of that file, if `chosen` are classes of it and methods of those: what is not chosen, nor stands in a class that is, or in
    one that such a class inherits."""
    classes = {one.name: one for one in ast.parse(text).body if isinstance(one, ast.ClassDef)}
    if not {one.split(".")[0] for one in chosen} <= classes.keys():
        return []
    methods = {one.split(".")[1] for one in chosen if "." in one}
    run, left = set(), chosen & classes.keys()
    while left:
        run |= left
        left = {base.id for one in left for base in classes[one].bases if isinstance(base, ast.Name)} & classes.keys() - run
    return [part.name for name, one in classes.items() if name not in run for part in one.body
            if isinstance(part, ast.FunctionDef) and part.name.startswith("test_") and part.name not in methods]


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
            yield from (f"{shown}: {name}" for name in tests_left_out(text, chosen))


def main():
    missing = list(forgotten(registered(sys.argv[1])))
    for one in missing:
        print(f"tests/{one} is run by no test: name it in the CMakeLists.txt of its folder, or see tests/e2e/discover.py")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
