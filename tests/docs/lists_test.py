#!/usr/bin/env python3
"""Lists on the pages of what the source has: none of it is missing there."""

import glob
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "e2e"))

from harness import told  # noqa: E402

BY_THE_GATE = {"eval", "evalsha", "ping", "select", "subscribe"}


def contents(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


class RedisUser(unittest.TestCase):
    def test_may_call_what_the_scripts_call_and_nothing_else(self):
        called, unseen = set(), []
        for path in glob.glob(os.path.join(ROOT, "lua", "*.lua")):
            text = re.sub(r"--.*", "", contents(path))
            called |= set(re.findall(r"redis\.p?call\('([A-Z]+)'", text))
            unseen += re.findall(r"\bp?call\((?!'[A-Z]+').*", text)
        self.assertEqual(unseen, [], "a call whose command is no word")
        self.assertGreater(len(called), 20)
        self.assertEqual({right[1:] for right in told.redis_rights()}, {command.lower() for command in called} | BY_THE_GATE)


class PropertiesOfLibrdkafka(unittest.TestCase):
    def test_the_page_has_each_that_is_set_or_refused(self):
        client = ("src", "adapters", "kafka", "client")
        source = contents(*client, "configuration.cc") + contents(*client, "producer_configuration.cc")
        names = re.findall(r'^    (?:Property)?\{"([a-z._]+)", "', source, re.MULTILINE)
        self.assertGreater(len(names), 45)
        page = contents("docs", "topics.md")
        self.assertEqual([name for name in names if f"`{name}`" not in page], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
