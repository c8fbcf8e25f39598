"""Three Kafka brokers, each a controller too, with a listener for each gate that is advertised through its links."""

import base64
import os
import uuid

import harness  # noqa: F401  (makes deploy/local importable)
import kafka as local_kafka
import kafka_protocol
import servers

COUNT = 3
TOPIC_SETTINGS = {"min.insync.replicas": 2}

# Short sessions, so that a killed broker may come back at once; two of three must have a record before it counts.
_PROPERTIES = """process.roles=broker,controller
node.id={node}
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
inter.broker.listener.name=REPLICAS
listeners={listeners}
advertised.listeners={advertised}
listener.security.protocol.map={protocols}
log.dirs={directory}/data
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
controller.quorum.election.timeout.ms=1000
replica.lag.time.max.ms=5000
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
transaction.state.log.num.partitions=4
num.network.threads=2
num.io.threads=2
"""


class Broker(local_kafka.Kafka):
    """One of them. spawn() does not wait: one that starts alone has to wait for the others."""

    def __init__(self, version, directory, node, port, text):
        super().__init__(version, directory, port)
        self.node, self.port, self._text = node, port, text
        self.wanted = False  # Whether it should be running.
        self._jars = local_kafka.kafka_jars.fetch(version)

    def prepare(self):
        """Formats its data folder from the copy of a single broker's: only the names in it differ."""
        os.makedirs(self.directory, exist_ok=True)
        old = self.version.startswith("3")
        with open(os.path.join(self.directory, "log4j.properties"), "w") as file:
            file.write(local_kafka._LOG4J if old else local_kafka._LOG4J2)
        single = local_kafka._PROPERTIES.format(port=self.port, controller=self.port + 1, directory=self.directory,
                                                more_listeners="", protocols="", sasl="", extra="")
        self._format(single)
        path = os.path.join(self.directory, "data", "meta.properties")
        with open(path) as file:
            names = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
        names.update({"node.id": str(self.node), "directory.id": local_id(self.node)})
        with open(path, "w") as file:
            file.writelines(f"{name}={value}\n" for name, value in names.items())
        with open(os.path.join(self.directory, "server.properties"), "w") as file:
            file.write(self._text)

    def spawn(self):
        self.process = servers.start_child(
            self._java("kafka.Kafka", os.path.join(self.directory, "server.properties")), self.log_path,
            cwd=self.directory)
        self.wanted = True

    def kill(self):
        self.wanted = False
        super().kill()

    def running(self):
        return self.process is not None and self.process.poll() is None


def local_id(node):
    """A directory id as Kafka writes them: 16 bytes in base64 for URLs."""
    return base64.urlsafe_b64encode(uuid.uuid5(uuid.NAMESPACE_OID, str(node)).bytes).decode().rstrip("=")


class Cluster:
    """`links`: {(client, node): port} through which a client sees a node; a client of None is the other brokers."""

    def __init__(self, version, directory, ports, links):
        """`ports`: {(listener, node): port} for TOOLS, CONTROLLER, REPLICAS and each gate's name."""
        self._ports = ports
        clients = sorted({client for client, _ in links if client})
        self.brokers = {}
        for node in range(1, COUNT + 1):
            place = os.path.join(directory, f"broker-{node}")
            text = self._properties(node, clients, links, place)
            self.brokers[node] = Broker(version, place, node, ports["TOOLS", node], text)

    def _properties(self, node, clients, links, place):
        listeners = {name: self._ports[name, node] for name in ("TOOLS", "CONTROLLER", "REPLICAS", *clients)}
        advertised = {"TOOLS": listeners["TOOLS"], "REPLICAS": links[None, node],
                      **{client: links[client, node] for client in clients}}

        def written(addresses):
            return ",".join(f"{listener_name(name)}://127.0.0.1:{port}" for name, port in addresses.items())
        voters = ",".join(f"{one}@127.0.0.1:{self._ports['CONTROLLER', one]}" for one in range(1, COUNT + 1))
        protocols = ",".join(f"{listener_name(name)}:PLAINTEXT" for name in listeners)
        return _PROPERTIES.format(node=node, voters=voters, directory=place, listeners=written(listeners),
                                  advertised=written(advertised), protocols=protocols)

    @property
    def addresses(self):
        return ",".join(f"127.0.0.1:{broker.port}" for broker in self.brokers.values())

    def start(self):
        """Starts all; whole() says when they are one cluster."""
        for broker in self.brokers.values():
            broker.prepare()
            broker.spawn()

    def whole(self):
        """Whether all three answer, see each other, and every partition has all its replicas in sync."""
        for broker in self.brokers.values():
            if not broker.running():
                return False
            try:
                if not in_sync(broker.port):
                    return False
            except (OSError, kafka_protocol.ProtocolError):
                return False
        return True

    def any_port(self):
        return next(broker.port for broker in self.brokers.values() if broker.running())

    def create_topic(self, name, partitions):
        kafka_protocol.create_topic(self.any_port(), name, partitions, TOPIC_SETTINGS, replicas=COUNT)

    def stop(self):
        for broker in self.brokers.values():
            if broker.process is not None:
                broker.process.kill()
                broker.process.wait()


def listener_name(name):
    """Listeners have names of letters, digits and underscores only."""
    return name.upper().replace("-", "_")


def in_sync(port):
    """Whether this broker knows all three and no partition lacks a replica."""
    found, controller, replicas = kafka_protocol.replicas(port)
    return len(found) == COUNT and controller >= 0 and all(len(isr) == len(all_) for all_, isr in replicas.values())
