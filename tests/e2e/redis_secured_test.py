"""Limits in a Redis that nobody enters unchecked: whoever is not who he should be is told nothing, and all goes on by
itself once that is repaired, where it is repaired on disk too."""

import os
import shutil
import socket
import threading
import unittest

from harness import scenario, told
import certificates
import redis as local_redis
import servers

RECORDS = 40


class SecuredRedis(local_redis.Redis):
    """TLS that asks for a certificate, a Unix socket, and the user `gate` with one password; for the test a port in the
    clear."""

    def __init__(self, authority, password):
        self.tls_port = servers.free_ports(1)[0]
        super().__init__()
        self._authority = authority
        self._files = [os.path.join(self.directory, name) for name in ("server.crt", "server.key")]
        self.socket = os.path.join(self.directory, "redis.sock")
        self._arguments = [
            "--tls-port", str(self.tls_port), "--tls-cert-file", self._files[0], "--tls-key-file", self._files[1],
            "--tls-ca-cert-file", authority.file, "--tls-auth-clients", "yes", "--unixsocket", self.socket,
            "--user", "gate", "on", f">{password}", "~e2e:*", "resetchannels", "&e2e:*", *told.redis_rights()]

    def show(self, authority=None, **how):
        """Starts it, or starts it again, with that certificate; `how` as Authority.sign() has it."""
        if self.process is not None:
            self.kill()
        replace(self._files, (authority or self._authority).sign("redis", **how))
        return self.start()


class Tap:
    """Listens in place of the server, and keeps what each connection says first."""

    def __init__(self, port):
        self.heard = []
        self._listener = socket.create_server(("127.0.0.1", port))
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                self.heard.append(connection.recv(65536))
                connection.sendall(b"+OK\r\n" * 9)

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


def replace(old, new):
    """Files by others, each in one piece."""
    for to, path in zip(old, new):
        shutil.copy(path, to + ".new")
        os.replace(to + ".new", to)


def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text + "\n")
    os.replace(path + ".new", path)


class Secured(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        folder = self.world.directory
        self.authority = certificates.Authority(folder)
        self.strangers = certificates.Authority(folder, "strangers")
        self.password = self.world.secret("right-password-5f2c")
        self.files = {name: os.path.join(folder, f"gate-{name}") for name in ("ca_file", "cert_file", "key_file",
                                                                              "password_file")}
        self.pair = [self.files["cert_file"], self.files["key_file"]]
        replace([self.files["ca_file"]], [self.authority.file])
        replace(self.pair, self.authority.sign("gate"))
        write(self.files["password_file"], self.password)
        self.server = SecuredRedis(self.authority, self.password)
        self.addCleanup(self.server.stop)
        self.world.create_topic("results", 2)
        self.produced = 0

    def gate(self, **redis):
        self.produce()
        settings = {"url": f"rediss://127.0.0.1:{self.server.tls_port}/0", "namespace": "e2e", "username": "gate",
                    **self.files, **redis}
        return self.world.gate("gate-1", self.world.config("results", 1000, {"redis": settings}))

    def produce(self):
        self.world.produce("results", RECORDS)
        self.produced += RECORDS

    def assert_nothing_new(self):
        self.assertEqual(self.world.receiver.summary()["distinct"], self.produced - RECORDS)

    def assert_goes_on(self, gate):
        self.world.receiver.wait_for(self.produced, 20, [gate])
        gate.wait_until_ready()
        self.assert_no_duplicates(self.world.receiver.deliveries())
        self.assert_books_closed([gate])

    def test_whoever_is_at_its_port_gets_nothing_unless_it_is_verified(self):
        tap = Tap(self.server.tls_port)
        gate = self.gate().start(wait=False)
        self.assert_told(gate, "TLS failed")
        tap.stop()
        self.assertTrue(tap.heard)
        for said in tap.heard:
            self.assertEqual(said[:2], b"\x16\x03", "something else than a greeting of TLS")
            self.assertNotIn(self.password.encode(), said)
        for reason, how in (("unable to get local issuer certificate", {"authority": self.strangers}),
                            ("IP address mismatch", {"names": ["DNS:elsewhere.example"]}),
                            ("certificate has expired", {"expired": True})):
            self.server.show(**how)
            self.assert_told(gate, f"the server's certificate is not accepted: {reason}")
        self.assert_check_says(gate, "certificate has expired")
        self.assertNotIn("auth", self.server.command_calls())
        self.assert_nothing_new()
        self.server.show()
        self.assert_goes_on(gate)
        self.assert_check_is_good(gate)

    def test_what_is_wrong_or_renewed_on_disk(self):
        replace(self.pair, self.strangers.sign("gate"))
        write(self.files["password_file"], self.world.secret("wrong-password-77"))
        self.server.show()
        gate = self.gate().start(wait=False)
        self.assert_told(gate, "unknown ca")
        replace(self.pair, self.authority.sign("gate"))
        self.assert_told(gate, "WRONGPASS")
        self.assert_nothing_new()
        write(self.files["password_file"], self.password)
        self.assert_goes_on(gate)
        self.revoke(gate)
        self.another_authority(gate)

    def revoke(self, gate):
        """The password that a connection came with is taken back, and the connection with it."""
        later = self.world.secret("later-password-91")
        self.server.ask("ACL", "SETUSER", "gate", "resetpass", f">{later}")
        self.server.ask("CLIENT", "KILL", "USER", "gate")
        self.assert_told(gate, "WRONGPASS")
        self.produce()
        self.assert_nothing_new()
        write(self.files["password_file"], later)
        self.assert_goes_on(gate)
        write(self.files["password_file"], self.password)

    def another_authority(self, gate):
        later = certificates.Authority(self.world.directory, "later")
        self.server.show(authority=later)
        self.assert_told(gate, "unable to get local issuer certificate")
        self.produce()
        self.assert_nothing_new()
        replace([self.files["ca_file"]], [later.file])
        self.assert_goes_on(gate)

    def test_a_unix_socket(self):
        self.server.show()
        only_tls = {name: None for name in ("ca_file", "cert_file", "key_file")}
        gate = self.gate(url=f"unix://{self.server.socket}")
        gate.change({"redis": only_tls})
        gate.start()
        self.assert_goes_on(gate)
        self.server.kill()
        self.assert_told(gate, self.server.socket)
        self.produce()
        self.assert_nothing_new()
        self.server.start()
        self.assert_goes_on(gate)
        self.in_the_clear(gate)
        self.removing_keys(gate)

    def in_the_clear(self, gate):
        """Said once of an address where others may read along: this one is the machine's own, but no loopback."""
        self.assertNotIn("redis_in_the_clear", gate.log(1000))
        self.assertNotIn("redis_subscribe", gate.log(1000))
        self.assertEqual(gate.terminate(), 0)
        gate.change({"redis": {"url": f"redis://0.0.0.0:{self.server.port}/0"}})
        gate.start()
        self.produce()
        self.assert_goes_on(gate)
        self.assertEqual(gate.log(1000).count("redis_in_the_clear"), 1)

    def removing_keys(self, gate):
        """A limit whose key is gone starts over. Said once too, and by the check, which passes all the same."""
        self.assertNotIn("redis_evicts", gate.log(1000))
        self.assertEqual(gate.terminate(), 0)
        self.server.ask("ACL", "SETUSER", "gate", "+info")  # Without it the gate cannot know.
        for name, value in (("maxmemory", "64mb"), ("maxmemory-policy", "volatile-ttl")):
            self.server.ask("CONFIG", "SET", name, value)
        good, said = self.check(gate)
        self.assertTrue(good, said)
        self.assertIn("has maxmemory-policy volatile-ttl: ", said)
        gate.start()
        self.produce()
        self.assert_goes_on(gate)
        self.assertEqual(gate.log(1000).count("redis_evicts"), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
