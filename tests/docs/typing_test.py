#!/usr/bin/env python3
"""What the tests of the pages stand on: reading a page, comparing what came out, and noticing what failed."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from page import agrees, steps  # noqa: E402
from harness.places import wait_until  # noqa: E402
from shell import Shell  # noqa: E402

PAGE = """# A page

```sh
first
```

```sh look
second
```

Words between.

```text
comes out
```

```yaml
no: step
```

```sh
third
```
"""


class Reading(unittest.TestCase):
    def test_blocks_and_what_comes_out_of_them(self):
        self.assertEqual([(one.line, one.commands, one.look, one.expected) for one in steps(PAGE)],
                         [(3, "first\n", False, None), (7, "second\n", True, "comes out\n"), (21, "third\n", False, None)])

    def test_what_nobody_would_type_is_a_mistake(self):
        for wrong in ("```sh twice\nx\n```\n", "```text\nout of nowhere\n```\n"):
            with self.assertRaises(ValueError):
                steps(wrong)

    def test_dots_stand_for_what_differs(self):
        for expected, printed in (("a ... c\n", "a 17 c\n"), ("a ...", "a"), ("...\nend\n", "one\ntwo\nend\n"),
                                  ("...\nend\n", "end\n"), ("a\n...\n", "a\nb\nc\n"), ("x  ...  y", "x      12 y")):
            self.assertTrue(agrees(expected, printed), (expected, printed))

    def test_all_else_is_to_be_the_same(self):
        for expected, printed in (("a ... c\n", "a 17 d\n"), ("a\n", "a\nb\n"), ("a\nb\n", "a\n"), ("a.b", "axb"),
                                  ("...\nend\n", "end\nmore\n"), ("a ... c", "a\nc"), (" a", "a")):
            self.assertFalse(agrees(expected, printed), (expected, printed))


class Typing(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="einlass-docs-")
        self.addCleanup(self.directory.cleanup)
        self.shell = Shell(self.directory.name, dict(os.environ))
        self.addCleanup(self.shell.stop)

    @staticmethod
    def runs(pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rpartition(")")[2].split()[0] != "Z"  # Whose parent is gone may be buried later.
        except FileNotFoundError:
            return False

    def test_one_block_after_the_other_in_one_shell(self):
        self.assertEqual(self.shell.type("export WORD=hello", 10), (0, ""))
        self.assertEqual(self.shell.type("echo $WORD\nprintf 'no end of line'", 10), (0, "hello\nno end of line"))

    def test_a_command_that_fails_is_noticed_also_in_the_middle(self):
        self.assertEqual(self.shell.type("(exit 3)\necho on", 10), (3, "on\n"))
        self.assertEqual(self.shell.type("echo on", 10), (0, "on\n"))

    def test_one_that_does_not_end_is_not_waited_for(self):
        with self.assertRaises(AssertionError):
            self.shell.type("cat /dev/zero > /dev/null", 0.5)

    def test_what_was_started_ends_with_it(self):
        _, printed = self.shell.type("cat /dev/zero > /dev/null & echo $!", 10)
        self.shell.stop()
        wait_until(lambda: not self.runs(int(printed)), 10, "the end of what was started")


if __name__ == "__main__":
    unittest.main(verbosity=2)
