"""The records of a run: one producer for each topic, fed at a rate."""

import contextlib
import json
import os
import random
import subprocess
import threading
import time

import fleet
from harness import places
import schedule
import servers

_KEYS = 24
_REFUSED_PERCENT = 2
_SIZE = 200
# An idempotent producer of librdkafka 2.0.2 gives up for ever when partitions change their leaders. This one may send
# a record twice, each time under an offset of its own.
_SAFE = ["-X", "enable.idempotence=false", "-X", "acks=all", "-X", "message.send.max.retries=1000000"]


class Producers:
    """produced: {topic: values}, as they were handed to the producers. Started and ended from the main thread."""

    def __init__(self, directory, brokers, seed, rate):
        self.produced = {topic: [] for topic in schedule.ROUTES}
        self._dice = random.Random(f"{seed}/records")
        self._rate, self._end = rate, threading.Event()
        self._processes = {}
        for topic in schedule.ROUTES:
            program = os.path.join(places.BUILD, "tests", "tools", "kafka_tool")
            words = [program, "produce-lines", "-b", brokers, "-t", topic, *_SAFE]
            self._processes[topic] = servers.start_child(words, os.path.join(directory, f"producer-{topic}.log"),
                                                         stdin=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._feed, daemon=True)

    def start(self):
        self._thread.start()

    def finish(self, patience):
        """No more records; returns once the brokers have confirmed all. AssertionError if they do not."""
        self._end.set()
        self._thread.join()
        deadline = time.monotonic() + patience
        for topic, process in self._processes.items():
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
            code = process.wait(max(0.1, deadline - time.monotonic()))
            assert code == 0, f"the producer of {topic} ended with {code}"

    def kill(self):
        self._end.set()
        for process in self._processes.values():
            process.kill()
            process.wait()

    def _feed(self):
        begin, count = time.monotonic(), 0
        while not self._end.wait(max(0.0, begin + count / self._rate - time.monotonic())):
            topic = schedule.ROUTES[count % len(schedule.ROUTES)]
            line = self._line(count)
            try:
                self._processes[topic].stdin.write(json.dumps(line) + "\n")
                self._processes[topic].stdin.flush()
            except (OSError, ValueError):
                return  # Killed; finish() tells.
            self.produced[topic].append(bytes.fromhex(line["value"]))
            count += 1

    def _line(self, number):
        key = self._dice.randrange(_KEYS)
        word = "refuse" if self._dice.randrange(100) < _REFUSED_PERCENT else "take"
        value = f"{word} {number} ".ljust(_SIZE, ".")
        return {"partition": key % fleet.PARTITIONS, "key": f"k{key}".encode().hex(), "value": value.encode().hex(),
                "headers": [["tenant", f"t{key // fleet.PARTITIONS % fleet.TENANTS}".encode().hex()]]}
