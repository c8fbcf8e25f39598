"""docker-compose.yml, as far as it can be judged without containers: what `docker compose config` says nothing about."""

import os
import re
import unittest

import yaml

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GATES = ("gate-1", "gate-2")


class ComposeFile(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(ROOT, "docker-compose.yml")) as file:
            self.services = yaml.safe_load(file)["services"]

    def test_what_is_mounted_is_there(self):
        for name, service in self.services.items():
            for volume in service.get("volumes", ()):
                source, _, mode = volume.split(":")
                self.assertTrue(os.path.exists(os.path.join(ROOT, source)), f"{name}: {source}")
                self.assertEqual(mode, "ro", f"{name}: {source}")

    def test_a_configuration_that_an_editor_replaces_is_seen(self):
        """A file that is mounted alone stays the one from the start of the container, and a reload finds nothing new."""
        for name in GATES:
            self.assertEqual([volume.split(":")[1] for volume in self.services[name]["volumes"]], ["/etc/einlass"], name)
        for page in ("docs/deploy.md", "deploy/docker/Dockerfile"):
            with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                mounted = re.findall(r'-v "[^":]*:(/etc/einlass[^":]*):ro"', file.read())
            self.assertEqual(mounted, ["/etc/einlass"], page)

    def test_who_is_waited_for_says_when_it_is_ready(self):
        for name, service in self.services.items():
            for other, wait in service.get("depends_on", {}).items():
                self.assertIn(other, self.services, name)
                if wait["condition"] == "service_healthy":
                    self.assertIn("healthcheck", self.services[other], f"{name} waits for {other}")

    def test_ports_are_this_machines_own_and_given_once(self):
        ports = [port for service in self.services.values() for port in service.get("ports", ())]
        self.assertEqual([port for port in ports if not port.startswith("127.0.0.1:")], [])
        taken = [port.split(":")[1] for port in ports]
        self.assertEqual(len(taken), len(set(taken)), taken)

    def test_versions_are_named(self):
        for name, service in self.services.items():
            image = service["image"]
            self.assertTrue(image == "einlass" or image.partition(":")[2] not in ("", "latest"), f"{name}: {image}")

    def test_an_image_is_built_once(self):
        """Two services that build it export it side by side, and on a machine without it the second fails: already exists."""
        makers = {}
        for name, service in self.services.items():
            if "build" in service:
                self.assertNotIn(service["image"], makers, f"{name} builds it too")
                makers[service["image"]] = name
        for name in GATES:
            gate = self.services[name]
            if "build" not in gate:
                self.assertEqual(gate["pull_policy"], "never", "it is on no registry")
                self.assertIn(makers[gate["image"]], gate["depends_on"], "or it is not built for this gate alone")

    def test_gates_have_no_rights(self):
        for name in GATES:
            gate = self.services[name]
            self.assertTrue(gate["read_only"])
            self.assertEqual(gate["cap_drop"], ["ALL"])
            self.assertIn("no-new-privileges:true", gate["security_opt"])
            self.assertEqual(gate["hostname"], name, "the name in the consumer group")

    def test_prometheus_scrapes_both_gates(self):
        with open(os.path.join(ROOT, "deploy", "prometheus", "prometheus.yml")) as file:
            jobs = yaml.safe_load(file)["scrape_configs"]
        targets = {target for job in jobs for group in job.get("static_configs", ()) for target in group["targets"]}
        self.assertLessEqual({f"{name}:9465" for name in GATES}, targets)

    def test_grafana_opens_on_the_overview(self):
        grafana = self.services["grafana"]
        folder, name = os.path.split(grafana["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"])
        [here] = [volume.split(":")[0] for volume in grafana["volumes"] if volume.split(":")[1] == folder]
        self.assertTrue(os.path.exists(os.path.join(ROOT, here, name)))


if __name__ == "__main__":
    unittest.main()
