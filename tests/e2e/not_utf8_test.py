"""`einlass quota`, `pause` and `resume` with text that is not UTF-8."""

import subprocess
import tempfile
import unittest

from harness import places
from harness.plan import plan

USAGE = 64


@plan(servers=False)
class NotUtf8(unittest.TestCase):
    def test_is_refused(self):
        """It goes into JSON, which has no other."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
            config.write("quotas: {topic: q}\nadmin: {listen: '127.0.0.1:1', token: a-token-that-is-long}\n"
                         "limits: {l: {algorithm: sliding_log, limit: 1, window: 1s, key: topic}}\n"
                         "targets: {t: {http: {url: 'http://h/'}}}\n"
                         "routes: [{name: r, topics: [a], target: t, limits: [l]}]\n")
            config.flush()
            for words in (("quota", "set", "l", "k", b"limit=\xff"), ("quota", "set", "l", "k", "limit=5", "--note", b"\xff"),
                          ("quota", "unset", "l", "k", "--note", b"\xff"), ("pause", "--route", "r", "--note", b"\xff"),
                          ("pause", "--route", "r", "--for", b"\xff"), ("resume", "--route", "r", "--note", b"\xff")):
                verb = 2 if words[0] == "quota" else 1
                with self.subTest(words=words):
                    done = subprocess.run([places.EINLASS, *words[:verb], "-c", config.name, *words[verb:]], capture_output=True,
                                          text=True, timeout=30, check=False)
                    self.assertEqual(done.returncode, USAGE, done.stderr)
                    self.assertRegex(done.stderr, "^einlass: '.*' is not UTF-8, as what stands in the table has to be\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
