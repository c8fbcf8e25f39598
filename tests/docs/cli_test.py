#!/usr/bin/env python3
"""docs/cli.md has every verb, option and exit code that the program tells, and none besides; and its examples are taken."""

import os
import re
import shlex
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EINLASS = os.path.join(os.environ["EINLASS_BUILD"], "einlass")


def einlass(*arguments):
    return subprocess.run([EINLASS, *arguments], capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)


def options_of(text):
    """Those of a verb's help, but for the ones that every verb has."""
    named = re.findall(r"^\s+(?:-\w,)?(--[a-z-]+)", text, re.MULTILINE)
    return {one for one in named if one not in ("--help", "--config")}


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "docs", "cli.md"), encoding="utf-8") as file:
            cls.page = file.read()
        parts = re.split(r"^## (.+)\n", cls.page, flags=re.MULTILINE)[1:]
        cls.sections = dict(zip(parts[::2], parts[1::2]))
        cls.help = einlass("--help").stdout
        cls.verbs = re.findall(r"^  ([a-z-]+) ", cls.help.partition("Subcommands:")[2], re.MULTILINE)

    def test_every_verb_has_a_section_and_a_row(self):
        self.assertGreater(len(self.verbs), 10)
        self.assertEqual(set(self.verbs), set(self.sections) - {"Exit codes"})
        self.assertEqual(re.findall(r"^\| \[`([a-z-]+)`\]", self.page, re.MULTILINE), self.verbs, "in the order of --help")

    def test_every_option(self):
        for verb in self.verbs:
            with self.subTest(verb=verb):
                told = options_of(einlass("help", verb).stdout)
                written = set(re.findall(r"^\| `(--[a-z-]+)` \|", self.sections[verb], re.MULTILINE))
                self.assertEqual(written, told)

    def test_every_exit_code(self):
        told = set(re.findall(r"(\d+) [a-z]", re.search(r"Exit codes: (.*)", self.help)[1]))
        written = set(re.findall(r"^\| (\d+) \|", self.sections["Exit codes"], re.MULTILINE))
        self.assertTrue(told <= written, told - written)

    def test_the_examples_are_taken(self):
        """As far as a parser can tell: with a file that is not there none of them gets further."""
        examples = [line for line in re.findall(r"^    (einlass .*)$", self.page, re.MULTILINE)
                    if " -c gate.yaml" in line]
        self.assertGreater(len(examples), 10)
        for example in examples:
            with self.subTest(example=example):
                words = shlex.split(example)[1:]
                done = einlass(*("/nonexistent/gate.yaml" if word == "gate.yaml" else word for word in words))
                self.assertEqual(done.returncode, 78, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
