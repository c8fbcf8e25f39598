"""A fresh Debian of a release with the sources in it, as somebody has it who begins: to build and to test in."""

import os
import re
import shutil
import tempfile

from commands import must
from go_programs import kafka_jars

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TRUSTED = "/etc/ssl/certs/ca-certificates.crt"


class BuildRoot:
    """Made by the constructor; run() in it; delete() removes it."""

    def __init__(self, release):
        self.root = tempfile.mkdtemp(prefix=f"einlass-{release}-")
        self._cache = os.path.join(kafka_jars.cache_directory(), f"ccache-{release}")
        os.makedirs(self._cache, exist_ok=True)
        try:
            must("debootstrap", "--variant=minbase", "--include=ca-certificates", release, self.root, patience=600)
            os.chmod(self.root, 0o755)  # The system's own /: others than root pass through it.
            shutil.copy("/etc/resolv.conf", os.path.join(self.root, "etc"))
            self._trust_as_here()
            self._copy_sources()
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

    def _copy_sources(self):
        """As they lie here, without what git does not know and does not want."""
        names = must("git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").split("\0")
        there = [name for name in names if name and os.path.exists(os.path.join(ROOT, name))]
        os.makedirs(self.path("root/einlass"))
        with tempfile.NamedTemporaryFile() as archive:
            must("tar", "-C", ROOT, "-cf", archive.name, "--null", "-T", "-", input="\0".join(there))
            must("tar", "-C", self.path("root/einlass"), "-xf", archive.name)


def _certificates(bundle):
    with open(bundle) as file:
        return re.findall("-----BEGIN CERTIFICATE-----\n.*?-----END CERTIFICATE-----\n", file.read(), re.DOTALL)
