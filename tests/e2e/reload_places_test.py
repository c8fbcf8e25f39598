"""What a reload says of the file's options is said with where they stand. Nothing needs to be connected for that."""

import json
import subprocess
import types
import unittest

from harness import places
from harness.plan import plan
import reload_test


@plan(servers=False)
class Places(reload_test.Reload):
    kafka = False

    def setUp(self):
        super().setUp()
        self.world.kafka = types.SimpleNamespace(brokers="127.0.0.1:1", stop=lambda: None)
        config = self.world.config("a", 10, {"limits": {"shared": {"store": "memory"}}})
        [route] = config["routes"]
        config["routes"] = [{**route, "name": name, "topics": [name]} for name in "ab"]
        config["routes"][0]["dead_letter"] = "dead"
        self.gate = self.world.gate("gate-1", config).start(wait=False)
        places.wait_until(lambda: self.gate.get("/readyz")[0] == 503, 20, "its pages")

    def assert_refused(self, changes, text):
        self.write(changes)
        code, said = self.post()
        self.assertEqual(code, 400, said)
        self.assertRegex(said, rf"^{self.gate.path}:\d+:\d+: {text}")

    def test_a_file_that_cannot_be_used(self):
        self.assert_refused({"targets": {"receiver": {"http": {"url": "https://127.0.0.1:1/", "ca_file": "/no/such/file"}}}},
                            r"targets\.receiver\.http\.ca_file: .*/no/such/file")

    def test_a_property_that_librdkafka_does_not_know(self):
        self.assert_refused({"kafka": {"properties": {"debgu": "cgrp"}}}, r"kafka\.properties\.debgu: ")

    def test_redrive_says_it_as_well(self):
        self.write({"kafka": {"properties": {"debgu": "cgrp"}}})
        done = subprocess.run([places.EINLASS, "redrive", "-c", self.gate.path, "--topic", "dead"], capture_output=True, text=True,
                              timeout=60 * places.PATIENCE, check=False)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertRegex(done.stderr, rf"^{self.gate.path}:\d+:\d+: kafka\.properties\.debgu: ")

    def test_a_warning_names_the_place_in_the_file(self):
        """Where that has its routes in another order than the gate."""
        def warnings():
            return [line for line in self.gate.log(1000).splitlines() if "event=config_seldom_meant" in line]
        self.assertIn("routes[1]: has no dead_letter", "".join(warnings()))
        self.assertEqual(len(warnings()), 1)
        with open(self.gate.path) as file:
            routes = json.load(file)["routes"]
        self.write({"routes": routes[::-1]})
        self.assertEqual(self.post(), (200, "nothing has changed\n"))
        self.assertIn("routes[0]: has no dead_letter", warnings()[-1])


if __name__ == "__main__":
    unittest.main(verbosity=2)
