"""The manifests and the chart before a real Kubernetes API server: taken without a warning, where only what is
restricted may run; changed as an upgrade changes them; and what is wrong is refused, so that being taken says something.
"""

import copy
import json
import os
import shutil
import sys
import tempfile
import unittest

import api_server
import manifests

PRODUCTION = os.path.join(manifests.ROOT, "deploy", "kubernetes", "overlays", "production")
RESTRICTED = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")}
STRICT = ("apply", "--validate=strict", "-f", "-")


def one(objects, kind):
    return next(each for each in objects if each["kind"] == kind)


def namespace(name):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": RESTRICTED}}


def definition(kind):
    """Of a kind of the Prometheus operator's, that takes whatever is said."""
    plural = kind.lower() + "s"
    version = {"name": "v1", "served": True, "storage": True,
               "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.monitoring.coreos.com"},
            "spec": {"group": "monitoring.coreos.com", "scope": "Namespaced", "versions": [version],
                     "names": {"kind": kind, "plural": plural, "singular": kind.lower()}}}


def pod(objects):
    """One as the StatefulSet would make it."""
    template = one(objects, "StatefulSet")["spec"]["template"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], "name": "einlass-0"},
            "spec": template["spec"]}


class OnAnApiServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = api_server.ApiServer()
        cls.addClassCleanup(cls.server.delete)
        cls.rendered = {**{name: manifests.kustomized(name) for name in manifests.KUSTOMIZATIONS},
                        **{f"chart, {name}": manifests.objects(manifests.templated(values).stdout)
                           for name, values in manifests.VALUES.items()}}
        for name in ("tried", "einlass"):
            done = cls.server.kubectl(*STRICT, objects=[namespace(name)])
            assert done.returncode == 0, done.stderr

    def _quiet(self, done):
        """Warnings stand on stderr."""
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def _dry(self, objects, space="tried"):
        spaces = {each["metadata"].get("namespace") for each in objects} - {None}
        return self.server.kubectl("-n", *(spaces or {space}), *STRICT, "--dry-run=server", objects=objects)


class Judged(OnAnApiServer):
    """By what only looks: nothing is kept."""

    def test_all_is_taken(self):
        for name, objects in self.rendered.items():
            with self.subTest(name):
                said = self._quiet(self._dry(objects))
                self.assertEqual(len(said.splitlines()), len(objects))

    def test_pods_are_taken_where_only_the_restricted_may_run(self):
        for name, objects in self.rendered.items():
            with self.subTest(name):
                self._quiet(self._dry([pod(objects)]))

    def test_what_is_wrong_is_refused(self):
        for kind, breach, words in BREACHES:
            with self.subTest(words):
                wrong = copy.deepcopy(pod(self.rendered["base"]) if kind == "Pod" else one(self.rendered["base"], kind))
                breach(wrong["spec"])
                done = self._dry([wrong])
                self.assertNotEqual(done.returncode, 0, "it was taken")
                self.assertIn(words, done.stderr)

    def test_a_set_that_may_do_more_is_warned_of(self):
        """Such a set is taken, and its pods never come: the server says so, as it says nothing of ours."""
        wrong = copy.deepcopy(one(self.rendered["base"], "StatefulSet"))
        del wrong["spec"]["template"]["spec"]["securityContext"]
        done = self._dry([wrong])
        self.assertIn("would violate PodSecurity", done.stderr)


def container(spec):
    return spec["template"]["spec"]["containers"][0]


# What a schema lets through but the last: the kind, what is done to it, and what the server says.
BREACHES = (
    ("StatefulSet", lambda spec: spec["selector"].update(matchLabels={"a": "b"}), "`selector` does not match template `labels`"),
    ("StatefulSet", lambda spec: container(spec)["volumeMounts"].append({"name": "gone", "mountPath": "/gone"}), "Not found"),
    ("StatefulSet", lambda spec: container(spec)["livenessProbe"]["httpGet"].update(port="an admin's port"), "livenessProbe"),
    ("StatefulSet", lambda spec: container(spec)["resources"].update(requests={"memory": "1Ti"}), "less than or equal to memory"),
    ("StatefulSet", lambda spec: container(spec)["ports"][0].update(containerPort=70000), "containerPort"),
    ("NetworkPolicy", lambda spec: spec["egress"][2]["to"][1]["ipBlock"].update(cidr="0.0.0.0/64"), "cidr"),
    ("PodDisruptionBudget", lambda spec: spec.update(maxUnavailable=-1), "greater than or equal to 0"),
    ("Service", lambda spec: spec["ports"].append(dict(spec["ports"][0])), "Duplicate value"),
    ("Pod", lambda spec: spec["securityContext"].pop("runAsNonRoot"), "violates PodSecurity"),
    ("StatefulSet", lambda spec: spec.update(replicaz=2), "unknown field"),
)


class Kept(OnAnApiServer):
    """Really applied, by the words of docs/deploy.md, and changed as an upgrade changes it."""

    def test_an_overlay_of_ones_own(self):
        namespace_file = os.path.join(PRODUCTION, "namespace.yaml")
        self._quiet(self.server.kubectl("apply", "-f", namespace_file))
        self._quiet(self.server.kubectl("-n", "einlass", "create", "secret", "generic", "einlass-secrets",
                                        "--from-literal=admin-token=c", "--from-literal=kafka-password=a",
                                        "--from-literal=redis-password=b"))
        self._quiet(self.server.kubectl("apply", "-k", PRODUCTION))
        before = self.server.get("statefulset", "einlass", "einlass")
        # As the autoscaler does.
        self._quiet(self.server.kubectl("-n", "einlass", "scale", "statefulset", "einlass", "--replicas=5"))
        with tempfile.TemporaryDirectory() as overlay:
            self._write_overlay(overlay)
            self._quiet(self.server.kubectl("apply", "-k", overlay))
        after = self.server.get("statefulset", "einlass", "einlass")
        self.assertEqual(after["spec"]["replicas"], 5, "the upgrade took gates away")
        old, new = ({**container(each["spec"]), "config": each["spec"]["template"]["spec"]["volumes"][0]["configMap"]["name"]}
                    for each in (before, after))
        self.assertEqual(new["image"], "registry.example.com/einlass:0.2.0")
        self.assertNotEqual(new["config"], old["config"], "no gate would be restarted to read it")

    def _write_overlay(self, folder):
        with open(os.path.join(manifests.ROOT, "deploy", "kubernetes", "base", "gate.yaml")) as file:
            text = file.read()
        with open(os.path.join(folder, "gate.yaml"), "w") as file:
            file.write(text.replace("limit: 100", "limit: 50"))
        with open(os.path.join(folder, "kustomization.yaml"), "w") as file:
            json.dump({"resources": [os.path.relpath(PRODUCTION, os.path.realpath(folder))],
                       "images": [{"name": "registry.example.com/einlass", "newTag": "0.2.0"}],
                       "configMapGenerator": [{"name": "einlass-config", "namespace": "einlass", "behavior": "replace",
                                               "files": ["gate.yaml"]}]}, file)

    def test_what_no_upgrade_may_change(self):
        """Else the one before would show nothing."""
        self._quiet(self.server.kubectl("-n", "tried", *STRICT, objects=self.rendered["base"]))
        changed = copy.deepcopy(one(self.rendered["base"], "StatefulSet"))
        changed["spec"]["serviceName"] = "another"
        done = self.server.kubectl("-n", "tried", *STRICT, objects=[changed])
        self.assertIn("Forbidden: updates to statefulset spec", done.stderr)

    def test_the_chart(self):
        self._quiet(self.server.kubectl(*STRICT, objects=[namespace("charted")]))
        config = manifests.listening(manifests.smallest())
        with tempfile.TemporaryDirectory() as folder:
            newer = shutil.copytree(manifests.CHART, os.path.join(folder, "einlass"))
            with open(os.path.join(newer, "Chart.yaml")) as file:
                text = file.read()
            with open(os.path.join(newer, "Chart.yaml"), "w") as file:
                file.write(text.replace("ersion: 0.1.0", "ersion: 0.2.0"))
            first = self._released("install", manifests.CHART, config)
            token = self.server.get("secret", "einlass-admin-token", "charted")["data"]["admin-token"]
            second = self._released("upgrade", newer, config, "--set", "replicas=3", "--set", "resources.limits.memory=1Gi")
            self.assertEqual(second["spec"]["replicas"], 3)
            self.assertEqual(container(second["spec"])["image"], "einlass:0.2.0")
            self.assertEqual(self.server.get("secret", "einlass-admin-token", "charted")["data"]["admin-token"], token)
            back = self._rolled_back()
            self.assertEqual(back["spec"]["template"], first["spec"]["template"])
        self._helm("uninstall", "einlass")
        left = self._quiet(self.server.kubectl("-n", "charted", "get", "-o", "name", "-l", "app.kubernetes.io/name=einlass",
                                               "statefulset,service,configmap,secret,networkpolicy,poddisruptionbudget,serviceaccount"))
        self.assertEqual(left, "")

    def test_a_changed_limit_restarts_no_pod(self):
        """Nothing of the pods changes, so nobody restarts them; what they read does."""
        self._quiet(self.server.kubectl(*STRICT, objects=[namespace("charted")]))
        config = manifests.listening(manifests.smallest())
        first = self._released("install", manifests.CHART, config)
        second = self._released("upgrade", manifests.CHART, config.replace("limit: 100", "limit: 50"))
        self.assertEqual(second["spec"], first["spec"])
        self.assertEqual(second["metadata"]["generation"], first["metadata"]["generation"])
        self.assertIn("limit: 50", self.server.get("configmap", "einlass-config", "charted")["data"]["gate.yaml"])
        third = self._released("upgrade", manifests.CHART, config.replace("group: einlass", "group: others"))
        self.assertNotEqual(third["spec"]["template"], first["spec"]["template"], "no gate would be restarted to read it")
        self._helm("uninstall", "einlass")

    def test_the_number_of_gates_stays_when_an_autoscaler_takes_over(self):
        self._quiet(self.server.kubectl(*STRICT, objects=[namespace("charted")]))
        config = manifests.listening(manifests.smallest())
        for side in ("true", "false"):  # false: as Helm 3 does.
            with self.subTest(f"on the server: {side}"):
                self._released("install", manifests.CHART, config, "--set", "replicas=3", f"--server-side={side}")
                scaling = ("upgrade", manifests.CHART, config, "--set", "autoscaling.enabled=true")
                self.assertEqual(self._released(*scaling)["spec"]["replicas"], 3)
                # As the autoscaler does.
                self._quiet(self.server.kubectl("-n", "charted", "scale", "statefulset/einlass", "--replicas=5"))
                for _ in range(2):
                    self.assertEqual(self._released(*scaling)["spec"]["replicas"], 5)
                self.assertEqual(self._rolled_back(3)["spec"]["replicas"], 5)
                self._helm("uninstall", "einlass")

    def test_what_the_operator_reads(self):
        """Of definitions that say no more than that there are such objects."""
        self._quiet(self.server.kubectl(*STRICT, objects=[namespace("charted"), *map(definition, ("PodMonitor", "PrometheusRule"))]))
        for kind in ("podmonitors", "prometheusrules"):
            self._quiet(self.server.kubectl("wait", "--for=condition=Established", f"crd/{kind}.monitoring.coreos.com"))
        self._released("install", manifests.CHART, manifests.listening(manifests.smallest()), "--set",
                       "podMonitor.enabled=true,prometheusRule.enabled=true,dashboards.enabled=true")
        rule = self.server.get("prometheusrule", "einlass", "charted")
        alerts = [one for group in rule["spec"]["groups"] for one in group["rules"] if "alert" in one]
        self.assertGreater(len(alerts), 20)
        self.assertIn("$labels", alerts[0]["annotations"]["summary"], "the chart took Prometheus' words for its own")
        endpoint = self.server.get("podmonitor", "einlass", "charted")["spec"]["podMetricsEndpoints"][0]
        self.assertEqual((endpoint["port"], endpoint["path"]), ("admin", "/metrics"))
        boards = self._quiet(self.server.kubectl("-n", "charted", "get", "configmap", "-o", "name", "-l", "grafana_dashboard=1"))
        self.assertEqual(len(boards.splitlines()), 3)
        self._helm("uninstall", "einlass")

    def _released(self, verb, chart, config, *more):
        """The StatefulSet afterwards."""
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(config)
            file.flush()
            self._helm(verb, "einlass", chart, "--set-file", f"config={file.name}", *more)
        return self.server.get("statefulset", "einlass", "charted")

    def _rolled_back(self, revision=1):
        self._helm("rollback", "einlass", str(revision))
        return self.server.get("statefulset", "einlass", "charted")

    def _helm(self, *arguments):
        done = self.server.helm("-n", "charted", *arguments)
        self.assertEqual((done.returncode, "warn" in done.stderr.lower()), (0, False), done.stdout + done.stderr)


if __name__ == "__main__":
    reason = api_server.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    unittest.main()
