"""The demonstration: its live page is there while it runs, it ends when it is asked to, and both kinds say what is next."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import unittest

from harness import places

NEXT = r"\nNext: docs/getting_started.md( of the sources)?, .+\n$"  # Which the package does not have.


class Demo(unittest.TestCase):
    def _started(self):
        """One of 20 s, and the lines that it says."""
        demo = subprocess.Popen([places.EINLASS, "demo", "--seconds", "20"], stdout=subprocess.PIPE, text=True,
                                start_new_session=True)
        self.addCleanup(demo.stdout.close)
        self.addCleanup(demo.kill)
        return demo, iter(demo.stdout.readline, "")

    def test_its_page_is_there_while_it_runs(self):
        demo, said = self._started()
        receiver = next(int(found[1]) for found in (re.search(r"http://127\.0\.0\.1:(\d+)/callback", line) for line in said) if found)
        port = next(int(found[1]) for found in (re.search(r"live page.*http://127\.0\.0\.1:(\d+)/$", line) for line in said) if found)
        next(line for line in said if re.search(r"delivered [1-9]", line))
        self.assertEqual(places.get(port, "/readyz"), (200, "ready\n"))
        self.assertIn("<title>Einlass</title>", places.get(port, "/")[1])
        self.assertEqual(places.get(receiver, "/callback")[0], 404, "who looks there is no record")
        os.killpg(demo.pid, signal.SIGINT)  # As Ctrl-C does, which the broker beside it gets too.
        rest = "".join(said)
        self.assertEqual(demo.wait(), 0, rest)
        self.assertIn("closed: yes", rest)
        self.assertNotIn("NO", rest)
        self.assertNotIn("Trouble", rest)
        self.assertRegex(rest, NEXT)

    def test_one_that_is_interrupted_before_the_first_record_came_has_lost_none(self):
        demo, said = self._started()
        next(line for line in said if "Joining the consumer group" in line)
        os.killpg(demo.pid, signal.SIGINT)
        rest = "".join(said)
        self.assertEqual(demo.wait(), 0, rest)
        self.assertIn("nothing lost: yes", rest)
        self.assertNotIn("NO", rest)

    def test_says_when_the_receiver_has_asked_for_a_pause(self):
        """It lasts from between two lines to between two others, as often as not."""
        done = subprocess.run([places.EINLASS, "demo", "--seconds", "3", "--limit", "500"], capture_output=True, text=True,
                              timeout=60 * places.PATIENCE, check=False)
        said = done.stdout
        self.assertEqual(done.returncode, 0, said + done.stderr)
        self.assertRegex(said, r"\(the receiver asked for a pause \(Retry-After\)\)")
        self.assertIn("nothing lost: yes", said)

    def test_its_block_stays_where_it_is_on_a_terminal_of_80_columns(self):
        """A line that goes on below is a row more than the cursor goes back: each picture would stand lower than the last."""
        terminal, of_demo = pty.openpty()
        self.addCleanup(os.close, terminal)
        demo = subprocess.Popen([places.EINLASS, "demo", "--seconds", "2"], stdin=subprocess.DEVNULL, stdout=of_demo,
                                stderr=subprocess.DEVNULL)
        self.addCleanup(demo.wait)
        self.addCleanup(demo.kill)
        os.close(of_demo)
        said = b""
        with contextlib.suppress(OSError):  # Which says that nobody has the other end any more.
            while some := os.read(terminal, 65536):
                said += some
        pictures = re.findall(rb"\x1b\[\?7l(.+?)\x1b\[\?7h", said, re.DOTALL)
        self.assertGreater(len(pictures), 5, said)
        for picture in pictures:
            rows = re.sub(rb"\x1b\[2K", b"", picture).splitlines()
            self.assertEqual(len(rows), 6, picture)
            self.assertLessEqual(len(next(row for row in rows if row.startswith(b"  admitted"))), 80)

    def test_so_is_the_page_of_the_one_on_real_servers(self):
        script = os.path.join(places.ROOT, "deploy", "local", "real_demo.py")
        demo = subprocess.Popen([sys.executable, script, "--build", places.BUILD, "--records", "600"],
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(demo.stdout.close)
        self.addCleanup(demo.terminate)
        said = iter(demo.stdout.readline, "")
        ports = next(found for found in (re.findall(r"http://127\.0\.0\.1:(\d+)/(?=\s)", line) for line in said if "live page" in line))
        self.assertEqual(len(ports), 2)
        self.assertIn("<title>Einlass</title>", places.get(int(ports[0]), "/")[1])
        rest = "".join(said)
        self.assertEqual(demo.wait(), 0, rest)
        self.assertRegex(rest, NEXT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
