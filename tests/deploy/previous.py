"""The version before this one: what gates are upgraded from. Built on this machine once, and kept in ~/.cache/einlass."""

import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "deploy", "release"))
from build_root import ROOT, kafka_jars, must  # noqa: E402

# Until there is a release that could be it: the last that changed what two versions share (docs/upgrading.md).
BEFORE_THE_FIRST = "3ba027f9"
BUILD_S = 3000


def commit():
    """The newest release that this version contains and is not."""
    for tag in must("git", "-C", ROOT, "tag", "--list", "v*", "--merged", "HEAD", "--sort=-v:refname").split():
        if must("git", "-C", ROOT, "rev-list", "-n1", tag) != must("git", "-C", ROOT, "rev-parse", "HEAD"):
            return tag
    return BEFORE_THE_FIRST


def missing():
    """Why it cannot be had here; empty if it can."""
    done = subprocess.run(["git", "-C", ROOT, "cat-file", "-e", f"{commit()}^{{commit}}"], capture_output=True, text=True, timeout=30)
    return f"needs the commit {commit()}: fetch the whole history" if done.returncode else ""


def folder():
    """The build's. The first time this takes minutes."""
    home = os.path.join(kafka_jars.cache_directory(), f"previous-{commit()}")
    with kafka_jars.Locked(home + ".lock"):
        if not os.path.exists(os.path.join(home, "built")):
            shutil.rmtree(home, ignore_errors=True)
            os.makedirs(home)
            with tempfile.NamedTemporaryFile(suffix=".tar") as archive:
                must("git", "-C", ROOT, "archive", "--output", archive.name, commit())
                must("tar", "-C", home, "-xf", archive.name)
            must("cmake", "--preset", "release", "--log-level=WARNING", "-DEINLASS_TESTS=OFF", cwd=home)
            must("nice", "cmake", "--build", "build/release", "--parallel", "2", "--", "--quiet", cwd=home, patience=BUILD_S)
            open(os.path.join(home, "built"), "w").close()
    return os.path.join(home, "build", "release")


def program():
    return os.path.join(folder(), "einlass")


def package(directory, version):
    """A Debian package of it for the release of Debian that this machine has."""
    must("cpack", "-G", "DEB", "--config", os.path.join(folder(), "CPackConfig.cmake"), "-B", directory,
         "-D", f"CPACK_PACKAGE_VERSION={version}")
    return os.path.join(directory, f"einlass_{version}_amd64.deb")
