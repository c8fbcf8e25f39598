"""What the server behind a limit sees of it, by its own clock: a part of end_to_end.py."""

import re

from harness import deliveries

SECOND_US = 1_000_000
SIZE = 1024
START = 2  # Seconds' worth of records before the CPU is looked at: what a start costs is another figure.


def rows(limit):
    """(name, the limit): each with a burst of a fiftieth of a second where it has one."""
    window, rate = {"limit": limit, "window": "1s"}, {"rate": f"{limit}/s"}
    burst = limit // 50
    log = {"algorithm": "sliding_log", **window}
    slices = {"algorithm": "sliding_window", **window}
    return (
        ("sliding log", log),
        ("sliding log, even: 0%", {**log, "even": "0%"}),
        ("sliding log, use_within: 5ms", {**log, "use_within": "5ms"}),
        ("sliding log, strict", {**log, "strict": True}),
        ("sliding window", slices),
        (f"sliding window, burst: {burst}", {**slices, "burst": burst}),
        ("the same, slices: 400", {**slices, "burst": burst, "slices": 400}),
        ("the same, log: newest", {**slices, "burst": burst, "log": "newest"}),
        (f"fixed window, burst: {burst}", {"algorithm": "fixed_window", "burst": burst, **window}),
        (f"counter, burst: {burst}", {"algorithm": "counter", "burst": burst, **window}),
        (f"token bucket, burst: {burst}, start: empty", {"algorithm": "token_bucket", "burst": burst, "start": "empty", **rate}),
        (f"gcra, burst: {burst}", {"algorithm": "gcra", "burst": burst, **rate}),
        (f"smooth, burst: {burst}", {"algorithm": "smooth", "burst": burst, **rate}),
        (f"leaky bucket, queue of {burst}", {"algorithm": "leaky_bucket", "mode": "queue", "capacity": burst, **rate}),
        (f"leaky bucket, meter of {burst}", {"algorithm": "leaky_bucket", "mode": "meter", "capacity": burst, **rate}))


def orders(limit, algorithm):
    """By partition only what shows what late use costs: with one record of each under way no more than 1,000/s would leave."""
    by_partition = limit <= 1000 and algorithm["algorithm"] in ("sliding_log", "token_bucket")
    return ("none", "partition") if by_partition else ("none",)


COLUMNS = ("worst second", "largest 10ms", "limit used", "by permits", "late > 2 ms", "99.9 % below", "CPU %", "calls/rec")


class AtTheReceiver:
    """Of a backlog, from the first record on; the largest 10 ms are of what comes after the first second."""

    def __init__(self, bench, table, limit, seconds):
        self._bench, self._table, self._limit, self._seconds = bench, table, limit, seconds

    def measure(self, name, algorithm, count, order):
        """`order`: partition has two records under way in a gate, none has as many as the target takes."""
        world, limit, records = self._bench.world, self._limit, (self._seconds - 1) * self._limit
        topic = self._bench.topic(2 * count)
        # What a limit of another kind has left in Redis is no state for this one.
        settings = self._bench.config(topic, algorithm=algorithm, route={"order": order}, redis={"namespace": topic})
        gates = world.start_gates(count, settings, 2 * count)
        world.produce(topic, records, SIZE)
        world.receiver.wait_for(START * limit, 30)
        world.redis.ask("CONFIG", "RESETSTAT")
        before, seen = sum(gate.cpu_seconds() for gate in gates), world.receiver.summary()["accepted"]
        world.receiver.wait_for(records - limit, 3 * self._seconds)
        cpu = sum(gate.cpu_seconds() for gate in gates) - before
        seen, calls = world.receiver.summary()["accepted"] - seen, self._bench.redis_calls()[0]
        world.receiver.wait_for(records, 3 * self._seconds)
        late, bound = lateness(gates)
        self._table.row(f"{name}, {count} gates, {order}", *view(world.receiver.deliveries(), limit), f"{late:.2%}",
                        bound, f"{cpu / seen * limit * 100:.1f}", f"{calls / seen:.3f}")
        self._bench.end(gates)


def view(seen, limit):
    """The worst second, the largest 10 ms, how much of the limit was used, and the worst second by the permits."""
    admitted = list(deliveries.permits(seen).values())
    arrived = sorted(one.arrived for one in seen)
    later = [at for at in arrived if at >= arrived[0] + SECOND_US]
    return (deliveries.worst_window(arrived, SECOND_US)[0], deliveries.worst_window(later, 10_000)[0],
            f"{deliveries.use_of_limit(admitted, limit, SECOND_US):.2%}", deliveries.worst_window(admitted, SECOND_US)[0])


def lateness(gates):
    """How many permits were used more than 2 ms late, and below which bound 99.9 % were, by the gates' own histograms."""
    below = {}
    for gate in gates:
        for name, number in gate.metrics().items():
            if name.startswith("einlass_permit_lateness_seconds_bucket"):
                bound = float(re.search('le="([^"]+)"', name)[1])
                below[bound] = below.get(bound, 0) + number
    used = below[float("inf")]
    in_time = below[max(bound for bound in below if bound <= 0.002)]
    bound = min(bound for bound in below if below[bound] >= 0.999 * used)
    return (used - in_time) / used, f"{bound * 1000:.2g} ms"
