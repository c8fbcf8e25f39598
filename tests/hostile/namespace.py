"""A network of the test's own, with nothing but loopback in it: what is hostile here names addresses and hosts of all
kinds, and none of them may ever be asked, not even when what is tested is broken."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
import unittest

NOT_RUN = 77  # As tests/e2e/discover.py says to ctest.
_INSIDE = "EINLASS_HOSTILE_NAMESPACE"
_GET_FLAGS, _SET_FLAGS, _SET_ADDRESS = 0x8913, 0x8914, 0x8916  # Of linux/sockios.h.
_UP, _UP_AND_RUNNING = 0x1, 0x41


def _unshare():
    """The command that makes such a network here; none if nothing may."""
    if shutil.which("unshare") is None:
        return None
    for more in ([], ["--user", "--map-root-user"]):
        command = ["unshare", *more, "--net"]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return None


def _ask(request, data):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        return fcntl.ioctl(any_socket, request, data)


def is_alone():
    """Nothing but loopback leads anywhere: a kernel may put tunnels into each network, which are down."""
    return not any(struct.unpack_from("16xH", _ask(_GET_FLAGS, struct.pack("16s16x", name.encode())))[0] & _UP
                   for _, name in socket.if_nameindex() if name != "lo")


def add_address(number, address):
    """Has loopback answer for it too, so that who asks it is seen."""
    name = f"lo:{number}".encode()
    _ask(_SET_ADDRESS, struct.pack("16sHH4s8x", name, socket.AF_INET, 0, socket.inet_aton(address)))


def main():
    """In the place of unittest.main()."""
    if _INSIDE not in os.environ:
        command = _unshare()
        if command is None:
            print("not run: no network namespace can be made here (unshare --net)")
            sys.exit(NOT_RUN)
        os.environ[_INSIDE] = "1"
        os.execvp(command[0], [*command, sys.executable, *sys.argv])
    assert is_alone(), socket.if_nameindex()
    _ask(_SET_FLAGS, struct.pack("16sH14x", b"lo", _UP_AND_RUNNING))
    unittest.main(module="__main__")
