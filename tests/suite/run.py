#!/usr/bin/env python3
"""Builds, runs a choice of the tests by ctest, and tells how far it is. ./test.sh calls it.

    run.py [--fast | --all | --deploy] [--continue] [--write-seconds]

Brokers for the scenarios start while the rest is still being compiled (tests/e2e/harness/lent_kafka.py says how they are lent).
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "tests", "e2e"), HERE]
from harness import lent_kafka  # noqa: E402
import progress  # noqa: E402
import results  # noqa: E402
import versions  # noqa: E402

BUILD = os.path.join(ROOT, "build", "release")
LENT = {"3.9.1": 4, "4.1.1": 1}
CHOICES = {"default": ["-LE", "whole|fresh_system"], "fast": ["-LE", "slow"], "all": ["-LE", "fresh_system"],
           "deploy": ["-L", "deploy"]}


def build():
    """Starts it. A terminal shows ninja's one moving line; a log file what goes wrong and nothing else."""
    quiet = [] if sys.stdout.isatty() else ["--quiet"]
    return subprocess.Popen(["cmake", "--build", BUILD, "--", *quiet])


def lend(folder):
    os.environ["EINLASS_LENT_KAFKA"] = folder
    return [lent_kafka.offer(folder, version, number) for version, count in LENT.items() for number in range(count)]


def interrupt(*_):
    raise KeyboardInterrupt


def run(choice, continued, remembered):
    print("Building, and starting what the tests share...", flush=True)
    began = time.monotonic()
    began_on = results.sources(ROOT)
    compiling = build()
    with tempfile.TemporaryDirectory(prefix="einlass-lent-") as folder:
        brokers = []
        try:
            if choice in ("default", "all"):
                brokers = lend(folder)
            if compiling.wait():
                return compiling.returncode
            told = versions.told(LENT)
            print(f"Built in {progress.clock(time.monotonic() - began)} min. {told}.", flush=True)
            earlier, spent = results.before(ROOT, told) if continued else ({}, 0)
            chosen = CHOICES[choice]
            if earlier:
                chosen = progress.without(BUILD, chosen, {name for name, (said, _) in earlier.items() if results.passed(said)})
            if not chosen:
                print("tests/RESULTS.md has all as passed on these sources.")
                return 0
            code, ended, to_come = progress.follow(BUILD, ["--parallel", str(progress.SLOTS), "--output-on-failure", *chosen])
        finally:
            compiling.terminate()
            compiling.wait()
            for one in brokers:
                one.stop()
    if choice == "all":
        both = results.joined(earlier, ended)
        results.write(ROOT, began_on, both, spent + time.monotonic() - began, told, len(to_come - both.keys()))
    if remembered:
        progress.remember(ended)
    return code


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    choice = parser.add_mutually_exclusive_group()
    for name in ("fast", "all", "deploy"):
        choice.add_argument(f"--{name}", dest="choice", action="store_const", const=name, default="default")
    parser.add_argument("--write-seconds", action="store_true", help="remember what each test took, for estimates")
    parser.add_argument("--continue", dest="continued", action="store_true",
                        help="with --all: only what tests/RESULTS.md does not have as passed on these sources")
    options = parser.parse_args()
    if options.continued and options.choice != "all":
        parser.error("--continue goes with --all")
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # As nohup has it.
            signal.signal(number, interrupt)
    try:
        return run(options.choice, options.continued, options.write_seconds)
    except results.Unusable as why:
        print(f"Nothing goes on from tests/RESULTS.md: {why}. Run it whole, with --all.", file=sys.stderr)
        return 64


if __name__ == "__main__":
    sys.exit(main())
