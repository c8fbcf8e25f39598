#!/usr/bin/env python3
"""What the suite says of tests that failed, or were not run: from a real ctest, of programs that end so."""

import contextlib
import io
import os
import subprocess
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

# A test that runs ctest itself, and shows what that said.
NESTED = """
add_test(bad "sh" "-c" "echo '100% tests passed, 0 tests failed out of 7'; echo the reason that it failed; exit 1")
"""

# Whoever reads what ctest says is told to stop by the second; the third is not begun before.
STOPS = """
add_test(good "true")
add_test(stops "sh" "-c" "kill -INT {gate}; exec cat {pipe}")
add_test(late "true")
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
    def follow(self, tests=TESTS, passed=(), to_come=()):
        """(what it printed, what came of each test)."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w") as file:
                file.write(tests)
            chosen = progress.without(folder, [], set(passed)) if passed else []
            code, ended, left = progress.follow(folder, ["--output-on-failure", *chosen])
        self.assertNotEqual(code, 0)
        self.assertEqual(left, set(to_come))
        return said.getvalue(), {name: told for name, (told, _) in ended.items()}

    def test_nothing_is_skipped_silently(self):
        said, ended = self.follow()
        self.assertEqual(ended, {"good": "Passed", "bad": "Failed", "left_out": "Skipped (not run: no such program here)"})
        self.assertIn("left_out: Skipped (not run: no such program here)\n", said)
        self.assertIn("bad ended with:\n  the reason that it failed\n", said)

    def test_the_summary_of_another_ctest_ends_nothing(self):
        said, _ = self.follow(NESTED)
        self.assertEqual(said.count("The slowest:"), 1)
        self.assertIn("bad ended with:\n  100% tests passed, 0 tests failed out of 7\n  the reason that it failed\n", said)

    def test_the_page_counts_it_as_not_run_and_says_why(self):
        ended = {name: (told, 1.0) for name, told in self.follow()[1].items()}
        with tempfile.TemporaryDirectory() as root:
            os.mkdir(os.path.join(root, "tests"))
            results.write(root, None, ended, 60, "versions")
            with open(os.path.join(root, "tests", "RESULTS.md")) as file:
                page = file.read()
        self.assertIn("**1 passed, 1 failed, 1 not run.**", page)
        self.assertIn("- left_out: Skipped (not run: no such program here)\n", page)

    def test_what_goes_on_runs_what_has_not_passed(self):
        _, ended = self.follow(passed=["good"])
        self.assertEqual(ended.keys(), {"bad", "left_out"})

    def test_where_all_has_passed_nothing_is_chosen(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w") as file:
                file.write(TESTS)
            self.assertEqual(progress.without(folder, [], {"good", "bad", "left_out"}), [])

    def test_what_is_interrupted_says_what_has_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe)
            said, ended = self.follow(STOPS.format(gate=os.getpid(), pipe=pipe), to_come=["stops", "late"])
            with contextlib.suppress(OSError):  # For the one that waits, if it was not ended.
                os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        self.assertEqual(ended, {"good": "Passed"})
        self.assertIn("Interrupted: 2 tests to come.\n", said)


class Page(unittest.TestCase):
    """In a repository, of which it is about the sources."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.git("init", "--quiet")
        self.change("tests/suite/run.py", "src/gate.cc")

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)

    def change(self, *paths):
        for path in paths:
            path = os.path.join(self.root, path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "a") as file:
                file.write("changed\n")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "changed")

    def test_a_run_goes_on_from_it_on_the_same_sources_alone(self):
        ended = {"good": ("Passed", 1.0), "bad": ("Timeout", 2.0), "left_out": ("Skipped (no program)", 0.0)}
        results.write(self.root, results.sources(self.root), ended, 120, "versions", to_come=7)
        self.assertIn("**1 passed, 1 failed, 1 not run, 7 to come.**", self.page())
        self.change("tests/suite/run.py", "tests/RESULTS.md")
        self.assertEqual(results.before(self.root, "versions"), (ended, 120))
        self.nothing_goes_on("another machine", "other versions")
        for path in ("src/gate.cc", "tests/suite/sanitizer.sh"):
            results.write(self.root, results.sources(self.root), ended, 120, "versions")
            self.change(path)
            self.nothing_goes_on("not those of")

    def test_it_is_of_changed_sources_and_nothing_goes_on_from_it(self):
        for path in ("src/gate.cc", "src/new.cc"):
            with open(os.path.join(self.root, path), "a") as file:
                file.write("changed\n")
            self.assertIsNone(results.sources(self.root))
            results.write(self.root, results.sources(self.root), {"good": ("Passed", 1.0)}, 120, "versions")
            self.assertIn(" with changes,", self.page())
            self.nothing_goes_on("not of a commit")
            self.git("stash", "--quiet", "--include-untracked")

    def test_what_was_committed_meanwhile_is_seen(self):
        began_on = results.sources(self.root)
        self.change("src/gate.cc")
        results.write(self.root, began_on, {"good": ("Passed", 1.0)}, 120, "versions")
        self.assertIn(f" {began_on} with changes,", self.page())

    def nothing_goes_on(self, why, versions="versions"):
        with self.assertRaisesRegex(results.Unusable, why):
            results.before(self.root, versions)

    def test_what_passes_later_is_seen_to_have_failed_before(self):
        earlier = {"good": ("Passed", 1.0), "bad": ("Timeout", 2.0)}
        later = {"bad": ("Passed", 3.0), "new": ("Passed", 4.0)}
        results.write(self.root, results.sources(self.root), results.joined(earlier, later), 120, "versions")
        self.assertIn("**3 passed, 0 failed, 0 not run.**\n\n- bad: Passed (before: Timeout)\n", self.page())

    def page(self):
        with open(os.path.join(self.root, "tests", "RESULTS.md")) as file:
            return file.read()


if __name__ == "__main__":
    unittest.main()
