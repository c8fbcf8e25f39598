"""The real world around the program: its Kafka, its Redis, its target, and gates started from the built binary."""

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "deploy", "local"))
import kafka as local_kafka  # noqa: E402
import redis as local_redis  # noqa: E402
import servers  # noqa: E402

import deliveries  # noqa: E402

BUILD = os.environ.get("EINLASS_BUILD", os.path.join(ROOT, "build", "release"))
EINLASS = os.path.join(BUILD, "einlass")
KAFKA_VERSION = os.environ.get("KAFKA_VERSION", local_kafka.LATEST_3)


def now_us():
    return time.time_ns() // 1000


def wait_until(condition, patience, what):
    """Polls until `condition()` is true and returns it; an AssertionError naming `what` when patience runs out."""
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {patience} s")
        time.sleep(0.02)


def tool(name, *arguments, stdin=None):
    """Runs one of tests/tools and returns its output's lines as JSON."""
    done = subprocess.run([os.path.join(BUILD, "tests", "tools", name), *map(str, arguments)], input=stdin,
                          capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"{name} {' '.join(map(str, arguments))}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def get(port, path, method="GET", body=None, timeout=30.0):
    """(status, text); (0, reason) if nobody answers."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()


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


class Receiver:
    """The target: tests/tools/receiver."""

    def __init__(self, directory):
        self.port, self._control = servers.free_ports(2)
        self._log = os.path.join(directory, "receiver.log")
        self.process = servers.start_child(
            [os.path.join(BUILD, "tests", "tools", "receiver"), "--port", str(self.port), "--control-port",
             str(self._control)], self._log)
        wait_until(lambda: get(self._control, "/_summary")[0] == 200, 10, "the receiver")

    def tell(self, mode, **settings):
        self._ask("/_control", "POST", json.dumps({"mode": mode, **settings}))

    def summary(self):
        return json.loads(self._ask("/_summary"))

    def deliveries(self):
        return deliveries.parse(self._ask("/_log"))

    def keep_full(self):
        self._ask("/_keep_full", "POST")

    def full(self):
        """Everything since keep_full() as (head, body), both bytes."""
        lines = [json.loads(line) for line in self._ask("/_full").splitlines()]
        return [(bytes.fromhex(line["head"]), bytes.fromhex(line["body"])) for line in lines]

    def clear(self):
        self._ask("/_clear", "POST")

    def wait_for(self, records, patience):
        """Until so many different records have been accepted."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self.summary()["distinct"] >= records:
                return
            time.sleep(0.1)
        raise AssertionError(f"{records} records expected within {patience} s, the receiver has {self.summary()}")

    def _ask(self, path, method="GET", body=None):
        status, text = get(self._control, path, method, body)
        assert status == 200, f"receiver: {path}: {status} {text}"
        return text


class Gate:
    """One process of the program, under one name, however often it is started."""

    def __init__(self, directory, name, config):
        self.name, self.run = name, 0
        self.port = servers.free_ports(1)[0]
        self._config = merge(config, {"instance": name, "admin": {"listen": f"127.0.0.1:{self.port}"}})
        self._path = os.path.join(directory, f"{name}.json")
        self.log_path = os.path.join(directory, f"{name}.log")
        self.process = None
        self.started_us = 0

    def start(self, wait=True):
        """Each start is a run of its own: its deliveries carry `X-Gate: NAME.RUN`."""
        self.run += 1
        targets = {name: merge(target, {"http": {"headers": {"X-Gate": f"{self.name}.{self.run}"}}})
                   for name, target in self._config["targets"].items()}
        with open(self._path, "w") as file:
            json.dump({**self._config, "targets": targets}, file, indent=1)
        self.started_us = now_us()
        self.process = servers.start_child([EINLASS, "run", "-c", self._path], self.log_path)
        if wait:
            self.wait_until_ready()
        return self

    def wait_until_ready(self, patience=20):
        def ready():
            assert self.process.poll() is None, f"{self.name} ended with {self.process.returncode}:\n{self.log()}"
            return get(self.port, "/readyz", timeout=2.0)[0] == 200
        wait_until(ready, patience, f"{self.name} ready")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self, patience=20, number=signal.SIGTERM):
        """Asks it to go and returns its exit code."""
        self.process.send_signal(number)
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} did not leave within {patience} s:\n{self.log()}") from None

    def status(self):
        code, text = get(self.port, "/v1/status", timeout=2.0)
        return json.loads(text) if code == 200 else {}

    def waiting(self, reason):
        return sum(route["waiting"][reason] for route in self.status().get("routes", []))

    def partitions(self):
        return self.status().get("kafka", {}).get("partitions", [])

    def metrics(self):
        """{name{labels}: value} of its /metrics."""
        code, text = get(self.port, "/metrics")
        assert code == 200, text
        pairs = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
        return 0.0

    def log(self, lines=30):
        return servers.tail(self.log_path, lines)


class World:
    """Everything a scenario needs; stop() ends all of it, whatever happened."""

    def __init__(self, kafka=True, redis=True, seed=None):
        self.directory = tempfile.mkdtemp(prefix="einlass-e2e-")
        self.seed = seed if seed is not None else int.from_bytes(os.urandom(4), "big")
        self.random = random.Random(self.seed)
        self.gates = []
        self.kafka = self.redis = self.receiver = None
        try:
            self.receiver = Receiver(self.directory)
            self.redis = local_redis.Redis().start() if redis else None
            self.kafka = local_kafka.Kafka(KAFKA_VERSION).start() if kafka else None
        except BaseException:
            self.stop()
            raise

    def stop(self):
        for gate in self.gates:
            if gate.process is not None:
                servers.stop_child(gate.process, 0.1)
        for server in (self.kafka, self.redis):
            if server is not None:
                server.stop()
        if self.receiver is not None:
            servers.stop_child(self.receiver.process)
        shutil.rmtree(self.directory, ignore_errors=True)

    def config(self, topic, limit, changes=None):
        """A gate's config: a sliding log of `limit` a second in Redis, one HTTP target, order by partition."""
        settings = {
            "kafka": {"brokers": [self.kafka.brokers], "group": "e2e", "commit_interval": "100ms",
                      "properties": {"auto.offset.reset": "earliest"}},
            "limits": {"shared": {"algorithm": "sliding_log", "limit": limit, "window": "1s", "store": "redis"}},
            "targets": {"receiver": {"http": {"url": f"http://127.0.0.1:{self.receiver.port}/callback",
                                              "timeout": "5s", "max_in_flight": 64}}},
            "routes": [{"name": "results", "topics": [topic], "target": "receiver", "limits": ["shared"],
                        "order": "partition", "retry": {"initial": "100ms", "max": "1s"}}],
        }
        if self.redis is not None:
            settings["redis"] = {"url": self.redis.url, "namespace": "e2e"}
        changes = dict(changes or {})
        route = changes.pop("route", {})
        settings["routes"][0] = merge(settings["routes"][0], route)
        return merge(settings, changes)

    def gate(self, name, config):
        one = Gate(self.directory, name, config)
        self.gates.append(one)
        return one

    def start_gates(self, count, config, partitions):
        """So many gates, ready, and the partitions shared out among them."""
        gates = [self.gate(f"gate-{number + 1}", config).start(wait=False) for number in range(count)]
        for gate in gates:
            gate.wait_until_ready()
        share = partitions // count
        wait_until(lambda: all(len(gate.partitions()) == share for gate in gates), 30,
                   f"{share} partitions for each gate")
        return gates

    def create_topic(self, name, partitions, **configs):
        self.kafka.create_topic(name, partitions, configs)

    def produce(self, topic, records, size=200, **options):
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return tool("kafka_tool", "produce", "-b", self.kafka.brokers, "-t", topic, "--records", records, "--size",
                    size, *words)[0]

    def produce_records(self, topic, records):
        """Records as dicts of partition, key, value (bytes or None) and headers."""
        def hexed(data):
            return None if data is None else data.hex()
        lines = [json.dumps({"partition": record.get("partition", 0), "key": hexed(record.get("key")),
                             "value": hexed(record.get("value")),
                             "headers": [[name, hexed(value)] for name, value in record.get("headers", [])]})
                 for record in records]
        return tool("kafka_tool", "produce-lines", "-b", self.kafka.brokers, "-t", topic,
                    stdin="".join(line + "\n" for line in lines))

    def consume(self, topic):
        return tool("kafka_tool", "consume", "-b", self.kafka.brokers, "-t", topic)

    def ends(self, topic):
        return tool("kafka_tool", "end-offsets", "-b", self.kafka.brokers, "-t", topic)[0]

    def committed(self, topic, group="e2e"):
        found = tool("kafka_tool", "committed", "-b", self.kafka.brokers, "-t", topic, "--group", group)[0]
        return [one["offset"] for one in found]

    def logs(self):
        return "".join(f"--- {gate.name}\n{gate.log()}" for gate in self.gates)
