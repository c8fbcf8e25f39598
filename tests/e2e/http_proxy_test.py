"""A target behind a real proxy (tinyproxy): with its login, without it, and where the proxy refuses."""

import os
import unittest

from harness import http_scenario, nginx, places
import certificates
import servers

_CONFIG = """
Port {port}
Listen 127.0.0.1
Timeout 600
LogFile "{directory}/tinyproxy.log"
LogLevel Connect
MaxClients 100
BasicAuth {login}
{more}
"""


class Tinyproxy:
    def __init__(self, directory, login):
        self.directory, self.login, self.process = directory, login, None
        self.port = servers.free_ports(1)[0]

    def start(self, more=""):
        self.stop()
        path = os.path.join(self.directory, "tinyproxy.conf")
        with open(path, "w") as file:
            file.write(_CONFIG.format(port=self.port, directory=self.directory, login=self.login, more=more))
        self.process = servers.start_child(["/usr/bin/tinyproxy", "-d", "-c", path],
                                           os.path.join(self.directory, "tinyproxy.out"))
        places.wait_until(lambda: places.get(self.port, "/", timeout=2.0)[0] != 0, 10, "tinyproxy answers")

    def stop(self):
        if self.process is not None:
            servers.stop_child(self.process, 1)
            self.process = None

    def log(self):
        with open(os.path.join(self.directory, "tinyproxy.log")) as file:
            return file.read()


class Proxies(http_scenario.HttpScenario):
    def setUp(self):
        super().setUp()
        self.password = self.secret("open-sesame-42")
        self.proxy = Tinyproxy(self.world.directory, f"gate {self.password}")
        self.addCleanup(self.proxy.stop)
        self.receiver = self.answering()

    def url(self, login):
        return f"http://{login}@127.0.0.1:{self.proxy.port}"

    def test_plain_and_a_wrong_password(self):
        self.proxy.start()
        path = os.path.join(self.world.directory, "proxy")
        with open(path, "w") as file:
            file.write(self.url(f"gate:{self.password}") + "\n")
        self.produce()
        wrong = self.secret("wrong-and-long")
        gate = self.gate({"url": f"http://127.0.0.1:{self.receiver.port}/", "proxy": self.url(f"gate:{wrong}")},
                         wait=False)
        self.wait_until_unusable(gate, "the proxy refuses the way: status 401")
        self.assertEqual(self.receiver.requests(), [])
        self.assertEqual(gate.terminate(), 0, gate.log())
        gate.change({"targets": {"receiver": {"http": {"proxy": None, "proxy_file": path}}}})
        gate.start(wait=False)
        self.assert_delivered(self.receiver)
        gate.wait_until_ready()
        self.assertIn(f"CONNECT 127.0.0.1:{self.receiver.port}", self.proxy.log())
        self.assert_no_secret_is_told()

    def test_tls_and_a_proxy_that_refuses(self):
        authority = certificates.Authority(self.world.directory)
        server = nginx.Nginx(self.world.directory, self.receiver.port)
        self.addCleanup(server.stop)
        server.start(authority.sign("good"))
        self.proxy.start("ConnectPort 443")
        self.produce()
        gate = self.gate({"url": f"https://127.0.0.1:{server.port}/", "ca_file": authority.file,
                          "proxy": self.url(f"gate:{self.password}")}, wait=False)
        self.wait_until_unusable(gate, "the proxy refuses the way: status 403")
        self.assert_check_says(gate, "the proxy refuses the way: status 403")
        self.assertEqual(self.receiver.requests(), [])
        self.proxy.start()
        self.assert_delivered(self.receiver)
        gate.wait_until_ready()
        self.assert_check_is_good(gate)
        self.assert_no_secret_is_told()


if __name__ == "__main__":
    unittest.main(verbosity=2)
