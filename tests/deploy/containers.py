"""Real containers without an engine of this machine's: podman in namespaces of its own, with nothing but images kept."""

import contextlib
import glob
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "deploy", "local"))
import kafka_jars  # noqa: E402

from commands import must, until  # noqa: E402

NAMESPACES = ("pid", "mount", "ipc")
TOOLS = ("podman", "runc", "catatonit", "debootstrap", "ip", "iptables", "nsenter", "unshare")
# All but the images lies in {home}/run, which containers.sh puts in memory: networks too, which podman would else write to
# this machine's /etc and find there the next time.
_SETTINGS = """[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "{home}/run/engine"
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[network]
network_backend = "netavark"
network_config_dir = "{home}/run/networks"
"""
_STORAGE = """[storage]
driver = "overlay"
graphroot = "{home}/images"
runroot = "{home}/run/storage"
"""


def missing():
    """Why there can be no containers here; empty if there can."""
    if os.geteuid() != 0:
        return "needs root, for namespaces and mounts"
    lacking = [tool for tool in TOOLS if shutil.which(tool) is None]
    return f"needs {', '.join(lacking)}" if lacking else ""


class Images:
    """What is built is kept from one run to the next, layer by layer; one process at a time has it."""

    def __init__(self):
        self.home = os.path.join(kafka_jars.cache_directory(), "containers")
        os.makedirs(self.home, exist_ok=True)
        self._lock = kafka_jars.Locked(os.path.join(self.home, "lock"))
        self._lock.__enter__()
        self.environment = {**os.environ}
        for name, variable, text in (("containers.conf", "CONTAINERS_CONF", _SETTINGS),
                                     ("storage.conf", "CONTAINERS_STORAGE_CONF", _STORAGE)):
            self.environment[variable] = os.path.join(self.home, name)
            with open(self.environment[variable], "w") as file:
                file.write(text.format(home=self.home))

    def close(self):
        self._lock.__exit__()

    def debian(self, release, name):
        """The base of all others, by debootstrap."""
        if not self._podman("images", "--quiet", name).strip():
            with tempfile.TemporaryDirectory() as scratch:
                root, archive = os.path.join(scratch, "root"), os.path.join(scratch, "root.tar")
                must("debootstrap", "--variant=minbase", "--include=ca-certificates", release, root, patience=400)
                must("tar", "-C", root, "-cf", archive, ".")
                self._podman("import", archive, name, patience=120)

    def build(self, name, folder, *options, patience=300):
        self._podman("build", "--isolation", "chroot", "--pull=never", "--network", "host", "-t", name, *options, folder,
                     patience=patience)

    def forget(self, name):
        self._podman("rmi", "--force", name)

    def _podman(self, *arguments, patience=60):
        return must(*entered("build", self.home, "podman", *arguments), patience=patience, env=self.environment)


class Engine:
    """Podman's service on a socket as Docker's, in a network of its own where all ports are free."""

    def __init__(self, images):
        self._directory = tempfile.mkdtemp(prefix="einlass-containers-")
        self.socket = os.path.join(self._directory, "podman.sock")
        self._log = open(os.path.join(self._directory, "log"), "w+")
        self._process = subprocess.Popen(
            entered("serve", images.home, "podman", "system", "service", "--time=0", f"unix://{self.socket}"),
            env=images.environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log)
        self._over = threading.Event()
        self._asker = threading.Thread(target=self._ask_after_health)
        try:
            until(lambda: self._call("GET", "/_ping") == b"OK", 30, "podman's service", self._said)
            with open(f"/proc/{self._process.pid}/task/{self._process.pid}/children") as children:
                self._first = int(children.read().split()[0])
        except BaseException:
            self._process.kill()
            raise
        self._asker.start()

    def curl(self, url):
        """What a server says that listens on the engine's own address."""
        return must("nsenter", "--net", "--target", str(self._first), "curl", "-sS", "--fail", "--max-time", "20", url)

    def containers(self):
        return self._get("/libpod/containers/json?all=true")

    def networks(self):
        return [one["name"] for one in self._get("/libpod/networks/json") if one["name"] != "podman"]

    def kill(self, name):
        """Its first process, from outside: as a crash, which the engine was not told of."""
        inner = self._get(f"/libpod/containers/{name}/json")["State"]["Pid"]
        must("nsenter", "--pid", "--target", str(self._first), "kill", "-KILL", str(inner))

    def delete(self):
        self._over.set()
        self._asker.join()
        for one in self.containers():
            self._call("DELETE", f"/libpod/containers/{one['Id']}?force=true&timeout=0")
        os.kill(self._first, signal.SIGKILL)  # Takes all of its processes, mounts and networks along.
        self._process.wait(20)
        leave_no_groups()
        self._log.close()
        shutil.rmtree(self._directory)

    def _ask_after_health(self):
        """Where there is no systemd nobody asks, so this does: each container as often as it wants."""
        every, due = {}, {}
        while not self._over.wait(0.5):
            for name in (one["Id"] for one in self._get("/libpod/containers/json")):
                if name not in every:
                    check = self._get(f"/libpod/containers/{name}/json").get("Config", {}).get("Healthcheck")
                    every[name] = check["Interval"] / 1e9 if check else float("inf")
                    due[name] = time.monotonic() if check else float("inf")
                if time.monotonic() >= due[name]:
                    with contextlib.suppress(TimeoutError):  # One that takes too long has failed, and is asked again.
                        self._call("GET", f"/libpod/containers/{name}/healthcheck")
                    due[name] = time.monotonic() + every[name]

    def _get(self, path):
        return json.loads(self._call("GET", path))

    def _call(self, method, path):
        connection = http.client.HTTPConnection("podman", timeout=60)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(60)
        try:
            connection.sock.connect(self.socket)
            connection.request(method, path if path == "/_ping" else "/v4.0.0" + path)
            return connection.getresponse().read()
        finally:
            connection.close()

    def _said(self):
        self._log.seek(0)
        return self._log.read()[-2000:]


def leave_no_groups():
    """Of the machine's, which podman makes and keeps."""
    for inner in ("conmon", ""):
        for left in glob.glob(os.path.join("/sys/fs/cgroup/*/libpod_parent", inner)):
            with contextlib.suppress(OSError):  # Not empty: somebody else's.
                os.rmdir(left)


def entered(what, home, *command):
    more = ("net",) if what == "serve" else ()
    return ["unshare", "--fork", "--kill-child", *(f"--{name}" for name in (*NAMESPACES, *more)),
            os.path.join(HERE, "containers.sh"), what, home, *command]

