"""The image of a release as a container, by podman: it writes nowhere, may do nothing, and does what the first page says."""

import os
import subprocess
import sys
import tempfile
import unittest

import containers
import released
from commands import must

NAME = f"einlass:{released.version()}"
# As docs/deploy.md has it.
SHUT = ("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--pull", "never")


class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        path = released.image()
        cls.images = containers.Images()
        cls.addClassCleanup(cls.images.close)
        cls.said = must(*containers.entered("build", cls.images.home, "podman", "load", "--input", path), patience=300,
                        env=cls.images.environment)
        cls.addClassCleanup(containers.leave_no_groups)
        cls.addClassCleanup(cls.images.forget, NAME)

    def _run(self, *words, options=(), patience=120):
        """How the container ended."""
        command = containers.entered("serve", self.images.home, "podman", "run", "--rm", "--network=none", *SHUT,
                                     *options, NAME, *words)
        return subprocess.run(command, env=self.images.environment, capture_output=True, text=True, timeout=patience)

    def test_has_the_name_that_is_told(self):
        self.assertIn(NAME, self.said)

    def test_the_first_page(self):
        self.assertEqual(self._run("--version").stdout, f"einlass {released.version()}\n")
        done = self._run("demo", "--seconds", "5")
        for promise in ("closed: yes", "nothing lost: yes", "limit kept: yes", "order kept: yes"):
            self.assertIn(promise, done.stdout + done.stderr)

    def test_a_configuration(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            path = os.path.join(folder, "gate.yaml")
            with open(os.path.join(released.ROOT, "config", "gate.yaml")) as file, open(path, "w") as copy:
                copy.write(file.read())
            mounted = ("-v", f"{path}:/etc/einlass/gate.yaml:ro")
            done = self._run("check", "-c", "/etc/einlass/gate.yaml", options=mounted)
            self.assertEqual((done.returncode, done.stdout), (0, "/etc/einlass/gate.yaml: the configuration is good\n"), done.stderr)

    def test_without_a_configuration_it_says_so(self):
        done = self._run()
        self.assertEqual(done.returncode, 78)
        self.assertIn("/etc/einlass/gate.yaml", done.stderr)

    def test_there_is_no_shell(self):
        done = self._run("-c", "true", options=("--entrypoint", "/bin/sh"))
        self.assertIn(done.returncode, (126, 127), done.stdout + done.stderr)


if __name__ == "__main__":
    reason = released.missing() or containers.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    unittest.main()
