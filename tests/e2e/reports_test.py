"""A sanitizer's report, and the end of a gate by itself, make a scenario fail, and what the scenarios run was built with the
sanitizer."""

import contextlib
import io
import os
import sys
import tempfile
import types
import unittest

from harness import gate, places, reports, scenario, world
from harness.plan import plan

RACE = "level=info event=started\n==================\nWARNING: ThreadSanitizer: data race (pid=7)\n  Write of size 4\n"
OVERFLOW = "src/core/gate/gate.cc:12:9: runtime error: signed integer overflow: 2147483647 + 1\n"
INVARIANT = "src/core/gate/gate.cc:12: broken invariant: inside_ > 0\n"
LEAK = "==7==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 8 byte(s)\n"
MARKS = {"address": b"__asan_init", "thread": b"__tsan_init"}


@plan(servers=False, together=True)
class Reports(unittest.TestCase):
    def test_are_found_among_other_lines(self):
        for text in (RACE, OVERFLOW, LEAK, INVARIANT, "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x6\n"):
            with self.subTest(text=text):
                self.assertTrue(reports.first_in("level=info event=started\n" + text + "level=info event=left\n"))
        self.assertEqual(reports.first_in("level=error event=kafka_error text=\"an error\"\n"), "")

    def test_in_a_log_fail_the_scenario(self):
        for name in ("gate-1.log", "receiver.log"):
            with self.subTest(log=name):
                one = world.World(kafka=False, redis=False)
                with open(os.path.join(one.directory, name), "a") as log:
                    log.write(RACE)
                with self.assertRaisesRegex(AssertionError, f"{name}: .*(?s:\n.*)data race"):
                    one.stop()
                self.assertFalse(os.path.exists(one.directory))

    def test_logs_are_shown_when_a_part_of_a_test_fails(self):
        class Failing(scenario.Scenario):
            def setUp(self):
                self.world = types.SimpleNamespace(logs=lambda: "what the gate said")
                self.addCleanup(self._show_logs)

            def runTest(self):
                with self.subTest("a part"):
                    self.fail()
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            Failing().run(unittest.TestResult())
        self.assertIn("what the gate said", shown.getvalue())

    def test_one_that_ended_by_itself_is_not_killed(self):
        with tempfile.TemporaryDirectory(prefix="einlass-e2e-") as directory:
            one = gate.Gate(directory, "gate-1", {"targets": {}})
            one.program = "/bin/false"
            one.start(wait=False).process.wait()
            with self.assertRaisesRegex(AssertionError, "gate-1 ended by itself with 1"):
                one.kill()


@plan(servers=False, together=True)
class Programs(unittest.TestCase):
    def test_were_built_with_it(self):
        mark = MARKS[places.SANITIZER]
        for path in (places.EINLASS, *(os.path.join(places.BUILD, "tests", "tools", name)
                                       for name in ("receiver", "kafka_tool"))):
            with self.subTest(path=path), open(path, "rb") as program:
                self.assertIn(mark, program.read())


if __name__ == "__main__":
    if "Programs" in sys.argv and not places.SANITIZER:
        print("not run: an ordinary build")
        sys.exit(77)  # For ctest, to which a test that is skipped in a file has passed.
    unittest.main()
