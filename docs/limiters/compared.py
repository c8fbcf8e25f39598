#!/usr/bin/env python3
"""The table of compared.md: what published rules admit, and what Einlass admits on the same asks.

    compared.py --einlass BINARY [--write | --check]

The published rules are written here again, each from its own text, not copied; Einlass' rows come from `einlass replay`.
"""

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "conformance"))

from replay import Replay  # noqa: E402

LIMIT = 10
SECOND = 1_000_000
ASKS_OF_A_BURST = 25
PAGE = os.path.join(HERE, "compared.md")


# ---- The listings of the articles. Each takes the instants of asks and says which are admitted. ----

def article_001(asks):
    """Sorted set of uuids; score is the caller's clock in whole seconds."""
    scores = []
    for at in asks:
        now = at // SECOND
        scores = [score for score in scores if score > now - 1]
        yield len(scores) < LIMIT
        if len(scores) < LIMIT:
            scores.append(now)


def article_002_counter(asks):
    """Counts, then fails on a name that nobody set, so the expiry is never set; at the limit it refuses, for ever."""
    for _ in asks:
        yield False


def article_002_bucket(asks):
    """Milliseconds, divided by 1000 as whole numbers before they are multiplied; the time always moves on."""
    tokens, refreshed = 0, 0
    for at in asks:
        now = at // 1000
        tokens = min(LIMIT, tokens + (now - refreshed) // 1000 * LIMIT)
        refreshed = now
        yield tokens > 0
        tokens -= tokens > 0


def article_002_guava(asks):
    """Next pays; stored permits up to the limit; the state expires 10 s after the last call."""
    stored = free = seen = 0
    for at in asks:
        if seen and at - seen >= 10 * SECOND:
            stored = free = 0
        if free > at:
            yield False
            continue
        stored = min(LIMIT, stored + (at - free) * LIMIT / SECOND)
        fresh = 1 - min(1, stored)
        stored, free, seen = stored - min(1, stored), at + fresh * SECOND / LIMIT, at
        yield True


def article_003_fixed(asks):
    """INCR, and EXPIRE with the first one."""
    count, ends = 0, 0
    for at in asks:
        if at >= ends:
            count, ends = 0, at + SECOND
        count += 1
        yield count <= LIMIT


def article_003_log(asks):
    """Removes the scores from now - window to now, then counts; the member is the millisecond."""
    members = set()
    for at in asks:
        now = at // 1000
        members = {member for member in members if not now - 1000 <= member <= now}
        yield len(members) < LIMIT
        if len(members) < LIMIT:
            members.add(now)


def sum_of_slices(asks, slices=10):
    """Section 3.1: the slices of the last window, the current one among them."""
    counts = {}
    for at in asks:
        now = at * slices // SECOND
        admitted = sum(counts.get(now - i, 0) for i in range(slices)) < LIMIT
        counts[now] = counts.get(now, 0) + admitted
        yield admitted


def article_003_leaky(asks):
    """The second call compares a text with a number."""
    for i, _ in enumerate(asks):
        yield i == 0


def article_003_token(asks):
    """Reads the tokens, refills what is stored but not what it has read, admits if too few are there."""
    tokens, refreshed = 0, 0
    for at in asks:
        now = at // SECOND
        read = tokens
        if (now - refreshed) * LIMIT > 0:
            tokens, refreshed = min(tokens + (now - refreshed) * LIMIT, LIMIT), now
        yield read < 1
        tokens -= read < 1


def article_004(asks):
    """Whole seconds; the time of the refill is stored only by a refill; the key lives 2 s after the last call."""
    tokens, refilled, seen = None, None, None
    for at in asks:
        if seen is not None and at - seen >= 2 * SECOND:
            tokens = refilled = None
        now = at // SECOND
        have = LIMIT if tokens is None else tokens
        new = max(now - (now if refilled is None else refilled), 0) * LIMIT
        tokens, seen = min(have + new, LIMIT), at
        if new > 0:
            refilled = now
        yield tokens >= 1
        tokens -= tokens >= 1


# ---- Rules of well-known libraries, as their documents describe them. ----

def aligned_window(asks):
    """Windows aligned to the clock."""
    counts = {}
    for at in asks:
        window = at // SECOND
        counts[window] = counts.get(window, 0) + 1
        yield counts[window] <= LIMIT


def interpolated(asks):
    """The window before counts by the share of it that is still inside, rounded down."""
    counts = {}
    for at in asks:
        window, into = divmod(at, SECOND)
        before = counts.get(window - 1, 0) * (SECOND - into) // SECOND
        admitted = before + counts.get(window, 0) < LIMIT
        counts[window] = counts.get(window, 0) + admitted
        yield admitted


def gcra(asks):
    """The theoretical arrival time, with a burst of the limit."""
    interval, tat = SECOND // LIMIT, 0
    for at in asks:
        new = max(tat, at) + interval
        yield new - at <= LIMIT * interval
        if new - at <= LIMIT * interval:
            tat = new


def whole_second_bucket(asks):
    """A token bucket on a clock of whole seconds."""
    tokens, refreshed = LIMIT, None
    for at in asks:
        now = at // SECOND
        if refreshed is not None:
            tokens = min(LIMIT, tokens + (now - refreshed) * LIMIT)
        refreshed = now
        yield tokens >= 1
        tokens -= tokens >= 1


def interval_bucket(asks):
    """Refilled by the limit once a whole interval has gone since the last refill."""
    tokens, refilled = LIMIT, None
    for at in asks:
        refilled = at if refilled is None else refilled
        intervals = (at - refilled) // SECOND
        tokens, refilled = min(LIMIT, tokens + intervals * LIMIT), refilled + intervals * SECOND
        yield tokens >= 1
        tokens -= tokens >= 1


def exact_log(asks):
    """Every instant is kept."""
    kept = []
    for at in asks:
        kept = [one for one in kept if one > at - SECOND]
        yield len(kept) < LIMIT
        if len(kept) < LIMIT:
            kept.append(at)


ARTICLES = {
    "001 sliding log, clock of whole seconds": article_001,
    "002 counter (an error at each call)": article_002_counter,
    "002 bucket in the process": article_002_bucket,
    "002 reservation (Guava's rule), timeout 0": article_002_guava,
    "003 §1 fixed window": article_003_fixed,
    "003 §2 sliding log": article_003_log,
    "003 §3.1 sliding window, 10 slices": sum_of_slices,
    "003 §4 leaky bucket (an error from the second call)": article_003_leaky,
    "003 §5 token bucket": article_003_token,
    "004 token bucket": article_004,
}
LIBRARIES = {
    "windows aligned to the clock (envoyproxy/ratelimit, Upstash `fixedWindow`)": aligned_window,
    "two windows, interpolated (Upstash `slidingWindow`, Cloudflare)": interpolated,
    "GCRA, burst 10 (redis_rate, redis-cell), and a greedy token bucket of 10 (bucket4j)": gcra,
    "token bucket of 10 on whole seconds (Spring Cloud Gateway)": whole_second_bucket,
    "token bucket of 10, refilled once an interval (Upstash `tokenBucket`)": interval_bucket,
    "sliding log (Redisson `RRateLimiter`)": exact_log,
}
EINLASS = {
    "`sliding_log`": {"algorithm": "sliding_log", "limit": LIMIT, "window": "1s"},
    "`sliding_window`, 10 slices": {"algorithm": "sliding_window", "limit": LIMIT, "window": "1s", "slices": 10},
    "`sliding_window`, `log: newest`": {"algorithm": "sliding_window", "limit": LIMIT, "window": "1s", "slices": 10,
                                        "log": "newest"},
    "`fixed_window`": {"algorithm": "fixed_window", "limit": LIMIT, "window": "1s"},
    "`counter`": {"algorithm": "counter", "limit": LIMIT, "window": "1s"},
    "`token_bucket`, burst 10": {"algorithm": "token_bucket", "rate": "10/s", "burst": LIMIT},
    "`token_bucket`, burst 1, 9/s": {"algorithm": "token_bucket", "rate": "9/s", "burst": 1},
    "`leaky_bucket`, meter of 10": {"algorithm": "leaky_bucket", "mode": "meter", "rate": "10/s", "capacity": LIMIT},
    "`leaky_bucket`, queue": {"algorithm": "leaky_bucket", "mode": "queue", "rate": "10/s", "capacity": LIMIT},
    "`smooth`, `pay: next`, burst 10": {"algorithm": "smooth", "pay": "next", "rate": "10/s", "burst": LIMIT,
                                        "timeout": "1s"},
}


# ---- The asks. ----

def two_bursts():
    """Every pair of bursts less than a window apart that begin at or right before a tenth of a second, the first one in
    the same second; each also with a lone ask nine tenths of a second earlier, which opens what the first ask opens."""
    begin = 100 * SECOND
    marks = [begin + tenth * 100_000 - early for tenth in range(21) for early in (0, 1)]
    return [opener + [first] * ASKS_OF_A_BURST + [second] * ASKS_OF_A_BURST
            for first in marks if first < begin + SECOND for second in marks if first < second < first + SECOND
            for opener in ([], [first - 900_000])]


def crowd():
    return [100_000_000 + i * 1000 for i in range(10_000)]


def slow():
    """Never more than two a second."""
    return [100_000_000 + i * 900_000 for i in range(40) for _ in range(2)]


def worst_window(admitted):
    """The most in any (t - window, t]."""
    worst = begin = 0
    for end, at in enumerate(admitted):
        while admitted[begin] <= at - SECOND:
            begin += 1
        worst = max(worst, end - begin + 1)
    return worst


def published(rule, asks):
    return [at for at, admitted in zip(asks, rule(asks)) if admitted]


def replayed(replay, options, traces):
    """All traces in one run, one after the other, each on a key of its own."""
    lines, offset = [], 0
    for number, asks in enumerate(traces):
        for i, at in enumerate(asks):
            lines.append({"at": at + offset, "acquire": {"min": 1, "max": 1, "horizon": 0, "keys": {"it": str(number)},
                                                         "id": f"{number}-{i}"}})
        offset += 100 * SECOND
    answers = iter(replay.answers("memory", {"it": {**options, "key": "header:key"}}, ["it"], lines))
    return [[at for at in asks if next(answers)["granted"]] for asks in traces]


def rows(replay):
    traces = [*two_bursts(), crowd(), slow()]
    for group, rules in (("The articles' listings", ARTICLES), ("Well-known rules", LIBRARIES), ("Einlass", EINLASS)):
        yield f"| **{group}** | | | |"
        for name, rule in rules.items():
            done = replayed(replay, rule, traces) if group == "Einlass" else \
                [published(rule, asks) for asks in traces]
            worst = max(worst_window(admitted) for admitted in done)
            yield f"| {name} | {worst} | {len(done[-2])} | {len(done[-1])} |"


def table(replay):
    return "\n".join(["| rule | worst window | crowd | slow |", "|---|---|---|---|", *rows(replay)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--einlass", required=True)
    parser.add_argument("--write", action="store_true", help="put the table into compared.md")
    parser.add_argument("--check", action="store_true", help="leave with 1 if the one there is another")
    options = parser.parse_args()
    made = table(Replay(options.einlass, "redis://127.0.0.1:6379/0"))
    if not (options.write or options.check):
        print(made)
        return 0
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    begin, end = page.index("| rule | worst"), page.index("\n\n", page.index("| rule | worst"))
    if options.write:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page[:begin] + made + page[end:])
    elif page[begin:end] != made:
        print("compared.md: its table is not what compared.py makes; run it with --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
