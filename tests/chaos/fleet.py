"""The gates of a run: each sees the world through links of its own, and is watched all the time."""

import re
import signal
import threading
import time

from harness import gate as one_gate, places
import history
import schedule

GROUP = "chaos"
PARTITIONS = 6
DEAD = "dead"
TENANTS = 4
LIMIT = {"limit": 150, "window_us": 1_000_000}  # Reloads change it: schedule.LIMITS.
HORIZON_US = 500_000
REDIS_TIMEOUT_US = 500_000
TENANT = {"rate": 14, "burst": 14}
IN_FLIGHT = 32  # For each target.
COMMIT_INTERVAL_US = 100_000
USE_WITHIN_US = 100_000
LEAVING_S = 20.0 * places.PATIENCE  # More than drain_timeout and the gate's own patience with the last commit.

_SCRAPE_S = 0.4
_METRIC = re.compile(r'^(\w+)(?:\{(.*)\})? (\S+)$')
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_RECORDS = {"einlass_records_received_total": "received", "einlass_records_delivered_total": "delivered",
            "einlass_records_dead_lettered_total": "dead_lettered", "einlass_records_returned_total": "returned",
            "einlass_records_filtered_total": "filtered", "einlass_records_inside": "inside"}
_RELOADS = re.compile(r'^einlass_config_reloads_total\{result="(\w+)"\} (\d+)$', re.M)
_FAREWELL = re.compile(r"received (\d+), delivered (\d+), dead-lettered (\d+), returned (\d+), "
                       r"filtered (\d+), inside (\d+)")


def config(ports, wait_replicas):
    """Of one gate. `ports`: {end: port of this gate's link to it}."""
    def local(end):
        return f"127.0.0.1:{ports[end]}"
    limits = {
        "fleet": {"algorithm": "sliding_log", "limit": LIMIT["limit"], "window": f"{LIMIT['window_us']}us",
                  "store": "redis", "horizon": f"{HORIZON_US}us", "use_within": f"{USE_WITHIN_US}us"},
        "per_tenant": {"algorithm": "token_bucket", "rate": f"{TENANT['rate']}/s", "burst": TENANT["burst"],
                       "key": "header:tenant", "store": "redis", "horizon": f"{HORIZON_US}us",
                       "use_within": f"{USE_WITHIN_US}us"},
    }
    timeout = f"{schedule.TIMEOUT_S * 1000:.0f}ms"
    targets = {route: {"http": {"url": f"http://{local(route)}/{route}", "timeout": timeout,
                                "max_in_flight": IN_FLIGHT}} for route in schedule.ROUTES}
    routes = [{"name": route, "topics": [route], "target": route, "dead_letter": DEAD,
               "order": {"ordered": "partition", "keyed": "key", "free": "none"}[route],
               "limits": ["fleet", "per_tenant"] if route == "keyed" else ["fleet"],
               "retry": {"initial": "100ms", "max": "1s"}, "inside": {"records": 300}} for route in schedule.ROUTES]
    return {
        "drain_timeout": "5s",
        "kafka": {"brokers": [local(f"broker-{node}") for node in schedule.BROKERS], "group": GROUP,
                  "commit_interval": f"{COMMIT_INTERVAL_US}us", "revoke_timeout": "4s",
                  "auto_offset_reset": "earliest",
                  "properties": {"session.timeout.ms": int(schedule.SESSION_S * 1000),
                                 "heartbeat.interval.ms": 1000, "reconnect.backoff.max.ms": 1000}},
        "redis": {"namespace": "chaos", "timeout": f"{REDIS_TIMEOUT_US}us", "wait_replicas": wait_replicas,
                  "sentinel": {"addresses": [local(f"sentinel-{number}") for number in (1, 2, 3)], "name": "mymaster"}},
        "limits": limits, "targets": targets, "routes": routes,
    }


def read_metrics(text):
    """(route: its books, (topic, partition): committed offset) of a metrics page."""
    books, committed = {}, {}
    for line in text.splitlines():
        found = _METRIC.match(line)
        if not found:
            continue
        name, labels, value = found[1], dict(_LABEL.findall(found[2] or "")), float(found[3])
        if name in _RECORDS:
            route = books.setdefault(labels["route"], dict.fromkeys(_RECORDS.values(), 0))
            route[_RECORDS[name]] += int(value)
        elif name == "einlass_committed_offset":
            committed[labels["topic"], int(labels["partition"])] = int(value)
    return books, committed


class Member:
    """One gate, and the thread that reads its pages."""

    def __init__(self, directory, name, settings, record):
        self.gate = one_gate.Gate(directory, name, settings)
        self.name, self._record = name, record
        self.stopped = False
        self.wanted = False  # Whether it should be running: who ends by itself is at fault.
        self.ready = False
        self.last = None  # The newest scrape.
        self._reloads = (None, {})  # The run that was last asked, and how many of its reloads ended how.
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    @property
    def run(self):
        return f"{self.name}.{self.gate.run}"

    def start(self):
        self.ready = False
        self.gate.start(wait=False)
        self.wanted = True

    def running(self):
        return self.gate.process is not None and self.gate.process.poll() is None

    def kill(self):
        self.wanted = False
        self.gate.kill()

    def ask_to_leave(self):
        self.wanted = False
        self.gate.process.send_signal(signal.SIGTERM)

    def stop(self):
        self.stopped = True
        self.gate.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.gate.process.send_signal(signal.SIGCONT)
        self.stopped = False

    def reloads(self, result):
        """How many of this run's reloads were seen to end so; None if it was not looked at yet."""
        run, counts = self._reloads
        return counts.get(result, 0) if run == self.run else None

    def read_anew(self):
        """Asks it to read its config; one that is not ready yet might not listen to signals."""
        assert self.ready
        self.gate.process.send_signal(signal.SIGHUP)

    def close(self):
        """Ends the watching, and whatever still runs."""
        self._closing.set()
        self._thread.join()
        if self.running():
            self.gate.kill()

    def _watch(self):
        while not self._closing.wait(_SCRAPE_S):
            if self.stopped or not self.running():
                continue
            run = self.run
            status, text = places.get(self.gate.port, "/metrics", timeout=1.5)
            at = places.now_us()
            if status != 200 or run != self.run:
                continue
            books, committed = read_metrics(text)
            self._reloads = run, {result: int(count) for result, count in _RELOADS.findall(text)}
            self.last = history.Scrape(self.name, run, at, books, committed)
            self._record(self.last)
            if not self.ready and places.get(self.gate.port, "/readyz", timeout=1.5)[0] == 200:
                self.ready = True

    def empty(self):
        """Whether a scrape of this run, not older than two seconds, shows nothing inside."""
        last = self.last
        return (last is not None and last.run == self.run and places.now_us() - last.at < 2_000_000
                and sum(route["inside"] for route in last.books.values()) == 0)

    def was_fenced(self):
        """Kafka fenced it: librdkafka 2.0.2 sends a commit again that was open when the coordinator went away for
        longer than the session, without the member id that it has dropped meanwhile."""
        return any("kafka_fatal" in line and "for the instance" in line for line in self.gate.log(50).splitlines())

    def farewell(self):
        """The books as the last line of its log tells them, or None."""
        for line in reversed(self.gate.log(200).splitlines()):
            numbers = _FAREWELL.search(line)
            if numbers:
                return {name: int(number) for name, number in zip(_RECORDS.values(), numbers.groups())}
        return None


def wait_all(members, condition, patience, what):
    """Until it holds for each of them; a member that ends by itself is an error at once."""
    patience *= places.PATIENCE
    deadline = time.monotonic() + patience
    for member in members:
        while not condition(member):
            if not member.running():
                raise AssertionError(f"{member.name} ended with {member.gate.process.returncode}:\n{member.gate.log()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"{member.name}: not {what} within {patience} s:\n{member.gate.log()}")
            time.sleep(0.05)
