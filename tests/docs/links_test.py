#!/usr/bin/env python3
"""links.py finds what is broken, and nothing else; and in this repository nothing is."""

import os
import tempfile
import unittest

import links

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Planted(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="einlass-docs-")
        self.addCleanup(directory.cleanup)
        self.root = directory.name
        self.write("docs/other.md", "# Other\n\n## `code` & more: *this*\n\n## Twice\n\n## Twice\n")
        self.write("picture.svg", "<svg/>")

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def found(self, text):
        self.write("docs/page.md", text)
        return links.broken(self.root)

    def test_what_is_there(self):
        self.assertEqual(self.found("# Page\n\n[a](other.md) [b](other.md#code--more-this) [c](other.md#twice-1) [d](#page)\n"
                                    "![p](../picture.svg) <https://example.org> [e](https://example.org/#x)\n"
                                    "\n```sh\n[f](gone.md)\n```\n\n`[g](gone.md)`\n"), [])

    def test_what_is_not(self):
        for link, trouble in (("gone.md", "no such file"), ("other.md#gone", "no such heading"), ("#gone", "no such heading"),
                              ("other.md#twice-2", "no such heading"), ("../docs", "a folder"), ("../../x.md", "no such file"),
                              ("http:/example.org", "no address")):
            found = self.found(f"# Page\n\nWords.\n\n| a | b |\n|---|---|\n| [x]({link}) | |\n")
            self.assertEqual(len(found), 1, link)
            self.assertRegex(found[0], f"^docs/page.md:7: .*{trouble}")

    def test_a_picture_that_is_gone(self):
        self.assertEqual(len(self.found("![x](gone.svg)\n")), 1)


class Here(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        self.assertGreater(len(links.markdown_files(ROOT)), 40)
        self.assertEqual(links.broken(ROOT), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
