"""Random walks through limits: a trace for `einlass replay`, and what the model answers.

A walk is a row of sessions. Each begins with other parameters (the `limit` verb) and keys that nobody has used. It
seeks out the edges: the same instant again, the edges of windows, one microsecond before and after a `retry`, long idle
times, changed limits, repeated ids, permits given back. A session is

- `steady`: nothing changes, so its promise can be checked;
- `two`: two gates hold one bucket in turn, and one has not heard yet of a quota that was raised or lowered. The promise
  of the larger numbers can be checked;
- `changing`: anything may change, and only the answers are compared.
"""

import random
from types import SimpleNamespace

from model import Limiter
from model.units import duration

STEPS_OF_A_SESSION = 250
START = 1_800_000_000_000_000
KINDS = {"steady": 45, "two": 25, "changing": 30}  # How many of a hundred sessions.


def _span(rng):
    return rng.choice((rng.randint(1, 50), rng.randint(100, 5_000)))


def _limit(rng):
    return rng.randint(20, 300) if rng.random() < 0.2 else rng.randint(1, 8)


def _rate(rng):
    return f"{rng.randint(1, 20)}/{rng.choice((rng.randint(1, 40), rng.randint(50, 9_000)))}us"


def _windowed(rng):
    return {"limit": _limit(rng), "window": f"{_span(rng)}us"}


def _even(rng):
    """Windows so long that a group is a small part of the limit."""
    limit = rng.choice((rng.randint(2, 8), rng.randint(20, 300)))
    return {"limit": limit, "window": f"{rng.randint(20_000, 400_000)}us", "even": f"{rng.choice((1, 50, 90, 95))}%",
            "burst": limit if rng.random() < 0.5 else rng.randint(1, limit)}


def _sliced(rng):
    return {**_windowed(rng), "slices": rng.randint(1, 12)}


def _bucket(name):
    return lambda rng: {"rate": _rate(rng), name: rng.choice((rng.randint(1, 12), rng.randint(20, 300)))}


def _smooth(rng):
    return {**_bucket("burst")(rng), "timeout": f"{rng.choice((0, _span(rng), 4 * _span(rng)))}us"}


def _warm_up(rng):
    return {"rate": f"{rng.randint(1, 20)}/{rng.choice((rng.randint(1, 40), rng.randint(50, 2_000)))}us",
            "timeout": f"{rng.choice((0, _span(rng), 4 * _span(rng)))}us",
            "warm_up": f"{rng.choice((10, 1_000)) * _span(rng)}us"}


# What the second holder of a session `two` has less of, beside a lower rate. Never another window (nor slices or lease): a
# log is purged by the window of whoever asks, so with a shorter one what was spent is forgotten sooner than the longer
# one's promise needs it; docs/limiters/README.md says so.
AMOUNTS = ("limit", "burst", "capacity")

# A gcra whose rate rises grants more, once, as its page says: its one instant does not say how many permits are out ahead.
OF_ONE_RATE = ("gcra",)


def smaller(rng, name, options):
    """An algorithm's options with some numbers that allow less, and none that allows more."""
    less = {amount: rng.randint(1, options[amount]) for amount in AMOUNTS if amount in options and rng.random() < 0.8}
    if "rate" in options and name not in OF_ONE_RATE and ("warm_up" in options or rng.random() < 0.8):
        permits, span = options["rate"].split("/")
        less["rate"] = f"{rng.randint(1, int(permits))}/{duration(span) + rng.randint(0, 2 * duration(span))}us"
    less = {**options, **less}
    if "limit" in less and "burst" in less:
        less["burst"] = min(less["burst"], less["limit"])
    return less


# name: (the options that make it this algorithm, how to draw the others)
ALGORITHMS = {
    "sliding_log": ({"algorithm": "sliding_log"}, _windowed),
    "sliding_log_even": ({"algorithm": "sliding_log"}, _even),
    "fixed_window": ({"algorithm": "fixed_window"}, _windowed),
    "fixed_window_by_key": ({"algorithm": "fixed_window", "align": "key"}, _windowed),
    "counter": ({"algorithm": "counter"}, _windowed),
    "sliding_window": ({"algorithm": "sliding_window"}, _sliced),
    "sliding_window_newest": ({"algorithm": "sliding_window", "log": "newest"}, _sliced),
    "leaky_meter": ({"algorithm": "leaky_bucket", "mode": "meter"}, _bucket("capacity")),
    "leaky_queue": ({"algorithm": "leaky_bucket", "mode": "queue"}, _bucket("capacity")),
    "token_bucket": ({"algorithm": "token_bucket"}, _bucket("burst")),
    "token_bucket_empty": ({"algorithm": "token_bucket", "start": "empty"}, _bucket("burst")),
    "gcra": ({"algorithm": "gcra"}, _bucket("burst")),
    "smooth_now": ({"algorithm": "smooth", "pay": "now"}, _smooth),
    "smooth_next": ({"algorithm": "smooth", "pay": "next"}, _smooth),
    "warm_up": ({"algorithm": "smooth", "pay": "next"}, _warm_up),
    "concurrency": ({"algorithm": "concurrency"},
                    lambda rng: {"limit": _limit(rng), "lease": f"{_span(rng) * rng.choice((1, 20))}us"}),
}

MIXES = {
    "log_and_bucket": ("sliding_log", "token_bucket"),
    "even_and_queue": ("sliding_log_even", "leaky_queue"),
    "even_and_window": ("sliding_log_even", "sliding_window"),
    "empty_and_window": ("token_bucket_empty", "counter"),
    "rate_and_concurrency": ("smooth_now", "concurrency"),
    "ahead": ("sliding_log", "leaky_queue", "smooth_next", "warm_up", "token_bucket"),
    "gcra_between": ("sliding_log", "gcra", "leaky_queue"),
    "windows": ("counter", "fixed_window", "sliding_window", "sliding_window_newest"),
    "eight": ("token_bucket", "sliding_window", "leaky_queue", "concurrency", "counter", "leaky_meter", "sliding_log",
              "smooth_next"),
}

# What is walked for a part of the steps alone: mixes, and variants.
SHORTER = (*MIXES, "fixed_window_by_key")

LOGS = ("sliding_log", "sliding_log_even", "concurrency")

# Walks with these have longer windows, so time moves on in longer steps.
SLOWLY = {"sliding_log_even": 100}


def names(shape):
    return MIXES.get(shape, (shape,))


def limits(shape):
    """The config's limits for a walk of this shape."""
    drawn = random.Random(0)
    return {name: {**ALGORITHMS[name][0], **ALGORITHMS[name][1](drawn), "key": "header:key"} for name in names(shape)}


class Walk:
    """steps() makes one; then `lines` is the trace, `answers` the model's, `sessions` where each begins.

    `probes` are the places of asks that repeat the denied one on the line before, right before its retry or at it.
    """

    def __init__(self, shape, seed):
        self.shape = shape
        self.names = names(shape)
        self.model = Limiter(limits(shape), self.names)
        self.lines, self.answers, self.sessions, self.probes = [], [], [], []
        self._rng = random.Random(f"{shape} {seed}")
        self._now = START
        self._number = 0
        self._planned = []
        self._pace = max(SLOWLY.get(name, 1) for name in self.names)

    def steps(self, count):
        while len(self.lines) < count:
            if len(self.lines) - (self.sessions[-1].begin if self.sessions else -STEPS_OF_A_SESSION) \
                    >= STEPS_OF_A_SESSION:
                self._new_session()
            self._step()
        return self

    def _say(self, verb, what):
        line = {"at": self._now, verb: what}
        self.lines.append(line)
        self.answers.append(self.model.answer(line))
        return self.answers[-1]

    def _new_session(self):
        rng = self._rng
        self._now += rng.randint(0, 20_000_000)
        self._planned.clear()
        options = {name: ALGORITHMS[name][1](rng) for name in self.names}
        costs = {name: rng.choice((1, 1, rng.randint(1, 4))) for name in self.names}
        self._options = options
        self._keys = {name: f"k{len(self.sessions)}" for name in self.names}
        kind, = rng.choices(list(KINDS), list(KINDS.values()))
        self.sessions.append(SimpleNamespace(begin=len(self.lines), options=options, costs=costs, keys=self._keys,
                                             kind=kind, judged=kind != "changing", horizon=rng.random() < 0.6,
                                             differ=rng.random() < 0.25))
        self._holders = [options]
        if kind == "two":
            self._holders.append({name: smaller(rng, name, options[name]) for name in self.names})
        self._asks = []
        self._asked_at = {}
        self._wait = 0
        self._say("limit", options)

    def _step(self):
        rng = self._rng
        session = self.sessions[-1]
        if self._planned:
            self._now, ask = self._planned.pop(0)
            self.probes.append(len(self.lines))
            self._ask({**ask, "id": self._id()})
            return
        self._move_clock()
        draw = rng.random()
        if draw < 0.12 and self._asks:
            self._give_back("release")
        elif draw < 0.20 and self._asks and "concurrency" in self.names:
            self._give_back("ended")
        elif draw < 0.24:
            self._say("peek", {"keys": self._keys})
        elif draw < 0.28 and self._asks:
            ask = rng.choice(self._asks[-5:])
            if rng.random() < 0.1:  # Just when it is forgotten.
                self._now = max(self._now, self._asked_at[ask["id"]] + 10_000_000 + rng.choice((0, 0, 1)))
            self._hand_over()
            self._ask(ask)
        elif draw < 0.285 and session.kind == "changing":
            self._change()
        else:
            self._hand_over()
            self._ask(self._new_ask())

    def _new_ask(self):
        rng = self._rng
        least = rng.randint(2, 5) if rng.random() < 0.2 / len(self.names) else 1
        most = least + (rng.randint(0, 8) if rng.random() < 0.5 else 0)
        if rng.random() < 0.005:
            most += 300
        horizon = 0
        if self.sessions[-1].horizon and rng.random() < 0.75:
            horizon = self._pace * (rng.randint(0, 20_000) if rng.random() < 0.2 else rng.randint(0, 500))
        ask = {"min": least, "max": most, "horizon": horizon, "cost": self.sessions[-1].costs, "keys": self._keys,
               "id": self._id()}
        if self.sessions[-1].differ and rng.random() < 0.8:
            dearest = rng.choice((2, 2, 4, 12))
            ask["costs"] = [rng.randint(1, dearest) for _ in range(rng.randint(1, 8) if most < 300 else 300)]
            fixed = rng.sample(self.names, rng.randint(0, len(self.names) - 1))
            ask.update(min=1, max=len(ask["costs"]), cost={name: self.sessions[-1].costs[name] for name in fixed})
        return ask

    def _id(self):
        self._number += 1
        return f"a{self._number}"

    def _ask(self, ask):
        answer = self._say("acquire", ask)
        self._asked_at.setdefault(ask["id"], self._now)
        if not self._asks or self._asks[-1] is not ask:
            self._asks.append(ask)
        retry = answer["retry"]
        self._wait = retry if isinstance(retry, int) else 0
        exact = ask["min"] == 1 or self._pace == 1  # Several permits of an even log: limits/permits/acquire.h.
        if self._wait and exact and not self._planned and self._rng.random() < 0.15:
            if self._wait > 1:
                self._planned.append((self._now + self._wait - 1, ask))
            self._planned.append((self._now + self._wait, ask))

    def _give_back(self, verb):
        rng = self._rng
        ask = self._asks[-1] if rng.random() < 0.6 else rng.choice(self._asks[-8:])
        what = {"id": ask["id"]}
        if verb == "release" and rng.random() < 0.6:
            what["count"] = rng.randint(1, 4)
        if verb == "ended":
            self._asks.remove(ask)
        self._say(verb, what)

    def _hand_over(self):
        """Either of two holders asks next, and his numbers are those that hold."""
        if len(self._holders) == 1:
            return
        holder = self._rng.choice(self._holders)
        # How cold one is that has stood idle is not fixed where the numbers change. Other buckets with a rate are full
        # again under both numbers by then, and logs have the same window.
        cold = any("warm_up" in self._options[name] and self._forgettable(name) for name in self.names)
        if holder is not self._options and not cold:
            self._options = holder
            self._say("limit", holder)

    def _change(self):
        rng = self._rng
        name = rng.choice(self.names)
        drawn = ALGORITHMS[name][1](rng)
        changed = {option: value for option, value in drawn.items() if rng.random() < 0.6}
        if name == "sliding_log_even":
            changed = drawn  # A burst is at most the limit.
        if self._forgettable(name):
            # A longer window or a larger bucket knows only what was kept, which is not fixed.
            changed = {"limit": drawn["limit"]} if "limit" in drawn else {}
            if "burst" in drawn and name in LOGS:
                changed["burst"] = min(drawn["burst"], drawn["limit"])
            if name in LOGS:
                span = "lease" if name == "concurrency" else "window"
                changed[span] = f"{min(duration(drawn[span]), duration(self._options[name][span]))}us"
        self._options = {**self._options, name: {**self._options[name], **changed}}
        self._say("limit", {name: changed})

    def _forgettable(self, name):
        limit = next(limit for limit in self.model.limits if limit.name == name)
        return limit.bucket(self._keys[name]).forgettable(limit.p, self._now)

    def _move_clock(self):
        rng = self._rng
        move = rng.randrange(10)
        if move < 2:
            return  # The same instant again.
        if move == 2:
            self._now += self._wait or 1
        elif move == 3:
            self._now += self._pace * rng.randint(0, 4_000)
        elif move == 4:
            self._to_an_edge()
        elif move == 5 and rng.random() < 0.1:
            self._now += rng.choice((10_000_000, 10_000_001, rng.randint(0, 40_000_000)))
        else:
            self._now += rng.randint(0, self._pace * 60)

    def _to_an_edge(self):
        """To the end of a window or slice, or a microsecond beside it."""
        rng = self._rng
        options = self._options[rng.choice(self.names)]
        span = duration(options.get("window") or options.get("lease") or options.get("warm_up") or "100us")
        span = max(1, span // options.get("slices", 1))
        edge = (self._now // span + 1) * span if rng.random() < 0.7 else self._now + span
        self._now = max(self._now, edge + rng.choice((-1, 0, 0, 1)))
