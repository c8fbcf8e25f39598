"""Authorities and certificates of a scenario, made by the openssl command."""

import os
import subprocess

_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


class Certificates:
    def __init__(self, directory):
        self.directory = directory
        os.makedirs(directory, exist_ok=True)

    def file(self, name):
        return os.path.join(self.directory, name)

    def authority(self, name):
        self._run("req", "-x509", *_KEY, "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}",
                  "-days", "2")
        return self.file(f"{name}.pem")

    def issue(self, name, authority, names="DNS:localhost,IP:127.0.0.1", days=2):
        """`name`.pem and `name`.key; with `days` below 0 it has expired."""
        self._run("req", *_KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}", "-addext",
                  f"subjectAltName={names}")
        self._run("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
                  "-copy_extensions", "copy", "-days", str(days), "-out", f"{name}.pem")
        return self.file(f"{name}.pem"), self.file(f"{name}.key")

    def _run(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.directory, check=True, capture_output=True)
