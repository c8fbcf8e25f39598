"""What deploy/release/build.sh makes of the sources as they lie here, kept beside the build until they change."""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "deploy", "release"))
from build_root import ROOT, BuildRoot, kafka_jars, must  # noqa: E402, F401

NUMBERS = {"bookworm": "12", "trixie": "13"}
# What build.sh makes together.
PARTS = {"12": ("deb12",), "13": ("deb13", "image"), "chart": ("chart",)}
BUILD_S = 7200
_KEPT = os.path.join(os.environ["EINLASS_BUILD"], "released")


def missing():
    """Why nothing can be made here; empty if it can."""
    if os.geteuid() != 0:
        return "needs root, for file systems of Debian"
    lacking = [tool for tool in ("mmdebstrap", "dpkg-deb", "git", "unshare") if shutil.which(tool) is None]
    return f"needs {', '.join(lacking)}" if lacking else ""


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt")) as file:
        return re.search(r"project\(einlass VERSION (\S+)", file.read())[1]


def build(folder, name):
    """That one of PARTS made anew, in `folder`."""
    only = [word for part in PARTS[name] for word in ("--only", part)]
    must(os.path.join(ROOT, "deploy", "release", "build.sh"), version(), "--unclean", "--output", folder, *only, patience=BUILD_S)


def part(name):
    """The folder with that one of PARTS, which is made if it is not there."""
    folder = os.path.join(_KEPT, name)
    os.makedirs(_KEPT, exist_ok=True)
    with kafka_jars.Locked(folder + ".lock"):
        stamp, now = os.path.join(folder, "sources"), _sources()
        if not os.path.exists(stamp) or _text(stamp) != now:
            shutil.rmtree(folder, ignore_errors=True)
            build(folder, name)
            with open(stamp, "w") as file:
                file.write(now)
    return folder


def package(release):
    """The Debian package for that release of Debian."""
    return glob.glob(os.path.join(part(NUMBERS[release]), "einlass_*.deb"))[0]


def image():
    return glob.glob(os.path.join(part("13"), "*-image-amd64.tar"))[0]


def _sources():
    """As one number. What is not read by the build may change."""
    where = ("CMakeLists.txt", "CMakePresets.json", "packages.txt", "CHANGELOG.md", "config", "deploy", "lua", "src", "web", "grafana")
    names = subprocess.run(["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z", *where],
                           check=True, capture_output=True, timeout=60).stdout.split(b"\0")
    digest = hashlib.sha256(must("git", "-C", ROOT, "rev-parse", "HEAD").encode())
    for name in sorted(set(names) - {b""}):
        path = os.path.join(ROOT, name.decode())
        if os.path.isfile(path):
            with open(path, "rb") as file:
                digest.update(name + b"\0" + file.read())
    return digest.hexdigest()


def _text(path):
    with open(path) as file:
        return file.read()
