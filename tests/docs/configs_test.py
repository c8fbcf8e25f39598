#!/usr/bin/env python3
"""Every whole configuration in a page of docs, the README and config/ passes `einlass check`, and the cookbook names each
file of config/."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "deploy", "local"))

import certificates  # noqa: E402

EINLASS = os.path.join(os.environ["EINLASS_BUILD"], "einlass")
# Where the pages have certificates and secrets, whose files are read too.
ELSEWHERE = re.compile(r"/(?:run/secrets|etc/einlass|etc/prometheus)/([\w.-]+)")
# Those that people start from have nothing that is seldom meant; a page may show only what it is about.
TO_BEGIN_WITH = {os.path.join("config", name) for name in os.listdir(os.path.join(ROOT, "config"))} - {
    os.path.join("config", "everything.yaml")}
SIGNING = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def contents(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pages():
    return [os.path.join(ROOT, "README.md"), *sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))]


def configurations():
    """(where it stands, its text)."""
    for path in sorted(glob.glob(os.path.join(ROOT, "config", "*.yaml"))):
        yield os.path.relpath(path, ROOT), contents(path)
    for path in pages():
        for found in re.finditer(r"```yaml\n(.*?)```", contents(path), re.DOTALL):
            if re.search(r"^routes:", found[1], re.MULTILINE) and re.search(r"^targets:", found[1], re.MULTILINE):
                yield f"{os.path.relpath(path, ROOT)}:{contents(path).count(chr(10), 0, found.start()) + 1}", found[1]


class Configurations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="einlass-docs-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name
        cls.authority = certificates.Authority(cls.directory)
        cls.certificate, cls.key = cls.authority.sign("einlass")

    def file(self, name):
        """One that is what the page's is by its name."""
        if re.search(r"key$|key\.pem$", name):
            return self.key
        if re.search(r"ca\.pem$", name):
            return self.authority.file
        if re.search(r"\.(pem|cert)$", name):
            return self.certificate
        path = os.path.join(self.directory, name)
        with open(path, "w") as file:
            file.write(SIGNING if "signing" in name else "secret")
        return path

    def test_each_is_good(self):
        found = list(configurations())
        self.assertGreater(len(found), 40)
        for where, text in found:
            with self.subTest(where=where):
                path = os.path.join(self.directory, "gate.yaml")
                with open(path, "w") as config:
                    config.write(ELSEWHERE.sub(lambda place: self.file(place[1]), text))
                done = subprocess.run([EINLASS, "check", "-c", path], capture_output=True, text=True, timeout=30,
                                      env={**os.environ, "EINLASS_ADMIN_TOKEN": "token"})
                said = [line for line in done.stderr.splitlines() if ": warning: " not in line or where in TO_BEGIN_WITH]
                self.assertEqual((done.returncode, said), (0, []))

    def test_the_cookbook_names_each_file(self):
        files = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "config", "*.yaml"))}
        named = set(re.findall(r"\]\(\.\./config/([\w-]+\.yaml)\)", contents(os.path.join(ROOT, "docs", "cookbook.md"))))
        self.assertEqual(named, files)


if __name__ == "__main__":
    unittest.main(verbosity=2)
