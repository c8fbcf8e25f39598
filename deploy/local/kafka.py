#!/usr/bin/env python3
"""A real single-node Kafka on this machine, from Maven Central's jars, with nothing to install but a JDK and Maven.

    kafka.py [--version 4.1.1] [--dir DIR] [--port PORT] [--sasl USER:PASSWORD] [--topic NAME:PARTITIONS]... [--detach]

prints `brokers=127.0.0.1:PORT pid=PID dir=DIR` once it answers, and stays until SIGTERM, SIGINT or the end of a
piped stdin. PID is the broker's own. Started again with the same --dir it comes back on the same ports with its data.

As a module: Kafka().start() ... create_topic() ... kill() ... start() ... stop().
"""

import argparse
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kafka_jars  # noqa: E402
import kafka_protocol  # noqa: E402
import servers  # noqa: E402

LATEST_3 = "3.9.1"
LATEST_4 = "4.1.1"

_START_DEADLINE_S = 120.0
_LOG4J = """log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
_LOG4J2 = """rootLogger.level=info
rootLogger.appenderRef.out.ref=out
appender.out.type=Console
appender.out.name=out
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=[%d] %p %m (%c)%n
"""
# A killed broker's registration must run out before its successor may come: hence the short session.
_PROPERTIES = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{more_listeners}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}{more_listeners}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT{protocols}
log.dirs={directory}/data
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
num.network.threads=2
num.io.threads=2
{sasl}{extra}"""
_SASL = """sasl.enabled.mechanisms=PLAIN
listener.name.sasl_plaintext.plain.sasl.jaas.config=\
org.apache.kafka.common.security.plain.PlainLoginModule required user_{user}="{password}";
"""


class BrokerError(RuntimeError):
    pass


class Kafka:
    """One broker. It dies with the thread that called start(); stop() removes a directory of our own making."""

    def __init__(self, version=LATEST_3, directory=None, port=None, sasl=None, extra="", listeners=(), before=(), classes=None):
        """`sasl`: (user, password) for a SASL_PLAINTEXT listener with PLAIN beside the open one.
        `listeners`: names of further ones, which are their protocols too; `extra` sets them up.
        `before`: what stands before the program on its command line.
        `classes`: a folder with classes that it needs besides its own."""
        self.version = version
        self._temporary = directory is None
        self.directory = os.path.abspath(directory or tempfile.mkdtemp(prefix="einlass-kafka-"))
        self.process, self._before = None, list(before)
        self._sasl, self._extra, self._wanted_port = sasl, extra, port
        self._listeners = [*(["SASL_PLAINTEXT"] if sasl else []), *listeners]
        self._classes = classes
        self.port, self.ports = None, {}

    @property
    def brokers(self):
        return f"127.0.0.1:{self.port}"

    @property
    def sasl_brokers(self):
        return f"127.0.0.1:{self.ports['SASL_PLAINTEXT']}"

    def brokers_at(self, listener):
        """By the name that their certificates have."""
        return f"localhost:{self.ports[listener]}"

    @property
    def pid(self):
        return self.process.pid

    @property
    def log_path(self):
        return os.path.join(self.directory, "server.log")

    def start(self):
        """Starts it, or starts it again with the ports and the data it had. Returns once it answers."""
        self._jars = kafka_jars.fetch(self.version)
        prepared = os.path.exists(os.path.join(self.directory, "server.properties"))
        if prepared:
            self._read_ports()
        for attempt in range(3):
            if not prepared:
                self._prepare()
            try:
                self._launch()
                return self
            except BrokerError:
                if prepared or self._wanted_port or attempt == 2:
                    raise
        return self

    def stop(self):
        """SIGTERM, and the end of everything that start() made. Harmless when it is down."""
        if self.process is not None:
            servers.stop_child(self.process)
        if self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)

    def kill(self):
        """kill -9; start() brings it back with its data (in about five seconds)."""
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def create_topic(self, name, partitions=1, configs=None):
        """Returns once every partition has a leader; raises RuntimeError with the broker's reason."""
        kafka_protocol.create_topic(self.port, name, partitions, configs or {})
        self._poll(lambda: self._has_leaders(name, partitions), 30.0, f"leaders of {name}")

    def delete_topic(self, name):
        kafka_protocol.delete_topic(self.port, name)

    def delete_records(self, name, partition, before):
        """As its retention would: what comes before that offset is gone."""
        kafka_protocol.delete_records(self.port, name, partition, before)

    def change_properties(self, old, new):
        """Of its file, for its next start."""
        path = os.path.join(self.directory, "server.properties")
        with open(path) as file:
            text = file.read()
        if old not in text:
            raise ValueError(f"{old} is not in {path}")
        with open(path, "w") as file:
            file.write(text.replace(old, new))

    def administer(self, tool, *arguments):
        """Runs one of Kafka's own tools, as kafka.admin.AclCommand, at the open listener."""
        done = subprocess.run(self._java(tool, "--bootstrap-server", self.brokers, *arguments),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode:
            raise RuntimeError(f"{tool} {' '.join(arguments)}: {done.stdout[-2000:]}")

    def _has_leaders(self, name, partitions):
        leaders = kafka_protocol.metadata(self.port, [name])[2].get(name, {})
        return len(leaders) == partitions and all(leader >= 0 for leader in leaders.values())

    def _prepare(self):
        os.makedirs(os.path.join(self.directory, "data"), exist_ok=True)
        self.port, controller, *others = servers.free_ports(2 + len(self._listeners))
        self.port = self._wanted_port or self.port
        self.ports = dict(zip(self._listeners, others))
        sasl = _SASL.format(user=self._sasl[0], password=self._sasl[1]) if self._sasl else ""
        text = _PROPERTIES.format(
            port=self.port, controller=controller, directory=self.directory, sasl=sasl, extra=self._extra,
            more_listeners="".join(f",{name}://localhost:{port}" for name, port in self.ports.items()),
            protocols="".join(f",{name}:{name}" for name in self._listeners))
        old = self.version.startswith("3")
        with open(os.path.join(self.directory, "log4j.properties"), "w") as file:
            file.write(_LOG4J if old else _LOG4J2)
        self._format(text)
        with open(os.path.join(self.directory, "server.properties"), "w") as file:
            file.write(text)

    def _format(self, properties):
        """Formats the data folder: by a copy of one formatted before, as a JVM takes its time."""
        formatted = os.path.join(kafka_jars.cache_directory(), f"kafka-{self.version}-formatted")
        with kafka_jars.Locked(formatted + ".lock"):
            if not os.path.isdir(formatted):
                scratch = tempfile.mkdtemp(prefix="format-", dir=kafka_jars.cache_directory())
                path = os.path.join(scratch, "server.properties")
                with open(path, "w") as file:
                    file.write(properties.replace(f"{self.directory}/data", f"{scratch}/data"))
                subprocess.run(self._java("kafka.tools.StorageTool", "format", "-t",
                                          "MkU3OEVBNTcwNTJENDM2Qg", "-c", path),
                               check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                os.rename(os.path.join(scratch, "data"), formatted)
                shutil.rmtree(scratch)
        data = os.path.join(self.directory, "data")
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(formatted, data)

    def _java(self, *arguments):
        log4j = os.path.join(self.directory, "log4j.properties")
        setting = "log4j.configuration" if self.version.startswith("3") else "log4j2.configurationFile"
        return ["java", "-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                f"-D{setting}=file:{log4j}", "-cp",
                ":".join([os.path.join(self._jars, "*"), *([self._classes] if self._classes else [])]), *arguments]

    def _launch(self):
        with open(self.log_path, "w"):
            pass  # What an earlier start said is not this one's trouble.
        self.process = servers.start_child(
            [*self._before, *self._java("kafka.Kafka", os.path.join(self.directory, "server.properties"))],
            self.log_path, cwd=self.directory)
        try:
            self._poll(self._answers, _START_DEADLINE_S, "the broker")
        except BaseException:
            servers.stop_child(self.process, 0.1)
            raise

    def _answers(self):
        if self.process.poll() is not None:
            raise BrokerError(f"the broker ended by itself:\n{servers.tail(self.log_path)}")
        if "failed to bind" in servers.tail(self.log_path):
            raise BrokerError(f"the broker's port was taken:\n{servers.tail(self.log_path)}")
        brokers, controller, _ = kafka_protocol.metadata(self.port)
        return brokers and controller >= 0

    def _poll(self, condition, patience, what):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            try:
                if condition():
                    return
            except (OSError, struct.error, kafka_protocol.ProtocolError):
                pass  # Not listening yet, or cut off in the middle.
            time.sleep(0.05)
        raise BrokerError(f"{what}: none within {patience:.0f} s:\n{servers.tail(self.log_path)}")

    def _read_ports(self):
        with open(os.path.join(self.directory, "server.properties")) as file:
            settings = dict(line.rstrip("\n").split("=", 1) for line in file if "=" in line)
        for listener in settings["advertised.listeners"].split(","):
            self.ports[listener.split("://")[0]] = int(listener.rsplit(":", 1)[1])
        self.port = self.ports.pop("PLAINTEXT")


def _describe(topics):
    def describe(kafka):
        for topic in topics:
            name, _, partitions = topic.partition(":")
            if not kafka_protocol.metadata(kafka.port, [name])[2].get(name):
                kafka.create_topic(name, int(partitions or 1))
        sasl = f" sasl_brokers={kafka.sasl_brokers}" if kafka._sasl else ""
        return f"brokers={kafka.brokers} pid={kafka.pid} dir={kafka.directory}{sasl}"
    return describe


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--version", default=LATEST_3, help=f"{LATEST_3} (default), {LATEST_4}, ...")
    parser.add_argument("--dir", help="where it keeps its data; default: a temporary one, removed at the end")
    parser.add_argument("--port", type=int, help="default: a free one")
    parser.add_argument("--sasl", metavar="USER:PASSWORD", help="a SASL_PLAINTEXT listener with PLAIN besides")
    parser.add_argument("--topic", action="append", default=[], metavar="NAME:PARTITIONS", help="made if missing")
    parser.add_argument("--property", action="append", default=[], metavar="NAME=VALUE", help="of the broker")
    parser.add_argument("--detach", action="store_true", help="return once it answers; end it by its pid")
    parser.add_argument("--fetch-only", action="store_true", help="only fill the cache")
    options = parser.parse_args()
    if options.fetch_only:
        print(kafka_jars.fetch(options.version))
        return 0
    sasl = tuple(options.sasl.split(":", 1)) if options.sasl else None
    kafka = Kafka(options.version, options.dir, options.port, sasl,
                  "".join(line + "\n" for line in options.property))
    return servers.run_in_foreground(kafka, _describe(options.topic), options.detach)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        servers.fail(error)
