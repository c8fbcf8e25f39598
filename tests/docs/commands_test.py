#!/usr/bin/env python3
"""Each command of the program that a page shows is one that it takes: verb, options and how many words.

No configuration is there, so what is right ends with that and does nothing; what is wrong ends with EX_USAGE before. With one,
and a gate, told_commands_test.py types them; what comes out is compared by the tests of the verbs, and for two pages by
typed_page_test.py.
"""

import os
import re
import shlex
import subprocess
import tempfile
import unittest

from markdown_it import MarkdownIt

import links

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EINLASS = os.path.join(os.environ["EINLASS_BUILD"], "einlass")
EX_USAGE = 64
_MARKDOWN = MarkdownIt("commonmark").enable("table")
# What may stand before the program, and what ends its words: a comment, a pipe, another file for what it says.
_COMMAND = re.compile(r"^\s*(?:\$ |sudo |timeout \d+ )*(einlass [a-z-].*)$")
_END = re.compile(r"\s+(?:#|\||\d?>|&|;)|[;&]$")
_EXAMPLE = re.compile(r"[A-Z]{2,}|\[|\.\.\.|…")  # A place for words of one's own.
_DOES_MORE = {"demo"}  # Needs no configuration: its own test runs it.
# A command, and words far to its right that a shell would take for its own.
_EXPLAINED = re.compile(r"(?:\$ |sudo )?(?:einlass|helm|kubectl|docker|cmake|ctest|systemctl|apt|\.?\.?/?[\w/]+\.(?:sh|py))\b"
                        r"[^#]*? {3,}(?!#)\S")


def pages():
    return ["README.md", *(os.path.join("docs", name) for name in links.markdown_files(os.path.join(ROOT, "docs")))]


def commands(text):
    """Those of the blocks of code of a page. What stands in a sentence is a name, and seldom whole."""
    blocks = [token.content for token in _MARKDOWN.parse(text) if token.type in ("fence", "code_block")]
    lines = [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).split("\n")]
    found = [_END.split(match[1])[0] for match in map(_COMMAND.match, lines) if match]
    return [command for command in found if not _EXAMPLE.search(command)]


def explained(text):
    """Lines with a command and an explanation that is no comment."""
    blocks = [token.content for token in _MARKDOWN.parse(text) if token.type in ("fence", "code_block")]
    return [line for block in blocks for line in block.split("\n") if _EXPLAINED.match(line)]


def verdict(command, directory):
    """How it ends, and what it says."""
    words = shlex.split(command)
    done = subprocess.run([EINLASS, *words[1:]], cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, check=False)
    return done.returncode, done.stderr


class Commands(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="einlass-commands-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def test_those_of_all_pages(self):
        seen = set()
        for page in pages():
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                for command in commands(file.read()):
                    if command in seen or command.split()[1] in _DOES_MORE:
                        continue
                    seen.add(command)
                    with self.subTest(f"{page}: {command}"):
                        code, said = verdict(command, self.directory)
                        self.assertNotEqual(code, EX_USAGE, said)
        self.assertGreater(len(seen), 25)

    def test_what_explains_one_is_a_comment(self):
        """So that a line can be pasted as it stands."""
        for page in ("CONTRIBUTING.md", *pages()):
            with self.subTest(page), open(os.path.join(ROOT, page), encoding="utf-8") as file:
                self.assertEqual(explained(file.read()), [])
        self.assertEqual(len(explained("    helm install x    the chart\n    einlass check    # what?\n")), 1)

    def test_wrong_ones_are_seen(self):
        for command in ("einlass chek -c gate.yaml", "einlass top -c gate.yaml --onec", "einlass why -c gate.yaml --topic results",
                        "einlass redrive -c gate.yaml --route", "einlass pause -c gate.yaml --limit per_tenant"):
            with self.subTest(command):
                self.assertEqual(verdict(command, self.directory)[0], EX_USAGE)

    def test_what_is_found_on_a_page(self):
        page = ("Type `einlass check`.\n\n    einlass VERB [OPTIONS]\n    $ einlass top -c gate.yaml --once | head -2\n"
                "    einlass check -c gate.yaml      # what is wrong?\n    einlass run -c \\\n      gate.yaml 2> log &\n")
        self.assertEqual(commands(page), ["einlass top -c gate.yaml --once", "einlass check -c gate.yaml",
                                          "einlass run -c gate.yaml"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
