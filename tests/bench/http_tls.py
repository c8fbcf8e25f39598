#!/usr/bin/env python3
"""What a delivery over TLS costs the gate: http_bench at an nginx that answers 204.

    http_tls.py [BUILD]
"""

import os
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from harness import places  # noqa: E402
import certificates  # noqa: E402
import servers  # noqa: E402

_CONFIG = """
daemon off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/nginx.log warn;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {directory}/body;
  keepalive_requests 100000000;
  keepalive_timeout 600;
  server {{
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    location / {{ return 204; }}
  }}
}}
"""


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else places.BUILD
    with tempfile.TemporaryDirectory() as directory:
        authority = certificates.Authority(directory)
        certificate, key = authority.sign("good")
        port = servers.free_ports(1)[0]
        path = os.path.join(directory, "nginx.conf")
        with open(path, "w") as file:
            file.write(_CONFIG.format(directory=directory, port=port, certificate=certificate, key=key))
        nginx = servers.start_child(["/usr/sbin/nginx", "-c", path, "-e", os.path.join(directory, "nginx.err")],
                                    os.path.join(directory, "nginx.out"))
        try:
            places.wait_until(lambda: _listens(port), 10, "nginx listens")
            return subprocess.run([os.path.join(build, "tests", "bench", "http_bench"), str(port), authority.file],
                                  check=False).returncode
        finally:
            servers.stop_child(nginx, 1)


def _listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


if __name__ == "__main__":
    sys.exit(main())
