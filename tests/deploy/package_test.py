"""The Debian package on a fresh machine with a running systemd: installed, started, reloaded, watched over, stopped,
upgraded, removed. What the unit forbids is forbidden for real here, so a rule that the gate cannot live with shows.

    package_test.py [RELEASE]    by default this machine's; the package is what deploy/release/build.sh makes
"""

import glob
import os
import sys
import tempfile
import unittest

import commands
import machine
import previous
import released

LINTIAN = ("lintian", "--allow-root", "--fail-on=error,warning")
CONFIG = "/etc/einlass/gate.yaml"
SECRETS = ("EINLASS_ADMIN_TOKEN=a-token-of-the-test",)  # What the examples take from their environment.
OWN = ("/usr/bin/einlass", "/etc/einlass", "/etc/default/einlass", "/usr/share/einlass", "/usr/share/doc/einlass",
       "/usr/lib/systemd/system/einlass.service", "/usr/share/man/man1/einlass.1.gz",
       "/usr/share/bash-completion/completions/einlass", "/usr/share/zsh/vendor-completions/_einlass",
       "/usr/share/fish/vendor_completions.d/einlass.fish")


class Package(unittest.TestCase):
    release = machine.release()

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.package = released.package(cls.release)
        # The one before is built on this machine alone.
        here = cls.release == machine.release() and not previous.missing()
        cls.before = previous.package(scratch.name, f"{released.version()}~before") if here else cls.package
        cls.machine = machine.Machine(cls.release, packages=("man-db", "groff-base"))
        cls.addClassCleanup(cls.machine.delete)

    def test_lintian_has_nothing_to_say(self):
        done = commands.run(*LINTIAN, self.package)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_life(self):
        """One test, since each step stands on the one before."""
        self._without_systemd()
        self.machine.start()
        self._install()
        self._start()
        self._reload()
        self._watchdog()
        self._upgrade()
        self._upgrade_that_would_stop_it()
        self._wrong_configuration()
        self._remove()

    def _without_systemd(self):
        """As in a container's image: nothing is started, nothing is left behind."""
        inside = self.machine.copy(self.package)
        self._good(self.machine.in_root("apt-get", "-q", "update"))
        self._good(self.machine.in_root("apt-get", "-qy", "--no-install-recommends", "install", inside))
        self.assertIn("einlass 0.", self._good(self.machine.in_root("einlass", "--version")))
        self._good(self.machine.in_root("einlass", "check", "-c", CONFIG))
        # Not check, which also tries the files that they name, and nobody has those yet.
        for example in os.listdir(self.machine.root + "/usr/share/doc/einlass/examples"):
            self._good(self.machine.in_root("env", *SECRETS, "einlass", "print-config", "-c", f"/usr/share/doc/einlass/examples/{example}"))
        self._good(self.machine.in_root("dpkg", "--purge", "einlass"))
        self._nothing_left()

    def _install(self):
        self._good(self.machine.run("dpkg", "-i", self.machine.copy(self.package)))
        self.assertEqual(self._property("ActiveState"), "inactive", "started without having been asked to")
        self.assertEqual(self._property("UnitFileState"), "disabled")
        page = self.machine.run("man", "--warnings", "einlass")
        self.assertEqual(page.stderr, "")
        self.assertIn("rate-limited bridge from Kafka to HTTP", page.stdout)
        for shell, script in zip(("bash", "zsh", "fish"), OWN[-3:]):
            self.assertEqual(self._good(self.machine.run("cat", script)), self._good(self.machine.run("einlass", "completion", shell)))

    def _start(self):
        started = self.machine.run("systemctl", "enable", "--now", "einlass")
        said = self.machine.run("systemctl", "status", "--no-pager", "--full", "einlass").stdout
        self.assertEqual(started.returncode, 0, said)
        self.assertEqual(self._property("StatusText"), "running")
        self.assertEqual(self._good(self.machine.run("einlass", "healthcheck", "-c", CONFIG)), "the loop turns\n")
        process = self._process()
        self.assertNotIn(process["Uid"].split()[0], ("0", ""), "not root")
        self.assertEqual(int(process["CapEff"], 16) | int(process["CapBnd"], 16), 0)
        self.assertEqual((process["NoNewPrivs"], process["Seccomp"]), ("1", "2"))
        # What it could read of the machine would stand in /metrics: a wrong rule shows as a missing number.
        page = self._good(self.machine.run("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/9465; printf 'GET /metrics HTTP/1.1"
                                           "\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3"))
        for name in ("process_start_time_seconds", "process_open_fds", "process_resident_memory_bytes"):
            value = float(next(line for line in page.splitlines() if line.startswith(name + " ")).split()[1])
            self.assertGreater(value, 0, name)
        self.assertNotIn("SECCOMP", self._journal())

    def _reload(self):
        pid = self._property("MainPID")
        self._good(self.machine.run("sed", "-i", "s/limit: 100/limit: 50/", CONFIG))
        self._good(self.machine.run("systemctl", "reload", "einlass"))
        commands.until(lambda: "config_reloaded" in self._journal(), 10, "the reload")
        commands.until(lambda: self._property("ActiveState") == "active", 10, "active again")
        self._good(self.machine.run("sh", "-c", f"echo nonsense: 1 >> {CONFIG}"))
        self.assertNotEqual(self.machine.run("systemctl", "reload", "einlass").returncode, 0)
        self._good(self.machine.run("kill", "-HUP", pid))
        commands.until(lambda: "nonsense" in self._property("StatusText"), 10, "the reason in the status")
        self._good(self.machine.run("sed", "-i", "/nonsense/d", CONFIG))
        self._good(self.machine.run("systemctl", "reload", "einlass"))
        commands.until(lambda: self._property("StatusText") == "running", 10, "running again")
        self.assertEqual(self._property("MainPID"), pid)

    def _watchdog(self):
        """A process that stands still is ended and started again."""
        pid = self._property("MainPID")
        self._good(self.machine.run("mkdir", "-p", "/run/systemd/system/einlass.service.d"))
        self._good(self.machine.run("sh", "-c", "printf '[Service]\\nWatchdogSec=2s\\n'"
                                    " > /run/systemd/system/einlass.service.d/soon.conf"))
        self._good(self.machine.run("systemctl", "daemon-reload"))
        self._good(self.machine.run("systemctl", "restart", "einlass"))
        self.assertEqual(self._property("NRestarts"), "0")
        lived = self._property("MainPID")
        self.assertNotEqual(lived, pid)
        since = float(self._property("WatchdogTimestampMonotonic"))
        commands.until(lambda: float(self._property("WatchdogTimestampMonotonic")) > since + 4e6, 20,
                          "told for longer than the watchdog allows")
        self.assertEqual(self._property("MainPID"), lived)
        self._good(self.machine.run("kill", "-STOP", lived))
        commands.until(lambda: self._property("NRestarts") == "1" and self._property("ActiveState") == "active", 30,
                          "started again")

    def _upgrade(self):
        """To the version before, and back. Where there is none, installing the same again is an upgrade as far as scripts and
        the service can tell."""
        for package in (self.before, self.package):
            pid, stops = self._property("MainPID"), self._journal().count("event=stopped")
            # Until 0.1.0 the configuration was dpkg's to ask about. Since then nothing is asked, of whoever upgrades from there too.
            options = () if package == self.package else ("--force-confold",)
            self._good(self.machine.run("dpkg", *options, "-i", self.machine.copy(package)))
            number = commands.must("dpkg-deb", "--field", package, "Version")
            self.assertEqual(self._good(self.machine.run("dpkg-query", "-W", "-f=${Version}\\n", "einlass")), number)
            commands.until(lambda old=pid: self._property("MainPID") not in (old, "0"), 20, "the new process")
            commands.until(lambda: self._property("StatusText") == "running", 20, "running again")
            self.assertEqual(self._journal().count("event=stopped"), stops + 1, "it was not drained")
            with open(self.machine.root + CONFIG) as config:
                self.assertIn("limit: 50", config.read(), "the owner's configuration was overwritten")

    def _upgrade_that_would_stop_it(self):
        """The new program refuses the file: the old one runs on, and is told."""
        pid = self._property("MainPID")
        self._good(self.machine.run("sh", "-c", f"cp {CONFIG} /root/kept; echo nonsense: 1 >> {CONFIG}"))
        done = self.machine.run("dpkg", "-i", self.machine.copy(self.package))
        self._good(done)
        self.assertIn(f"this version refuses {CONFIG}", done.stdout + done.stderr)
        self._good(self.machine.run("sh", "-c", f"cp /root/kept {CONFIG}"))
        self.assertEqual((self._property("MainPID"), self._property("ActiveState")), (pid, "active"))

    def _wrong_configuration(self):
        """Is not tried again and again."""
        self._good(self.machine.run("systemctl", "stop", "einlass"))
        self.assertEqual((self._property("Result"), self._property("ExecMainStatus")), ("success", "0"))
        self._good(self.machine.run("sh", "-c", f"cp {CONFIG} /root/kept; echo nonsense: 1 >> {CONFIG}"))
        self.assertNotEqual(self.machine.run("systemctl", "start", "einlass").returncode, 0)
        commands.until(lambda: self._property("ActiveState") == "failed", 10, "failed")
        self.assertEqual(self._property("ExecMainStatus"), "78")
        self._good(self.machine.run("sh", "-c", f"cp /root/kept {CONFIG}"))
        self._good(self.machine.run("systemctl", "start", "einlass"))

    def _remove(self):
        pid = self._property("MainPID")
        self._good(self.machine.run("dpkg", "-r", "einlass"))
        self.assertNotEqual(self.machine.run("test", "-d", f"/proc/{pid}").returncode, 0, "the gate still runs")
        self.assertTrue(os.path.exists(self.machine.root + CONFIG), "the configuration stays until a purge")
        self._good(self.machine.run("dpkg", "--purge", "einlass"))
        self._nothing_left()

    def _nothing_left(self):
        left = [path for path in OWN if os.path.lexists(self.machine.root + path)]
        links = glob.glob(self.machine.root + "/etc/systemd/system/*/einlass*")
        self.assertEqual((left, links), ([], []))

    def _good(self, done):
        self.assertEqual(done.returncode, 0, f"{done.args}\n{done.stdout}{done.stderr}")
        return done.stdout

    def _property(self, name):
        return self._good(self.machine.run("systemctl", "show", "--value", "-p", name, "einlass")).strip()

    def _journal(self):
        return self._good(self.machine.run("journalctl", "--no-pager", "-u", "einlass"))

    def _process(self):
        text = self._good(self.machine.run("cat", f"/proc/{self._property('MainPID')}/status"))
        return {name: value.strip() for name, _, value in (line.partition(":") for line in text.splitlines())}


if __name__ == "__main__":
    reason = machine.missing()
    if reason:
        print(f"not run: {reason}")
        sys.exit(77)
    if len(sys.argv) > 1:
        Package.release = sys.argv.pop(1)
    unittest.main()
