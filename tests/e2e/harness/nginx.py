"""nginx from Debian's package, in front of a server of ours: the TLS that people really have there."""

import os

from harness import places
import servers

_CONFIG = """
daemon off; master_process off; pid {directory}/nginx.pid; error_log {directory}/error.log;
events {{}}
http {{
  access_log off; client_body_temp_path {directory}/body; proxy_temp_path {directory}/proxy;
  fastcgi_temp_path {directory}/f; uwsgi_temp_path {directory}/u; scgi_temp_path {directory}/s;
  server {{
    listen {host}:{port} {speaks}; server_name localhost;
    ssl_certificate {cert}; ssl_certificate_key {key};
    {more}
    location / {{ proxy_pass http://127.0.0.1:{behind}; proxy_set_header X-Client-Name $ssl_client_s_dn; }}
  }}
}}
"""


class Nginx:
    def __init__(self, directory, behind, host="127.0.0.1"):
        self.directory = os.path.join(directory, "nginx")
        os.makedirs(self.directory)
        self.host, self.behind, self.process = host, behind, None
        self.port = servers.free_ports(1)[0]

    def start(self, certificate, more="", speaks="ssl"):
        """`certificate`: its file and its key's. `speaks`: ssl, or ssl http2."""
        self.stop()
        cert, key = certificate
        path = os.path.join(self.directory, "nginx.conf")
        with open(path, "w") as file:
            file.write(_CONFIG.format(directory=self.directory, host=self.host, port=self.port, cert=cert, key=key,
                                      behind=self.behind, more=more, speaks=speaks))
        log = os.path.join(self.directory, "log")
        self.process = servers.start_child(["/usr/sbin/nginx", "-c", path, "-e", f"{self.directory}/error.log"], log)
        places.wait_until(lambda: self._answers(log), 10, "nginx answers")
        return self

    def stop(self):
        if self.process is not None:
            servers.stop_child(self.process, 1)
            self.process = None

    def _answers(self, log):
        assert self.process.poll() is None, servers.tail(log)
        # Plain text where TLS is expected: its 400 is an answer.
        return places.get(self.port, "/", timeout=2.0)[0] == 400
