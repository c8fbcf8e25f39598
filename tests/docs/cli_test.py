#!/usr/bin/env python3
"""docs/cli.md has every verb, option and exit code that the program names, and none besides; and the commands on all pages
are ones that it takes."""

import glob
import os
import re
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

    def test_what_the_health_pages_say_is_said_by_the_source(self):
        source = ""
        for path in glob.glob(os.path.join(ROOT, "src", "**", "*.cc"), recursive=True):
            with open(path, encoding="utf-8") as file:
                source += re.sub(r'"\s*\n\s*"', "", file.read())
        answers = re.findall(r"^\|.*\| (?:200|503) `([^`]+)` \|", self.sections["run"], re.MULTILINE)
        self.assertGreater(len(answers), 8)
        for answer in answers:
            for part in re.split(r"\.\.\.|NAME", answer):
                with self.subTest(answer=answer):
                    self.assertTrue(part.strip(" ;:") in source, f"{part!r} is nowhere in src")


class Commands(unittest.TestCase):
    """What all pages tell their reader to type, as far as it can be tried without servers."""

    @classmethod
    def setUpClass(cls):
        cls.commands = []  # (where it stands, its words)
        for path in [os.path.join(ROOT, "README.md"), *glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)]:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            code = re.findall(r"^    (\S.*)$", text, re.MULTILINE) + "".join(re.findall(
                r"^```sh[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)).splitlines()
            for line in code:
                # Words of the page stand behind three blanks or a #.
                words = re.split(r"   | #| 2>|[|>&;]", line)[0]
                cls.commands.append((f"{os.path.relpath(path, ROOT)}: {line}", words.split()))

    def of(self, *programs):
        return [(where, words) for where, words in self.commands if words and words[0] in programs]

    def test_our_own_verbs_are_taken(self):
        """As far as the command line goes: with a file that is not there none of them gets further."""
        found = [(where, words[1:]) for where, words in self.of("einlass", "build/release/einlass") if "-c" in words]
        self.assertGreater(len(found), 30)
        for where, words in found:
            with self.subTest(where=where):
                words[words.index("-c") + 1] = "/nonexistent/gate.yaml"
                done = einlass(*words)
                self.assertEqual((done.returncode, "/nonexistent/gate.yaml" in done.stderr), (78, True), done.stderr)

    def test_files_of_ours_are_there(self):
        """Scripts that are run, and what is given to docker, kubectl and helm."""
        found = [(where, words[0]) for where, words in self.commands if words and re.match(r"(\./|deploy/|docs/)", words[0])]
        found += [(where, word) for where, words in self.of("docker", "kubectl", "helm") for word in words
                  if word.startswith("deploy/")]
        self.assertGreater(len(found), 6)
        for where, path in found:
            with self.subTest(where=where):
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)


if __name__ == "__main__":
    unittest.main(verbosity=2)
