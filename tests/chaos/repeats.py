"""Deliveries that came again: each must be the doing of a fault, and of one that could do it."""

import bisect
import collections

import checks
import history
from checks import Breach

# Whether a commit tells which records above its offset are finished; without that all of them come again.
AHEAD_TRAVELS = True

# From process to process: gate, link, leader, two followers, leader, link, gate.
_STEPS = 8

class Cause(collections.namedtuple("Cause", "kind subject at begin end")):
    """An event, when it happened, and the time in which it may have kept something from being committed."""

    @classmethod
    def of(cls, doubt):
        return cls(doubt.event.kind, str(doubt.event.subject), doubt.event.begin, doubt.begin, doubt.end)


# What may be unknown about a gate at an instant, as (begin, end, event).
Doubt = collections.namedtuple("Doubt", "begin end event")

Bounds = collections.namedtuple(
    "Bounds", "commit_us dead_letter_us timeout_us session_us settle_us zombie_us in_flight limit orders")


def touches_kafka(event, gate):
    if event.kind == "broker":
        return True
    near, _, far = str(event.subject).partition(">")
    return event.kind == "link" and near in (gate, "brokers") and (far == "kafka" or far.startswith("broker"))


def slow(event):
    return event.how.get("state") == "slow"


def lateness(h, gate, at):
    """How much later than else a commit of this gate is acknowledged around that instant.

    One may be under way before it, and each takes the delay there and back. On a busy machine each process on its way
    waits for the processor.
    """
    delays = (event.how["delay_ms"] for event in h.events if slow(event) and touches_kafka(event, gate)
              and event.begin <= at <= event.end + 2_000_000)
    return 4000 * max(delays, default=0) + _STEPS * worst_stall(h, at - 2_000_000, at)


def worst_stall(h, begin, end):
    """The longest wait for the processor that was noticed in that time."""
    first = bisect.bisect_left(h.stalls, begin, key=lambda stall: stall.at)
    last = bisect.bisect_right(h.stalls, end, key=lambda stall: stall.at)
    return max((stall.us for stall in h.stalls[first:last]), default=0)


def touches_target(event, gate, target):
    return event.kind == "link" and event.subject == f"{gate}>{target}"


def kafka_troubles(h, gate, bounds):
    """Times in which this gate's commits may fail, joined where they overlap: Doubts of the first event."""
    joined = []
    for event in sorted((event for event in h.events if touches_kafka(event, gate) and not slow(event)),
                        key=lambda event: event.begin):
        begin, end = event.begin - lateness(h, gate, event.begin), event.end + bounds.settle_us
        if joined and begin <= joined[-1].end:
            last = joined[-1]
            joined[-1] = Doubt(last.begin, max(last.end, end), last.event)
        else:
            joined.append(Doubt(begin, end, event))
    return joined


def outlasts_session(event, bounds):
    """Whether the group may have given the partitions away meanwhile: the last heartbeat was a while before."""
    return event.end - event.begin >= bounds.session_us - 1_500_000


def doubts(h, gate, bounds):
    """Times in which what this gate had finished may not be committed, with the event that is to blame."""
    troubles = kafka_troubles(h, gate, bounds)
    found = []
    for event in h.events:
        if event.subject != gate:
            continue
        if event.kind == "kill" or (event.kind == "terminate" and event.how["code"] != 0):
            # What was open when a trouble began is still open when the kill falls into that trouble.
            begin = min([event.begin - lateness(h, gate, event.begin)]
                        + [one.begin for one in troubles if one.begin <= event.begin <= one.end])
            found.append(Doubt(begin, max(event.begin, event.how.get("gone", event.begin)), event))
        elif event.kind == "stop":
            rest = bounds.zombie_us if outlasts_session(event, bounds) else 1_000_000
            found.append(Doubt(event.begin, event.end + rest, event))
    # Partitions that move while commits fail, or that are lost because of it.
    return found + troubles


def zombie_times(h, gate, bounds):
    """Times in which this gate may have lost its partitions and not know it yet."""
    found = [(event.end, event.end + bounds.zombie_us) for event in h.events
             if event.kind == "stop" and event.subject == gate and outlasts_session(event, bounds)]
    for trouble in kafka_troubles(h, gate, bounds):
        if trouble.end - bounds.settle_us - trouble.begin >= bounds.session_us - 2_000_000:
            found.append((trouble.begin + bounds.session_us - 2_000_000, trouble.end + bounds.zombie_us))
    return found


def answer_lost(h, one, bounds, gate):
    """Whether the gate may never have read this answer: a Doubt or a text that says why, or None."""
    if not one.answered:
        return f"target {one.target} {one.mode}"
    if one.answered - one.admitted > bounds.timeout_us - 300_000:
        return f"answer of {one.target} after the timeout"
    for event in h.events:
        if touches_target(event, gate, one.target):
            if event.begin <= one.answered + 500_000 and one.admitted <= event.end:
                return Doubt(event.begin, event.end, event)
    return None


def late_on_its_way(h, first, again):
    """The link that held this request back, if it was sent before the other was answered: a Doubt, or None.

    Its gate gave it up after the timeout and handed the partition over; then the link let it through.
    """
    if again.admitted > first.answered:
        return None
    for event in h.events:
        if touches_target(event, history.gate_of(again.gate), again.target):
            if again.admitted <= event.end and event.begin <= again.arrived:
                return Doubt(event.begin, event.end, event)
    return None


def finished_by(one, bounds):
    """When the gate had nothing more to do for this record: a refused one becomes a dead letter first."""
    return one.answered + (bounds.dead_letter_us if one.status == checks.REFUSED else 0)


def explanation(h, one, bounds, known):
    """Why the record of this delivery could come once more: a Doubt, a text, or None."""
    gate = history.gate_of(one.gate)
    lost = answer_lost(h, one, bounds, gate)
    if lost is not None:
        return lost
    for doubt in known[gate]:
        if one.admitted <= doubt.end and doubt.begin <= finished_by(one, bounds) + bounds.commit_us:
            return doubt
    if not AHEAD_TRAVELS and bounds.orders[one.topic] != "partition":
        return "finished ahead of the committed offset"
    return None


def repeats(h):
    """(the delivery before, the delivery that came again) of each record that was finished more than once.

    A refusal finishes nothing before its dead letter is written: refused again and one dead letter is no repeat.
    """
    dead = collections.Counter(checks.origin(one) for one in h.dead)
    for record, attempts in checks.finished(h.deliveries).items():
        if attempts[0].status == checks.ACCEPTED or dead[record] > 1:
            yield from zip(attempts, attempts[1:])


def explained(h, bounds):
    """Breaches, and {Cause or text: how many repeats are its doing}."""
    gates = {history.gate_of(one.gate) for one in h.deliveries}
    known = {gate: doubts(h, gate, bounds) for gate in gates}
    breaches, counts = [], collections.Counter()
    for first, again in repeats(h):
        why = explanation(h, first, bounds, known) or late_on_its_way(h, first, again)
        if why is None:
            breaches.append(Breach("duplicates", f"{checks.record_name(first)} was finished by {first.gate} at "
                                   f"{first.answered} and came again by {again.gate} at {again.arrived}: no fault "
                                   "explains it"))
        counts[Cause.of(why) if isinstance(why, Doubt) else why] += 1
    return breaches, counts


def most_repeats(cause, bounds):
    """What it may bring twice: what was in flight, and what was finished and not committed."""
    return bounds.in_flight + bounds.limit * (cause.end - cause.begin + bounds.commit_us) / 1e6


def first_seen(scrapes):
    """{(topic, partition): [(committed offset, when it was first seen)]}, growing."""
    commits = collections.defaultdict(list)
    for scrape in sorted(scrapes, key=lambda scrape: scrape.at):
        for lane, offset in scrape.committed.items():
            if not commits[lane] or offset > commits[lane][-1][0]:
                commits[lane].append((offset, scrape.at))
    return commits


def never_below_the_commit(h, bounds):
    """Once Kafka has acknowledged an offset no permit is used for a record below it.

    A gate that lost its partitions while it was stopped or cut off may do so until it learns of it:
    (breaches, how many of those).
    """
    gates = {history.gate_of(one.gate) for one in h.deliveries}
    zombies = {gate: zombie_times(h, gate, bounds) for gate in gates}
    commits = first_seen(h.scrapes)
    breaches, excused = [], 0
    for one in h.deliveries:
        seen = commits[one.topic, one.partition]
        place = bisect.bisect_right(seen, one.offset, key=lambda commit: commit[0])
        if place == len(seen) or one.admitted <= seen[place][1]:
            continue
        at = seen[place][1]
        if any(begin <= one.admitted <= end for begin, end in zombies[history.gate_of(one.gate)]):
            excused += 1
        else:
            breaches.append(Breach("duplicates", f"{checks.record_name(one)} by {one.gate}, admitted at "
                                   f"{one.admitted}, though its commit was seen at {at}"))
    return breaches, excused
