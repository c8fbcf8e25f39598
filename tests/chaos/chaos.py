#!/usr/bin/env python3
"""Three gates, three brokers, two Redis servers and a network, and everything that can happen to them.

    chaos.py [--seconds 120 | --kills 1000] [--seed N] [--keep]

Draws a schedule of faults from the seed and prints both; with --kills only `kill -9` of gates, so many of them, one after the other; performs it while records come; heals everything, waits until
all is delivered, and judges what was recorded. Exit 0: each promise was kept. --keep leaves logs and history behind.
"""

import argparse
import json
import os
import pickle
import signal
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e")]

import fleet  # noqa: E402
import history  # noqa: E402
import performer  # noqa: E402
from harness import places, reports, world  # noqa: E402
import producers  # noqa: E402
import scene  # noqa: E402
import schedule  # noqa: E402
import verdict  # noqa: E402

_RATE = 90.0  # Records a second, of all topics together.


def say(text):
    print(text, flush=True)


def read_topics(brokers, h):
    """All that is in the topics, into the history."""
    for topic in (*schedule.ROUTES, fleet.DEAD):
        for line in world.tool("kafka_tool", "consume", "-b", brokers, "-t", topic):
            headers = [(name, bytes.fromhex(value).decode()) for name, value in line["headers"]]
            key, value = bytes.fromhex(line["key"]).decode(), bytes.fromhex(line["value"])
            fields = [line["partition"], line["offset"], key, value, headers]
            if topic == fleet.DEAD:
                h.dead.append(history.Dead(*fields))
            else:
                h.records.append(history.Record(topic, *fields, line["timestamp"] * 1000))


def backlog(brokers):
    """{topic: records that are not committed yet}."""
    found = {}
    for topic in schedule.ROUTES:
        ends = world.tool("kafka_tool", "end-offsets", "-b", brokers, "-t", topic)[0]
        done = world.tool("kafka_tool", "committed", "-b", brokers, "-t", topic, "--group", fleet.GROUP)[0]
        found[topic] = sum(ends) - sum(one["offset"] or 0 for one in done)
    return found


def patience(left):
    """Seconds that a backlog may take: what its limits need, half as much again, and the time to join and to retry."""
    shared = sum(left.values()) / min(schedule.LIMITS)
    tenants = left["keyed"] / fleet.TENANTS / fleet.TENANT["rate"] * 1.3  # They are not drawn quite evenly.
    return 30 + 1.5 * max(shared, tenants)


def drain(one, actor, brokers):
    """Waits until all that was produced is finished and committed; says how long it took."""
    begin = time.monotonic()
    left = backlog(brokers)
    allowed = patience(left) * places.PATIENCE
    say(f"everything is healed; {left} wait, {allowed:.0f} s are allowed")
    looked = [0.0, left]

    def done():
        if time.monotonic() - looked[0] > 1.0:
            looked[:] = [time.monotonic(), backlog(brokers)]
        return not any(looked[1].values()) and all(one.members[name].empty() for name in schedule.GATES)
    if not actor.settle(done, allowed):
        for name in schedule.GATES:
            member = one.members[name]
            with open(os.path.join(one.directory, f"{name}.status.json"), "w") as file:
                json.dump(member.gate.status(), file, indent=1)
            say(f"--- {name}\n{member.gate.log()}")
        raise AssertionError(f"not all delivered and committed after {allowed:.0f} s: {looked[1]}")
    say(f"drained in {time.monotonic() - begin:.1f} s")


def perform(one, h, seed, faults, seconds):
    """The run itself: returns what was produced."""
    actor = performer.Performer(one, h, say)
    feeding = producers.Producers(one.directory, one.cluster.addresses, seed, _RATE)
    try:
        feeding.start()
        actor.run(faults, seconds)
        say(f"{actor.performed} of {len(faults)} faults were performed")
        assert actor.performed >= len(faults) / 2, "the world was not whole enough for most of them: nothing is shown"
        feeding.finish(60)
        drain(one, actor, one.cluster.addresses)
        actor.leave([member for member in one.members.values() if member.running()])
        return feeding.produced
    finally:
        feeding.kill()
        actor.close()


def collect(one, h):
    path = os.path.join(one.directory, "deliveries.json")
    one.network.order(do="history", path=path)
    with open(path) as file:
        seen = json.load(file)
    h.deliveries.extend(history.Delivery(**entry) for entry in seen["deliveries"])
    h.stalls.extend(history.Stall(*entry) for entry in seen["stalls"])
    h.deliveries.sort(key=lambda delivery: delivery.arrived)
    read_topics(one.cluster.addresses, h)


def run(seed, faults, seconds, keep):
    h = history.empty()
    h.limits.append((0, history.FOR_EVER, fleet.LIMIT["limit"]))
    one = scene.Scene(h.scrapes.append, schedule.waits_for_replicas(seed))
    keep_it = keep
    try:
        begin = time.monotonic()
        one.start()
        say(f"the fleet is ready after {time.monotonic() - begin:.0f} s")
        produced = perform(one, h, seed, faults, seconds)
        collect(one, h)
        with open(os.path.join(one.directory, "history.pickle"), "wb") as file:
            pickle.dump((h, produced, schedule.waits_for_replicas(seed)), file)
        found = reports.in_logs(one.directory)
        if found:
            say(found)
        good = verdict.judge(h, produced, schedule.waits_for_replicas(seed), say) and not found
        keep_it = keep or not good
        return good
    except Exception:
        keep_it = True  # Somebody has to look at it; one that is interrupted leaves nothing.
        raise
    finally:
        one.close(keep_it)


def interrupted(number, _):
    raise KeyboardInterrupt(f"signal {number}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seconds", type=float, default=120.0, help="of all faults; the drain comes after them")
    length.add_argument("--kills", type=int, help="so many kills of gates, and no other faults")
    parser.add_argument("--seed", type=int, default=None, help="of the schedule; default: a new one")
    parser.add_argument("--keep", action="store_true", help="leave the directory with logs and history")
    options = parser.parse_args()
    seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(3), "big")
    signal.signal(signal.SIGTERM, interrupted)
    faults, seconds = schedule.draw(seed, options.seconds), options.seconds
    if options.kills:
        faults = schedule.draw_kills(seed, options.kills)
        seconds = faults[-1].at + faults[-1].seconds
    say(f"seed {seed}, {seconds:.0f} s, wait_replicas {schedule.waits_for_replicas(seed)}; again: chaos.py --seed {seed} "
        + (f"--kills {options.kills}" if options.kills else f"--seconds {seconds:.0f}"))
    return 0 if run(seed, faults, seconds, options.keep) else 1


if __name__ == "__main__":
    sys.exit(main())
