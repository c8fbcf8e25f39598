"""deploy/kubernetes and the Helm chart: rendered, and held against the schemas of several Kubernetes versions.

kubectl and the schemas are wheels from PyPI, kept in ~/.cache/einlass; kubeconform and helm are built by Go, where
there is one. What a schema cannot know is looked at here too: that selectors meet their pods, that what is mounted is
there, that the gates' configurations are good, and that the chart says what the base says.
"""

import base64
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import go_programs
import manifests
from commands import must, run

EINLASS = os.path.join(os.environ["EINLASS_BUILD"], "einlass")
VERSIONS = ("1.29", "1.33", "1.37")
_VALIDATE = """
import json, sys, kubernetes_validate
for one in json.load(sys.stdin):
    for version in sys.argv[1:]:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except Exception as error:
            where = ".".join(str(part) for part in getattr(error, "path", []))
            print(one["kind"], one["metadata"]["name"], version, where, getattr(error, "message", error))
"""


def must_template(values):
    done = manifests.templated(values)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Rendered(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.bin = manifests.wheels()
        cls.rendered = {name: manifests.kustomized(name) for name in manifests.KUSTOMIZATIONS}


class ByKubeconform:
    def test_kubeconform(self):
        program = go_programs.built("kubeconform")
        with tempfile.TemporaryDirectory() as directory:
            for name, objects in self.rendered.items():
                for one in objects:
                    self._write_schema(one, directory)
                with open(os.path.join(directory, "objects.json"), "w") as file:
                    json.dump({"apiVersion": "v1", "kind": "List", "items": objects}, file)
                done = run(program, "-strict", "-summary", "-schema-location",
                           directory + "/{{ .ResourceKind }}{{ .KindSuffix }}.json", file.name)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(f"Valid: {len(objects)}, Invalid: 0, Errors: 0, Skipped: 0", done.stdout)

    def _write_schema(self, one, directory):
        """Whole, without references to other files."""
        folder = glob.glob(os.path.join(os.path.dirname(self.bin), "lib", "*", "site-packages", "kubernetes_validate",
                                        "kubernetes-json-schema", f"v{VERSIONS[-1]}*-local-strict"))[0]
        group, _, version = one["apiVersion"].rpartition("/")
        name = "-".join(part for part in (one["kind"].lower(), group.partition(".")[0], version) if part) + ".json"
        with open(os.path.join(folder, name)) as schema, open(os.path.join(folder, "_definitions.json")) as definitions:
            whole, known = json.load(schema), json.load(definitions)["$defs"]

        def resolved(node):
            if isinstance(node, list):
                return [resolved(part) for part in node]
            if not isinstance(node, dict):
                return node
            if isinstance(node.get("$ref"), str):
                return resolved(known[node["$ref"].rpartition("/")[2]])
            return {key: resolved(value) for key, value in node.items()}
        with open(os.path.join(directory, name), "w") as file:
            json.dump(resolved(whole), file)


class Kubeconform(ByKubeconform, Rendered):
    pass


class Manifests(Rendered):

    def _invalid(self, objects):
        return must(os.path.join(self.bin, "python"), "-c", _VALIDATE, *VERSIONS, input=json.dumps(objects)).splitlines()

    def _one(self, objects, kind):
        found = [one for one in objects if one["kind"] == kind and "grafana_dashboard" not in one["metadata"].get("labels", {})]
        self.assertEqual(len(found), 1, kind)
        return found[0]

    def test_schemas(self):
        for name, objects in self.rendered.items():
            with self.subTest(name):
                self.assertEqual(self._invalid(objects), [])

    def test_schemas_see_what_is_wrong(self):
        """A word that is not known, a number that is text, something required that is missing, an API that is gone."""
        def without_selector(one):
            del one["spec"]["selector"]
        breaches = (lambda one: one["spec"].update(replicaz=2), lambda one: one["spec"].update(replicas="two"),
                    without_selector, lambda one: one.update(apiVersion="apps/v1beta1"))
        for breach in breaches:
            one = copy.deepcopy(self._one(self.rendered["base"], "StatefulSet"))
            breach(one)
            self.assertEqual(len(self._invalid([one])), len(VERSIONS))

    def test_parts_meet(self):
        for name, objects in self.rendered.items():
            with self.subTest(name):
                self._check_parts(objects)

    def _check_parts(self, objects):
        gates = self._one(objects, "StatefulSet")
        template, name = gates["spec"]["template"], gates["metadata"]["name"]
        labels = template["metadata"]["labels"]
        selectors = [gates["spec"]["selector"]["matchLabels"], self._one(objects, "Service")["spec"]["selector"],
                     self._one(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
                     self._one(objects, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
                     template["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]]
        for selector in selectors:
            self.assertTrue(selector and selector.items() <= labels.items(), f"{selector} is not of {labels}")
        comers = self._one(objects, "NetworkPolicy")["spec"]["ingress"][0]["from"]
        self.assertEqual(comers, [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}},
                                   "podSelector": {"matchLabels": {"app.kubernetes.io/name": "prometheus"}}}])
        self.assertEqual(gates["spec"]["serviceName"], self._one(objects, "Service")["metadata"]["name"])
        self.assertEqual(template["spec"]["serviceAccountName"], self._one(objects, "ServiceAccount")["metadata"]["name"])
        container, volumes = template["spec"]["containers"][0], {one["name"]: one for one in template["spec"]["volumes"]}
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, set(volumes))
        settings = self._one(objects, "ConfigMap")
        self.assertEqual(volumes["config"]["configMap"]["name"], settings["metadata"]["name"])
        self._check_ways_out(self._one(objects, "NetworkPolicy")["spec"]["egress"])
        ports = {port["name"] for port in container["ports"]}
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            self.assertIn(container[probe]["httpGet"]["port"], ports)
        for scaler in (one for one in objects if one["kind"] == "HorizontalPodAutoscaler"):
            self.assertEqual(scaler["spec"]["scaleTargetRef"]["name"], name)
            self.assertNotIn("replicas", gates["spec"], "the autoscaler and the manifest would fight over it")
        self._check_configuration(settings["data"]["gate.yaml"], template["spec"]["terminationGracePeriodSeconds"])

    def _check_ways_out(self, egress):
        """What docs/managed_kafka.md, Sentinel and tracing ask for, and targets in the cluster and of both kinds of addresses."""
        open_to_all = {port["port"] for rule in egress if "to" not in rule for port in rule["ports"]}
        self.assertLessEqual({53, 9092, 9093, 9094, 9096, 9098, 6379, 26379, 4318}, open_to_all)
        targets = next(rule for rule in egress if "to" in rule)
        self.assertIn({"namespaceSelector": {}}, targets["to"], "pods, for which an ipBlock may not count")
        blocks = {peer["ipBlock"]["cidr"]: peer["ipBlock"]["except"] for peer in targets["to"] if "ipBlock" in peer}
        self.assertEqual(set(blocks), {"0.0.0.0/0", "::/0"})
        self.assertIn("169.254.0.0/16", blocks["0.0.0.0/0"])
        self.assertLessEqual({"fe80::/10", "fd00:ec2::23/128", "fd00:ec2::254/128"}, set(blocks["::/0"]))

    def _check_configuration(self, text, grace):
        """As the gate reads it in its pod; the secrets are files of the same names elsewhere."""
        with tempfile.TemporaryDirectory() as directory:
            for secret in set(re.findall(r"/run/secrets/einlass/([\w-]+)", text)):
                with open(os.path.join(directory, secret), "w") as file:
                    file.write("secret")
            path = os.path.join(directory, "gate.yaml")
            with open(path, "w") as file:
                file.write(text.replace("/run/secrets/einlass", directory))
            environment = {**os.environ, "HOSTNAME": "einlass-0"}
            done = subprocess.run([EINLASS, "check", "-c", path], capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            printed = subprocess.run([EINLASS, "print-config", "-c", path], capture_output=True, text=True,
                                     env=environment).stdout
        self.assertIn("instance: einlass-0", printed)
        self.assertRegex(printed, r"(?m)^  token_file: .*admin-token\"?$")
        drain = int(re.search(r"drain_timeout: (\d+)s", printed)[1])
        self.assertGreaterEqual(grace, drain + 15, "the pod would be killed while it drains")


class Chart(ByKubeconform, Manifests):
    """The same checks on what the chart makes of several values, and that by itself it says what the base says."""

    @classmethod
    def setUpClass(cls):
        cls.bin = manifests.wheels()
        cls.rendered = {name: manifests.objects(manifests.templated(values).stdout)
                        for name, values in manifests.VALUES.items()}

    def test_schemas_see_what_is_wrong(self):
        for values in ({"replicaz": 2}, {"replicas": "two"}, {"image": {"repository": ""}}, {"config": ""}, {"config": {"kafka": {}}},
                       {"autoscaling": {"busy": "60%"}}, {"terminationGracePeriodSeconds": 5}, {"image": {"digest": "sha256:0f"}},
                       {"updateStrategy": {"type": "Recreate"}}, {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 2}}},
                       {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {"partition": 1}}}, {"nameOverride": "Gates"},
                       {"fullnameOverride": 51 * "a"}):
            done = manifests.templated(values)
            self.assertNotEqual(done.returncode, 0, f"{values} was taken")
            self.assertIn("values don't meet the specifications of the schema", done.stderr)

    def test_a_gate_that_no_probe_can_reach_is_refused(self):
        alone = manifests.smallest()  # It says nothing of admin.
        for config in (alone, alone + '\nadmin: {listen: "127.0.0.1:9000"}', alone + '\nadmin: {listen: "[::1]:9465"}'):
            done = manifests.templated({"config": config})
            self.assertNotEqual(done.returncode, 0, config)
            self.assertIn("where the probes cannot reach it", done.stderr)

    def test_another_port_and_both_kinds_of_addresses(self):
        for where, port in (("[::]:9000", 9000), ("0.0.0.0:${PORT:-9000}", 9000), ("0.0.0.0:${PORT1}", 9465)):
            objects = manifests.objects(manifests.templated({"config": manifests.listening(manifests.smallest(), where)}).stdout)
            container = self._one(objects, "StatefulSet")["spec"]["template"]["spec"]["containers"][0]
            self.assertEqual(container["ports"], [{"name": "admin", "containerPort": port}], where)
            self.assertEqual(self._one(objects, "Service")["spec"]["ports"][0]["port"], port, where)

    def test_what_is_said_besides_arrives(self):
        gates = self._one(self.rendered["much said"], "StatefulSet")["spec"]
        self.assertEqual(gates["updateStrategy"], {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}})
        template = gates["template"]
        self.assertEqual(template["spec"]["priorityClassName"], "system-cluster-critical")
        container = template["spec"]["containers"][0]
        self.assertEqual(template["metadata"]["labels"]["team"], "billing")
        self.assertEqual(container["env"], [{"name": "REGION", "value": "eu"}])
        self.assertEqual(container["envFrom"], [{"configMapRef": {"name": "x"}}])
        self.assertIn({"name": "authorities", "mountPath": "/etc/authorities"}, container["volumeMounts"])
        self.assertIn({"name": "authorities", "configMap": {"name": "authorities"}}, template["spec"]["volumes"])
        self.assertEqual(container["image"], "einlass:9")
        self.assertEqual(self._one(self.rendered["much said"], "ServiceAccount")["metadata"]["annotations"], {"a": "b"})

    def test_an_image_of_a_digest_is_that_one_whatever_the_tag_says(self):
        digest = "sha256:" + 32 * "0f"
        objects = manifests.objects(manifests.templated({"image": {"tag": "9", "digest": digest}}).stdout)
        container = self._one(objects, "StatefulSet")["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["image"], f"einlass@{digest}")

    def test_a_pod_has_the_time_that_the_configuration_asks_for(self):
        def grace(drain, **values):
            config = manifests.listening(manifests.smallest()) + f"drain_timeout: {drain}\n"
            done = manifests.templated({"config": config, **values})
            found = [one for one in manifests.objects(done.stdout) if one["kind"] == "StatefulSet"]
            return found[0]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] if found else done.stderr
        for drain, seconds in (("120s", 140), ("2m", 140), ("12.5s", 33), ("500ms", 21), ("1h", 3620), ("0.001d", 107), ("${DRAIN}", 30)):
            self.assertEqual(grace(drain), seconds, drain)
        self.assertEqual([grace("120s", terminationGracePeriodSeconds=135), grace("5s", terminationGracePeriodSeconds=20)], [135, 20])
        self.assertIn("drain_timeout (120 s) asks for", grace("120s", terminationGracePeriodSeconds=134))

    def test_names_that_yaml_takes_for_something_else(self):
        for values in ({"fullnameOverride": "on"}, {"fullnameOverride": "null", "secret": "2024"}):
            objects = manifests.objects(must_template({**values, "autoscaling": {"enabled": True}, "podMonitor": {"enabled": True}}))
            self.assertEqual(self._invalid([one for one in objects if one["kind"] != "PodMonitor"]), [])
        done = run(go_programs.built("helm"), "template", "2024", manifests.CHART)
        self.assertEqual(self._invalid(manifests.objects(done.stdout)), [])

    def test_a_configuration_as_people_write_it(self):
        """Indented as a whole, and with sections that are left empty."""
        config = "".join(f"  {line}\n" for line in manifests.listening(manifests.smallest()).splitlines()) + "  redis:\n"
        objects = manifests.objects(must_template({"config": config}))
        self.assertEqual(self._one(objects, "ConfigMap")["data"]["gate.yaml"], config)
        done = manifests.templated({"config": manifests.smallest() + "\nadmin:\n"})
        self.assertIn("where the probes cannot reach it", done.stderr)

    def test_names(self):
        """Those of the objects; the label by which the chart finds its own keeps its value."""
        self.assertEqual(self._names({}), {"einlass", "einlass-config", "einlass-admin-token"})
        self.assertEqual(self._names({"nameOverride": "gates"}),
                         {"einlass-gates", "einlass-gates-config", "einlass-gates-admin-token"})
        # Of the release's name, as it would be without.
        self.assertEqual(self._names({"nameOverride": "lass"}), self._names({}))
        self.assertEqual(self._names({"nameOverride": "gates", "fullnameOverride": "billing"}),
                         {"billing", "billing-config", "billing-admin-token"})

    def test_each_release_is_a_job_of_its_own(self):
        """Alerts and dashboards look for one that begins with einlass, and add up what has the same."""
        for name in ("einlass", "gates"):
            monitor = self._one(manifests.objects(must_template({"podMonitor": {"enabled": True}, "fullnameOverride": name})), "PodMonitor")
            self.assertEqual(monitor["spec"]["podMetricsEndpoints"][0].get("relabelings"),
                             [{"targetLabel": "job", "replacement": f"einlass/default/{name}"}])
            self.assertNotIn("jobLabel", monitor["spec"])

    def _names(self, values):
        objects = manifests.objects(manifests.templated(values).stdout)
        for one in objects:
            self.assertEqual(one["metadata"]["labels"]["app.kubernetes.io/name"], "einlass")
        return {one["metadata"]["name"] for one in objects}

    def test_pods_can_wait_until_they_are_deleted(self):
        objects = manifests.objects(manifests.templated({"updateStrategy": {"type": "OnDelete"}}).stdout)
        self.assertEqual(self._one(objects, "StatefulSet")["spec"]["updateStrategy"], {"type": "OnDelete"})
        self.assertEqual(self._invalid(objects), [])

    def test_dashboards(self):
        found = {name: text for one in self.rendered["much said"] if one["kind"] == "ConfigMap"
                 for name, text in one["data"].items() if name.endswith(".json")}
        folder = os.path.join(manifests.ROOT, "grafana", "dashboards")
        self.assertEqual(sorted(found), sorted(os.listdir(folder)))
        for name, text in found.items():
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                self.assertEqual(text, file.read())

    def test_dashboards_without_labels_of_their_own(self):
        objects = manifests.objects(must_template({"dashboards": {"enabled": True, "labels": {"grafana_dashboard": None}}}))
        boards = [one for one in objects if any(name.endswith(".json") for name in one.get("data", {}))]
        self.assertGreater(len(boards), 1)
        for one in boards:
            self.assertEqual(one["metadata"]["labels"]["app.kubernetes.io/name"], "einlass")
        self.assertEqual(self._invalid(boards), [])

    def test_the_servers_of_aws_credentials_are_reached_only_if_asked_for(self):
        """By the addresses of app/setup/aws_options.cc."""
        def reached(objects):
            rules = [rule for rule in self._one(objects, "NetworkPolicy")["spec"]["egress"]
                     if any("169.254.170.23" in peer.get("ipBlock", {}).get("cidr", "") for peer in rule.get("to", ()))]
            return [([peer["ipBlock"]["cidr"] for peer in rule["to"]], rule["ports"]) for rule in rules]
        self.assertEqual(reached(self.rendered["as it is"]), [])
        asked = manifests.objects(manifests.templated({"networkPolicy": {"aws": True}}).stdout)
        self.assertEqual(reached(asked), [(["169.254.170.23/32", "fd00:ec2::23/128", "169.254.169.254/32"],
                                           [{"port": 80, "protocol": "TCP"}])])
        self._check_ways_out(self._one(asked, "NetworkPolicy")["spec"]["egress"])

    def test_where_nothing_is_allowed_no_rule_allows_everything(self):
        """A rule without ports, or without peers but for DNS and what was named, would."""
        named = ("kafka", "redis", "tracing", "targets")
        for value in ([], None):
            for gone in (*([one] for one in named), named[:3], named):
                with self.subTest(value=value, gone=gone):
                    policy = self._policy({"ports": dict.fromkeys(gone, value)})
                    self.assertEqual([rule for rule in policy["egress"] if not rule.get("ports")], [])
                    self.assertEqual([rule["ports"] for rule in policy["egress"] if "to" in rule and not rule["to"]], [])
                    self.assertEqual(any("to" in rule for rule in policy["egress"]), "targets" not in gone)
                    self.assertEqual(len(policy["egress"]), 3 - ("targets" in gone) - (set(named[:3]) <= set(gone)))
            self.assertEqual(len(self._policy({"ports": None})["egress"]), 1, "DNS")
            policy = self._policy({"from": value})
            self.assertFalse(policy.get("ingress"))
            self.assertIn("Ingress", policy["policyTypes"])

    def _policy(self, values):
        objects = manifests.objects(must_template({"networkPolicy": values}))
        self.assertEqual(self._invalid(objects), [])
        return self._one(objects, "NetworkPolicy")["spec"]

    def test_probes_speak_tls_where_the_gates_do(self):
        with open(os.path.join(manifests.ROOT, "config", "secured-pages.yaml"), encoding="utf-8") as file:
            objects = manifests.objects(manifests.templated({"config": file.read()}).stdout)
        pod = next(one for one in objects if one["kind"] == "StatefulSet")["spec"]["template"]["spec"]["containers"][0]
        for name in ("livenessProbe", "readinessProbe", "startupProbe"):
            self.assertEqual(pod[name]["httpGet"]["scheme"], "HTTPS", name)

    def test_makes_a_token_where_it_is_given_no_secret(self):
        secret = self._one(self.rendered["as it is"], "Secret")
        self.assertGreaterEqual(len(base64.b64decode(secret["data"]["admin-token"])), 32)
        volumes = self._one(self.rendered["as it is"], "StatefulSet")["spec"]["template"]["spec"]["volumes"]
        self.assertEqual(volumes[1]["secret"], {"secretName": secret["metadata"]["name"]})
        self.assertNotIn("Secret", [one["kind"] for one in self.rendered["much said"]])

    def test_the_notes_say_whether_the_pages_need_a_token(self):
        open_pages = manifests.listening(manifests.smallest())  # Without a token.
        mine = open_pages.replace('9465"', '9465", token_file: /run/secrets/einlass/admin-token')
        self.assertIn("need this token", manifests.notes({}))
        self.assertIn("need this token", manifests.notes({"config": mine}))
        self.assertIn("need no token", manifests.notes({"config": open_pages}))
        self.assertNotIn("token", manifests.notes({"config": mine, "secret": "mine"}))
        self.assertNotIn("need", manifests.notes({"config": mine.replace("admin-token", "of-the-pages")}))

    def test_the_upgrade_that_the_docs_name_takes_what_is_new_of_the_chart(self):
        with open(os.path.join(manifests.ROOT, "docs", "upgrading.md"), encoding="utf-8") as file:
            flags = re.search(r"`helm upgrade [^`]*?(--[^`]*)`", file.read())[1].split()
        self.assertEqual(flags, ["--reset-then-reuse-values"])
        self.assertIn(f" {flags[0]} ", must(go_programs.built("helm"), "upgrade", "--help"))

    def test_lint(self):
        self.assertIn("0 chart(s) failed", must(go_programs.built("helm"), "lint", "--strict", manifests.CHART))

    def test_says_what_the_base_says(self):
        self.assertEqual(self._essence(self.rendered["as it is"]), self._essence(manifests.kustomized("base")))

    def _essence(self, objects):
        """Without labels, the configuration's text, the names that carry a checksum, and the Secret, which only a chart can make."""
        found = {}
        for one in copy.deepcopy(objects):
            if one["kind"] == "Secret":
                continue
            if one["kind"] == "StatefulSet":
                del one["spec"]["template"]["spec"]["volumes"][1]["secret"]
            if one["kind"] == "ConfigMap":
                one["data"] = list(one["data"])
            text = json.dumps({key: one[key] for key in sorted(one) if key != "metadata"}, sort_keys=True)
            text = re.sub(r'"app.kubernetes.io/(instance|version|managed-by)": "[^"]*",? ?|"helm.sh/chart": "[^"]*",? ?', "", text)
            text = re.sub(r'"annotations": \{"checksum/config": "[0-9a-f]+"\}, ', "", text)
            text = re.sub(r"einlass-config(-\w+)?", "einlass-config", text)
            text = text.replace(', "--watch-config"]', "]")  # The base gives a changed configuration another name.
            text = text.replace('"einlass:0.1.0", "imagePullPolicy": "IfNotPresent"', '"einlass"')
            found[one["kind"]] = json.loads(re.sub(r", ?\}", "}", text))
        return found


if __name__ == "__main__":
    needed = {"Kubeconform": ["kubeconform"], "Chart": ["helm", "kubeconform"]}
    missing = [go_programs.missing(program) for test in sys.argv[1:] for program in needed.get(test, ())]
    if any(missing):  # For ctest, to which a test that is skipped in a file has passed.
        print("not run: " + "; ".join(filter(None, missing)))
        sys.exit(77)
    unittest.main()
