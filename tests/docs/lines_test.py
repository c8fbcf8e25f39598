#!/usr/bin/env python3
"""lines.py finds lines of prose that are too long, and nothing else; and in this repository there are none."""

import os
import unittest

import lines

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONG = "word " * 26 + "w"


class Planted(unittest.TestCase):
    def test_what_is_too_long(self):
        self.assertEqual(len(LONG), lines.MOST + 1)
        for text in (LONG, f"- {LONG}", f"1. Words\n   {LONG}", f"> {LONG}", f"## {LONG}", f"[{LONG}](x.md)"):
            with self.subTest(text):
                self.assertEqual([number for number, _ in lines.too_long(f"# Page\n\n{text}\n")], [3 + text.count("\n")])

    def test_what_is_not(self):
        for text in (LONG[:lines.MOST], f"| {LONG} |\n|---|\n| {LONG} |", f"```sh\n{LONG}\n```", f"    {LONG}", f"- a\n\n      {LONG}",
                     f"Words [and a link]({'x' * 200}.md) and words", f"<https://{'x' * 200}.example>", f"![{LONG}](x.svg)",
                     f"<!-- {LONG} -->"):
            with self.subTest(text):
                self.assertEqual(lines.too_long(f"# Page\n\n{text}\n"), [])


class Here(unittest.TestCase):
    def test_no_line_is_too_long(self):
        self.assertEqual(lines.mistakes(ROOT), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
