"""A fresh Debian of a release with the sources in it, as somebody has it who begins: to build, to install and to test in."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "deploy", "local"))
import kafka_jars  # noqa: E402

INSIDE = "root/einlass"
TRUSTED = "/etc/ssl/certs/ca-certificates.crt"
_SUITES = """deb {mirror} {release} main
deb {mirror} {release}-updates main
deb {mirror}-security {release}-security main
"""
_MIRROR = "http://deb.debian.org/debian"


def must(*command, patience=120, **options):
    """What it says on stdout; an error with the end of all that it said if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=patience, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


class BuildRoot:
    """Made by the constructor; run() in it; delete() removes it."""

    def __init__(self, release, commit=None):
        """`release` is a name, as bookworm. The sources are those of `commit`, or as they lie here."""
        self.root = tempfile.mkdtemp(prefix=f"einlass-{release}-")
        self._cache = os.path.join(kafka_jars.cache_directory(), f"ccache-{release}")
        os.makedirs(self._cache, exist_ok=True)
        try:
            suites = _SUITES.format(mirror=_MIRROR, release=release)
            must("mmdebstrap", "--variant=minbase", "--include=ca-certificates", release, self.root, "-", input=suites, patience=1800)
            os.chmod(self.root, 0o755)  # The system's own /: others than root pass through it.
            shutil.copy("/etc/resolv.conf", os.path.join(self.root, "etc"))
            with open(self.path("etc/hosts"), "w") as hosts:  # As Debian's installer does.
                hosts.write("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n")
            self._trust_as_here()
            self._copy_sources(commit)
        except BaseException:
            self.delete()
            raise

    def run(self, command, patience):
        """What it says, by bash at the sources; an error with the end of it if it fails."""
        return must("unshare", "--fork", "--kill-child", "--pid", "--mount", os.path.join(HERE, "build_root.sh"), self.root,
                    self._cache, command, patience=patience)

    def path(self, inside):
        return os.path.join(self.root, inside.lstrip("/"))

    def delete(self):
        shutil.rmtree(self.root)

    def _trust_as_here(self):
        """Behind a proxy with certificates of its own, this host was told to trust it, and a fresh system was not."""
        added = set(_certificates(TRUSTED)) - set(_certificates(self.path(TRUSTED)))
        for number, certificate in enumerate(added):
            with open(self.path(f"usr/local/share/ca-certificates/of-the-host-{number}.crt"), "w") as file:
                file.write(certificate)
        must("chroot", self.root, "update-ca-certificates")

    def _copy_sources(self, commit):
        os.makedirs(self.path(INSIDE))
        with tempfile.NamedTemporaryFile() as archive:
            if commit:
                must("git", "-C", ROOT, "archive", "--output", archive.name, "--format=tar", commit)
            else:
                self._pack_what_lies_here(archive.name)
            must("tar", "-C", self.path(INSIDE), "-xf", archive.name)

    def _pack_what_lies_here(self, archive):
        """Without what git does not know and does not want."""
        names = must("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
        there = [name for name in names if name and os.path.exists(os.path.join(ROOT, name))]
        must("tar", "-C", ROOT, "-cf", archive, "--null", "-T", "-", input="\0".join(there))


def _certificates(bundle):
    with open(bundle) as file:
        return re.findall("-----BEGIN CERTIFICATE-----\n.*?-----END CERTIFICATE-----\n", file.read(), re.DOTALL)
