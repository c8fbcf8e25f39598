#!/usr/bin/env python3
"""A primary of Redis that is cut off from its replica and its Sentinels, while one of two gates still reaches it.

    split.py          three times half a minute: by itself, with wait_replicas, with min-replicas-to-write

Each side has a primary then. What docs/outages.md says of it: by itself the limit is doubled for as long; with
`redis.wait_replicas: 1` it holds at each instant, and nobody goes on, for the new primary has no replica; with `min-replicas-to-write 1` it is doubled until the old primary has missed
its replica for `min-replicas-max-lag`. Nothing is lost and all goes on when the two sides meet again. Exit 77: no root, no TUN.
"""

import collections
import os
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "chaos"), os.path.join(TESTS, "e2e")]

from harness import gate as gates, places, world  # noqa: E402
import checks  # noqa: E402
import judge  # noqa: E402
import kafka_jars  # noqa: E402
import namespaces  # noqa: E402
import redis as local_redis  # noqa: E402
import servers  # noqa: E402
import stage  # noqa: E402
import weather  # noqa: E402
import wire  # noqa: E402

SENTINELS = 3
DOWN_AFTER_MS = 1500
MAX_LAG_S = 2
SPLIT_S = 15
RECORDS = 3000
# The old primary counts its replica's silence in whole seconds and looks at it once a second.
NOTICED_S = MAX_LAG_S + 3

_SENTINEL = """port {port}
bind 0.0.0.0
protected-mode no
dir {directory}
sentinel announce-ip {address}
sentinel monitor main {primary} {primary_port} 2
sentinel down-after-milliseconds main {down_after}
sentinel failover-timeout main 4000
"""

# `doubled_s`: for how long after the cut the limit may be doubled; None: for as long as it lasts, and then it must be. `goes_on`:
# the gate that reaches the new primary.
Case = collections.namedtuple("Case", "name redis primary doubled_s goes_on")
CASES = [
    Case("by itself", {}, [], None, True),
    Case("wait_replicas: 1", {"wait_replicas": 1}, [], 0, False),
    Case("min-replicas-to-write 1", {},
         ["--min-replicas-to-write", "1", "--min-replicas-max-lag", str(MAX_LAG_S)], NOTICED_S, True),
]


class SplitStage(stage.Stage):
    """The primary is on the first gate's side, its replica, the Sentinels and the second gate are on the other."""

    def __init__(self, case):
        super().__init__(["split"], {"redis": {"url": "redis://sentinel/0", **case.redis}})
        self._case, self.primary, self.other_gate, self._sentinels = case, None, None, []

    def start(self):
        super().start()
        self.other_gate = gates.Gate(self.directory, "other", gates.merge(self._config(), self._changes))
        self.other_gate.start()
        return self

    def _start_redis(self):
        port, *sentinel_ports = servers.free_ports(1 + SENTINELS)
        with self.networks.gate.entered():
            self.primary = local_redis.Redis(port, [*stage.OPEN, *self._case.primary]).start()
        self.redis = local_redis.Redis(self.ports["redis"], [
            *stage.OPEN, "--replicaof", namespaces.BESIDE_GATE, str(port)]).start()
        places.wait_until(lambda: "master_link_status:up" in self.redis.ask("INFO", "replication"), 20, "the replica")
        here = namespaces.SERVERS["redis"]
        for number, one in enumerate(sentinel_ports):
            directory = os.path.join(self.directory, f"sentinel-{number}")
            os.makedirs(directory)
            path = os.path.join(directory, "sentinel.conf")
            with open(path, "w") as file:
                file.write(_SENTINEL.format(port=one, directory=directory, address=here, primary=namespaces.BESIDE_GATE,
                                            primary_port=port, down_after=DOWN_AFTER_MS))
            self._sentinels.append(servers.start_child(["redis-server", path, "--sentinel"], os.path.join(directory, "log")))
        places.wait_until(lambda: all(self._would_swap(one) for one in sentinel_ports), 30, "the Sentinels know all")
        self._changes["redis"]["sentinel"] = {"addresses": [f"{here}:{one}" for one in sentinel_ports], "name": "main"}

    @staticmethod
    def _would_swap(port):
        try:
            local_redis.ask(port, "SENTINEL", "CKQUORUM", "main")
            return len(local_redis.ask(port, "SENTINEL", "REPLICAS", "main")) == 1
        except (OSError, local_redis.RedisError):
            return False

    def cut(self, is_cut):
        """What the replica and the Sentinels have to do with the other side; Kafka and the targets have links of their own."""
        self.networks.set("redis", wire.Weather(silent="both") if is_cut else wire.CALM)

    def roles(self):
        """Of the one that was the primary and of the other; none of both while one of them changes its role."""
        try:
            with self.networks.gate.entered():
                old = self.primary.ask("ROLE")[0]
            return old, self.redis.ask("ROLE")[0]
        except OSError:
            return None, None

    def stop(self):
        for process in self._sentinels:
            servers.stop_child(process, 0.1)
        if self.other_gate is not None and self.other_gate.process is not None:
            servers.stop_child(self.other_gate.process, 0.1)
        if self.primary is not None:
            self.primary.stop()
        super().stop()


def most_per_gate(h, since, until):
    """The most permits in a second that each gate used then, and both."""
    seen = [(one.gate.split(".")[0], one.admitted) for one in
            {one.permit: one for one in h.deliveries}.values() if since <= one.admitted < until]
    found = {name: checks.most_in_window([at for who, at in seen if who == name], judge.SECOND_US)
             for name in ("gate", "other")}
    return {**found, "both": checks.most_in_window([at for _, at in seen], judge.SECOND_US)}


def breaches(case, h, cut, healed, late):
    """`late`: when the last of the old primary's permits was used at the latest."""
    yield from checks.nothing_lost(h)
    yield from checks.untouched(h)
    yield from checks.in_order(h, judge.ORDERS)
    yield from checks.permits(h)
    until = late if case.doubled_s is None else cut + case.doubled_s * judge.SECOND_US
    yield from checks.within_windows(h, judge.SECOND_US, [(cut, until)] if until > cut else [])
    found = most_per_gate(h, cut + (NOTICED_S + 2) * judge.SECOND_US, healed)
    if case.doubled_s is None and not (found["gate"] and found["both"] > stage.LIMIT):
        yield checks.Breach("the split", f"there was none: {found}")
    if case.doubled_s is not None and found["gate"]:
        yield checks.Breach("the split", f"the gate at the old primary used permits of it: {found}")
    if bool(found["other"]) != case.goes_on:
        yield checks.Breach("it goes on", f"the gate at the new primary, {case.goes_on} was expected: {found}")


def play(case):
    one = SplitStage(case)
    try:
        one.start()
        one.produce("main-split", RECORDS)
        places.wait_until(lambda: len(one.history("main-split").deliveries) > 2 * stage.LIMIT, 30, "both send")
        cut = places.now_us()
        one.cut(True)
        places.wait_until(lambda: one.roles() == ("master", "master"), 20, "each side has a primary")
        time.sleep(max(0, SPLIT_S - (places.now_us() - cut) / judge.SECOND_US))
        healed = places.now_us()
        one.cut(False)
        places.wait_until(lambda: one.roles()[0] == "slave", 30, "the old primary follows the new one")
        met = places.now_us()
        until = time.monotonic() + (RECORDS / stage.LIMIT + 60) * places.PATIENCE
        done = one.wait_until_finished("main-split", until)
        h = one.history("main-split")
        found = list(breaches(case, h, cut, healed, met + 2 * judge.SECOND_US))
        if not done:
            found.append(checks.Breach("commits", "not all is committed"))
        most = most_per_gate(h, cut, met)
        weather.say(f"| {case.name} | {most['gate']} and {most['other']} | {most['both']} | {judge.took_s(h, healed):.1f} |")
        for breach in found[:5]:
            weather.say(f"  BREACH {breach.promise}: {breach.text}")
        if found:
            weather.say(f"{one.gate.log(25)}\n{one.other_gate.log(25)}")
        return not found
    finally:
        one.stop()


def main():
    signal.signal(signal.SIGTERM, weather.interrupted)
    if weather.why_not():
        return weather.NOT_RUN
    kafka_jars.fetch(world.KAFKA_VERSION)
    weather.say("| the servers | most permits in 1 s meanwhile, at the old and at the new primary | of both | last after, s |\n"
                "|---|---|---|---|")
    return 0 if all([play(case) for case in CASES]) else 1


if __name__ == "__main__":
    sys.exit(main())
