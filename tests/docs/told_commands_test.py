#!/usr/bin/env python3
"""The commands of all pages, typed beside a gate whose configuration has the names that the pages use: each ends well.

What comes out is compared where a whole page is typed (typed_page_test.py), and in the tests of the verbs.
"""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "deploy", "local"), os.path.join(ROOT, "tests", "e2e")]

import commands_test  # noqa: E402
from harness import places  # noqa: E402
from harness.world import World  # noqa: E402

TOKEN = "told-commands-5fe1"
PARTITIONS = 4     # `why` asks for partition 3.
RECORDS = 1000     # And for offset 812 there.
PATIENCE_S = 60.0
# These run until they are ended: the gate beside this is one; the demo and the screen have tests of their own.
ENDLESS = re.compile(r"einlass (run\b|demo\b|top (?!.*--once))")
CURL = re.compile(r"^ *(curl .*http://gate-1:9465/.*)$", re.MULTILINE)


def pages():
    names = ["README.md", *(os.path.join("docs", name) for name in commands_test.links.markdown_files(os.path.join(ROOT, "docs")))]
    for name in names:
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            yield name, file.read()


class ToldCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.addClassCleanup(cls.world.stop)
        cls.world.create_topic("results", PARTITIONS)
        cls.world.create_topic("results.dead", 1)
        limit = {"algorithm": "sliding_log", "window": "1s", "store": "redis"}
        config = cls.world.config("results", 1, {
            "quotas": {"redis": True}, "admin": {"token": cls.world.secret(TOKEN)},
            "limits": {"shared": None, "callbacks": {**limit, "limit": 10}, "per_tenant": {**limit, "limit": 5, "key": "record_key"}},
            "shares": {"tenants": {"by": "record_key", "weight": {"default": 1, "acme": 5}}},
            "route": {"limits": ["callbacks", "per_tenant"], "order": "none", "share": "tenants", "dead_letter": "results.dead"}})
        cls.gate = cls.world.gate("gate", config).start()
        os.symlink(cls.gate.path, os.path.join(cls.world.directory, "gate.yaml"))
        with open(os.path.join(cls.world.directory, "trace.jsonl"), "w", encoding="utf-8") as file:
            file.write('{"at": 0, "acquire": {"keys": {"per_tenant": "acme"}}}\n')
        cls.world.produce_records("results", [{"partition": PARTITIONS - 1, "key": (b"acme", b"globex")[number % 2], "value": b"x"}
                                              for number in range(RECORDS)])
        places.wait_until(lambda: cls.world.receiver.summary()["distinct"] > 0, 30, "the first delivery")

    def type(self, command):
        """As a shell takes it, in the folder of the configuration."""
        done = subprocess.run(["bash", "-c", command], cwd=self.world.directory, capture_output=True, text=True, timeout=PATIENCE_S,
                              env={**os.environ, "TOKEN": TOKEN, "PATH": f"{os.path.dirname(commands_test.EINLASS)}:{os.environ['PATH']}"},
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")

    def test_the_verbs(self):
        seen = set()
        for page, text in pages():
            for command in commands_test.commands(text):
                if command in seen or ENDLESS.match(command):
                    continue
                seen.add(command)
                with self.subTest(f"{page}: {command}"):
                    self.type(command.replace("/etc/einlass/", ""))
        self.assertGreater(len(seen), 25)

    def test_the_admin_pages(self):
        seen = 0
        for page, text in pages():
            for command in CURL.findall(text):
                seen += 1
                with self.subTest(f"{page}: {command}"):
                    self.type(command.replace("curl ", f"curl -sS --fail-with-body --connect-to gate-1:9465:127.0.0.1:{self.gate.port} ", 1))
        self.assertGreater(seen, 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
