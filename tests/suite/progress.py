"""Runs ctest and says after each test how far it is; at the end, which were the slowest."""

import collections
import json
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

_USUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "usual_seconds.json")
SLOWEST = 10
_UNKNOWN = 5.0      # Seconds that a test is thought to take which nobody has timed.
# What ctest counts in: a scenario takes four of these, one that bears with little beside it half, one that is to be alone all
# but three, and what only computes (politely, `nice`) or hardly does anything but wait takes one. So four scenarios run at
# once, and no core is idle beside one that is alone.
SLOTS = 16
_SIDE_BY_SIDE = 3.5  # How many of those that take few slots run at once, in truth.
_LAST_LINES = 15     # Of a failed test, shown again at the end.
_STARTED = re.compile(r"\s+Start +\d+: ")
_SUMMED_UP = re.compile(r"\d+% tests passed, .* out of (\d+)")
_ENDED = re.compile(r"\s*\d+/(\d+) Test +#\d+: (\S+) \.+\s*(.*?)\s+([\d.]+) sec")

# Of a test: how many slots it takes, and the locks that only one test at a time may hold.
Needs = collections.namedtuple("Needs", "slots locks")


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


class Estimate:
    """How long the rest takes, from what each test took the last time."""

    def __init__(self, tests, usual):
        """`tests`: {name: its Needs}."""
        self._tests, self._seconds = tests, {name: usual.get(name, _UNKNOWN) for name in tests}
        self._cost = {name: self._seconds[name] / min(_SIDE_BY_SIDE, SLOTS // needs.slots) for name, needs in tests.items()}
        self._all = self._left = sum(self._cost.values())

    def ended(self, name):
        self._left -= self._cost.pop(name, 0.0)

    def left(self, elapsed):
        """In seconds; as fast as it has been so far, once that can be told. It takes as long as the longest lane, however
        much room there is beside it."""
        done = self._all - self._left
        pace = elapsed / done if done > self._all / 10 else 1.0
        return max([self._left * pace, *self._lanes().values()])

    def _lanes(self):
        """{lock: seconds of what is left of the tests that hold it, one after the other}."""
        lanes = collections.Counter()
        for name in self._cost:
            lanes.update({lock: self._seconds[name] for lock in self._tests[name].locks})
        return lanes


def _shown(build, selection):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *selection], check=True,
                           stdout=subprocess.PIPE)
    return json.loads(shown.stdout)["tests"]


def _chosen(build, selection):
    """{name: its Needs} of the tests that ctest would run."""
    found = {}
    for test in _shown(build, selection):
        properties = {one["name"]: one["value"] for one in test.get("properties", [])}
        slots = SLOTS if properties.get("RUN_SERIAL") else properties.get("PROCESSORS", 1)
        found[test["name"]] = Needs(slots, properties.get("RESOURCE_LOCK", []))
    return found


def _usual():
    with open(_USUAL) as file:
        return json.load(file)


def without(build, selection, passed):
    """What chooses the rest, or nothing if there is none: ctest counts from 1, and takes numbers in any length."""
    rest = _chosen(build, selection).keys() - passed
    numbers = [str(number) for number, test in enumerate(_shown(build, []), 1) if test["name"] in rest]
    return ["-I", "0,0,0," + ",".join(numbers)] if numbers else []


def _teach(build, usual):
    """The longest first: ctest knows them from its own last run, or from here in a new folder."""
    path = os.path.join(build, "Testing", "Temporary", "CTestCostData.txt")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.writelines(f"{name} 1 {seconds}\n" for name, seconds in usual.items())
            file.write("---\n")


def _show_slowest(took):
    print("\nThe slowest:")
    for seconds, name in sorted(((seconds, name) for name, seconds in took.items()), reverse=True)[:SLOWEST]:
        print(f"  {seconds:6.1f} s  {name}")


def _relay(lines, tests, estimate, ended, said):
    """Prints what ctest says, its lines of tests with the estimate; fills in {test: (outcome, seconds)}, and what those
    printed last that failed."""
    began = time.monotonic()
    name = None
    count, summing_up = None, False
    for line in lines:
        found = _ENDED.match(line)
        count = count or found and found[1]
        if found and found[1] == count:  # Else a test that failed runs ctest itself, and this is what it has printed.
            name, outcome, seconds = found[2], found[3].strip("*"), float(found[4])
            ended[name] = (outcome, seconds)
            estimate.ended(name)
            elapsed = time.monotonic() - began
            print(f"[{len(ended):3}/{len(tests)}  {clock(elapsed)}, about {clock(estimate.left(elapsed))} left]  "
                  f"{outcome:7} {seconds:5.1f} s  {name}", flush=True)
        elif (summed := _SUMMED_UP.match(line)) and summed[1] == count:
            summing_up = True
            _show_slowest({name: seconds for name, (_, seconds) in ended.items()})
            print("\n" + line, end="", flush=True)
        elif not _STARTED.match(line):
            print(line, end="", flush=True)
            if name and not summing_up and ended[name][0] != "Passed" and line.strip():
                said[name] = [*said.get(name, [])[1 - _LAST_LINES:], line]


def _show_failed(said):
    """Once more at the end, for whoever is shown only that."""
    for name, lines in said.items():
        print(f"\n{name} ended with:")
        print("".join(f"  {line}" for line in lines), end="", flush=True)


def _told_why(path, ended):
    """What ctest said of each test; of one that was skipped, with the last line that it printed, which ctest keeps to itself."""
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name, lines = case.get("name"), (case.findtext("system-out") or "").strip().splitlines()
        if name in ended and ended[name][0] == "Skipped" and lines:
            ended[name] = (f"Skipped ({lines[-1]})", ended[name][1])
            print(f"{name}: {ended[name][0]}", flush=True)
    return ended


def follow(build, arguments):
    """Runs ctest with these arguments. Returns its exit code, {test: (what is to be said of it, seconds)}, and the tests that
    are to come, where it was interrupted."""
    usual = _usual()
    _teach(build, usual)
    tests = _chosen(build, arguments)
    estimate = Estimate(tests, usual)
    print(f"{len(tests)} tests, about {clock(estimate.left(0))} min.", flush=True)
    page = os.path.join(build, "Testing", "Temporary", "results.xml")
    ended, said = {}, {}
    with subprocess.Popen(["ctest", "--test-dir", build, "--output-junit", page, *arguments], stdout=subprocess.PIPE, text=True,
                          bufsize=1, start_new_session=True) as ctest:
        try:
            _relay(ctest.stdout, tests, estimate, ended, said)
        except KeyboardInterrupt:
            os.killpg(ctest.pid, signal.SIGTERM)  # What it has started would live on else.
            print(f"Interrupted: {len(tests) - len(ended)} tests to come.", flush=True)
    _show_failed(said)
    if len(ended) == len(tests):
        ended = _told_why(page, ended)
    return ctest.returncode, ended, tests.keys() - ended.keys()


def remember(ended):
    """What each took that passed is what it usually takes, from now on."""
    usual = {**_usual(), **{name: round(seconds, 1) for name, (said, seconds) in ended.items() if said == "Passed"}}
    with open(_USUAL, "w") as file:
        json.dump(dict(sorted(usual.items())), file, indent=0)
        file.write("\n")
