"""Everything a run needs, started from one place and ended from one place."""

import os
import shutil
import tempfile

import brokers
import fleet
import network
from harness import places
import redis_pair
import schedule
import servers

KAFKA_VERSION = os.environ.get("KAFKA_VERSION", brokers.local_kafka.LATEST_3)
_START_S = 120.0


class Scene:
    """Its directory keeps configs and logs until close()."""

    def __init__(self, record_scrape, wait_replicas):
        self.directory = tempfile.mkdtemp(prefix="einlass-chaos-")
        self.names = [*schedule.GATES, schedule.GUEST]
        self._record, self._wait_replicas = record_scrape, wait_replicas
        self.members, self.network, self.cluster, self.redis = {}, None, None, None
        self._plan()

    def _plan(self):
        """All ports at once: those of the servers, and of each gate's links to them."""
        nodes, listeners = schedule.BROKERS, ["TOOLS", "CONTROLLER", "REPLICAS", *self.names]
        servers_named = ["redis-1", "redis-2", "sentinel-1", "sentinel-2", "sentinel-3", *schedule.ROUTES]
        ends = [f"broker-{node}" for node in nodes] + servers_named
        wanted = [(listener, node) for listener in listeners for node in nodes] + servers_named
        wanted += [(near, "to", end) for near in self.names for end in ends]
        wanted += [("brokers", "to", f"broker-{node}") for node in nodes]
        self.ports = dict(zip(wanted, servers.free_ports(len(wanted))))
        self.ends = ends

    def _links(self):
        links = [(key[0], key[2], port) for key, port in self.ports.items() if isinstance(key, tuple) and len(key) == 3]
        for near, end, port in links:
            node = int(end[-1]) if end.startswith("broker-") else None
            to = self.ports[end] if node is None else self.ports["REPLICAS" if near == "brokers" else near, node]
            ports = {}
            if end.startswith("sentinel-"):
                ports = {str(self.ports[one]): str(self.ports[near, "to", one]) for one in ("redis-1", "redis-2")}
            yield {"name": f"{near}>{end}", "port": port, "to": to, "ports": ports}

    def start(self):
        """Returns once the fleet is at work: all gates ready."""
        self.network = network.Network(self.directory, list(self._links()),
                                       [{"name": name, "port": self.ports[name]} for name in schedule.ROUTES],
                                       servers.start_child)
        seen = {(near if near != "brokers" else None, int(end[-1])): self.ports[near, "to", end]
                for near in (*self.names, "brokers") for end in self.ends if end.startswith("broker-")}
        self.cluster = brokers.Cluster(KAFKA_VERSION, self.directory, self.ports, seen)
        self.cluster.start()
        self.redis = redis_pair.Pair(self.directory, [self.ports["redis-1"], self.ports["redis-2"]],
                                     [self.ports[f"sentinel-{number}"] for number in (1, 2, 3)])
        self.redis.start()
        places.wait_until(self.cluster.whole, _START_S, "three brokers")
        for topic in (*schedule.ROUTES, fleet.DEAD):
            self.cluster.create_topic(topic, fleet.PARTITIONS)
        places.wait_until(self.cluster.whole, 30, "all replicas")
        places.wait_until(self.redis.whole, 30, "Redis with a replica")
        for name in self.names:
            ends = {end: self.ports[name, "to", end] for end in self.ends}
            settings = fleet.config(ends, self._wait_replicas)
            self.members[name] = fleet.Member(self.directory, name, settings, self._record)
        for name in schedule.GATES:
            self.members[name].start()
        fleet.wait_all([self.members[name] for name in schedule.GATES], lambda member: member.ready, 60, "ready")

    def link_names(self, subject):
        """The links that a fault's subject means: `kafka` and `redis` are several."""
        near, _, far = subject.partition(">")
        groups = {"kafka": "broker-", "redis": ("redis-", "sentinel-")}
        if far in groups:
            return [f"{near}>{end}" for end in self.ends if end.startswith(groups[far])]
        return [subject]

    def set_link(self, subject, state, delay_ms=0):
        for name in self.link_names(subject):
            self.network.order(do="link", name=name, state=state, delay_ms=delay_ms)

    def close(self, keep):
        for member in self.members.values():
            member.close()
        for one in (self.redis, self.cluster):
            if one is not None:
                one.stop()
        if self.network is not None:
            servers.stop_child(self.network.process, 0.1)
        if keep:
            print(f"kept: {self.directory}", flush=True)
        else:
            shutil.rmtree(self.directory, ignore_errors=True)
