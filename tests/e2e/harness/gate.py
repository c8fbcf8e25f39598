"""One gate of the fleet: the built binary with a config of its own."""

import json
import os
import signal
import ssl
import subprocess

from harness.places import EINLASS, PATIENCE, get, now_us, wait_until
from harness import secrets_told
import servers

# The version of librdkafka that each gate has to run with; "" for whichever is installed.
LIBRDKAFKA = os.environ.get("EINLASS_LIBRDKAFKA", "")


def merge(settings, changes):
    """`settings` with `changes` laid over it, map by map. A change to None takes the setting away."""
    merged = dict(settings)
    for name, value in changes.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict) and isinstance(merged.get(name), dict):
            merged[name] = merge(merged[name], value)
        else:
            merged[name] = value
    return merged


class Gate:
    """One process of the program, under one name, however often it is started."""

    def __init__(self, directory, name, config, instance=None):
        self.name, self.run = name, 0
        self.port = servers.free_ports(1)[0]
        self._config = merge(config, {"instance": instance or name, "admin": {"listen": f"127.0.0.1:{self.port}"}})
        self.path = os.path.join(directory, f"{name}.json")
        self.log_path = os.path.join(directory, f"{name}.log")
        self.program, self.options = EINLASS, []  # Of its command line.
        self.before = []  # What stands before the program there.
        self.process = None
        self.started_us = 0
        self.secrets = set()

    def change(self, changes):
        """Its config from now on: for the next start, or for a reload."""
        self._config = merge(self._config, changes)
        self._write()

    def reload(self, changes):
        """Its config from now on, read while it runs: the status and the text that say what came of it."""
        self.change(changes)
        return self.get("/-/reload", "POST")

    def note_secrets(self):
        """Those of its config and of the files there, as they are now: none of them is ever to be shown."""
        self.secrets |= secrets_told.of_config(self._config)

    def _write(self):
        self.note_secrets()
        named = {"http": {"headers": {"X-Gate": f"{self.name}.{self.run}"}}}
        targets = {name: merge(target, named) if "http" in target else target
                   for name, target in self._config["targets"].items()}
        with open(self.path, "w") as file:
            json.dump({**self._config, "targets": targets}, file, indent=1)

    def start(self, wait=True):
        """Each start is a run of its own: its deliveries carry `X-Gate: NAME.RUN`."""
        self.run += 1
        self._write()
        self.started_us = now_us()
        self.process = servers.start_child([*self.before, self.program, "run", "-c", self.path, *self.options], self.log_path)
        if wait:
            self.wait_until_ready()
        return self

    def wait_until_ready(self, patience=60):
        def ready():
            assert self.process.poll() is None, f"{self.name} ended with {self.process.returncode}:\n{self.log()}"
            return self.get("/readyz", timeout=2.0)[0] == 200
        wait_until(ready, patience, f"{self.name} ready")
        if LIBRDKAFKA:  # What passed with another one would show nothing.
            said = self.get("/metrics")[1]
            assert f'librdkafka="{LIBRDKAFKA}"' in said, f"{self.name} does not run with librdkafka {LIBRDKAFKA}:\n{said[:500]}"

    def kill(self):
        """Of one that works: what had ended by itself would pass for one that was killed."""
        assert self.process.poll() is None, f"{self.name} ended by itself with {self.process.returncode}:\n{self.log()}"
        self.process.kill()
        self.process.wait()

    def terminate(self, patience=20, number=signal.SIGTERM):
        """Asks it to go and returns its exit code."""
        patience *= PATIENCE
        self.process.send_signal(number)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} did not leave within {patience} s:\n{self.log()}") from None

    def get(self, path, method="GET", timeout=30.0):
        """Asks an admin page as whoever may: with its token as it is now, and by TLS if it speaks it."""
        admin, headers = self._config["admin"], {}
        if "token_file" in admin:
            with open(admin["token_file"]) as file:
                headers["Authorization"] = f"Bearer {file.read().strip()}"
        elif "token" in admin:
            headers["Authorization"] = f"Bearer {admin['token']}"
        tls = ssl._create_unverified_context() if "tls" in admin else None  # Who shows what is judged elsewhere.
        return get(self.port, path, method, timeout=timeout, headers=headers, tls=tls)

    def status(self):
        code, text = self.get("/v1/status", timeout=2.0)
        return json.loads(text) if code == 200 else {}

    def waiting(self, reason):
        return sum(route["waiting"][reason] for route in self.status().get("routes", []))

    def partitions(self):
        return self.status().get("kafka", {}).get("partitions", [])

    def metrics(self):
        """{name{labels}: value} of its /metrics."""
        code, text = self.get("/metrics")
        assert code == 200, text
        pairs = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self, field="VmRSS:"):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith(field):
                    return int(line.split()[1]) / 1024
        return 0.0

    def most_resident_mb(self):
        return self.resident_mb("VmHWM:")

    def log(self, lines=30):
        return servers.tail(self.log_path, lines)
