"""Redis, Kafka and two targets on one side of the wire, the gate on the other."""

import json
import os
import shutil
import tempfile
import time

import certificates
import history
from harness import nginx, places, reports, world
from harness.gate import Gate, merge
import judge
import kafka as local_kafka
import names
import namespaces
import network
import redis as local_redis
import servers

LIMIT = 100        # A second, of the route that is judged, in Redis.
BESIDE = 50        # A second, of the route beside, in the gate.
PARTITIONS = 4
KEYS = 200         # So many records can be on their way to a target at once.
SIZE = 1000
IN_FLIGHT = 200
GROUP = "weather"
ROUTES = {"main": "target", "beside": "other"}
OPEN = ["--bind", "0.0.0.0", "--protected-mode", "no"]  # A Redis for others than this machine's.
_LOOK_S = 0.5

# Beside what the local broker has: a listener for the gate, at the end of the wire.
_LISTENERS = """listeners=PLAINTEXT://127.0.0.1:{tools},GATE://0.0.0.0:{gate},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{tools},GATE://{host}:{gate}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,GATE:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.quorum.voters=1@127.0.0.1:{controller}
"""


class FarGate(Gate):
    """A gate in a network of its own: it is started there and asked there."""

    def __init__(self, network_, *arguments):
        self._network = network_
        super().__init__(*arguments)

    def start(self, wait=True):
        with self._network.entered():
            return super().start(wait)

    def get(self, *arguments, **options):
        with self._network.entered():
            return super().get(*arguments, **options)


class Stage:
    """From start() on everything is there, with a topic for each route and each of `topics`."""

    def __init__(self, topics, changes=None, by_name=False, tls=""):
        """`by_name`: the gate knows the servers by names, which our own DNS server tells it. `tls`: a real nginx stands before the
        target of the route that is judged, and speaks that: "ssl", or "ssl http2"."""
        self.topics, self._changes, self._by_name, self._tls = topics, changes or {}, by_name, tls
        self.directory = tempfile.mkdtemp(prefix="einlass-weather-")
        self.networks = self.redis = self.kafka = self.targets = self.gate = self.nginx = None
        self._seen = []  # What targets saw that have ended.

    def start(self):
        self.networks = namespaces.Networks(self.directory)
        self.ports = dict(zip(["tools", "gate", "controller", "redis", "target", "other"], servers.free_ports(6)))
        self.names = names.Names({self._host(name): address for name, address in namespaces.SERVERS.items()})
        self._start_redis()
        self.kafka = local_kafka.Kafka(world.KAFKA_VERSION, port=self.ports["tools"],
                                       extra=_LISTENERS.format(host=self._host("kafka"), **self.ports)).start()
        self._start_targets()
        if self._tls:
            self._start_tls()
        for name in self.topics:
            for route in ROUTES:
                self.kafka.create_topic(f"{route}-{name}", PARTITIONS)
        self.gate = FarGate(self.networks.gate, self.directory, "gate", merge(self._config(), self._changes))
        if self._by_name:
            self.gate.before = self._with_our_names()
        self.gate.start()
        return self

    def _host(self, server):
        return f"{server}.weather.test" if self._by_name else namespaces.SERVERS[server]

    def _with_our_names(self):
        """What stands before a program that is to ask our DNS server, and nobody else."""
        path = os.path.join(self.directory, "resolv.conf")
        with open(path, "w") as file:
            file.write(f"nameserver {names.ADDRESS}\noptions timeout:1 attempts:2\n")
        return ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc/resolv.conf && exec "$@"', path]

    def move(self, server):
        """To another address. Whoever is connected to the old one is not told, nor is the name."""
        self.networks.move(server)

    def name(self, server, address):
        """What its name leads to from now on; None: there is no such name."""
        self.names.addresses[self._host(server)] = address

    def _start_redis(self):
        self.redis = local_redis.Redis(self.ports["redis"], OPEN).start()

    def _start_targets(self):
        self.targets = network.Network(self.directory, [], [
            {"name": name, "port": self.ports[name], "host": "0.0.0.0"} for name in ROUTES.values()],
            servers.start_child)

    def _start_tls(self):
        authority = certificates.Authority(self.directory)
        self.nginx = nginx.Nginx(self.directory, self.ports["target"], "0.0.0.0")
        self.nginx.start(authority.sign("target", [f"IP:{namespaces.SERVERS['target']}"]), speaks=self._tls)
        self._changes = merge(self._changes, {"targets": {"target": {"http": {
            "url": f"https://{namespaces.SERVERS['target']}:{self.nginx.port}/target", "ca_file": authority.file,
            "http2": "always" if "http2" in self._tls else "never"}}}})

    def _config(self):
        def at(name):
            return f"{self._host(name)}:{self.ports[name if name != 'kafka' else 'gate']}"
        return {
            "kafka": {"brokers": [at("kafka")], "group": GROUP, "auto_offset_reset": "earliest"},
            "redis": {"url": f"redis://{at('redis')}/0", "namespace": "weather"},
            "limits": {"shared": {"algorithm": "sliding_log", "limit": LIMIT, "window": "1s", "store": "redis"},
                       "own": {"algorithm": "sliding_log", "limit": BESIDE, "window": "1s", "store": "memory"}},
            "targets": {name: {"http": {"url": f"http://{at(name)}/{name}", "timeout": "5s", "max_in_flight": IN_FLIGHT}}
                        for name in ROUTES.values()},
            "routes": [{"name": route, "topics": [f"{route}-{name}" for name in self.topics], "target": target,
                        "order": "key", "limits": ["shared" if route == "main" else "own"],
                        "retry": {"initial": "100ms", "max": "1s"}} for route, target in ROUTES.items()],
        }

    def restart(self, server):
        """Without a word to whoever is connected, if its link is silent meanwhile. It forgets what it may."""
        if server == "target":
            self._seen += self._history()
            self.targets.process.kill()
            self.targets.process.wait()
            self._start_targets()
        else:
            one = {"redis": self.redis, "kafka": self.kafka}[server]
            one.kill()
            one.start()

    def produce(self, topic, records):
        """At once: what follows goes at the pace of the limit."""
        world.tool("kafka_tool", "produce", "-b", self.kafka.brokers, "-t", topic, "--records", records, "--keys", KEYS,
                   "--size", SIZE)

    def finished(self, topic):
        """Whether Kafka knows that all of the topic is done."""
        where = ["-b", self.kafka.brokers, "-t", topic]
        ends = world.tool("kafka_tool", "end-offsets", *where)[0]
        done = world.tool("kafka_tool", "committed", *where, "--group", GROUP)[0]
        return [one["offset"] or 0 for one in done] == ends

    def wait_until_finished(self, topic, until):
        """Until then, an instant of time.monotonic(), or for less."""
        while not self.finished(topic):
            if time.monotonic() > until:
                return False
            time.sleep(_LOOK_S)
        return True

    def history(self, topic):
        """What of a topic is in Kafka, and what its target saw."""
        h = judge.empty(LIMIT)
        h.deliveries.extend(history.Delivery(**entry) for entry in self._seen + self._history() if entry["topic"] == topic)
        h.deliveries.sort(key=lambda one: one.arrived)
        for line in world.tool("kafka_tool", "consume", "-b", self.kafka.brokers, "-t", topic):
            key, value = bytes.fromhex(line["key"]).decode(), bytes.fromhex(line["value"])
            h.records.append(history.Record(topic, line["partition"], line["offset"], key, value, [], line["timestamp"] * 1000))
        return h

    def _history(self):
        path = os.path.join(self.directory, "deliveries.json")
        self.targets.order(do="history", path=path)
        with open(path) as file:
            return json.load(file)["deliveries"]

    def committed(self, topic):
        found = world.tool("kafka_tool", "committed", "-b", self.kafka.brokers, "-t", topic, "--group", GROUP)[0]
        return {number: one["offset"] or 0 for number, one in enumerate(found)}

    def stop(self):
        if self.gate is not None and self.gate.process is not None:
            servers.stop_child(self.gate.process, 0.1)
        for one in (self.nginx, self.kafka, self.redis, self.networks):
            if one is not None:
                one.stop()
        if self.targets is not None:
            servers.stop_child(self.targets.process, 0.1)
        found = reports.in_logs(self.directory)
        shutil.rmtree(self.directory, ignore_errors=True)
        assert not found, found
