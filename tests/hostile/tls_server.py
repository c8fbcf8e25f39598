"""A server of TLS that treats each connection as the next input says, and well when there are no more."""

import random
import select
import socket
import ssl
import subprocess
import time

from harness.raw_server import RawServer, finish, send_without_end, wait_for_the_end
import servers
from byte_changes import mutated
from http1_server import read_request
from tls_answers import After, Asked, Flight, Raw, Shown

_VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
LAST = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
_LISTENING = 5.0  # Seconds until openssl does.
_HANDSHAKE = 0.1


class TlsServer:
    def __init__(self, inputs, certificates, log):
        self.inputs, self._certificates, self._log = inputs, certificates, log
        self.trusted = set()  # The certificates for which a request came.
        self._as = {Raw: _raw, Flight: self._flight, Shown: self._shown, After: self._after, Asked: self._asked}
        self._server = RawServer(self._talk)
        self.port, self.stop = self._server.port, self._server.stop

    def _talk(self, connection):
        one = Shown("good", "1.3") if self.inputs.all_used() else self.inputs.next()
        try:
            self._as[type(one)](connection, one)
        except ssl.SSLError:
            pass  # The gate did not take it.

    def _context(self, version, certificate="good", alpn=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = _VERSIONS[version]
        context.load_cert_chain(*self._certificates[certificate])
        if alpn:
            context.set_alpn_protocols([alpn])
        return context

    def _flight(self, connection, one):
        coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = self._context(one.version).wrap_bio(coming, going, server_side=True)
        for step in range(1, one.step + 1):
            said = connection.recv(65536)
            if not said:
                return
            coming.write(said)
            try:
                session.do_handshake()
            except ssl.SSLWantReadError:
                pass
            if step < one.step:
                connection.sendall(going.read())
        data = going.read() if one.seed is None else mutated(random.Random(one.seed), going.read())
        connection.sendall(data[:one.cut])
        finish(connection, one.end)

    def _shown(self, connection, one):
        with self._context(one.version, one.certificate).wrap_socket(connection, server_side=True) as tls:
            if read_request(tls)[0]:
                self.trusted.add(one.certificate)
                tls.sendall(LAST)  # Each attempt is to connect.

    def _after(self, connection, one):
        beside = connection.dup()
        with beside, self._context(one.version, alpn=one.alpn).wrap_socket(connection, server_side=True) as tls:
            tls.recv(65536)
            if one.how in ("outside", "half"):
                beside.sendall(one.data)
            elif one.how == "endless":
                send_without_end(tls, one.data)
            else:
                tls.sendall(one.data)
            if one.how == "half":
                beside.shutdown(socket.SHUT_WR)
                wait_for_the_end(beside)
            elif one.how == "inside":
                tls.unwrap()

    def _asked(self, connection, one):
        """openssl's own server in between, which can say what Python's cannot."""
        port, (certificate, key) = servers.free_ports(1)[0], self._certificates["good"]
        process = servers.start_child(
            ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-naccept", "1", "-cert", certificate, "-key", key,
             f"-tls{one.version.replace('.', '_')}"], self._log, stdin=subprocess.PIPE)
        try:
            with _connected(port) as behind:
                _relay(connection, behind, _HANDSHAKE)
                process.stdin.write(one.command.encode() + b"\n")
                process.stdin.flush()
                _relay(connection, behind, 4 * _HANDSHAKE)
        finally:
            process.stdin.close()
            servers.stop_child(process, 0.1)


def _raw(connection, one):
    if not one.before:
        connection.recv(65536)
    connection.sendall(one.data)
    finish(connection, one.end, one.again)


def _relay(one, other, seconds):
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        for readable in select.select([one, other], [], [], left)[0]:
            data = readable.recv(65536)
            if not data:
                return
            (other if readable is one else one).sendall(data)


def _connected(port):
    deadline = time.monotonic() + _LISTENING
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=2)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
