"""Certificates for local servers: an authority, and what it signs. Made by openssl, as PEM files."""

import os
import subprocess


def _openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Authority:
    """NAME.pem and NAME.key in `directory`, and certificates signed with them."""

    def __init__(self, directory, name="ca"):
        self.directory, self.name = directory, name
        self.file = os.path.join(directory, f"{name}.pem")
        self._key = os.path.join(directory, f"{name}.key")
        os.makedirs(directory, exist_ok=True)
        _openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN=einlass test {name}",
                 "-keyout", self._key, "-out", self.file)

    def sign(self, name, names=("DNS:localhost", "IP:127.0.0.1"), expired=False):
        """(certificate, key) as paths; the key is PKCS8. An expired one has ended as it was made."""
        certificate, key, request = (os.path.join(self.directory, f"{name}.{end}") for end in ("crt", "pk8", "csr"))
        extensions = os.path.join(self.directory, f"{name}.ext")
        with open(extensions, "w") as file:
            file.write(f"subjectAltName={','.join(names)}\n")
        _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        # One of no days is over at once; OpenSSL 3.5 makes none that ends before it begins.
        days = ["-days", "0" if expired else "30"]
        _openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self._key, "-CAcreateserial",
                 "-extfile", extensions, *days, "-out", certificate)
        return certificate, key
