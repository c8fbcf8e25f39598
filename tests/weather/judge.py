"""What must be true of a topic after a weather, as pure functions over a history: the promises as tests/chaos judges them,
few repeats, and going on in time. Nothing here asks the gate."""

import collections

import checks
from checks import Breach
import history

ORDERS = collections.defaultdict(lambda: "key")
SECOND_US = 1_000_000
_TOLERANCE_US = 300_000  # Of arrivals: use_within, and 200 ms on the way.

# What a weather may do. `repeats`: acceptances of records that had been accepted. `forgot`: the times in which Redis may have
# forgotten permits. `on_the_way`: whether the way to the target is bad, so that arrivals say nothing of the limit.
# `within_s`: from `since`, which is when it began or was over, until all is accepted.
Allowed = collections.namedtuple("Allowed", "repeats within_s forgot on_the_way", defaults=[[], False])


def empty(limit):
    h = history.empty()
    h.limits.append((0, history.FOR_EVER, limit))
    return h


def first_accepted(h):
    """{record: when it was accepted first}."""
    return {who: attempts[0].arrived for who, attempts in checks.finished(h.deliveries).items()}


def accepted_since(h, since):
    """How many records were accepted for the first time from that instant on."""
    return sum(at >= since for at in first_accepted(h).values())


def repeats(h):
    return sum(len(attempts) - 1 for attempts in checks.finished(h.deliveries).values())


def few_repeats(h, most):
    count = repeats(h)
    if count > most:
        yield Breach("few repeats", f"{count} deliveries of what had been accepted, {most} allowed")


def silence_s(h, since):
    """From that instant until something is accepted for the first time; None if nothing is."""
    return min(((at - since) / SECOND_US for at in first_accepted(h).values() if at >= since), default=None)


def took_s(h, since):
    """From that instant until the last record was accepted for the first time; 0 if that was before it."""
    return max(0, max(first_accepted(h).values(), default=since) - since) / SECOND_US


def in_time(h, since, within_s):
    took = took_s(h, since)
    if took > within_s:
        yield Breach("it goes on", f"the last record was accepted after {took:.1f} s, {within_s:.1f} s allowed")


def breaches(h, since, allowed):
    """Of a history of one topic, whose route has one limit."""
    yield from checks.nothing_lost(h)
    yield from checks.untouched(h)
    yield from checks.in_order(h, ORDERS)
    yield from checks.permits(h)
    yield from checks.within_windows(h, SECOND_US, allowed.forgot)
    if not allowed.on_the_way:
        yield from checks.arrivals(h, SECOND_US, _TOLERANCE_US, lambda one: False, allowed.forgot)
    yield from few_repeats(h, allowed.repeats)
    yield from in_time(h, since, allowed.within_s)


def nothing_lost_below(h, committed):
    """What Kafka has as done was accepted: `committed` is {partition: offset}."""
    below = [record for record in h.records if record.offset < committed[record.partition]]
    return list(checks.nothing_lost(h._replace(records=below)))


def others_go_on(h, since, within_s):
    """Of the route beside, which has nothing to do with the link that is bad: all of it, in order, at its own pace."""
    yield from checks.nothing_lost(h)
    yield from checks.in_order(h, ORDERS)
    yield from few_repeats(h, 0)
    for breach in in_time(h, since, within_s):
        yield breach._replace(promise="the others go on")


def weather_came(weather, met):
    """Where packets were to meet something and none did, nothing was shown: `met` is wire.Done of both ways."""
    wanted = {"lost": weather.silent or weather.loss * met.came > 10, "overtook": weather.reorder, "too_large": weather.untold, "came": True}
    for name, is_wanted in wanted.items():
        if is_wanted and not getattr(met, name):
            yield Breach("the weather", f"of {met.came} packets none is counted as `{name}`")
