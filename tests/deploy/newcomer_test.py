"""The README's commands on a fresh Debian, by somebody who has only the sources: the demonstration, the first page typed
from its first line to its last, and the fast tests.

    newcomer_test.py RELEASE
"""

import sys
import unittest

import machine
from released import BuildRoot


class Newcomer(unittest.TestCase):
    release = ""

    @classmethod
    def setUpClass(cls):
        cls.root = BuildRoot(cls.release)
        cls.addClassCleanup(cls.root.delete)

    def test_what_the_readme_says(self):
        """In its order, since each step finds what the one before has installed and built."""
        self.assertIn("nothing lost: yes", self.root.run("./demo.sh 2>&1", 3000))
        # Python is not the page's but that of the test that types it; what the page needs, its own lines install.
        self.root.run("apt-get -qy install --no-install-recommends python3", 300)
        self.root.run("python3 tests/docs/typed_page_test.py docs/getting_started.md 2>&1", 900)
        said = self.root.run("./test.sh --fast 2>&1", 6000)
        self.assertIn("100% tests passed, 0 tests failed", said)
        self.assertNotRegex(said, r"(?i)\bwarning\b")  # But tests are named a_warning_...
        # The adapters, on this system's libraries.
        said = self.root.run("ctest --test-dir build/release -R '^adapters_' --output-on-failure 2>&1", 1800)
        self.assertIn("100% tests passed, 0 tests failed", said)


if __name__ == "__main__":
    reason = machine.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    Newcomer.release = sys.argv.pop(1)
    unittest.main()
