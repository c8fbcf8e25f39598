"""Each algorithm's promise, checked by brute force on what a trace was answered, and on nothing else.

Only for stretches of a trace in which no limit changed. Permits that were given back do not count: nobody used them.
"""

from model.fixed_window import fnv1a_64
from model.units import duration, rate

REMEMBERED = 10_000_000


class Broken(AssertionError):
    pass


def check(lines, answers, first, last, options, costs, keys):
    """The promises of all limits in {name: options}, on the lines from `first` to before `last`."""
    for name, of_limit in options.items():
        permits = _permits(lines, answers, first, last, name, costs[name])
        used = sorted((at, cost) for at, over, ended, cost in permits if over is None)
        _PROMISES[_kind(of_limit)](of_limit, used, permits, keys[name])


def check_retry(lines, answers, place):
    """A retry is exact: the denied ask of the line before, made again, is denied until then and granted at it."""
    _demand(answers[place - 1]["retry"] is not None, "the line before was not denied")
    left = lines[place - 1]["at"] + answers[place - 1]["retry"] - lines[place]["at"]
    if left > 0:
        _demand(answers[place]["granted"] == 0 and answers[place]["retry"] == left, "not denied until its retry")
    else:
        _demand(answers[place]["granted"] > 0, "denied at its retry")


def _demand(truth, what):
    if not truth:
        raise Broken(what)


def _permits(lines, answers, first, last, limit, cost):
    """[instant, when it was given back, when its attempt ended, what it cost] of each permit."""
    found, by_ask, asked_at = [], {}, {}
    for line, answer in zip(lines[first:last], answers[first:last]):
        now = line["at"]
        if "acquire" in line and answer["granted"]:
            name = line["acquire"]["id"]
            if name in asked_at and now - asked_at[name] <= REMEMBERED:
                continue  # Asked again: the same permits.
            asked_at[name] = now
            each = line["acquire"].get("costs")
            each = each if each and limit not in line["acquire"].get("cost", {}) else [cost] * len(answer["due"])
            by_ask[name] = [[now + due, None, None, each[i]] for i, due in enumerate(answer["due"])]
            found += by_ask[name]
        elif "release" in line:
            out = [permit for permit in by_ask.get(line["release"]["id"], ()) if permit[1] is None]
            for permit in out[max(0, len(out) - line["release"].get("count", len(out))):]:
                permit[1] = now
        elif "ended" in line:
            for permit in by_ask.get(line["ended"]["id"], ()):
                permit[2] = now if permit[2] is None else permit[2]
    return found


def _kind(options):
    name = options["algorithm"]
    if name == "leaky_bucket":
        return "queue" if options.get("mode") == "queue" else "bucket"
    if name == "smooth":
        return "warm_up" if "warm_up" in options else "next" if options.get("pay") == "next" else "bucket"
    return "bucket" if "rate" in options else "log" if name in ("sliding_log", "sliding_window") else name


def _log(options, used, permits, key):
    limit, window = options["limit"], duration(options["window"])
    for end, _ in used:
        inside = sum(cost for at, cost in used if end - window < at <= end)
        _demand(inside <= limit, f"{inside} in the window that ends at {end}, limit {limit}")


def _aligned(options, used, permits, key):
    limit, window = options["limit"], duration(options["window"])
    phase = fnv1a_64(key.encode()) % window if options.get("align") == "key" else 0
    for begin in {(at - phase) // window for at, _ in used}:
        inside = sum(cost for at, cost in used if (at - phase) // window == begin)
        _demand(inside <= limit, f"{inside} in the window from {phase + begin * window}, limit {limit}")


def _opened(options, used, permits, key):
    limit, window = options["limit"], duration(options["window"])
    end, inside = None, 0
    for at, given_back, _, cost in sorted(permits, key=lambda permit: permit[0]):
        if end is None or at >= end:
            end, inside = at + window, 0
        inside += cost if given_back is None else 0
        _demand(inside <= limit, f"{inside} in the window until {end}, limit {limit}")


def _bounded(used, burst, permits, micros):
    """At most burst + rate * W in any closed window: for each last permit against the worst first one."""
    least, units = None, 0
    for at, cost in used:
        first = units * micros - at * permits
        units += cost
        least = first if least is None else min(least, first)
        over = units * micros - at * permits - least - burst * micros
        _demand(over <= 0, f"{over}/{micros} permits above burst + rate * W in a window that ends at {at}")


def _bucket(options, used, permits, key):
    _bounded(used, options.get("burst", options.get("capacity")), *rate(options["rate"]))


def _next(options, used, permits, key):
    # Who pays next has its own permit free of charge: one cost more, and a microsecond's refill for rounding up.
    dearest = max((cost for _, cost in used), default=0)
    _bounded(used, options["burst"] + dearest, *rate(options["rate"]))


def _spaced(options, used, permits, key):
    per, micros = rate(options["rate"])
    if per == 0:
        _demand(not used, "a rate of 0 admitted something")
        return
    latest = None  # Of all before, when this one could be at the earliest, less a microsecond for rounding up.
    units = 0
    for at, cost in used:
        turn = at * per - units * micros
        units += cost
        _demand(latest is None or turn > latest - per, f"{at} is too early, a unit every {micros}/{per} us")
        latest = turn if latest is None else max(latest, turn)


def _held(options, used, permits, key):
    limit, lease = options["limit"], duration(options["lease"])
    spans = [(at, min([at + lease] + [end for end in (given_back, ended) if end is not None]), cost)
             for at, given_back, ended, cost in permits]
    for now, _, _ in spans:
        held = sum(cost for begin, end, cost in spans if begin <= now < end)
        _demand(held <= limit, f"{held} held at {now}, limit {limit}")


_PROMISES = {"log": _log, "fixed_window": _aligned, "counter": _opened, "bucket": _bucket, "next": _next,
             "queue": _spaced, "warm_up": _spaced, "concurrency": _held}
