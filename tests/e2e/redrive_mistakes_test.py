"""What einlass redrive says to those who ask for what cannot be done."""
import json
import os
import subprocess
import unittest

from harness import places
from harness.plan import plan
import redrive_test
import servers


@plan(kafka="4.1.1")
class Mistakes(redrive_test.Redrive):
    def test_what_cannot_be_meant(self):
        config = self.config(targets={"other": {"http": {"url": "http://127.0.0.1:1/"}}})
        config["routes"].append({"name": "without", "topics": ["x"], "target": "other"})
        for arguments, code, text in (
                (("--topic", "missing"), 1, "topic missing: there is no such topic"),
                (("--route", "nonsense"), 64, "no route 'nonsense'; there is results or without"),
                (("--route", "without"), 64, "has no dead_letter topic"),
                (("--route", ""), 64, "name a route or a topic"),
                (("--topic", ""), 64, "name a route or a topic"),
                (("--route", "results", "--topic", "dead"), 64, "--topic"),
                (("--topic", "dead", "--from", "yesterday"), 64, "'yesterday' is no place to begin"),
                (("--topic", "dead", "--reason", "refused,boredom"), 64, "boredom"),
                (("--topic", "dead", "--partition", "7"), 64, "no partition 7"),
                (("--topic", "dead", "--from", "7:0"), 64, "no partition 7"),
                (("--topic", "dead", "--limit", "0"), 64, "--limit")):
            with self.subTest(arguments=arguments):
                _, out, errors = self.redrive(config, *arguments, code=code)
                self.assertEqual(out, "")
                self.assertIn(text, errors)

    def test_neither_route_nor_topic(self):
        path = os.path.join(self.world.directory, "gate.json")
        with open(path, "w") as file:
            json.dump(self.config(), file)
        done = subprocess.run([places.EINLASS, "redrive", "-c", path], capture_output=True, text=True, 
                              timeout=20 * places.PATIENCE)
        self.assertEqual(done.returncode, 64)
        self.assertIn("--route", done.stderr)

    def test_a_topic_that_no_route_writes_to_any_more(self):
        """Its letters meet their routes' limits all the same: in memory, with buckets of their own."""
        self.world.produce_records("dead", redrive_test.letters(3))
        books, _, errors = self.redrive(self.config(route={"dead_letter": "dead.since"}), "--topic", "dead")
        self.assertEqual(books.delivered, 6)
        self.assertIn("redrive_limits_in_memory", errors)

    def test_kafka_away(self):
        [port] = servers.free_ports(1)
        config = self.config(kafka={"brokers": [f"127.0.0.1:{port}"]})
        _, out, errors = self.redrive(config, code=1, patience=40)
        self.assertIn(f"127.0.0.1:{port}", errors)
        self.assertEqual(out, "")


if __name__ == "__main__":
    unittest.main()
