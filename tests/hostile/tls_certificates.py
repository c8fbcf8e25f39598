"""Certificates that a server should not show, and some that it may."""

import os
import subprocess

import harness  # noqa: F401  It knows the way to certificates.
import certificates

_P256 = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")
_OURS = "subjectAltName=DNS:localhost,IP:127.0.0.1"
# name: (extensions, key, digest)
_SIGNED = {
    "other_address": ("subjectAltName=IP:127.0.0.2", _P256, "sha256"),
    "address_as_name": ("subjectAltName=DNS:127.0.0.1", _P256, "sha256"),
    "any_name": ("subjectAltName=DNS:*", _P256, "sha256"),
    "no_name": ("basicConstraints=CA:FALSE", _P256, "sha256"),
    "only_for_clients": (_OURS + "\nextendedKeyUsage=clientAuth", _P256, "sha256"),
    "only_for_code": (_OURS + "\nextendedKeyUsage=critical,codeSigning", _P256, "sha256"),
    "only_to_sign_others": (_OURS + "\nkeyUsage=critical,keyCertSign", _P256, "sha256"),
    "an_authority": (_OURS + "\nbasicConstraints=critical,CA:TRUE", _P256, "sha256"),
    "critical_and_unknown": (_OURS + "\n1.2.3.4.5=critical,DER:0500", _P256, "sha256"),
    "many_names": ("subjectAltName=" + ",".join(f"DNS:host-{number}.example" for number in range(1500)), _P256,
                   "sha256"),
    "weak_key": (_OURS, ("rsa:1024",), "sha256"),
    "weak_digest": (_OURS, _P256, "sha1"),
    "ed25519": (_OURS, ("ed25519",), "sha256"),
    "terminal": (_OURS, _P256, "sha256"),
}
# A gate may take these: the name is right, so is whoever signed, and it is for servers.
RIGHT = {"good", "an_authority", "ed25519", "terminal"}
NAMES = ("good", "expired", "other_name", "of_strangers", "by_itself", "the_authority", *_SIGNED)


def _openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def _sign(directory, name):
    extensions, key, digest = _SIGNED[name]
    path = os.path.join(directory, name)
    with open(path + ".ext", "w") as file:
        file.write(extensions + "\n")
    _openssl("req", "-newkey", *key, "-nodes", "-subj", f"/CN={name}\x1b[2J", "-keyout", path + ".pk8", "-out",
             path + ".csr")
    _openssl("x509", "-req", "-in", path + ".csr", "-CA", os.path.join(directory, "ca.pem"), "-CAkey",
             os.path.join(directory, "ca.key"),
             "-CAcreateserial", "-extfile", path + ".ext", "-days", "30", f"-{digest}", "-out", path + ".crt")
    return path + ".crt", path + ".pk8"


def make(directory):
    """The authority's file, and {name: (certificate, key)} of all."""
    authority = certificates.Authority(directory)
    strangers = certificates.Authority(directory, "strangers")
    own = os.path.join(directory, "own")
    _openssl("req", "-x509", "-newkey", *_P256, "-nodes", "-days", "30", "-subj", "/CN=127.0.0.1", "-addext", _OURS,
             "-keyout", own + ".pk8", "-out", own + ".crt")
    made = {"good": authority.sign("good"), "expired": authority.sign("expired", expired=True),
            "other_name": authority.sign("other", ["DNS:elsewhere.example"]), "of_strangers": strangers.sign("strange"),
            "by_itself": (own + ".crt", own + ".pk8"), "the_authority": (authority.file,
                                                                         os.path.join(directory, "ca.key"))}
    return authority.file, {**made, **{name: _sign(directory, name) for name in _SIGNED}}
