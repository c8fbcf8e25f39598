"""Which programs and libraries the tests run with."""

import re
import subprocess


def _first(command, pattern):
    """What the pattern finds in what the command says; "?" for one that is not there."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "?"
    found = re.search(pattern, said.stdout + said.stderr)
    return found.group(1) if found else "?"


def told(brokers):
    """One line for people. `brokers`: the versions of Kafka."""
    system = _first(["cat", "/etc/os-release"], r'PRETTY_NAME="([^"]*)"')
    number = r"(\d+(?:\.\d+)+)"
    return ", ".join([
        f"{system}", f"Kafka {' and '.join(brokers)}", f"Redis {_first(['redis-server', '--version'], 'v=' + number)}",
        *(f"{name} {_first(['pkg-config', '--modversion', package], number)}" for name, package in
          (("librdkafka", "rdkafka"), ("hiredis", "hiredis"), ("nghttp2", "libnghttp2"), ("OpenSSL", "openssl"))),
        f"g++ {_first(['g++', '--version'], number)}", f"Prometheus {_first(['prometheus', '--version'], number)}",
        f"Python {_first(['/usr/bin/python3', '--version'], number)}"])
