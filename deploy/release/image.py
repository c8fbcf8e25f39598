"""The image for containers, put together of Debian packages without an engine: the gate, the libraries that it needs, the
certificates of the authorities, and nothing else: no shell, no package manager.

What it is made of stands where scanners look for it, below /var/lib/dpkg/status.d.
"""

import glob
import hashlib
import json
import os
import re
import subprocess
import tarfile
import time

import layer

USER = 65532
CONFIG = "/etc/einlass/gate.yaml"
BESIDES = ("base-files", "ca-certificates")  # What system it is, and whom to trust: without what these need themselves.
_AUTHORITIES = "etc/ssl/certs/ca-certificates.crt"
# Of what packages bring besides: pages and translations that nobody reads there; licences stay.
_UNREAD = re.compile(r"usr/share/(doc/(?!.*/copyright$)|man/|locale/|lintian/|doc-base/|bug/|info/)|usr/lib/[^/]+/gconv/"
                     r"|etc/(?!os-release|debian_version|ssl)|usr/lib/systemd/|var/|home|root|media|mnt|opt|srv|boot|proc|sys|run|tmp|dev")
_OF_THE_GATE = re.compile(r"usr/bin/einlass$|usr/share/einlass/[^/]+\.lua$|usr/share/doc/einlass/(copyright|examples/)")
_ACCOUNTS = {
    "etc/passwd": f"root:x:0:0:root:/root:/sbin/nologin\neinlass:x:{USER}:{USER}:einlass:/:/sbin/nologin\n",
    "etc/group": f"root:x:0:\neinlass:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def control(package, *fields):
    """Of a package's file: what its fields say, or all of them."""
    said = subprocess.run(["dpkg-deb", "--field", package, *fields], check=True, capture_output=True, text=True, timeout=60)
    return said.stdout.strip()


def libraries_layer(packages, seconds):
    """Of what the program needs: `packages` are files."""
    made = layer.Layer(seconds)
    for name in ("bin", "lib", "lib64", "sbin"):
        made.add_link(name, f"usr/{name}")
    for name, mode in (("tmp", 0o1777), ("etc/einlass", 0o755), ("run", 0o755), ("proc", 0o755), ("sys", 0o755), ("dev", 0o755)):
        made.add_directory(name, mode)
    for package in sorted(packages):
        if control(package, "Package") == "ca-certificates":
            made.add_file(_AUTHORITIES, _authorities(package))
            made.add_package(package, lambda name: name.endswith("/copyright"))
        else:
            made.add_package(package, lambda name: not _UNREAD.match(name))
        _note_package(made, package)
    # Where OpenSSL looks by itself.
    made.add_link("usr/lib/ssl/cert.pem", f"/{_AUTHORITIES}")
    made.add_link("usr/lib/ssl/certs", "/etc/ssl/certs")
    for name, text in _ACCOUNTS.items():
        made.add_file(name, text.encode())
    return made


def program_layer(package, seconds):
    made = layer.Layer(seconds)
    made.add_package(package, _OF_THE_GATE.match)
    _note_package(made, package)
    return made


def write(path, layers, tag, labels, seconds):
    """As an archive that `docker load`, `podman load` and whatever reads OCI layouts take. Each layer is an argument of its own
    to who fetches an image, so the one that changes least comes first."""
    packed = [one.packed() for one in layers]
    blobs = {_digest(data): data for data, _ in packed}
    config = _config([plain for _, plain in packed], labels, seconds)
    blobs[_digest(config)] = config
    manifest = _json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "digest": f"sha256:{_digest(config)}", "size": len(config)},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": f"sha256:{_digest(data)}", "size": len(data)}
                   for data, _ in packed],
        "annotations": labels})
    blobs[_digest(manifest)] = manifest
    files = {f"blobs/sha256/{digest}": data for digest, data in sorted(blobs.items())}
    files["oci-layout"] = _json({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = _json({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": f"sha256:{_digest(manifest)}",
                       "size": len(manifest), "platform": {"architecture": "amd64", "os": "linux"},
                       "annotations": {"org.opencontainers.image.ref.name": tag.partition(":")[2], "io.containerd.image.name": tag}}]})
    files["manifest.json"] = _json([{"Config": f"blobs/sha256/{_digest(config)}", "RepoTags": [tag],
                                     "Layers": [f"blobs/sha256/{_digest(data)}" for data, _ in packed]}])
    with open(path, "wb") as file:
        file.write(layer.archived({name: (_member(name, data, seconds), data) for name, data in files.items()}))


def _config(digests, labels, seconds):
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return _json({
        "architecture": "amd64", "os": "linux", "created": created,
        "config": {"User": f"{USER}:{USER}", "Env": ["PATH=/usr/bin"], "Entrypoint": ["/usr/bin/einlass"],
                   "Cmd": ["run", "-c", CONFIG], "ExposedPorts": {"9465/tcp": {}}, "StopSignal": "SIGTERM", "Labels": labels,
                   "Healthcheck": {"Test": ["CMD", "/usr/bin/einlass", "healthcheck", "-c", CONFIG], "Interval": 10 * 10**9,
                                   "Timeout": 6 * 10**9, "StartPeriod": 10 * 10**9, "Retries": 3}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
        "history": [{"created": created, "created_by": words} for words in ("packages of Debian", "the gate")]})


def _authorities(package):
    """All that the package has, as its script would put them together where it can be run."""
    found = layer.Layer(0)
    found.add_package(package, lambda name: name.startswith("usr/share/ca-certificates/mozilla/"))
    return b"".join(found.files().values())


def _note_package(made, package):
    made.add_file(f"var/lib/dpkg/status.d/{control(package, 'Package')}", (control(package) + "\n").encode())


def _member(name, data, seconds):
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = len(data), 0o644, seconds
    return member


def _digest(data):
    return hashlib.sha256(data).hexdigest()


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
