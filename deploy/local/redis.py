#!/usr/bin/env python3
"""A real redis-server on a free port of this machine, with its data in a temporary directory and nothing saved.

    redis.py [--port PORT] [--detach] [-- --requirepass secret ...]

prints `url=redis://127.0.0.1:PORT/0 pid=PID dir=DIR` once it answers, and stays until SIGTERM, SIGINT or the end of a
piped stdin.

As a module: Redis().start() ... kill() ... start() (comes back empty) ... pause() ... resume() ... stop().
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import servers  # noqa: E402

_START_DEADLINE_S = 20.0
_CLUSTER_BUS = 10000  # A node of a cluster listens there too, above its port.


class RedisError(RuntimeError):
    pass


def ask(port, *words, timeout=5.0):
    """One command to the server on that port. Numbers come back as int, texts as str, nil as None, arrays as lists."""
    request = f"*{len(words)}\r\n".encode()
    for word in words:
        data = str(word).encode()
        request += f"${len(data)}\r\n".encode() + data + b"\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout) as connection:
        connection.sendall(request)
        with connection.makefile("rb") as answer:
            return _read(answer)


def _read(answer):
    line = answer.readline().rstrip(b"\r\n").decode()
    kind, rest = line[:1], line[1:]
    if kind == "-":
        raise RedisError(rest)
    if kind == ":":
        return int(rest)
    if kind == "$":
        return None if rest == "-1" else answer.read(int(rest) + 2)[:-2].decode()
    if kind == "*":
        return [_read(answer) for _ in range(int(rest))]
    return rest


class Redis:
    """One server. It dies with the thread that called start(); what it held dies with each stop."""

    def __init__(self, port=None, arguments=(), before=()):
        """`before`: what stands before the program on its command line."""
        self.directory = tempfile.mkdtemp(prefix="einlass-redis-")
        self.process = None
        self.port = port
        self._arguments, self._before = list(arguments), list(before)

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self):
        return self.process.pid

    @property
    def log_path(self):
        return os.path.join(self.directory, "server.log")

    def start(self):
        """Starts it, or starts it again on the port it had, empty. Returns once it answers."""
        chosen = self.port is not None
        beside = _CLUSTER_BUS if "--cluster-enabled" in self._arguments else 0
        for attempt in range(3):
            self.port = self.port if chosen else servers.free_ports(1, beside)[0]
            self.process = servers.start_child(
                [*self._before, "redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", self.directory,
                 "--save", "", "--appendonly", "no", *self._arguments], self.log_path)
            try:
                self._wait_until_it_answers()
                return self
            except RedisError:
                servers.stop_child(self.process)
                if chosen or attempt == 2:
                    raise
        return self

    def stop(self):
        """The end of everything that start() made. Harmless when it is down."""
        if self.process is not None:
            servers.stop_child(self.process)
        shutil.rmtree(self.directory, ignore_errors=True)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        """SIGSTOP: connections stand, nothing answers."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def ask(self, *words, timeout=5.0):
        """One command, as ask() above."""
        return ask(self.port, *words, timeout=timeout)

    def command_calls(self):
        """{command: (calls, microseconds)} since the start or the last CONFIG RESETSTAT."""
        found = {}
        for line in self.ask("INFO", "commandstats").splitlines():
            if line.startswith("cmdstat_"):
                name, _, values = line[len("cmdstat_"):].partition(":")
                fields = dict(pair.split("=") for pair in values.split(","))
                found[name] = (int(fields["calls"]), int(fields["usec"]))
        return found

    def _wait_until_it_answers(self):
        deadline = time.monotonic() + _START_DEADLINE_S
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RedisError(f"redis-server ended by itself:\n{servers.tail(self.log_path)}")
            try:
                self.ask("PING", timeout=1.0)
                return
            except RedisError as error:
                if str(error).startswith("NOAUTH"):
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise RedisError(f"redis-server did not answer:\n{servers.tail(self.log_path)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--port", type=int, help="default: a free one")
    parser.add_argument("--detach", action="store_true", help="return once it answers; end it by its pid")
    parser.add_argument("arguments", nargs="*", help="for redis-server, after --")
    options = parser.parse_args()
    redis = Redis(options.port, options.arguments)
    return servers.run_in_foreground(
        redis, lambda one: f"url={one.url} pid={one.pid} dir={one.directory}", options.detach)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RedisError, OSError, subprocess.SubprocessError) as error:
        servers.fail(error)
