"""The sources of a release: which they are, that they say the same of their version everywhere, and what changed in it."""

import os
import re
import subprocess
import tempfile

from build_root import ROOT

_VERSION = re.compile(r"(\d+\.\d+\.\d+)(?:~([0-9A-Za-z.]+))?")
CHART = "deploy/helm/einlass"


class Wrong(Exception):
    """Says what to do."""


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, timeout=60)
    if done.returncode:  # As in an archive without its history, or in somebody else's clone.
        raise Wrong(f"git {arguments[0]} in {ROOT}: {done.stderr.strip()}")
    return done.stdout.strip()


class Sources:
    """Of one commit, for the version that is to be made of them: 1.2.3, or 1.2.3~rc1 for what comes before it."""

    def __init__(self, version, commit, unclean=False):
        """`unclean`: whatever lies here, for who tries a change."""
        match = _VERSION.fullmatch(version)
        if not match:
            raise Wrong(f"{version} is no version: 1.2.3, or 1.2.3~rc1 for one before it")
        self.version, self.number = version, match[1]
        self.as_chart = "-".join(filter(None, match.groups()))  # As semantic versions, and the tags of images, have it.
        self.commit = git("rev-parse", "--verify", f"{commit}^{{commit}}")
        self.seconds = int(git("show", "--no-patch", "--format=%ct", self.commit))
        self._unclean = unclean
        if commit == "HEAD" and not unclean and git("status", "--porcelain"):
            raise Wrong("the tree has changes that are in no commit: commit or stash them, or say --unclean to try them")
        self._check()

    @property
    def of(self):
        """For BuildRoot."""
        return None if self._unclean else self.commit

    def told(self):
        return self.commit + (" and changes that are in no commit" if self._unclean else "")

    def text(self, path):
        if self._unclean:
            with open(f"{ROOT}/{path}", encoding="utf-8") as file:
                return file.read()
        return git("show", f"{self.commit}:{path}")

    def chart(self):
        """{name below the chart's folder: bytes}; what is a link there is what it leads to."""
        if self._unclean:
            return _files(os.path.join(ROOT, CHART))
        with tempfile.TemporaryDirectory() as folder:
            archive = os.path.join(folder, "sources.tar")
            git("archive", "--output", archive, self.commit, "deploy", "grafana")
            subprocess.run(["tar", "-C", folder, "-xf", archive], check=True, timeout=60)
            return _files(os.path.join(folder, CHART))

    def changes(self):
        """What the changelog says of this version."""
        found = re.search(rf"^## {re.escape(self.number)}\b[^\n]*\n(.*?)(?=^## |\Z)", self.text("CHANGELOG.md"), re.MULTILINE | re.DOTALL)
        return found[1].strip() if found else ""

    def _check(self):
        said = {"CMakeLists.txt": re.search(r"project\(einlass VERSION (\S+)", self.text("CMakeLists.txt")),
                f"{CHART}/Chart.yaml, version": re.search(r"(?m)^version: (\S+)", self.text(f"{CHART}/Chart.yaml")),
                f"{CHART}/Chart.yaml, appVersion": re.search(r"(?m)^appVersion: (\S+)", self.text(f"{CHART}/Chart.yaml"))}
        for where, match in said.items():
            if not match or match[1].strip('"') != self.number:
                raise Wrong(f"{where} says {match[1] if match else 'nothing'}, and this is to be {self.number}: write it there first")
        if not self.changes():
            raise Wrong(f"CHANGELOG.md says nothing of {self.number}: write there what a user notices")


def _files(folder):
    """{name below it: bytes}."""
    found = {}
    for place, _, names in os.walk(folder, followlinks=True):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found
