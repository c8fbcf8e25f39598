"""The README's commands on a fresh Debian of another release, by somebody who has only the sources.

    newcomer_test.py RELEASE
"""

import sys
import unittest

import build_root
import machine


class Newcomer(unittest.TestCase):
    release = ""

    @classmethod
    def setUpClass(cls):
        cls.root = build_root.BuildRoot(cls.release)
        cls.addClassCleanup(cls.root.delete)

    def test_what_the_readme_says(self):
        said = self.root.run("./test.sh --fast 2>&1", 5000)
        self.assertIn("100% tests passed, 0 tests failed", said)
        self.assertNotIn("warning", said.lower())
        self.assertIn("nothing lost: yes", self.root.run("./demo.sh 2>&1", 600))


if __name__ == "__main__":
    reason = machine.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    Newcomer.release = sys.argv.pop(1)
    unittest.main()
