"""docker-compose.yml in real containers, as `docker compose up` starts them: up and healthy, records flow within the
limit, one gate crashes and comes back, and when the producer has gone each record of the topic came, in order.

The engine is podman (containers.py). The gates' image is made by its own Dockerfile, those of others are stand-ins
(stand_ins/), and Grafana is left out, which nobody here can stand in for.
"""

import json
import os
import shutil
import sys
import tempfile
import unittest
import urllib.parse

import yaml

import containers
import go_programs
from commands import must, until

ROOT = os.path.dirname(os.path.dirname(containers.HERE))
sys.path.insert(0, os.path.join(ROOT, "deploy", "local"))
import kafka_jars  # noqa: E402

GATES = ("gate-1", "gate-2")
LEFT_OUT = {"grafana"}
STAND_INS = {"apache/kafka": "kafka", "redis": "redis", "python": "python", "prom/prometheus": "prometheus"}
BASES = {"bookworm": "docker.io/library/debian:bookworm-slim",  # Of the stand-ins,
         "trixie": "docker.io/library/debian:trixie-slim"}      # and of the gates.
RATE = 120  # Records come faster than the limit lets them go, so that some wait in the gates while one crashes.
LIMIT = 100


def make_images(services):
    images = containers.Images()
    for release, name in BASES.items():
        images.debian(release, name)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(containers.HERE, "stand_ins"), folder, dirs_exist_ok=True)
        shutil.copytree(kafka_jars.fetch(services["kafka"]["image"].partition(":")[2], tools=True), folder + "/jars")
        for image in {services[name]["image"] for name in services} - {services[name]["image"] for name in GATES}:
            stage = STAND_INS[image.partition(":")[0]]
            images.build(f"docker.io/{image}" if "/" in image else f"docker.io/library/{image}", folder, "--target", stage)
    images.build("einlass", ROOT, "--format", "docker", "-f", os.path.join(ROOT, "deploy", "docker", "Dockerfile"),
                 patience=2400)
    return images


class Compose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(os.path.join(ROOT, "docker-compose.yml")) as file:
            services = yaml.safe_load(file)["services"]
        cls.services = {name: services[name] for name in services.keys() - LEFT_OUT}
        cls.program = go_programs.built("docker-compose")
        images = make_images(cls.services)
        cls.addClassCleanup(images.close)
        cls.engine = containers.Engine(images)
        cls.addClassCleanup(cls.engine.delete)

    def test_a_life(self):
        """One test, since each step stands on the one before."""
        self._up()
        self._flow()
        self._crash()
        self._everything_came()
        self._drain()
        self._down()

    def _up(self):
        self._compose("up", "--detach", "--no-build", "--pull", "never", *sorted(self.services), patience=600)
        healthy = {name for name in self.services if "healthcheck" in self.services[name]} | set(GATES)
        self.assertLessEqual({"kafka", "redis", "receiver", "prometheus", *GATES}, healthy)
        until(lambda: {name for name, one in self._shown().items() if one["Health"] == "healthy"} == healthy, 120,
              "all healthy", lambda: str({name: one["Status"] for name, one in self._shown().items()}))
        topics = self._shown()["topics"]
        self.assertEqual((topics["State"], topics["ExitCode"]), ("exited", 0))
        for port in (9465, 9466):
            until(lambda: self._get(port, "/readyz"), 60, f"the gate on {port} is ready")

    def _flow(self):
        until(lambda: self._came()["distinct"] > 500, 120, "500 records", lambda: str(self._came()))
        for port in (9465, 9466):
            self.assertGreater(self._inside(port), 0, "both gates have work")
        until(lambda: self._prometheus("count(up{job='einlass'} == 1)") == [2], 60, "both gates scraped")

    def _crash(self):
        """The engine starts it again, under its name, on the same network."""
        before = self._came()["distinct"]
        self.engine.kill(self._shown()["gate-1"]["Name"])
        until(lambda: self._get(9465, "/readyz"), 60, "the gate is back")
        until(lambda: self._came()["distinct"] > before + 500, 60, "records flow again", lambda: str(self._came()))

    def _everything_came(self):
        self._compose("stop", "producer")
        ends = self._ends("results")
        until(lambda: self._came()["distinct"] >= sum(ends.values()), 300, "the last record", lambda: f"{ends} {self._came()}")
        deliveries = json.loads(self.engine.curl("http://127.0.0.1:8080/deliveries"))
        self.assertEqual({record for record, _, _ in deliveries},
                         {f'"results-{partition}-{offset}"' for partition, end in ends.items() for offset in range(end)})
        self._in_order(deliveries)
        self.assertLessEqual(self._came()["worst_second"], LIMIT)
        self.assertEqual(sum(self._ends("results.dead").values()), 0)

    def _in_order(self, deliveries):
        """The first time that each record comes, within its key: what gate.yaml asks for. All of a key are of one
        partition."""
        newest, seen = {}, set()
        for record, key, _ in deliveries:
            partition, offset = record.strip('"').split("-")[-2:]
            if record not in seen:
                self.assertGreater(int(offset), newest.get(key, -1), f"{record} of {key}, partition {partition}")
                newest[key] = int(offset)
            seen.add(record)
        self.assertGreater(len(newest), 100)

    def _drain(self):
        self._compose("stop", *GATES)
        for gate in GATES:
            self.assertEqual((self._shown()[gate]["State"], self._shown()[gate]["ExitCode"]), ("exited", 0))
        self.assertEqual(self._lag(), 0)

    def _down(self):
        self._compose("down")
        self.assertEqual((self.engine.containers(), self.engine.networks()), ([], []))

    def _compose(self, *arguments, patience=120):
        settings = {**os.environ, "DOCKER_HOST": f"unix://{self.engine.socket}", "RATE": str(RATE)}
        return must(self.program, "--project-directory", ROOT, *arguments, patience=patience, env=settings)

    def _shown(self):
        lines = self._compose("ps", "--all", "--format", "json").splitlines()
        return {one["Service"]: one for one in map(json.loads, lines)}

    def _came(self):
        return json.loads(self.engine.curl("http://127.0.0.1:8080/"))

    def _tool(self, name, *arguments):
        """By an address that needs no look-up: where a container has just left, the engine's name server begins again, and a
        tool that then does not find its first server ends at once. What the broker calls itself it looks up again."""
        return self._compose("exec", "-T", "kafka", f"/opt/kafka/bin/{name}.sh", "--bootstrap-server", "localhost:9092",
                             *arguments)

    def _ends(self, topic):
        lines = self._tool("kafka-get-offsets", "--topic", topic).split()
        return {int(partition): int(end) for _, partition, end in (line.split(":") for line in lines)}

    def _lag(self):
        """The tool ends well, too, where it has not found the broker by its own name, and says so in the table's place."""
        said = []

        def described():
            said.append(self._tool("kafka-consumer-groups", "--describe", "--group", "einlass"))
            return [line.split() for line in said[-1].splitlines() if line.startswith(("GROUP ", "einlass "))]

        head, *rows = until(described, 60, "the group is described", lambda: said[-1])
        self.assertEqual(len(rows), 6, said[-1])
        return sum(int(row[head.index("LAG")]) for row in rows)

    def _get(self, port, path):
        """None where nobody answers, or not with 200."""
        try:
            return self.engine.curl(f"http://127.0.0.1:{port}{path}")
        except AssertionError:
            return None

    def _inside(self, port):
        lines = self._get(port, "/metrics").splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("einlass_records_inside{"))

    def _prometheus(self, expression):
        query = urllib.parse.urlencode({"query": expression})
        return [float(one["value"][1]) for one in json.loads(self._get(9090, f"/api/v1/query?{query}"))["data"]["result"]]


if __name__ == "__main__":
    reason = containers.missing() or go_programs.missing("docker-compose")
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    unittest.main()
