"""Other people's programs that Debian does not have, built by Go and kept in ~/.cache/einlass."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "deploy", "local"))
import kafka_jars  # noqa: E402

OLDEST_GO = 21  # The first that fetches the newer one which a program asks for.
PATIENCE_S = 3000
_KUBERNETES = "1.36.3"
# Name: (module, version, the program's folder in it, what the linker sets: without it they say that they are of no version).
_PROGRAMS = {
    "kubeconform": ("github.com/yannh/kubeconform", "v0.8.0", "cmd/kubeconform", ()),
    "helm": ("helm.sh/helm/v4", "v4.3.1", "cmd/helm", ()),
    "docker-compose": ("github.com/docker/compose/v2", "v2.40.3", "cmd",
                       ("github.com/docker/compose/v2/internal.Version=v2.40.3",)),
    "kube-apiserver": ("k8s.io/kubernetes", f"v{_KUBERNETES}", "cmd/kube-apiserver",
                       (f"k8s.io/component-base/version.gitVersion=v{_KUBERNETES}",)),
}


def missing(name):
    """Why there is no such program and none can be built; empty if there is."""
    version = re.search(r"go1\.(\d+)", _run(".", "version")) if shutil.which("go") else None
    if os.path.exists(_path(name)) or version and int(version[1]) >= OLDEST_GO:
        return ""
    return f"needs Go 1.{OLDEST_GO} or newer, to build {name}"


def built(name):
    """The program's path. The first time this takes minutes. REQUIRES: missing() has nothing to say."""
    program = _path(name)
    os.makedirs(os.path.dirname(program), exist_ok=True)
    with kafka_jars.Locked(program + ".lock"), tempfile.TemporaryDirectory() as scratch:
        if not os.path.exists(program):
            module, version, folder, settings = _PROGRAMS[name]
            # A module of our own, since `go install` takes none that replaces or excludes others.
            _write_module(scratch, module, version)
            _run(scratch, "get", f"{module}/{folder}@{version}")
            _run(scratch, "build", "-trimpath", "-ldflags", " ".join(f"-X {one}" for one in settings),
                 "-o", f"{program}.new", f"{module}/{folder}")
            os.rename(f"{program}.new", program)
    return program


def _path(name):
    return os.path.join(kafka_jars.cache_directory(), f"go-{_PROGRAMS[name][1]}", name)


def _write_module(directory, module, version):
    with open(os.path.join(directory, "go.mod"), "w") as file:
        file.write("module einlass.test\n")
        file.write("\n".join(_replaced(module, version)) + "\n")


def _replaced(module, version):
    """Kubernetes' parts lie in its own tree, and are published apart under v0 versions."""
    said = json.loads(_run(tempfile.gettempdir(), "mod", "download", "-json", f"{module}@{version}"))
    with open(said["GoMod"]) as file:
        parts = re.findall(r"^\s*(?:replace )?(\S+) => \./staging/", file.read(), re.MULTILINE)
    return [f"replace {part} => {part} v0{version[2:]}" for part in parts]


def _run(directory, *arguments):
    done = subprocess.run(["go", *arguments], cwd=directory, capture_output=True, text=True, timeout=PATIENCE_S)
    if done.returncode:
        raise RuntimeError(f"go {' '.join(arguments)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
