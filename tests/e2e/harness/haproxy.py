"""HAProxy from Debian's package before the receiver: HTTP/2 in TLS at one port, HTTP/1.1 at another."""

import os

from harness import places
import servers

_CONFIG = """
global
  log stdout format raw local0 info
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:{tls_port} ssl crt {certificate} alpn h2,http/1.1
  bind 127.0.0.1:{plain_port}
  http-request set-header X-Gate h%[fc_http_major].{run}
  http-request return status 200 if {{ path / }}
  default_backend receiver
backend receiver
  server receiver 127.0.0.1:{behind}
"""


class Haproxy:
    """`certificate`: its file and its key's. What it hands on says in X-Gate through which version of HTTP it came, and
    through which run: `h2.1`."""

    def __init__(self, directory, behind, certificate):
        self.directory, self.behind, self.run, self.process = directory, behind, 0, None
        self.tls_port, self.plain_port = servers.free_ports(2)
        self._certificate = os.path.join(directory, "haproxy.pem")
        with open(self._certificate, "w") as both:
            for path in certificate:
                with open(path) as one:
                    both.write(one.read())

    def start(self, *arguments):
        self.run += 1
        path = os.path.join(self.directory, f"haproxy-{self.run}.cfg")
        with open(path, "w") as file:
            file.write(_CONFIG.format(tls_port=self.tls_port, plain_port=self.plain_port, behind=self.behind,
                                      certificate=self._certificate, run=self.run))
        log = os.path.join(self.directory, f"haproxy-{self.run}.log")
        self.process = servers.start_child(["/usr/sbin/haproxy", "-db", "-f", path, *arguments], log)
        places.wait_until(lambda: self._answers(log), 10, "haproxy answers")
        return self

    def reload(self):
        """As its package does it: another one takes the ports, and tells this one to finish what it has and to go."""
        old = self.process
        self.start("-sf", str(old.pid))
        assert old.wait(20 * places.PATIENCE) == 0, "the old haproxy did not leave in peace"

    def stop(self):
        if self.process is not None:
            servers.stop_child(self.process, 1)

    def _answers(self, log):
        assert self.process.poll() is None, servers.tail(log)
        return places.get(self.plain_port, "/", timeout=2.0)[0] != 0
