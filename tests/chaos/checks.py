"""The promises, as questions to a recorded history. Each returns what broke it; nothing is asked of a running world."""

import collections
import hashlib

import history

ACCEPTED, REFUSED = 200, 422

Breach = collections.namedtuple("Breach", "promise text")


def record_name(one):
    return f"{one.topic}-{one.partition}-{one.offset}"


def finished(deliveries):
    """{record: its deliveries that the target took or refused, as they arrived}."""
    found = {}
    for one in sorted(deliveries, key=lambda one: one.arrived):
        if one.status in (ACCEPTED, REFUSED):
            found.setdefault(history.record_of(one), []).append(one)
    return found


def origin(dead):
    """The record that a dead letter tells of, as its headers have it."""
    headers = dict(dead.headers)
    try:
        return headers["einlass-topic"], int(headers["einlass-partition"]), int(headers["einlass-offset"])
    except (KeyError, ValueError):
        return None


def nothing_lost(h):
    """Each record was accepted, or is in the dead letter topic; never both."""
    accepted = {history.record_of(one) for one in h.deliveries if one.status == ACCEPTED}
    dead = {origin(one) for one in h.dead}
    for record in h.records:
        name = record_name(record)
        who = (record.topic, record.partition, record.offset)
        if who not in accepted and who not in dead:
            yield Breach("nothing is lost", f"{name} was neither accepted nor is it a dead letter")
        if who in accepted and who in dead:
            yield Breach("nothing is lost", f"{name} was accepted and is a dead letter too")


def all_produced(h, produced):
    """The brokers have each record that they acknowledged: `produced` is {topic: values}."""
    for topic, values in produced.items():
        there = {record.value for record in h.records if record.topic == topic}
        missing = [value for value in values if value not in there]
        if missing:
            yield Breach("the brokers lose nothing", f"{topic}: {len(missing)} records, the first is {missing[0]!r}")


def untouched(h):
    """What arrives is what was produced: the value, the key, and the same token each time."""
    records = {(one.topic, one.partition, one.offset): one for one in h.records}
    for one in h.deliveries:
        record = records.get(history.record_of(one))
        if record is None:
            yield Breach("records are untouched", f"{record_name(one)} arrived and was never produced")
        elif hashlib.sha1(record.value).hexdigest() != one.hash or record.key != one.key:
            yield Breach("records are untouched", f"{record_name(one)} arrived with another value or key")
        elif one.token != f'"{record_name(one)}"':
            yield Breach("records are untouched", f"{record_name(one)} arrived as {one.token}")


def dead_letters(h):
    """A dead letter is the record as it was, and its story is that of the refusal that the target remembers."""
    records = {(one.topic, one.partition, one.offset): one for one in h.records}
    refused = {history.record_of(one) for one in h.deliveries if one.status == REFUSED}
    for dead in h.dead:
        record, story = records.get(origin(dead)), dict(dead.headers)
        name = f"dead letter {dead.partition}-{dead.offset}"
        if record is None:
            yield Breach("dead letters", f"{name} tells of no record: {origin(dead)}")
        elif (dead.value, dead.key, dead.headers[:len(record.headers)]) != (record.value, record.key, record.headers):
            yield Breach("dead letters", f"{name} is not {record_name(record)} as it was")
        elif origin(dead) not in refused:
            yield Breach("dead letters", f"{record_name(record)} is one, and no target has refused it")
        elif (story.get("einlass-reason"), story.get("einlass-status")) != ("refused", str(REFUSED)):
            yield Breach("dead letters", f"{record_name(record)} says {story.get('einlass-reason')}, "
                         f"{story.get('einlass-status')}")


def lane_of(one, orders):
    if orders[one.topic] == "none":
        return None
    return (one.topic, one.partition) if orders[one.topic] == "partition" else (one.topic, one.partition, one.key)


def in_order(h, orders):
    """The first time that a record is accepted or refused is after that of the one before it in its lane."""
    highest = {}
    for attempts in sorted(finished(h.deliveries).values(), key=lambda attempts: attempts[0].arrived):
        one = attempts[0]
        lane = lane_of(one, orders)
        if lane is None:
            continue
        before = highest.get(lane)
        if before is not None and one.offset < before.offset:
            yield Breach("order", f"{record_name(one)} at {one.arrived} by {one.gate}, after {record_name(before)} "
                         f"at {before.arrived} by {before.gate}")
        else:
            highest[lane] = one


def permits(h):
    """Each attempt has a permit of its own."""
    owners = {}
    for one in h.deliveries:
        if not one.permit or not one.admitted:
            yield Breach("one permit an attempt", f"{record_name(one)} came without one")
        elif one.permit in owners:
            both = f"{record_name(owners[one.permit])} and {record_name(one)}"
            yield Breach("one permit an attempt", f"{one.permit} brought {both}")
        owners[one.permit] = one


def limits_as_asked(h, ahead_us):
    """`h.limits`, but an ask that waited on its way to Redis brought its limit there only when that was over."""
    def held(event):
        return (event.kind == "link" and ">redis" in event.subject and event.how["state"] == "silent"
                or event.kind == "pause_primary")
    found = []
    for since, until, limit in h.limits:
        ends = [event.end + ahead_us for event in h.events if held(event) and event.begin <= until <= event.end + ahead_us]
        found.append((since, max([until, *ends]), limit))
    return found


def in_force(limits, begin, end):
    """The highest limit that some gate knew between these instants: `limits` is a list of (from, until, limit)."""
    return max(limit for since, until, limit in limits if since <= end and begin <= until)


def windows_kept(instants, window_us, limits, doubled=()):
    """(count, allowed, first, last) of each window (t - window_us, t] of these instants with more than is allowed.

    `doubled`: (begin, end) of times in which what was granted may be forgotten: twice the limit there.
    """
    ordered, low = sorted(instants), 0
    for high, instant in enumerate(ordered):
        while instant - ordered[low] >= window_us:
            low += 1
        count = high - low + 1
        allowed = in_force(limits, instant - window_us, instant)
        if any(begin <= instant and instant - window_us <= end for begin, end in doubled):
            allowed *= 2
        if count > allowed:
            yield count, allowed, ordered[low], instant


def most_in_window(instants, window_us):
    return max((count for count, _, _, _ in windows_kept(instants, window_us, [(0, history.FOR_EVER, 0)])), default=0)


def within_windows(h, window_us, doubled=()):
    """By the limiter's own clock: the instants for which permits were granted."""
    instants = {one.permit: one.admitted for one in h.deliveries}.values()
    for count, allowed, first, last in windows_kept(instants, window_us, h.limits, doubled):
        yield Breach("limit", f"{count} permits, {allowed} allowed, between {first} and {last}")


def within_bucket(instants, rate, burst, doubled=()):
    """Breaches of a token bucket: in any time w at most burst + rate * w. `rate` per second."""
    level, last = 0.0, None  # What would have to be in an endless bucket.
    for instant in sorted(instants):
        if last is not None:
            level = max(0.0, level - rate * (instant - last) / 1e6)
        level += 1
        last = instant
        allowed = burst * (2 if any(begin <= instant <= end for begin, end in doubled) else 1)
        if level > allowed + 1e-6:
            yield Breach("limit", f"{level:.3f} permits at once at {instant}, the burst is {allowed}")
            level = allowed


def arrivals(h, window_us, tolerance_us, faulty, doubled=()):
    """On the wire: what arrives in any window shorter by the tolerance.

    Not counted: what was sent over a link, or by a gate, that was not sound then; `faulty(delivery)` says so.
    """
    sound = [one.arrived for one in h.deliveries if not faulty(one)]
    for count, allowed, first, last in windows_kept(sound, window_us - tolerance_us, h.limits, doubled):
        yield Breach("limit on the wire", f"{count} arrivals, {allowed} allowed, between {first} and {last}")


def waits(h):
    """How long each record waited for its first acceptance or refusal, sorted."""
    first = {who: attempts[0].arrived for who, attempts in finished(h.deliveries).items()}
    whens = {(one.topic, one.partition, one.offset): one.at for one in h.records}
    return sorted(arrived - whens[who] for who, arrived in first.items() if who in whens)


def longest_silence(h, route):
    """The longest time in which the target of a route finished nothing, from its first record to its last."""
    instants = sorted(one.arrived for one in h.deliveries if one.topic == route and one.status in (ACCEPTED, REFUSED))
    return max((after - before for before, after in zip(instants, instants[1:])), default=0)


def closed(books):
    finished = books["delivered"] + books["dead_lettered"] + books["returned"] + books["filtered"]
    return books["received"] == finished + books["inside"]


def books_closed(h):
    """received = delivered + dead-lettered + returned + filtered + inside, of every route, at every look."""
    for scrape in h.scrapes:
        for route, books in scrape.books.items():
            if not closed(books):
                yield Breach("books", f"{scrape.run} at {scrape.at}, route {route}: {books}")


def never_backwards(h):
    """What a gate counts never gets less."""
    last = {}
    for scrape in h.scrapes:
        for route, books in scrape.books.items():
            before = last.get((scrape.run, route))
            if before and any(books[name] < before[name] for name in books if name != "inside"):
                yield Breach("books", f"{scrape.run} at {scrape.at}, route {route}: from {before} to {books}")
            last[scrape.run, route] = books


def pages_read(h, gates):
    """Of each gate, with the books and commits in it: what is asked of them would else be asked of nothing."""
    for gate in gates:
        scrapes = [scrape for scrape in h.scrapes if scrape.gate == gate]
        if not any(scrape.books for scrape in scrapes):
            yield Breach("books", f"no page of {gate} was read that has them")
        if not any(scrape.committed for scrape in scrapes):
            yield Breach("books", f"no page of {gate} was read that says what is committed")


def kafka_was_away(h, gate, since, until):
    """Whether a part of it was for that gate, at some moment of that time; or the gate stood still."""
    ways = (f"{gate}>kafka", f"{gate}>broker", "brokers>")
    return any(event.begin <= until and since <= event.end
               and (event.kind == "broker" or (event.kind, event.subject) == ("stop", gate)
                    or event.kind == "link" and event.subject.startswith(ways)) for event in h.events)


def left_in_order(h, leaving_us):
    """No gate ends by itself; one that leaves has nothing inside and says so. It takes `leaving_us` for that at most, and may
    fail to commit only where Kafka is away meanwhile."""
    for one in h.exits:
        if one.asked == "fenced":
            if one.code != 1 or one.books is None or not closed(one.books):
                yield Breach("exits", f"{one.run} was fenced and ended with {one.code}, books {one.books}")
        elif one.asked is None:
            yield Breach("exits", f"{one.run} ended by itself with {one.code} at {one.at}")
        elif one.asked == "terminate" and one.code != 0 and not (
                one.code == 1 and kafka_was_away(h, history.gate_of(one.run), one.at - leaving_us, one.at)):
            yield Breach("exits", f"{one.run} was asked to leave and ended with {one.code}")
        elif one.asked == "terminate" and one.code == 0:
            books = one.books
            if books is None:
                yield Breach("exits", f"{one.run} left without a word about its books")
            elif books["inside"] or not closed(books):
                yield Breach("exits", f"{one.run} left with open books: {books}")
