"""Two networks of our own, the gate's and the servers', with nothing between them but the wire. Neither has a name, so both
are gone with the last process in them, whatever becomes of it; neither has a way to anywhere else."""

import contextlib
import ctypes
import fcntl
import json
import os
import struct
import subprocess
import sys

import names
import servers
import wire

GATE = "10.77.1.1"
BESIDE_GATE = "10.77.1.2"  # Of a server that is on the gate's side.
# By server: where it is, and where it is after it has moved.
SERVERS = {"redis": "10.77.0.2", "kafka": "10.77.0.3", "target": "10.77.0.4", "other": "10.77.0.5"}
MOVED = {"redis": "10.77.0.12", "kafka": "10.77.0.13", "target": "10.77.0.14"}

_libc = ctypes.CDLL(None, use_errno=True)
_NEW_NETWORK = 0x40000000              # CLONE_NEWNET of linux/sched.h.
_SET_DEVICE = 0x400454ca               # TUNSETIFF of linux/if_tun.h,
_TUN, _WITHOUT_HEADER = 0x1, 0x1000    # and its flags.


def _call(function, *arguments):
    if function(*arguments):
        code = ctypes.get_errno()
        raise OSError(code, f"{function.__name__}: {os.strerror(code)}")


class Network:
    """One of them, made by the thread that is in it from then on."""

    def __init__(self, addresses, others):
        _call(_libc.unshare, _NEW_NETWORK)
        self._file = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.device = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC)
        fcntl.ioctl(self.device, _SET_DEVICE, struct.pack("16sH14x", b"wire", _TUN | _WITHOUT_HEADER))
        self._ip("link", "set", "lo", "up")
        for address in addresses:
            self._ip("address", "add", f"{address}/32", "dev", "wire")
        self._ip("link", "set", "wire", "up")
        self._ip("route", "add", others, "dev", "wire", "src", addresses[0])

    @contextlib.contextmanager
    def entered(self):
        """This thread, and what it starts, is in that network meanwhile."""
        here = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        try:
            _call(_libc.setns, self._file, _NEW_NETWORK)
            yield
        finally:
            _call(_libc.setns, here, _NEW_NETWORK)
            os.close(here)

    def _ip(self, *words):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Networks:
    """Whoever makes them is in the servers' from then on, and reaches these by loopback, in fair weather always.

    OSError where none can be made: that takes root, and TUN devices.
    """

    def __init__(self, directory):
        self.gate = Network([GATE, BESIDE_GATE], "10.77.0.0/24")
        here = Network([*SERVERS.values(), *MOVED.values(), names.ADDRESS], "10.77.1.0/24")
        self._addresses = dict(SERVERS)
        program = [sys.executable, os.path.abspath(wire.__file__), str(self.gate.device), str(here.device)]
        self._wire = servers.start_child(program, os.path.join(directory, "wire.log"), stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, pass_fds=[self.gate.device, here.device])
        self._read()

    def set(self, server, weather):
        """From now on; returns {way: wire.Done} since the last time."""
        self._wire.stdin.write(json.dumps({"link": self._addresses[server], "weather": weather._asdict()}) + "\n")
        self._wire.stdin.flush()
        return {way: wire.Done(**counts) for way, counts in self._read().items()}

    def move(self, server):
        """Nothing passes to or from its old address from now on; it has a link of its own at the new one."""
        self.set(server, wire.Weather(silent="both"))
        self._addresses[server] = MOVED[server]

    def stop(self):
        servers.stop_child(self._wire, 0.1)

    def _read(self):
        line = self._wire.stdout.readline()
        if not line:
            raise RuntimeError("the wire's process is gone; wire.log says why")
        return json.loads(line)
