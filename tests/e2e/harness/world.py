"""The real world around the program: its Kafka, its Redis, its target, and gates started from the built binary."""

import json
import os
import random
import shutil
import subprocess
import tempfile

from harness.places import BUILD, PATIENCE, wait_until
from harness.gate import Gate, merge
import kafka as local_kafka
from harness import lent_kafka, reports, secrets_told
from harness.receiver import Receiver
import redis as local_redis
import servers

KAFKA_VERSION = os.environ.get("KAFKA_VERSION", local_kafka.LATEST_3)
# partition.assignment.strategy, where it is not the default.
ASSIGNMENT = os.environ.get("EINLASS_ASSIGNMENT")


def tool(name, *arguments, stdin=None):
    """Runs one of tests/tools and returns its output's lines as JSON."""
    done = subprocess.run([os.path.join(BUILD, "tests", "tools", name), *map(str, arguments)], input=stdin,
                          capture_output=True, text=True, timeout=300 * PATIENCE)
    if done.returncode:
        raise AssertionError(f"{name} {' '.join(map(str, arguments))}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def produce_lines(records):
    """Records as World.produce_records() has them, as `kafka_tool produce-lines` reads them."""
    def hexed(data):
        return None if data is None else data.hex()
    return "".join(json.dumps({"partition": record.get("partition", 0), "key": hexed(record.get("key")),
                               "value": hexed(record.get("value")),
                               "headers": [[name, hexed(value)] for name, value in record.get("headers", [])]}) + "\n"
                   for record in records)


class World:
    """Everything a scenario needs; stop() ends all of it, whatever happened, and is an error if a sanitizer spoke, or if
    anything that a gate said, in its log or on its pages, has a secret in it that the scenario gave to it."""

    def __init__(self, kafka=True, redis=True, seed=None, own_kafka=False):
        """`own_kafka`: one that the scenario may stop and kill; else one that is lent, where there are such."""
        self.directory = tempfile.mkdtemp(prefix="einlass-e2e-")
        self.seed = seed if seed is not None else int.from_bytes(os.urandom(4), "big")
        self.random = random.Random(self.seed)
        self.gates, self.producers = [], []
        self.secrets = set()
        self.kafka = self.redis = self.receiver = None
        try:
            self.receiver = Receiver(self.directory)
            self.redis = local_redis.Redis().start() if redis else None
            if kafka:
                lent = None if own_kafka else lent_kafka.borrow(KAFKA_VERSION)
                self.kafka = lent or local_kafka.Kafka(KAFKA_VERSION).start()
        except BaseException:
            self.stop()
            raise

    def secret(self, text):
        """One that stands in no config of a gate."""
        self.secrets.add(text)
        return text

    def all_secrets(self):
        """That one, and those of the gates' configs."""
        for gate in self.gates:
            gate.note_secrets()
        return self.secrets.union(*(gate.secrets for gate in self.gates))

    def secrets_told(self):
        """Where one stands that nobody is to see; "" if nowhere."""
        secrets = self.all_secrets()
        return secrets_told.told(secrets, secrets_told.said_by(self.gates, self.directory)) if secrets else ""

    def stop(self):
        try:
            told = self.secrets_told()
        except Exception as error:  # All of it is to end in any case.
            told = f"the search for secrets: {error!r}"
        for gate in self.gates:
            if gate.process is not None:
                servers.stop_child(gate.process, 0.1)
        for producer in self.producers:  # A broker that is lent goes on without us.
            servers.stop_child(producer)
        for server in (self.kafka, self.redis):
            if server is not None:
                server.stop()
        if self.receiver is not None:
            servers.stop_child(self.receiver.process)
        found = reports.in_logs(self.directory)
        shutil.rmtree(self.directory, ignore_errors=True)
        assert not found, found
        assert not told, told

    def config(self, topic, limit, changes=None):
        """A gate's config: a sliding log of `limit` a second in Redis, one HTTP target, order by partition."""
        settings = {
            "kafka": {"brokers": [self.kafka.brokers], "group": "e2e", "commit_interval": "100ms"},
            "limits": {"shared": {"algorithm": "sliding_log", "limit": limit, "window": "1s", "store": "redis"}},
            "targets": {"receiver": {"http": {"url": f"http://127.0.0.1:{self.receiver.port}/callback",
                                              "timeout": "5s", "max_in_flight": 64}}},
            "routes": [{"name": "results", "topics": [topic], "target": "receiver", "limits": ["shared"],
                        "order": "partition", "retry": {"initial": "100ms", "max": "1s"}}],
        }
        if self.redis is not None:
            settings["redis"] = {"url": self.redis.url, "namespace": "e2e"}
        if ASSIGNMENT:
            settings["kafka"]["properties"] = {"partition.assignment.strategy": ASSIGNMENT}
        changes = dict(changes or {})
        route = changes.pop("route", {})
        settings["routes"][0] = merge(settings["routes"][0], route)
        return merge(settings, changes)

    def gate(self, name, config, instance=None):
        one = Gate(self.directory, name, config, instance)
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
        return tool("kafka_tool", *self._produce_arguments(topic, records, size, options))[-1]

    def start_producing(self, topic, records, size=200, **options):
        """The same beside us: a process to wait for, that ends with 0 once all is in Kafka."""
        arguments = self._produce_arguments(topic, records, size, options)
        return self._start_tool(arguments, "producer.log")

    def slow_in_kafka(self):
        """[(when sent, when taken)], us, of the records of start_producing(rate=...) that Kafka took only after 50 ms."""
        with open(os.path.join(self.directory, "producer.log"), encoding="utf-8") as log:
            told = [json.loads(line) for line in log if line.startswith('{')]
        return [(one["taken_us"] - one["after_us"], one["taken_us"]) for one in told if "taken_us" in one]

    def start_lines(self, topic):
        """A process that takes what produce_lines() makes, line by line, until its stdin is closed."""
        return self._start_tool(["produce-lines", "-b", self.kafka.brokers, "-t", topic], "lines.log", stdin=subprocess.PIPE,
                                text=True)

    def _start_tool(self, arguments, log, **options):
        """The kafka_tool, until stop() at the latest."""
        self.producers.append(servers.start_child([os.path.join(BUILD, "tests", "tools", "kafka_tool"), *arguments],
                                                  os.path.join(self.directory, log), **options))
        return self.producers[-1]

    def _produce_arguments(self, topic, records, size, options):
        words = ["produce", "-b", self.kafka.brokers, "-t", topic, "--records", str(records), "--size", str(size)]
        for name, value in options.pop("properties", {}).items():
            words += ["-X", f"{name}={value}"]
        for name, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                words += [f"--{name}", str(one)]
        return words

    def produce_records(self, topic, records):
        """Records as dicts of partition, key, value (bytes or None) and headers."""
        return tool("kafka_tool", "produce-lines", "-b", self.kafka.brokers, "-t", topic, stdin=produce_lines(records))

    def consume(self, topic):
        return tool("kafka_tool", "consume", "-b", self.kafka.brokers, "-t", topic)

    def ends(self, topic):
        return tool("kafka_tool", "end-offsets", "-b", self.kafka.brokers, "-t", topic)[0]

    def committed(self, topic, group="e2e"):
        found = tool("kafka_tool", "committed", "-b", self.kafka.brokers, "-t", topic, "--group", group)[0]
        return [one["offset"] for one in found]

    def logs(self):
        return "".join(f"--- {gate.name}\n{gate.log()}" for gate in self.gates)
