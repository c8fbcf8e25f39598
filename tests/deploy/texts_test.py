"""The unit as systemd reads it, the manual page against the program, and what install_packages.sh asks of apt."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EINLASS = os.path.join(os.environ["EINLASS_BUILD"], "einlass")
UNIT = os.path.join(ROOT, "deploy", "systemd", "einlass.service")
MOST_EXPOSED = 2.0


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


class Unit(unittest.TestCase):
    def setUp(self):
        with open(UNIT) as file:
            self.text = file.read()

    def test_systemd_understands_all_of_it(self):
        """Unknown keys and bad values are printed, with exit code 0: so any word is a failure."""
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "einlass.service")
            with open(path, "w") as file:
                file.write(self.text.replace("/usr/bin/einlass", EINLASS))
            done = run("systemd-analyze", "verify", "--man=no", path)
            words = [line for line in (done.stdout + done.stderr).splitlines() if "einlass" in line]
            self.assertEqual((words, done.returncode), ([], 0))

    def test_hardening(self):
        done = run("systemd-analyze", "security", "--offline=true", UNIT)
        level = float(re.search(r"exposure level for einlass.service: ([0-9.]+)", done.stdout)[1])
        self.assertLess(level, MOST_EXPOSED)


class Reload(unittest.TestCase):
    """What `systemctl reload` asks before it tells the gate, by the unit's own commands."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.config = os.path.join(directory.name, "gate.yaml")
        with open(UNIT) as file:
            self.asked, self.told = re.findall(r"^ExecReload=(.*)$", file.read(), re.MULTILINE)

    def ends_with(self, more):
        with open(os.path.join(ROOT, "config", "gate.yaml")) as smallest, open(self.config, "w") as file:
            file.write(smallest.read() + more)
        words = shlex.split(self.asked.replace("/etc/einlass/gate.yaml", self.config).replace("/usr/bin/einlass", EINLASS))
        environment = {name: value for name, value in os.environ.items() if name != "CREDENTIALS_DIRECTORY"}
        return subprocess.run(words, capture_output=True, timeout=60, env=environment).returncode

    def test_a_mistake_is_an_error(self):
        self.assertEqual(self.ends_with("\n"), 0)
        self.assertEqual(self.ends_with("\nnonsense: 1\n"), 78)
        self.assertIn("kill -HUP", self.told)

    def test_credentials_are_none(self):
        """systemd gives them to the gate, and to no reload (systemd#35227)."""
        for path in ("${CREDENTIALS_DIRECTORY}", "/run/credentials/einlass.service"):
            self.assertEqual(self.ends_with(f"\nadmin: {{token_file: '{path}/token'}}\n"), 0)


class CheckAsTheService(unittest.TestCase):
    def test_one_that_fails_can_be_repeated(self):
        """Without -G (--collect) its unit stays as failed: systemd is degraded, and no other of that name can be started."""
        for name in ("docs/deploy.md", "docs/managed_kafka.md", "deploy/debian/einlass.1"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                options = re.findall(r"systemd-run -(\w+) ", file.read().replace("\\-", "-"))
            self.assertEqual(["G" in one for one in options], [True], name)


class ManualPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = re.findall(r"^  ([a-z-]+) ", run(EINLASS, "--help").stdout.partition("Subcommands:")[2], re.MULTILINE)
        with open(os.path.join(ROOT, "deploy", "debian", "einlass.1")) as file:
            page = file.read().replace("\\-", "-")
        cls.section = page.partition(".SH VERBS")[2].partition(".SH")[0]

    def test_names_every_verb(self):
        self.assertGreater(len(self.verbs), 6)
        named = re.findall(r'^\.BI? "?([a-z][a-z-]+)', self.section, re.MULTILINE)
        self.assertEqual(sorted(set(named)), sorted(self.verbs), "deploy/debian/einlass.1, section VERBS")

    def test_names_every_option(self):
        """As docs/cli.md does, but for --help and --config, which each verb has."""
        of_verbs = {}
        for part in self.section.split(".TP\n")[1:]:
            of_verbs[re.match(r'\.BI? "?([a-z-]+)', part)[1]] = set(re.findall(r"--[a-z-]+", part))
        for verb in self.verbs:
            with self.subTest(verb=verb):
                told = set(re.findall(r"^\s+(?:-\w,)?(--[a-z-]+)", run(EINLASS, "help", verb).stdout, re.MULTILINE))
                self.assertEqual(of_verbs[verb], told - {"--help", "--config"})


class Demonstration(unittest.TestCase):
    def test_help_installs_and_builds_nothing(self):
        with tempfile.TemporaryDirectory() as directory:
            done = run(shutil.copy(os.path.join(ROOT, "demo.sh"), directory), "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--seconds", done.stdout)


class Memory(unittest.TestCase):
    def test_the_partitions_that_are_named_fit_into_the_limit(self):
        """By the sum in docs/sizing.md, in MB, with the dead letters that the manifests' and the chart's configurations write."""
        before = 20 + 1.05 * 256 + 268 * 100_000 / 2**20 + 64
        each = 2 + 350 * 2 * 1024 / 2**20  # The prefetch and a batch, of records of 1 KB.
        for name in ("docs/deploy.md", "deploy/helm/einlass/values.yaml", "deploy/kubernetes/base/stateful_set.yaml"):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                [partitions] = re.findall(r"512Mi.*?[Ss]ome (\d+) partitions", file.read())
            self.assertLessEqual(before + int(partitions) * each, 512, name)


class InstallPackages(unittest.TestCase):
    """As somebody who may use sudo, whose commands are only noted down."""

    POLICY = "/usr/sbin/policy-rc.d"

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.folder = directory.name
        self._program("id", "echo 1000")
        self._program("dpkg-query", "exit 0")
        self._program("apt-cache", "echo '  Candidate: 1.0'")
        self._program("sudo", f'echo "$*" >> {self.folder}/asked; cat >/dev/null\n'
                              'case "$*" in *" install "*) echo "$SAID"; [ -z "$SAID" ] || exit 100 ;; esac')

    def _program(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def _install(self, said):
        """How it ended, and what was asked of root."""
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "SAID": said}
        done = subprocess.run([os.path.join(ROOT, "deploy", "install_packages.sh"), "build"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=60, env=environment)
        with open(os.path.join(self.folder, "asked")) as file:
            return done, file.read().splitlines()

    def test_what_is_installed_removes_and_starts_nothing(self):
        done, asked = self._install("")
        self.assertEqual(done.returncode, 0, done.stderr)
        installs = [line for line in asked if " install " in line]
        self.assertEqual([" --no-remove " in line for line in installs], [True])
        # Who has a policy keeps it.
        forbids = [place for place, line in enumerate(asked) if self.POLICY in line]
        self.assertEqual(bool(forbids), not os.path.lexists(self.POLICY))
        self.assertTrue(not forbids or forbids[0] < asked.index(installs[0]) < forbids[-1])
        self.assertEqual([line.startswith("rm ") for line in asked if self.POLICY in line][-1:], [True] if forbids else [])

    def test_packages_in_the_way_are_told(self):
        done, asked = self._install("E: Packages need to be removed but remove is disabled.")
        self.assertEqual((done.returncode, len([line for line in asked if " install " in line])), (1, 1))
        self.assertIn("Other packages of this machine would have to go", done.stderr)


if __name__ == "__main__":
    unittest.main()
