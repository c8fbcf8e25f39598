"""One layer of an image: files put together in memory, and written as an archive that is the same every time."""

import hashlib
import io
import struct
import subprocess
import tarfile
import zlib

# Where a merged /usr has what packages still name without it.
_MERGED = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
# Compressed by deflate, at no time, as small as can be, by an unnamed system: Pythons differ in what they write here.
_GZIP = b"\x1f\x8b\x08\0\0\0\0\0\x02\xff"


class Layer:
    """add_*() as often as wanted, what comes later replaces what was there; then packed() once. Nothing in it is newer than `time`,
    in seconds since 1970."""

    def __init__(self, time):
        self._time = time
        self._members = {}  # By name: what tarfile says of it, and its bytes.

    def add_directory(self, name, mode=0o755):
        self._add(name, tarfile.DIRTYPE, mode)

    def add_file(self, name, data, mode=0o644):
        self._add(name, tarfile.REGTYPE, mode, data=data)

    def add_link(self, name, target):
        self._add(name, tarfile.SYMTYPE, 0o777, target=target)

    def add_package(self, path, wanted):
        """The files of a Debian package whose names `wanted` says yes to."""
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True, timeout=120).stdout
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive:
                said = member.name.removeprefix("./").rstrip("/")
                name = merged(said)
                if not name or member.isdir() or not wanted(name):
                    continue  # Folders come with what is in them.
                if said in _MERGED:
                    continue  # The link itself, which base-files has since Debian 13: it would lead to where it is.
                content = archive.extractfile(member).read() if member.isreg() or member.islnk() else b""
                kind = tarfile.REGTYPE if member.islnk() else member.type
                self._add(name, kind, member.mode, member.linkname, content, member.mtime)

    def files(self):
        """{name: bytes}, in the order of their names."""
        return {name: data for name, (member, data) in sorted(self._members.items()) if member.isreg()}

    def packed(self):
        """(compressed, what the archive's digest was before)."""
        for name in list(self._members):
            for end in (place for place, letter in enumerate(name) if letter == "/"):
                if name[:end] not in self._members:
                    self.add_directory(name[:end])
        archive = archived({name: self._members[name] for name in sorted(self._members)})
        return _gzipped(archive), hashlib.sha256(archive).hexdigest()

    def _add(self, name, kind, mode, target="", data=b"", time=None):
        member = tarfile.TarInfo(name)
        member.type, member.mode, member.linkname, member.size = kind, mode, target, len(data)
        member.mtime = self._time if time is None else min(time, self._time)
        self._members[name] = member, data


def merged(name):
    return f"usr/{name}" if name.partition("/")[0] in _MERGED else name


def _gzipped(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return _GZIP + packer.compress(data) + packer.flush() + struct.pack("<II", zlib.crc32(data), len(data) % 2**32)


def archived(members):
    """{name: (TarInfo, bytes)}, in that order, as an archive."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for member, data in members.values():
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()
