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


# One after the other those of a lock, and `both` in turn with all of them.
LANES = """
foreach(name first second both third free)
  add_test(${name} "true")
endforeach()
set_tests_properties(first second PROPERTIES RESOURCE_LOCK computing_1)
set_tests_properties(third PROPERTIES RESOURCE_LOCK computing_2)
set_tests_properties(both PROPERTIES RESOURCE_LOCK "computing_1;computing_2")
"""


class Left(unittest.TestCase):
    """What is left of a real ctest's choice."""

    def estimate(self, usual):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w") as file:
                file.write(LANES)
            return progress.Estimate(progress._chosen(folder, []), usual)

    def test_what_holds_one_lock_is_never_side_by_side(self):
        estimate = self.estimate({"first": 100, "second": 50, "both": 20, "third": 120, "free": 1})
        self.assertEqual(estimate.left(0), 170)
        estimate.ended("first")
        self.assertEqual(estimate.left(0), 140, "the other lane is the longer one now")
        # However fast the others went.
        estimate.ended("free")
        self.assertEqual(estimate.left(1), 140)
        for name in ("third", "both", "second"):
            estimate.ended(name)
        self.assertEqual(round(estimate.left(10)), 0)

    def test_what_holds_none_counts_as_ever(self):
        estimate = self.estimate({"first": 1, "second": 1, "both": 1, "third": 1, "free": 66})
        self.assertEqual(estimate.left(0), 20)


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
