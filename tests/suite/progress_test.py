#!/usr/bin/env python3
"""What the suite says of tests that failed, or were not run: from a real ctest, of programs that end so."""

import contextlib
import io
import os
import tempfile
import unittest

import progress
import results

TESTS = """
add_test(good "true")
add_test(bad "sh" "-c" "echo the reason that it failed; exit 1")
add_test(left_out "sh" "-c" "echo looked around; echo not run: no such program here; exit 77")
set_tests_properties(left_out PROPERTIES SKIP_RETURN_CODE 77)
"""


class Progress(unittest.TestCase):
    def follow(self):
        """(what it printed, what came of each test)."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w") as file:
                file.write(TESTS)
            code, ended = progress.follow(folder, ["--output-on-failure"])
        self.assertNotEqual(code, 0)
        return said.getvalue(), {name: told for name, (told, _) in ended.items()}

    def test_nothing_is_skipped_silently(self):
        said, ended = self.follow()
        self.assertEqual(ended, {"good": "Passed", "bad": "Failed", "left_out": "Skipped (not run: no such program here)"})
        self.assertIn("left_out: Skipped (not run: no such program here)\n", said)
        self.assertIn("bad ended with:\n  the reason that it failed\n", said)

    def test_the_page_counts_it_as_not_run_and_says_why(self):
        ended = {name: (told, 1.0) for name, told in self.follow()[1].items()}
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "tests"))
            results.write(root, ended, 60, "versions")
            with open(os.path.join(root, "tests", "RESULTS.md")) as file:
                page = file.read()
        self.assertIn("**1 passed, 1 failed, 1 not run.**", page)
        self.assertIn("- left_out: Skipped (not run: no such program here)\n", page)


if __name__ == "__main__":
    unittest.main()
