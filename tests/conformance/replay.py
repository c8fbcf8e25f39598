"""`einlass replay` on a trace: a config of limits is wrapped into a whole one, and the answers come back as objects."""

import itertools
import json
import os
import subprocess
import tempfile

STORES = ("memory", "redis")


class ReplayError(RuntimeError):
    pass


class Replay:
    """The program, and the Redis that --store redis uses. Each run has keys of its own."""

    _runs = itertools.count()

    def __init__(self, einlass, redis_url):
        self.einlass = einlass
        self.redis_url = redis_url

    def config(self, limits):
        return {"kafka": {"brokers": ["127.0.0.1:9"]},
                "redis": {"url": self.redis_url, "namespace": f"t{os.getpid()}-{next(self._runs)}", "timeout": "60s"},
                "limits": {name: {**options, "store": "redis"} for name, options in limits.items()},
                "targets": {"none": {"http": {"url": "http://127.0.0.1:9/"}}},
                "routes": [{"name": "none", "topics": ["none"], "target": "none", "limits": []}]}

    def answers(self, store, limits, asked, lines):
        """What the trace is answered, a list like `lines`."""
        return [json.loads(line) for line in self.text(store, limits, asked, trace_of(lines)).splitlines()]

    def text(self, store, limits, asked, trace):
        """What it prints for the trace, which is text too."""
        with tempfile.TemporaryDirectory(prefix="einlass-replay-") as directory:
            config = os.path.join(directory, "gate.yaml")
            with open(config, "w", encoding="utf-8") as file:
                json.dump(self.config(limits), file)
            done = subprocess.run([self.einlass, "replay", "-c", config, "--limits", ",".join(asked), "--trace", "-",
                                   "--store", store], input=trace, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ReplayError(f"replay on {store} left with {done.returncode}: {done.stderr.strip()[:2000]}")
        if done.stdout.count("\n") != trace.count("\n"):
            raise ReplayError(f"replay on {store} did not answer each line")
        return done.stdout


def trace_of(lines):
    return "".join(json.dumps(line) + "\n" for line in lines)
