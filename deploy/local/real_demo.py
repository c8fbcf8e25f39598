#!/usr/bin/env python3
"""The demonstration on real servers: two gates share one limit in Redis, one is killed on the way, and the books close.

    real_demo.py [--build build/release] [--records 5000] [--limit 200] [--kafka-version 3.9.1]

Starts a real Kafka and a real Redis for itself and ends them again. Exit 0 only if every record arrived and no window of
a second ever held more than the limit. Needs the built target `einlass`, and kcat.
"""

import argparse
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import kafka as local_kafka  # noqa: E402
import redis as local_redis  # noqa: E402
import servers  # noqa: E402
from remembering_receiver import RememberingReceiver, worst_window  # noqa: E402

SECOND_US = 1_000_000
PARTITIONS = 6
GATES = 2


class Gate:
    """One gate, under one name, however often it is started."""

    def __init__(self, demo, name):
        self.name = name
        self._demo = demo
        self._port = servers.free_ports(1)[0]
        self.page = f"http://127.0.0.1:{self._port}/"
        self._path = os.path.join(demo.directory, f"{name}.yaml")
        self.log_path = os.path.join(demo.directory, f"{name}.log")
        with open(self._path, "w") as file:
            json.dump(demo.config(name, self._port), file, indent=2)  # A JSON file is a YAML file.
        self.process = None
        self._received_before = self._received = 0

    def start(self):
        self._received_before += self._received
        self._received = 0
        self.process = servers.start_child([self._demo.einlass, "run", "-c", self._path], self.log_path)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def is_ready(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended by itself:\n{servers.tail(self.log_path)}")
        return self._ask("/readyz") is not None

    def partitions(self):
        return len((self._status() or {}).get("kafka", {}).get("partitions", []))

    def books(self):
        return (self._status() or {}).get("books", {})

    def received(self):
        """By all of its runs together; of a killed run, what it last said."""
        self._received = self.books().get("received", self._received)
        return self._received_before + self._received

    def leave(self):
        """SIGTERM, and its exit code."""
        self.process.terminate()
        return self.process.wait(20)

    def _status(self):
        text = self._ask("/v1/status")
        return json.loads(text) if text else None

    def _ask(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=2)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            text = answer.read()
            return text if answer.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


class Progress:
    """One line brought up to date on a terminal, a line every two seconds elsewhere."""

    def __init__(self):
        self._terminal = sys.stdout.isatty()
        self._next_line = 0.0

    def show(self, text):
        if self._terminal:
            print("\r" + text[:shutil.get_terminal_size().columns - 1] + "\033[K", end="", flush=True)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + 2
            print(text, flush=True)

    def say(self, text):
        print(("\r\033[K" if self._terminal else "") + text, flush=True)


class Demo:
    def __init__(self, options):
        self.options = options
        self.einlass = os.path.join(options.build, "einlass")
        self.directory = tempfile.mkdtemp(prefix="einlass-demo-")
        self.progress = Progress()
        self.receiver = RememberingReceiver()
        self.kafka = self.redis = self.producer = None
        self.gates = []
        self.started = time.monotonic()

    def config(self, name, port):
        return {
            "instance": name,
            "admin": {"listen": f"127.0.0.1:{port}"},
            "kafka": {"brokers": [self.kafka.brokers], "group": "demo"},
            "redis": {"url": self.redis.url},
            "limits": {"callbacks": {"algorithm": "sliding_log", "limit": self.options.limit, "window": "1s",
                                     "store": "redis"}},
            "targets": {"receiver": {"http": {"url": f"http://127.0.0.1:{self.receiver.port}/callback"}}},
            "routes": [{"name": "results", "topics": ["results"], "target": "receiver", "limits": ["callbacks"]}],
        }

    def run(self):
        self._start_servers()
        self._start_gates()
        self._produce()
        self._watch()
        return self._close_books()

    def stop(self):
        for process in [self.producer, *(gate.process for gate in self.gates)]:
            if process is not None:
                servers.stop_child(process, 2)
        for server in (self.kafka, self.redis):
            if server is not None:
                server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _start_servers(self):
        self.receiver.start()
        self.redis = local_redis.Redis().start()
        self.kafka = local_kafka.Kafka(self.options.kafka_version).start()
        self.kafka.create_topic("results", PARTITIONS)
        self.progress.say(f"Kafka {self.kafka.version} at {self.kafka.brokers}, Redis at 127.0.0.1:{self.redis.port}, "
                          f"a receiver at 127.0.0.1:{self.receiver.port}")

    def _start_gates(self):
        self.gates = [Gate(self, f"gate-{number + 1}") for number in range(GATES)]
        for gate in self.gates:
            gate.start()
        self._wait(lambda: all(gate.is_ready() for gate in self.gates), "the gates are ready")
        self._wait(lambda: all(gate.partitions() == PARTITIONS // GATES for gate in self.gates), "each has its share")
        self.progress.say(f"{GATES} gates share {self.options.limit} permits a second (a sliding log in Redis); "
                          f"{self.options.records} records come at twice that rate")
        self.progress.say("The live pages, while this runs: " + " ".join(gate.page for gate in self.gates))

    def _produce(self):
        self.producer = servers.start_child(
            ["kcat", "-P", "-b", self.kafka.brokers, "-t", "results", "-K", ":", "-X", "linger.ms=5"],
            os.path.join(self.directory, "producer.log"), stdin=subprocess.PIPE)
        threading.Thread(target=self._feed_producer, daemon=True).start()

    def _feed_producer(self):
        """Records of 1 KB with 60 keys, at twice the limit."""
        began = time.monotonic()
        with self.producer.stdin as lines:
            for number in range(self.options.records):
                early = began + number / (2 * self.options.limit) - time.monotonic()
                if early > 0:
                    lines.flush()
                    time.sleep(early)
                lines.write(f"key-{number % 60}:{number:01024}\n".encode())

    def _watch(self):
        """Until everything has arrived; a third of the way one gate is killed and started again."""
        records, killed = self.options.records, False
        deadline = time.monotonic() + 30 + 2 * records / self.options.limit
        while self.receiver.distinct() < records:
            if time.monotonic() > deadline:
                self.progress.say("it takes too long")
                return
            if not killed and self.receiver.distinct() > records / 3:
                killed = True
                self.gates[1].kill()
                self.progress.say(f"{self._clock()}  kill -9 {self.gates[1].name}, and started again")
                self.gates[1].start()
            self.progress.show(self._line())
            time.sleep(0.2)
        self.progress.say(self._line())

    def _clock(self):
        return f"{time.monotonic() - self.started:5.1f} s"

    def _line(self):
        admitted = self.receiver.admitted()
        recent = sum(1 for at in admitted if at > time.time_ns() // 1000 - SECOND_US)
        return (f"{self._clock()}  received {sum(gate.received() for gate in self.gates):5}  "
                f"delivered {self.receiver.distinct():5}  admitted {recent:4}/s of {self.options.limit}  "
                f"worst second {worst_window(admitted, SECOND_US):4}")

    def _close_books(self):
        self._wait(lambda: all(gate.books().get("inside") == 0 for gate in self.gates), "the gates are empty", 10)
        books = {gate.name: gate.books() for gate in self.gates}
        codes = {gate.name: gate.leave() for gate in self.gates}
        distinct, came = self.receiver.distinct(), len(self.receiver.deliveries)
        worst = worst_window(self.receiver.admitted(), SECOND_US)
        print(f"\nproduced {self.options.records} = delivered {distinct}, and {came - distinct} of them a second time "
              "(what the killed gate had not committed)")
        print(f"worst second: {worst} of {self.options.limit} permits")
        for name, book in books.items():
            print(f"{name}: received {book['received']} = delivered {book['delivered']} + dead-lettered "
                  f"{book['dead_lettered']} + returned {book['returned']} + filtered {book['filtered']} + inside "
                  f"{book['inside']}; "
                  f"left with exit code {codes[name]}")
        holds = (distinct == self.options.records and worst <= self.options.limit and
                 all(book["closed"] for book in books.values()) and not any(codes.values()))
        print("The books close." if holds else "The books do NOT close.")
        print("\nNext: docs/getting_started.md, ten minutes with a real Kafka and a real Redis")
        return 0 if holds else 1

    def _wait(self, condition, what, patience=30.0):
        deadline = time.monotonic() + patience
        while not condition():
            if time.monotonic() > deadline:
                raise RuntimeError(f"not within {patience:.0f} s: {what}")
            time.sleep(0.05)


def main():
    root = os.path.dirname(os.path.dirname(HERE))
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", default=os.path.join(root, "build", "release"))
    parser.add_argument("--records", type=int, default=5000)
    parser.add_argument("--limit", type=int, default=200, help="permits a second for both gates together")
    parser.add_argument("--kafka-version", default=local_kafka.LATEST_3)
    demo = Demo(parser.parse_args())
    try:
        return demo.run()
    except KeyboardInterrupt:
        return 130
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        print(f"\nreal_demo.py: {error}", file=sys.stderr)
        for gate in demo.gates:
            print(servers.tail(gate.log_path), file=sys.stderr)
        return 1
    finally:
        demo.stop()


if __name__ == "__main__":
    sys.exit(main())
