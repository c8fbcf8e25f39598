"""A fresh Debian in a folder, with a systemd of its own: what a package is installed on."""

import os
import shutil
import subprocess
import tempfile

import commands

HERE = os.path.dirname(os.path.abspath(__file__))
NAMESPACES = ("pid", "mount", "uts", "ipc", "cgroup", "net")
PACKAGES = ("systemd", "systemd-sysv", "procps")


def missing():
    """Why no such machine can be had here; empty if it can."""
    if os.geteuid() != 0:
        return "needs root, to make a file system and namespaces"
    lacking = [tool for tool in ("debootstrap", "unshare", "nsenter", "pivot_root") if shutil.which(tool) is None]
    if lacking:
        return f"needs {', '.join(lacking)}"
    done = subprocess.run(["unshare", *(f"--{name}" for name in NAMESPACES), "--fork", "true"],
                          capture_output=True, text=True, timeout=30)
    return done.stderr.strip()


def release():
    """This host's."""
    with open("/etc/os-release") as file:
        words = dict(line.rstrip().split("=", 1) for line in file if "=" in line)
    return words["VERSION_CODENAME"].strip('"')


class Machine:
    """Made by the constructor; install() while it is off, start(), run(), stop(). delete() ends and removes it."""

    def __init__(self, of, packages=()):
        """`of` is a release's name, as bookworm."""
        self.root = tempfile.mkdtemp(prefix="einlass-machine-")
        self._first = None
        try:
            commands.must("debootstrap", "--variant=minbase", f"--include={','.join(('ca-certificates', *PACKAGES, *packages))}",
                          of, self.root, patience=600)
            os.chmod(self.root, 0o755)  # The machine's own /: others than root pass through it.
            with open(os.path.join(self.root, "usr/sbin/policy-rc.d"), "w") as policy:
                policy.write("#!/bin/sh\nexit 101\n")
            os.chmod(policy.name, 0o755)
        except BaseException:
            self.delete()
            raise

    def copy(self, path):
        shutil.copy(path, os.path.join(self.root, "root"))
        return os.path.join("/root", os.path.basename(path))

    def in_root(self, *command, patience=300):
        """As chroot: there is no systemd, and the network is the host's."""
        shutil.copy("/etc/resolv.conf", os.path.join(self.root, "etc"))
        return subprocess.run(["chroot", self.root, *command], capture_output=True, text=True, timeout=patience,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})

    def start(self):
        os.remove(os.path.join(self.root, "usr/sbin/policy-rc.d"))
        unshare = subprocess.Popen(["unshare", "--fork", *(f"--{name}" for name in NAMESPACES),
                                    os.path.join(HERE, "boot.sh"), self.root],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self._parent = unshare
        self._first = int(commands.until(lambda: self._children(unshare.pid), 10, "the first process"))
        commands.until(lambda: self.run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"), 60,
                       "a running systemd")
        return self

    def run(self, *command, patience=60):
        """Beside the machine's own processes, in its network, which is nobody else's."""
        enter = ["nsenter", "--target", str(self._first), *(f"--{name}" for name in NAMESPACES), "--"]
        return subprocess.run([*enter, *command], capture_output=True, text=True, timeout=patience,
                              stdin=subprocess.DEVNULL, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})

    def delete(self):
        if self._first is not None:
            os.kill(self._first, 9)  # Takes all of its processes and mounts along.
            self._parent.wait(10)
        shutil.rmtree(self.root, ignore_errors=True)

    @staticmethod
    def _children(pid):
        with open(f"/proc/{pid}/task/{pid}/children") as children:
            return children.read().split()[0] if children else ""
