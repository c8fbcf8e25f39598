#!/usr/bin/env python3
"""The Redis user of docs/security.md may call what the scripts in lua call, and nothing that neither they nor a gate calls."""

import glob
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))

from harness import told  # noqa: E402

BY_THE_GATE = {"eval", "evalsha", "ping", "select"}


class RedisUser(unittest.TestCase):
    def test_what_the_scripts_call(self):
        called, calls = set(), 0
        for path in glob.glob(os.path.join(ROOT, "lua", "*.lua")):
            with open(path, encoding="utf-8") as file:
                text = re.sub(r"--.*", "", file.read())
            called |= set(re.findall(r"redis\.p?call\('([A-Z]+)'", text))
            calls += len(re.findall(r"\bp?call\(", text)) - len(re.findall(r"redis\.p?call\('[A-Z]+'", text))
        self.assertEqual(calls, 0, "a call whose command this test does not see")
        self.assertGreater(len(called), 20)
        self.assertEqual({right[1:] for right in told.redis_rights()}, {command.lower() for command in called} | BY_THE_GATE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
