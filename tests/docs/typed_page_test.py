#!/usr/bin/env python3
"""Types every ```sh block of a page into one shell, and compares what comes out with what the page says.

    typed_page_test.py docs/getting_started.md [--installed]

With --installed the program is the one of a package, and nothing is built.
Otherwise only two things are not as on the page: the ports, which its first `export` tells the reader to choose, and the folder in
build/ that it makes for its files, which is empty at the beginning as a newcomer's is.
"""

import os
import re
import shutil
import sys
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "deploy", "local"), os.path.join(ROOT, "tests", "e2e")]

import servers  # noqa: E402
from page import agrees, steps  # noqa: E402
from shell import Shell  # noqa: E402

TYPED_PATIENCE_S = 300.0  # Kafka's jars may have to come from far.
LOOK_PATIENCE_S = 180.0


def with_free_ports(commands):
    """The export that names ports, with ports that are free here."""
    names = re.findall(r"\b[A-Z]+_PORT=\d+", commands)
    for old, port in zip(names, servers.free_ports(len(names))):
        commands = commands.replace(old, f"{old.partition('=')[0]}={port}")
    return commands


class TypedPage(unittest.TestCase):
    path = ""  # Of the page, from the root.
    installed = False

    def setUp(self):
        with open(os.path.join(ROOT, self.path), encoding="utf-8") as file:
            self.text = file.read()
        self.folder = os.path.join(ROOT, re.search(r"mkdir -p (build/[a-z_]+) && cd", self.text)[1])
        shutil.rmtree(self.folder, ignore_errors=True)
        self.shell = Shell(ROOT, {**os.environ, "LC_ALL": "C.UTF-8"})
        self.addCleanup(self.keep_logs_of_a_failure)
        self.addCleanup(self.shell.stop)

    def keep_logs_of_a_failure(self):
        path = os.path.join(self.folder, "gate.log")
        if self._outcome.success:
            shutil.rmtree(self.folder, ignore_errors=True)
        elif os.path.exists(path):
            print(f"gate.log:\n{servers.tail(path, 30)}", file=sys.stderr)

    def test_every_block(self):
        found = steps(self.text)
        self.assertGreater(len(found), 5, "the blocks of the page are found")
        for step in found:
            self.take(step)

    def take(self, step):
        commands = with_free_ports(step.commands) if "_PORT=" in step.commands else step.commands
        if self.installed:
            commands = commands.replace("./demo.sh ", "einlass demo ")
        deadline = time.monotonic() + LOOK_PATIENCE_S
        while True:
            code, printed = self.shell.type(commands, TYPED_PATIENCE_S)
            if code == 0 and (step.expected is None or agrees(step.expected, printed)):
                return
            if not step.look or time.monotonic() > deadline:
                break
        self.fail(f"{self.path}:{step.line}:\n{commands}\nexit code {code}; the page says\n{step.expected}\n"
                  f"and it was\n{printed}")


if __name__ == "__main__":
    TypedPage.path = sys.argv.pop(1)
    if "--installed" in sys.argv:
        sys.argv.remove("--installed")
        TypedPage.installed = True
    unittest.main(verbosity=2)
