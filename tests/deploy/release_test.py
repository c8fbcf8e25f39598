"""What a release consists of: what is in it, that it fits together, and that a second build gives the same bytes.

    release_test.py TEST...    Contents, Again
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

import go_programs
import released
from commands import must, run

import layer  # noqa: E402  Of deploy/release, as released has found it.

VERSION = released.version()
MOST_BYTES = 60 * 10**6
SHELLS = {"sh", "bash", "dash", "busybox", "apt", "apt-get", "dpkg", "perl", "python3"}


def names(folder):
    return sorted(name for name in os.listdir(folder) if name != "sources")


class Image:
    """As whoever loads it reads it: by the names in index.json."""

    def __init__(self, path):
        with tarfile.open(path) as archive:
            self.files = {member.name: archive.extractfile(member).read() for member in archive}
        index = json.loads(self.files["index.json"])
        self.manifest = json.loads(self.blob(index["manifests"][0]))
        self.config = json.loads(self.blob(self.manifest["config"]))
        self.members, self.size = {}, 0
        for told, plain in zip(self.manifest["layers"], self.config["rootfs"]["diff_ids"], strict=True):
            data = gzip.decompress(self.blob(told))
            assert plain == f"sha256:{hashlib.sha256(data).hexdigest()}"
            self.size += len(data)
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                self.members.update((member.name, (member, archive.extractfile(member).read() if member.isreg() else b""))
                                    for member in archive)

    def blob(self, told):
        data = self.files[told["digest"].replace("sha256:", "blobs/sha256/")]
        assert told["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}" and told["size"] == len(data), told
        return data


class Contents(unittest.TestCase):
    def test_sums_and_notes(self):
        for part in ("chart", "13"):
            with self.subTest(part):
                folder = released.part(part)
                must("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
                with open(os.path.join(folder, "SHA256SUMS")) as file:
                    self.assertEqual(sorted(line.split()[1] for line in file), sorted(set(names(folder)) - {"SHA256SUMS"}))
                with open(os.path.join(folder, "RELEASE_NOTES.md")) as file:
                    notes = file.read()
                with open(os.path.join(released.ROOT, "CHANGELOG.md")) as file:
                    newest = file.read().split("\n## ")[1].partition("\n")[2].strip()
                self.assertIn(newest, notes)

    def test_the_image_holds_the_gate_and_little_else(self):
        image = Image(released.image())
        self.assertLess(image.size, MOST_BYTES)
        programs = {os.path.basename(name) for name, (member, _) in image.members.items()
                    if member.isreg() and member.mode & 0o111 and ".so" not in name}
        self.assertIn("einlass", programs)
        self.assertEqual(programs & SHELLS, set())
        self.assertFalse([name for name, (member, _) in image.members.items() if member.mode & 0o6000], "would give others' rights")
        self.assertFalse([name for name, (member, _) in image.members.items() if member.uid or member.gid])
        self.assertEqual(image.config["config"]["User"], "65532:65532")
        self.assertIn(b"BEGIN CERTIFICATE", image.members["etc/ssl/certs/ca-certificates.crt"][1])
        self.assertTrue(image.members["usr/share/zoneinfo/Europe/Berlin"][1].startswith(b"TZif"))

    def test_every_package_of_the_image_is_told(self):
        image = Image(released.image())
        inside = {os.path.basename(name) for name in image.members if name.startswith("var/lib/dpkg/status.d/")}
        with open(released.image().replace(".tar", ".cdx.json")) as file:
            bill = json.load(file)
        parts = {part["name"]: part for part in bill["components"]}
        self.assertLessEqual(inside, set(parts))
        self.assertLessEqual({"einlass", "librdkafka1", "libssl3t64", "libc6", "ca-certificates", "tzdata"}, inside)
        self.assertEqual({name for name in set(parts) - inside if not parts[name].get("properties")}, set())
        self.assertLessEqual({"uplot", "libcli11-dev", "nlohmann-json3-dev"}, set(parts))

    def test_the_bill_is_cyclonedx(self):
        home = os.path.join(released.kafka_jars.cache_directory(), "cyclonedx-11.12.0")
        if not os.path.exists(os.path.join(home, "whole")):
            must(sys.executable, "-m", "venv", "--clear", home)
            must(os.path.join(home, "bin", "pip"), "install", "-q", "cyclonedx-python-lib[json-validation]==11.12.0", patience=300)
            open(os.path.join(home, "whole"), "w").close()
        said = must(os.path.join(home, "bin", "python"), "-c", _VALIDATE, released.image().replace(".tar", ".cdx.json"))
        self.assertEqual(said, "None\n")

    def test_the_chart_as_a_package(self):
        folder = released.part("chart")
        chart = os.path.join(folder, f"einlass-{VERSION}.tgz")
        helm = go_programs.built("helm")
        self.assertIn("0 chart(s) failed", must(helm, "lint", "--strict", chart))
        told = must(helm, "show", "chart", chart)
        self.assertIn(f"version: {VERSION}", told)
        extras = ("--set", "dashboards.enabled=true,prometheusRule.enabled=true")
        from_tree = os.path.join(released.ROOT, "deploy", "helm", "einlass")
        rendered = [must(helm, "template", "einlass", one, "--set", "secret=mine", *extras) for one in (chart, from_tree)]
        self.assertEqual(*rendered, "the package says something else than the tree")

    def test_what_is_wrong_is_said(self):
        for version, words in (("0.0.9", "CMakeLists.txt says"), ("new", "is no version")):
            self._refuses(version, words)

    def test_sources_without_their_history_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(os.path.join(released.ROOT, "deploy"), os.path.join(folder, "deploy"))
            self._refuses(VERSION, "build.sh: git rev-parse in", root=folder)

    def test_another_architecture_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "dpkg"), "w") as file:
                file.write("#!/bin/sh\necho arm64\n")
            os.chmod(file.name, 0o755)
            self._refuses(VERSION, "this system is for arm64", env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})

    def _refuses(self, version, words, root=released.ROOT, **options):
        build = os.path.join(root, "deploy", "release", "build.sh")
        with tempfile.TemporaryDirectory() as folder:
            done = run(build, version, "--unclean", "--only", "chart", "--output", folder, patience=60, **options)
            self.assertEqual((done.returncode, words in done.stderr, "Traceback" in done.stderr), (1, True, False), done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_parts_made_one_after_the_other_are_told_together(self):
        package, another = f"einlass_{VERSION}+deb12_amd64.deb", "einlass_0.0.1+deb12_amd64.deb"
        with tempfile.TemporaryDirectory() as folder:
            for name in (package, another):
                open(os.path.join(folder, name), "w").close()
            released.build(folder, "chart")
            must("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=folder)
            for told, besides in (("SHA256SUMS", {"RELEASE_NOTES.md"}), ("RELEASE_NOTES.md", {"SHA256SUMS"})):
                with open(os.path.join(folder, told)) as file:
                    text = file.read()
                self.assertEqual({name for name in os.listdir(folder) if name in text},
                                 {package, f"einlass-{VERSION}.tgz", *besides}, told)

    def test_no_link_of_a_merged_usr_leads_to_itself(self):
        """As base-files has them since Debian 13. What lies below such a folder is taken."""
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(folder, "tree")
            os.makedirs(os.path.join(tree, "DEBIAN"))
            os.makedirs(os.path.join(tree, "lib64"))
            os.symlink("usr/bin", os.path.join(tree, "bin"))
            os.symlink("/lib/x/loader", os.path.join(tree, "lib64", "loader"))
            with open(os.path.join(tree, "DEBIAN", "control"), "w") as file:
                file.write("Package: x\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n")
            must("dpkg-deb", "--build", tree, os.path.join(folder, "x.deb"))
            made = layer.Layer(0)
            made.add_package(os.path.join(folder, "x.deb"), lambda name: True)
            with tarfile.open(fileobj=io.BytesIO(made.packed()[0])) as archive:
                self.assertEqual([member.name for member in archive], ["usr", "usr/lib64", "usr/lib64/loader"])

    def test_what_is_compressed_says_nothing_of_who_did_it(self):
        packed, plain = layer.Layer(0).packed()
        self.assertEqual(packed[:10].hex(), "1f8b08000000000002ff")
        self.assertEqual(plain, hashlib.sha256(gzip.decompress(packed)).hexdigest())


_VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
print(JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read()))
"""


class Again(unittest.TestCase):
    """From a fresh Debian again, at another time, in other folders."""

    def test_the_same_bytes(self):
        for part in released.PARTS:
            with self.subTest(part), tempfile.TemporaryDirectory() as folder:
                released.build(folder, part)
                first, second = ({name: _digest(where, name) for name in names(where)} for where in (released.part(part), folder))
                self.assertEqual(first, second)


def _digest(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


if __name__ == "__main__":
    reason = released.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    unittest.main()
