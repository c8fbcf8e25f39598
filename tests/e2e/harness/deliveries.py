"""What the receiver saw, and whether it keeps the promises: nothing lost, in order, never above the limit."""

import collections
import itertools

Delivery = collections.namedtuple(
    "Delivery", "arrived answered status admitted partition offset attempt hash permit topic gate")


def most_at_once(seen):
    """How many were at the receiver at the same time, at most."""
    steps = sorted([(one.arrived, 1) for one in seen] + [(one.answered, -1) for one in seen])
    return max(itertools.accumulate(step for _, step in steps))


def parse(text):
    """The receiver's /_log as deliveries, in the order of their arrival."""
    found = []
    for line in text.splitlines():
        words = line.split()
        found.append(Delivery(*map(int, words[:8]), *words[8:]))
    return found


def record_of(delivery):
    return delivery.topic, delivery.partition, delivery.offset


def accepted(deliveries):
    return [one for one in deliveries if 200 <= one.status < 300]


def first_accepted(deliveries):
    """{record: its first accepted delivery}, in the order of arrival."""
    found = {}
    for one in accepted(deliveries):
        found.setdefault(record_of(one), one)
    return found


def duplicates(deliveries):
    """Accepted deliveries of a record that had been accepted before."""
    first = first_accepted(deliveries)
    return [one for one in accepted(deliveries) if first[record_of(one)] is not one]


def missing(deliveries, topic, ends):
    """Records of `topic` below its end offsets that were never accepted, as (partition, offset)."""
    first = first_accepted(deliveries)
    return [(partition, offset) for partition, end in enumerate(ends) for offset in range(end)
            if (topic, partition, offset) not in first]


def order_violations(deliveries, keys=None):
    """First acceptances that came after that of a later record of the same partition, and of the same key where `keys` has
    each record's."""
    highest, found = {}, []
    for record, one in first_accepted(deliveries).items():
        lane = one.topic, one.partition, keys and keys[record]
        if one.offset < highest.get(lane, -1):
            found.append(one)
        highest[lane] = max(highest.get(lane, -1), one.offset)
    return found


def run_order_violations(deliveries):
    """Arrivals, accepted or not, that went back within a partition although the gate had not been restarted."""
    last, found = {}, []
    for one in deliveries:
        lane = one.topic, one.partition, one.gate
        if one.offset < last.get(lane, -1):
            found.append(one)
        last[lane] = one.offset
    return found


def stood_still(arrivals, start, end, ordinary=60_000):
    """For how long none of `arrivals`, in order from `start` to `end`, came, counting pauses that are no ordinary ones. Where
    they are of a gate that had records ready all the time, the machine did not let it run, or its Redis."""
    pauses = (after - before for before, after in itertools.pairwise([start, *arrivals, end]))
    return sum(pause for pause in pauses if pause > ordinary)


def permits(deliveries):
    """{permit: the instant it was granted for}."""
    return {one.permit: one.admitted for one in deliveries}


def reused_permits(deliveries):
    """Permits that let more than one attempt through."""
    counts = collections.Counter(one.permit for one in deliveries)
    return [permit for permit, count in counts.items() if count > 1]


def worst_window(instants, window_us):
    """(most instants in any window (t - window_us, t], where that window begins)."""
    ordered = sorted(instants)
    worst, start, low = 0, 0, 0
    for high, instant in enumerate(ordered):
        while instant - ordered[low] >= window_us:
            low += 1
        if high - low + 1 > worst:
            worst, start = high - low + 1, ordered[low]
    return worst, start


def use_of_limit(instants, limit, window_us):
    """How much of a sliding window's limit was used in the whole windows from the first instant on: 1.0 is all of it."""
    first = min(instants)
    windows = (max(instants) - first) // window_us
    return sum(1 for instant in instants if instant < first + windows * window_us) / (limit * windows)
