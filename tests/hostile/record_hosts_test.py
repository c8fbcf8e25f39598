"""Hosts that records name, each of which leads inside or nowhere: none is reached, and others do not notice."""

import ipaddress
import socket
import threading

from hostile import PARTITIONS, Hostile, Inputs
from harness.places import now_us, wait_until
import namespace
from harness.plan import plan
import servers

LISTENING = ("0.0.0.0", "::1")
# In the test's own network they lead to the listener, so that one which is asked is seen.
OF_LOOPBACK = ("10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.8", "198.18.0.1",
               "192.0.2.1")
INSIDE = ["127.0.0.1", "127.0.0.2", "127.255.255.254", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
          "100.64.0.1",
          "0.0.0.0", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1"]
NAMES = [b"localhost", b"LOCALHOST", b"LocalHost.", b"localhost..", b".localhost", b"a.localhost",
         b"localhost.localdomain", b"ip6-localhost",
         b"ip6-loopback", b"localhost:22", b"localhost/", b"localhost#", b"localhost?x=", b"localhost\\",
         b"localhost\0", b"localhost\0.invalid",
         b"localhost ", b" localhost", b"local host", b"localhost\r\nX: y", b"x@localhost", b"x:y@localhost",
         b"lo\xc2\xadcalhost",
         b"localho\xc5\xbft", b"\xe2\x93\x9bocalhost", b"%6cocalhost", b"nowhere.invalid", b"NOWHERE.INVALID.",
         b"a" * 63 + b".invalid",
         b"a" * 64 + b".invalid", b"a." * 126 + b"invalid", b"a" * 5000, b"-a.invalid", b"a_b.invalid", b"a..invalid",
         b"xn--.invalid",
         b"xn--99999999.invalid", b"*.invalid", b"*", b"", b".", b"..", b"-", b"[", b"]", b"[]", b"{header:host}",
         b"\xff\xfe", b"\x1b[2J",
         b"::1", b"[::1]", b"[::]", b"::", b"[0:0:0:0:0:0:0:1]", b"[::1%25lo]", b"::1%lo", b"fe80::1%lo", b"[fe80::1]",
         b"[fc00::1]", b"[ff02::1]",
         b"[64:ff9b::7f00:1]", b"[2002:7f00:1::]", b"[::127.0.0.1]", b"0", b"1", b"0x", b"00", b"4294967296",
         b"4294967295", b"-1", b"1e3",
         b"127", b"127.0.0.1.invalid", b"127.0.0.1.1", b"256.0.0.1", b"127.0.0.0x1", b"0x7f.1", b"0177.1",
         b"127.0.0.1,127.0.0.1", b"file:///etc"]


def spellings(address):
    """As inet_aton, browsers, and those who are too helpful read it."""
    whole = int(ipaddress.IPv4Address(address))
    a, b, c, d = whole.to_bytes(4, "big")
    wide = "".join(chr(ord(one) + 0xfee0) if one.isdigit() else one for one in address)
    return [address, f"{address}.", f"{address}..", str(whole), hex(whole), f"0{whole:o}", hex(whole).upper(),
            f"0x{a:x}.0x{b:x}.0x{c:x}.0x{d:x}",
            f"0{a:o}.0{b:o}.0{c:o}.0{d:o}", f"{a}.{whole & 0xffffff}", f"{a}.{b}.{whole & 0xffff}",
            f"0x{a:02x}.{b}.{c}.{d}", f"::ffff:{address}",
            f"[::ffff:{address}]", f"[::ffff:{whole >> 16:x}:{whole & 0xffff:x}]", f"[64:ff9b::{address}]", wide,
            address.replace(".", "\u3002"), address.replace(".", "%2e"), f"x@{address}", f"{address}@x.invalid",
            f"{address}:80", f"{address}/x",
            f"{address}#.invalid", f"{address}\\@x.invalid", f" {address}", f"{address}\t",
            f"%{ord(address[0]):x}{address[1:]}", f"{address}\0"]


HOSTS = list(dict.fromkeys(NAMES + [one.encode() for address in INSIDE for one in spellings(address)]))


class Listener:
    """Counts who comes, and says nothing."""

    def __init__(self):
        self.port, self.reached, self._sockets = servers.free_ports(1)[0], [], []
        for address in LISTENING:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            if family == socket.AF_INET or socket.has_ipv6:
                self._sockets.append(socket.create_server((address, self.port), family=family, backlog=128))
        for one in self._sockets:
            threading.Thread(target=self._accept, args=(one,), daemon=True).start()

    def stop(self):
        for one in self._sockets:
            one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self, listening):
        while True:
            try:
                connection, who = listening.accept()
            except OSError:
                return
            self.reached.append((listening.getsockname(), who))
            connection.close()


class RecordHosts(Hostile):
    def setUp(self):
        super().setUp()
        for number, address in enumerate(OF_LOOPBACK):
            namespace.add_address(number, address)

    def check(self, count, seconds):
        self.listener = Listener()
        self.addCleanup(self.listener.stop)
        step = len(HOSTS) / count
        inputs = Inputs(lambda _, number: HOSTS[int(number * step) % len(HOSTS)], count)
        config = self.add_evil(self.well_config(), {
            "url": f"http://{{header:host}}:{self.listener.port}/", "allow_hosts": ["*"], "allow_private": False})
        config["targets"]["evil"]["breaker"] = {"wait": "10ms", "max_wait": "50ms"}
        self.start_well(config, seconds)
        began = now_us()
        self.world.produce_records("evil", [
            {"partition": number % PARTITIONS, "value": b"x",
             "headers": [("host", inputs.next())]} for number in range(count)])
        self.assertTrue(inputs.all_used())
        self.judge(lambda: self.evil()["dead_lettered"] + self.evil()["delivered"] < count, patience=seconds, since=began)
        self.judge_books()
        self.assertEqual(self.evil()["dead_lettered"], count)
        self.note(f"{count} hosts of {len(HOSTS)}, {len(self.listener.reached)} reached")
        self.assertEqual(self.listener.reached, [])
        socket.create_connection(("127.0.0.1", self.listener.port)).close()  # It would have been seen.
        wait_until(lambda: len(self.listener.reached) == 1, 5, "one that reaches it")

    def evil(self):
        return next(one for one in self.gate.status()["routes"] if one["name"] == "evil")

    def test_a_sample(self):
        self.check(50, 40)

    @plan(whole=True, seconds=300)
    def test_whole(self):
        self.check(len(HOSTS), 120)


if __name__ == "__main__":
    namespace.main()
