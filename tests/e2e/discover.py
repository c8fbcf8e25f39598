"""Finds the tests of each *_test.py here and in tests/hostile and prints them for ctest, one add_test() each: none can
be forgotten.

    discover.py PYTHON PATIENCE ENVIRONMENT

ctest runs it each time it starts. A file that cannot be read becomes a test that fails and says why.
"""

import glob
import importlib
import os
import sys
import traceback
import unittest

from harness import plan

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = [HERE, os.path.join(os.path.dirname(HERE), "hostile")]
NOT_RUN = 77  # So ends a test that says why it cannot run here.
# What a test takes of ctest's slots, as in tests/CMakeLists.txt.
SLOTS_ALONE, SLOTS_HALF, SLOTS_WITH_SERVERS, SLOTS_WAITING = 13, 8, 4, 1


def tests_in(module):
    """(class, method or None for all of it) of the tests that are written in that module, or inherited there."""
    for kind in vars(module).values():
        if isinstance(kind, type) and issubclass(kind, unittest.TestCase) and kind.__module__ == module.__name__:
            methods = unittest.TestLoader().getTestCaseNames(kind)
            if methods and plan.of(kind)["together"]:
                yield kind, None
            elif methods:
                yield from ((kind, method) for method in methods)


def named(folder, module, tests):
    """{name: test}: the file and the method say which, and the class only where it must."""
    subject = module.__name__.removesuffix("_test")
    methods = [method for _, method in tests]
    names = {}
    for kind, method in tests:
        words = [subject]
        if len(tests) > 1 and (not method or methods.count(method) > 1):
            words.append(kind.__name__)
        if len(tests) > 1 and method:
            words.append(method.removeprefix("test_"))
        names["_".join([os.path.basename(folder), *words])] = (kind, method)
    return names


def properties(planned, patience, environment):
    wanted = {"TIMEOUT": round(planned["seconds"] * patience), "SKIP_RETURN_CODE": NOT_RUN,
              "ENVIRONMENT": f"{environment};KAFKA_VERSION={planned['kafka']}"}
    labels = (["slow"] if planned["servers"] or planned["whole"] else []) + (["whole"] if planned["whole"] else [])
    if labels:
        wanted["LABELS"] = ";".join(labels)
    if planned["servers"]:  # tests/suite/progress.py says what these are counted in.
        wanted["PROCESSORS"] = SLOTS_ALONE if planned["alone"] else SLOTS_HALF if planned["half"] else SLOTS_WITH_SERVERS
        if planned["waits"]:
            wanted.update({"PROCESSORS": SLOTS_WAITING, "RESOURCE_LOCK": "waiting_0"})
        if planned["alone"]:  # First, while what only computes goes on beside them.
            wanted["COST"] = 1000
        elif planned["half"]:  # Then these, two at a time.
            wanted["COST"] = 900
    return wanted


def quoted(text):
    return f"[==[{text}]==]"


def add(name, command, wanted):
    print(f"add_test({quoted(name)} {' '.join(quoted(word) for word in command)})")
    print(f"set_tests_properties({quoted(name)} PROPERTIES "
          + " ".join(f"{key} {quoted(value)}" for key, value in wanted.items()) + ")")


def main(python, patience, environment):
    sys.path[:0] = FOLDERS
    for folder, path in ((folder, path) for folder in FOLDERS for path in sorted(glob.glob(os.path.join(folder, "*_test.py")))):
        try:
            module = importlib.import_module(os.path.basename(path).removesuffix(".py"))
            for name, (kind, method) in named(folder, module, list(tests_in(module))).items():
                test = kind.__name__ + (f".{method}" if method else "")
                add(name, [python, path, test], properties(plan.of(kind, method), float(patience), environment))
        except Exception:
            name = os.path.basename(path).removesuffix(".py")
            add(f"e2e_{name}_cannot_be_read", [python, "-c", f"raise SystemExit({traceback.format_exc()!r})"], {"TIMEOUT": 60})


if __name__ == "__main__":
    main(*sys.argv[1:])
