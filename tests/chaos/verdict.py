#!/usr/bin/env python3
"""All promises asked of one history, and the figures of the run.

    verdict.py HISTORY      judges once more what chaos.py --keep left behind: history.pickle in its directory
"""

import collections
import pickle
import sys

import checks
import fleet
import history
import repeats
import schedule

_ORDERS = {"ordered": "partition", "keyed": "key", "free": "none"}
_SHOWN = 5  # Breaches of one promise.

# A commit that is not disturbed is acknowledged by then, on a machine that does not make processes wait.
_COMMIT_LATENCY_US = 1_000_000
_DEAD_LETTER_US = 3_000_000  # Its producer asks the brokers for an id first, again every second.
_LONGEST_STALL_US = 50_000  # A machine that keeps processes waiting for longer says nothing of arrivals.
_JITTER_US = 200_000  # Between a permit's instant and the arrival, beyond use_within.

BOUNDS = repeats.Bounds(commit_us=fleet.COMMIT_INTERVAL_US + _COMMIT_LATENCY_US, dead_letter_us=_DEAD_LETTER_US,
                        timeout_us=int(schedule.TIMEOUT_S * 1e6), session_us=int(schedule.SESSION_S * 1e6),
                        settle_us=3_000_000, zombie_us=3_000_000,
                        in_flight=fleet.IN_FLIGHT * len(schedule.ROUTES), limit=max(schedule.LIMITS), orders=_ORDERS)


def forgetful_times(h, wait_replicas):
    """Times in which a failover may have forgotten grants: none when each grant waits for the replica."""
    if wait_replicas:
        return []
    return [(event.begin - 500_000, event.end + 1_500_000) for event in h.events if event.subject == "redis"]


def unsound(h):
    """A function of a delivery: was its link, or its gate, or the processor not there for it on its way?"""
    slow = collections.defaultdict(list)
    for event in h.events:
        if event.kind in ("link", "stop"):
            slow[str(event.subject)].append((event.begin, event.end + 300_000))

    def faulty(one):
        gate = history.gate_of(one.gate)
        begin, end = one.admitted - fleet.USE_WITHIN_US, one.arrived + _LONGEST_STALL_US
        if repeats.worst_stall(h, begin, end) >= _LONGEST_STALL_US:
            return True
        return any(begin <= one.arrived and one.admitted <= end
                   for name in (gate, f"{gate}>{one.target}", f"{gate}>redis") for begin, end in slow[name])
    return faulty


def by_tenant(h):
    tenants = {(one.topic, one.partition, one.offset): dict(one.headers).get("tenant") for one in h.records}
    found = collections.defaultdict(dict)
    for one in h.deliveries:
        if one.topic == "keyed":
            found[tenants.get(history.record_of(one))][one.permit] = one.admitted
    return found


def breaches(h, produced, wait_replicas):
    h = h._replace(limits=checks.limits_as_asked(h, fleet.HORIZON_US))
    doubled = forgetful_times(h, wait_replicas)
    yield from checks.all_produced(h, produced)
    yield from checks.nothing_lost(h)
    yield from checks.untouched(h)
    yield from checks.dead_letters(h)
    yield from checks.in_order(h, _ORDERS)
    yield from checks.permits(h)
    yield from checks.within_windows(h, fleet.LIMIT["window_us"], doubled)
    for instants in by_tenant(h).values():
        yield from checks.within_bucket(instants.values(), fleet.TENANT["rate"], fleet.TENANT["burst"], doubled)
    yield from checks.arrivals(h, fleet.LIMIT["window_us"], fleet.USE_WITHIN_US + _JITTER_US, unsound(h),
                               doubled)
    yield from checks.pages_read(h, schedule.GATES)
    yield from checks.books_closed(h)
    yield from checks.never_backwards(h)
    yield from checks.left_in_order(h, int(fleet.LEAVING_S * 1e6))
    yield from repeats.explained(h, BOUNDS)[0]
    yield from repeats.never_below_the_commit(h, BOUNDS)[0]


def figures(h, say):
    instants = {one.permit: one.admitted for one in h.deliveries}.values()
    most = checks.most_in_window(instants, fleet.LIMIT["window_us"])
    say(f"{len(h.records)} records, {len(h.deliveries)} requests, {len(h.dead)} dead letters, "
        f"{len(h.scrapes)} scrapes, {len(h.exits)} exits, {len(h.events)} faults")
    known = " then ".join(str(limit) for _, _, limit in h.limits)
    say(f"most permits in a window: {most} of {known}")
    twice = sum(1 for _ in repeats.repeats(h))
    _, excused = repeats.never_below_the_commit(h, BOUNDS)
    faulty = unsound(h)
    longest = max((stall.us for stall in h.stalls), default=0)
    say(f"{sum(not faulty(one) for one in h.deliveries)} requests came on sound ways; the longest wait for the "
        f"processor: {longest / 1000:.0f} ms")
    waits = checks.waits(h)
    if waits:
        say(f"a record waited {waits[len(waits) // 2] / 1e6:.2f} s (the middle one), {waits[-1 - len(waits) // 100] / 1e6:.1f} s "
            f"(99 of 100), {waits[-1] / 1e6:.1f} s (the longest)")
        say("longest silence: " + ", ".join(f"{route} {checks.longest_silence(h, route) / 1e6:.1f} s" for route in _ORDERS))
    fenced = sum(one.asked == "fenced" for one in h.exits)
    say(f"{fenced} gates were fenced by Kafka, ended with 1 and were started again")
    say(f"{twice} repeats; {excused} attempts by gates that had lost their partitions and did not know it yet")


def repeats_of_events(h, say):
    """One line for each event that brought repeats, with its bound; breaches of the bounds."""
    _, counts = repeats.explained(h, BOUNDS)
    begin = min((event.begin for event in h.events), default=0)
    for why, count in sorted(counts.items(), key=str):
        if why is None:
            continue
        if isinstance(why, str):
            say(f"  {count:4} after: {why}")
            continue
        most = repeats.most_repeats(why, BOUNDS)
        say(f"  {count:4} of at most {most:.0f}: {why.kind} {why.subject} at {(why.at - begin) / 1e6:.1f} s, "
            f"nothing sure for {(why.end - why.begin) / 1e6:.1f} s")
        if count > most:
            yield checks.Breach("duplicates", f"{count} by {why.kind} {why.subject}, {most:.0f} are the most")


def judge(h, produced, wait_replicas, say):
    """Whether all promises were kept; says what was seen."""
    figures(h, say)
    found = [*repeats_of_events(h, say), *breaches(h, produced, wait_replicas)]
    promises = collections.defaultdict(list)
    for breach in found:
        promises[breach.promise].append(breach.text)
    for promise, texts in promises.items():
        say(f"BROKEN: {promise}: {len(texts)}")
        for text in texts[:_SHOWN]:
            say(f"  {text}")
    say("all promises kept" if not found else f"{len(found)} breaches")
    return not found


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as recorded:
        sys.exit(not judge(*pickle.load(recorded), print))
