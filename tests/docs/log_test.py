#!/usr/bin/env python3
"""docs/log.md names every event that the source can write, with its level, and none besides."""

import glob
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Where an event's name stands apart from its level, it is known by how it begins.
NAMES = re.compile(r'"((?:kafka|redis|target|redrive|config|admin|loop|shard|drain|partition_held|dead_letter|header_not|'
                   r'server_certificate|log_lines|connection)_[a-z_]+|started|draining|stopped|failed|watchdog|tracing)"')
WITH_LEVEL = re.compile(r'Severity::(debug|info|warning|error),\s*"([a-z_]+)"')
DEBUG = re.compile(r'debug\(\s*"([a-z_]+)"')  # app/shard/debug_notices.cc: all of one level.
# Words that look like an event and are none: keys of JSON.
NO_EVENTS = {"kafka_trouble", "drain_seconds"}


def sources():
    for folder in ("app", "adapters"):
        for path in glob.glob(os.path.join(ROOT, "src", folder, "**", "*.cc"), recursive=True):
            with open(path, encoding="utf-8") as file:
                yield path, re.sub(r"//[^\n]*", "", file.read())


def written():
    """{event: the levels that the page gives it}."""
    events = {}
    with open(os.path.join(ROOT, "docs", "log.md"), encoding="utf-8") as file:
        rows = re.findall(r"^\| ((?:`[a-z_]+` ?)+)\| ((?:(?:debug|info|warning|error)(?:, )?)+) \|", file.read(), re.MULTILINE)
    for names, levels in rows:
        for name in re.findall(r"[a-z_]+", names):
            events[name] = set(levels.split(", "))
    return events


class Events(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.written, cls.levels, cls.named = written(), {}, set()
        for _, text in sources():
            cls.named |= set(NAMES.findall(text))
            for level, name in WITH_LEVEL.findall(text):
                cls.levels.setdefault(name, set()).add(level)
            for name in DEBUG.findall(text):
                cls.levels.setdefault(name, set()).add("debug")

    def test_enough_is_found(self):
        self.assertGreater(len(self.written), 70)
        self.assertGreater(len(self.levels), 50)

    def test_every_event_of_the_source_is_on_the_page(self):
        found = set(self.levels) | (self.named - NO_EVENTS)
        self.assertEqual(found - set(self.written), set())

    def test_every_event_of_the_page_is_in_the_source(self):
        self.assertEqual(set(self.written) - set(self.levels) - self.named, set())

    def test_the_levels_agree(self):
        wrong = {name: levels for name, levels in self.levels.items() if not levels <= self.written.get(name, set())}
        self.assertEqual(wrong, {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
