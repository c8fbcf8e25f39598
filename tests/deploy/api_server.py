"""A real Kubernetes API server with its store, and nothing behind it: it judges and keeps, and no pod ever runs."""

import json
import os
import shutil
import sys
import tempfile
import urllib.request

import go_programs
import manifests
from commands import must, run, until

sys.path.insert(0, os.path.join(manifests.ROOT, "deploy", "local"))
import servers  # noqa: E402

TOKEN = "einlass-test"


def missing():
    """Why there can be no such server here; empty if there can."""
    if shutil.which("etcd") is None:
        return "needs etcd, of Debian's etcd-server"
    return go_programs.missing("kube-apiserver") or go_programs.missing("helm")


class ApiServer:
    """Runs once it is made. delete() ends and removes it."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="einlass-kubernetes-")
        self._children = []
        try:
            self._port, client, peer = servers.free_ports(3)
            self._start_store(f"http://127.0.0.1:{client}", f"http://127.0.0.1:{peer}")
            self._start_server(f"http://127.0.0.1:{client}")
            self.settings = self._write_settings()
            until(lambda: run(*self._kubectl("get", "--raw", "/readyz")).returncode == 0, 120, "the API server",
                  lambda: servers.tail(self._path("server.log")))
            # The one that every object without a namespace is put into comes a moment after the start.
            until(lambda: run(*self._kubectl("get", "namespace", "default")).returncode == 0, 60, "the first namespace")
        except BaseException:
            self.delete()
            raise

    def kubectl(self, *arguments, objects=None):
        """How it ended; `objects` are what `-f -` reads."""
        text = None if objects is None else json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        return run(*self._kubectl(*arguments), input=text)

    def helm(self, *arguments):
        return run(go_programs.built("helm"), "--kubeconfig", self.settings, *arguments)

    def get(self, kind, name, namespace):
        return json.loads(must(*self._kubectl("-n", namespace, "get", kind, name, "-o", "json")))

    def delete(self):
        for child in reversed(self._children):
            servers.stop_child(child)
        shutil.rmtree(self.directory)

    def _start_store(self, clients, peers):
        url = urllib.request.Request(clients + "/health")
        self._start("store.log", shutil.which("etcd"), "--data-dir", self._path("store"), "--listen-client-urls", clients,
                    "--advertise-client-urls", clients, "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                    "--initial-cluster", f"default={peers}")
        until(lambda: urllib.request.urlopen(url, timeout=5).status == 200, 30, "etcd",
              lambda: servers.tail(self._path("store.log")))

    def _start_server(self, store):
        key, public = self._path("accounts.key"), self._path("accounts.pub")
        must("openssl", "genrsa", "-out", key, "2048")
        must("openssl", "rsa", "-in", key, "-pubout", "-out", public)
        with open(self._path("tokens.csv"), "w") as file:
            file.write(f"{TOKEN},admin,1,system:masters\n")
        self._start("server.log", go_programs.built("kube-apiserver"), f"--etcd-servers={store}", "--bind-address=127.0.0.1",
                    f"--secure-port={self._port}", f"--cert-dir={self._path('certificates')}", "--authorization-mode=RBAC",
                    f"--token-auth-file={self._path('tokens.csv')}", "--service-cluster-ip-range=10.0.0.0/24",
                    "--service-account-issuer=https://einlass.test", f"--service-account-key-file={public}",
                    f"--service-account-signing-key-file={key}",
                    "--disable-admission-plugins=ServiceAccount")  # Which waits for a controller that is not here.

    def _start(self, log, *command):
        self._children.append(servers.start_child(command, self._path(log)))

    def _write_settings(self):
        certificate = self._path("certificates/apiserver.crt")
        until(lambda: os.path.getsize(certificate), 60, "the certificate", lambda: servers.tail(self._path("server.log")))
        cluster = {"server": f"https://127.0.0.1:{self._port}", "certificate-authority": certificate}
        path = self._path("kubeconfig")
        with open(path, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "it",
                       "clusters": [{"name": "it", "cluster": cluster}], "users": [{"name": "it", "user": {"token": TOKEN}}],
                       "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}, file)
        return path

    def _kubectl(self, *arguments):
        return manifests.kubectl(), "--kubeconfig", self.settings, *arguments

    def _path(self, name):
        return os.path.join(self.directory, name)
