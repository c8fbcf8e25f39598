"""The Debian package of a release on a fresh system without any compiler, by somebody who reads the first page: the demonstration,
a check, and then the page typed line by line, with a real Kafka and a real Redis.

    release_install_test.py RELEASE
"""

import os
import shutil
import sys
import unittest

import machine
import released

KAFKA = "3.9.1"
COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "cmake", "make", "ninja")


class Installed(unittest.TestCase):
    release = ""

    @classmethod
    def setUpClass(cls):
        package = released.package(cls.release)
        cls.root = released.BuildRoot(cls.release)
        cls.addClassCleanup(cls.root.delete)
        cls.package = os.path.basename(shutil.copy(package, cls.root.path("root")))
        # Kafka's jars as they lie here: how soon Maven fetches them is not what is tested.
        jars = released.kafka_jars.fetch(KAFKA)
        shutil.copytree(jars, os.path.join(cls.root.path("root/.cache/einlass"), os.path.basename(jars)))

    def test_what_the_first_page_says(self):
        """In its order, since each step finds what the one before has installed."""
        self._no_compiler()
        self.root.run(f"apt-get -q update && apt-get -qy --no-install-recommends install /root/{self.package}", 600)
        self._no_compiler()
        self.assertEqual(self.root.run("einlass --version", 60), f"einlass {released.version()}\n")
        self.assertIn("the configuration is good", self.root.run("einlass check -c /etc/einlass/gate.yaml", 60))
        demo = self.root.run("einlass demo --seconds 5 2>&1", 120)
        for promise in ("closed: yes", "nothing lost: yes", "limit kept: yes", "order kept: yes"):
            self.assertIn(promise, demo)
        # Python is not the page's but that of the test that types it.
        self.root.run("apt-get -qy install --no-install-recommends python3", 300)
        self.root.run("python3 tests/docs/typed_page_test.py docs/getting_started.md --installed 2>&1", 1500)
        self._no_compiler()

    def _no_compiler(self):
        for name in COMPILERS:
            self.assertEqual(self.root.run(f"command -v {name} || true", 60), "", "this system could have built it")


if __name__ == "__main__":
    reason = machine.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    Installed.release = sys.argv.pop(1)
    unittest.main()
