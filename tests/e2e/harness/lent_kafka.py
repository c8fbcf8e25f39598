"""Brokers that are started once and lent to one scenario after another, each clean.

The suite starts some and names their folder in EINLASS_LENT_KAFKA: there one file a broker says its version, port and
folder. Whoever holds that file's lock has the broker, until its process ends. A scenario that stops, kills or configures
its broker has one of its own (`own_kafka`).
"""

import fcntl
import glob
import json
import os

import kafka as local_kafka
import kafka_protocol

_INTERNAL = {"__consumer_offsets", "__transaction_state"}


def offer(folder, version, number):
    """Starts a broker and writes its file. It lives as long as the calling thread, or until stop()."""
    one = local_kafka.Kafka(version).start()
    path = os.path.join(folder, f"{version}-{number}.json")
    with open(path + ".new", "w") as file:
        json.dump({"version": version, "port": one.port, "directory": one.directory, "pid": one.pid}, file)
    os.rename(path + ".new", path)
    return one


def borrow(version):
    """A broker of that version that nobody else has, without topics and groups; None where none is free."""
    for path in sorted(glob.glob(os.path.join(os.environ.get("EINLASS_LENT_KAFKA", ""), f"{version}-*.json"))):
        lock = open(path)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        one = LentKafka(version, lock)
        try:
            one.wipe()
            return one
        except (OSError, local_kafka.BrokerError, kafka_protocol.ProtocolError) as error:
            # It would be of no use to those who come later either.
            print(f"the broker of {path} is not lent any more: {error}", flush=True)
            os.remove(path)
            lock.close()
    return None


class LentKafka(local_kafka.Kafka):
    """What a scenario may do with a broker that others will have after it."""

    def __init__(self, version, lock):
        told = json.load(lock)
        super().__init__(version, told["directory"])
        self.port, self._pid, self._lock = told["port"], told["pid"], lock

    @property
    def pid(self):
        return self._pid

    def wipe(self):
        """Away with what the last borrower left."""
        for group in kafka_protocol.groups(self.port):
            kafka_protocol.delete_group(self.port, group)
        topics = {topic for topic, _ in kafka_protocol.replicas(self.port)[2]} - _INTERNAL
        for topic in topics:
            kafka_protocol.delete_topic(self.port, topic)
        self._poll(lambda: {topic for topic, _ in kafka_protocol.replicas(self.port)[2]} <= _INTERNAL, 30.0,
                   "a broker without topics")

    def stop(self):
        self._lock.close()

    def start(self):
        raise NotImplementedError("a scenario that starts, stops or kills its broker says own_kafka = True")

    kill = pause = resume = change_properties = start
