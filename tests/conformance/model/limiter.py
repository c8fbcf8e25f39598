"""The lines of a trace in, the lines of its answers out, as `einlass replay` reads and prints them."""

import importlib
from types import SimpleNamespace

from . import joint
from . import share
from .leaky_bucket import LeakyMeter, LeakyQueue
from .sliding_window import SlidingWindow
from .sliding_window_newest import SlidingWindowNewest
from .smooth import SmoothNext, SmoothNow
from .units import ceil_div, duration, rate
from .warm_up import WarmUp

REMEMBERED = 10_000_000  # How long a granted ask is known again.


def algorithm(options):
    """The class of bucket that a limit's options call for."""
    name = options["algorithm"]
    if name == "sliding_window":
        return SlidingWindowNewest if options.get("log") == "newest" else SlidingWindow
    if name == "leaky_bucket":
        return LeakyQueue if options.get("mode") == "queue" else LeakyMeter
    if name == "smooth":
        if "warm_up" in options:
            return WarmUp
        return SmoothNext if options.get("pay") == "next" else SmoothNow
    # One without modes: its file has its name, and so has its class.
    return getattr(importlib.import_module("." + name, __package__), name.title().replace("_", ""))


def parameters(options):
    p = SimpleNamespace()
    if "rate" in options:
        p.permits, p.micros = rate(options["rate"])
    for name in ("window", "lease", "warm_up"):
        if name in options:
            setattr(p, name, duration(options[name]))
    for name in ("limit", "burst", "capacity"):
        if name in options:
            setattr(p, name, options[name])
    p.even = int(options.get("even", "90%").rstrip("%")) if options["algorithm"] == "sliding_log" else 0
    p.burst = getattr(p, "burst", None)
    p.starts_empty = options.get("start") == "empty"
    p.by_key = options.get("align") == "key"
    p.timeout = duration(options.get("timeout", "1s"))
    if options["algorithm"] == "sliding_window":
        p.slices = options.get("slices", 10)
        p.slice = ceil_div(p.window, p.slices)
    elif options["algorithm"] == "leaky_bucket":
        p.burst = p.capacity
    elif options["algorithm"] == "concurrency":
        p.window = p.lease
    return p


class _Limit:
    def __init__(self, name, options):
        self.name = name
        self.buckets = {}
        self.shares = {}
        self.change(options)

    def change(self, options):
        self.options = options
        self.p = parameters(options)
        cost = options.get("cost", 1)
        self.cost = cost if isinstance(cost, int) else 1

    def bucket(self, key):
        return self.buckets.get(key) or algorithm(self.options)(self.p, key)


def costs_of(ask, limit, most):
    """What each of `most` permits takes of the limit."""
    cost = ask.get("cost", {})
    if isinstance(cost, int):
        return [cost] * most
    if limit.name not in cost and "costs" in ask:
        return ask["costs"]
    return [cost.get(limit.name, limit.cost)] * most


class Limiter:
    def __init__(self, limits, asked):
        """`limits`: {name: options} as in a config; `asked`: the names that every ask takes, in that order."""
        self.limits = [_Limit(name, limits[name]) for name in asked]
        self._granted = {}  # By the ask's id: what was granted, and what of it is still out.
        self._asks = 0

    def answer(self, line):
        now = line["at"]
        if "acquire" in line:
            return self._acquire(now, line["acquire"])
        if "release" in line:
            return self._release(now, line["release"])
        if "ended" in line:
            return self._ended(now, line["ended"])
        if "limit" in line:
            return self._change(line["limit"])
        return {"remaining": self._remaining(now, line["peek"].get("keys", {}))}

    def _acquire(self, now, ask):
        keys = ask.get("keys", {})
        known = self._granted.get(ask["id"])
        if known and now - known.at <= REMEMBERED:
            said = self._said(known.due, now, keys)
            return said if known.flows is None else {**said, "share": self._told_again(known, ask, now)}
        least, most = ask.get("min", 1), ask.get("max", len(ask.get("costs", ())) or ask.get("min", 1))
        charges = [joint.Charge(limit.bucket(keys.get(limit.name, "")), limit.p, costs_of(ask, limit, most))
                   for limit in self.limits]
        for limit, charge in zip(self.limits, charges):
            if charge.bucket.begin(limit.p, now):
                limit.buckets[keys.get(limit.name, "")] = charge.bucket
        self._asks += 1
        number = self._asks
        told = {}
        if "share" in ask:
            answer, told = self._ask_for_flows(charges, ask, most, number, now)
        else:
            answer = joint.ask(charges, least, most, ask.get("horizon", 0), lambda i: (number, i), now)
        if answer.granted == 0:
            self._granted.pop(ask["id"], None)  # Whoever names the id from now on means this ask.
            return {"granted": 0, "due": [], "reason": self.limits[answer.reason].name,
                    "retry": "never" if answer.retry is None else answer.retry,
                    "remaining": self._remaining(now, keys), **told}
        for limit, charge in zip(self.limits, charges):
            limit.buckets[keys.get(limit.name, "")] = charge.bucket
        permits = [((number, i), at) for i, at in enumerate(answer.due)]
        self._granted[ask["id"]] = SimpleNamespace(at=now, due=answer.due, out=permits, keys=keys,
                                                   costs=[charge.costs for charge in charges],
                                                   flows=told["share"]["flows"] if told else None, ask=ask)
        return {**self._said(answer.due, now, keys), **told}

    def _shared(self, ask):
        return next(i for i, limit in enumerate(self.limits) if limit.name == ask["share"]["limit"])

    def _ask_for_flows(self, charges, ask, most, number, now):
        place = self._shared(ask)
        limit = self.limits[place]
        key = ask.get("keys", {}).get(limit.name, "")
        asking = share.Asking(limit.shares.get(key), ask["share"], charges[place].cost, now)
        answer, limit.shares[key] = joint.ask_shared(charges, place, asking, most, ask.get("horizon", 0),
                                               lambda i: (number, i), now)
        return answer, {"share": self._of_flows(limit.shares[key], asking, answer.held_up, answer.retry, answer.flows)}

    def _told_again(self, known, ask, now):
        limit = self.limits[self._shared(ask)]
        state = limit.shares.get(ask.get("keys", {}).get(limit.name, ""))
        asking = share.Asking(state, ask["share"], known.costs[self._shared(ask)][0], now)
        there = state and state.copy()
        there = there if there and there.serves(ask["share"]["gate"], ask["share"]["levels"], now) else None
        return self._of_flows(there, asking, None, None, known.flows)

    @staticmethod
    def _of_flows(state, asking, held_up, retry, flows):
        return {"held_up": held_up, "retry": retry, "epoch": state.epoch if state else 0,
                "time": state.time[:] if state else [0] * len(asking.rest), "flows": flows, "served": asking.tags()}

    def _said(self, due, now, keys):
        return {"granted": len(due), "due": [at - now for at in due], "reason": None, "retry": None,
                "remaining": self._remaining(now, keys)}

    def _remaining(self, now, keys):
        return {limit.name: limit.bucket(keys.get(limit.name, "")).remaining(limit.p, now) for limit in self.limits}

    def _release(self, now, release):
        ask = self._granted.get(release["id"])
        if ask is None:
            return {"released": 0}
        count = min(release.get("count", len(ask.out)), len(ask.out))
        first = len(ask.out) - count
        back, ask.out = ask.out[first:], ask.out[:first]
        self._give_flows_back(ask, range(first, first + count))
        released = 0
        while back:  # Permits of one cost at a time, the last ones first.
            costs = [each[first + len(back) - 1] for each in ask.costs]
            alike = len(back) - 1
            while alike > 0 and [each[first + alike - 1] for each in ask.costs] == costs:
                alike -= 1
            released += self._give_back(ask.keys, costs, back[alike:], now)
            back = back[:alike]
        return {"released": released}

    def _give_flows_back(self, ask, places):
        for i in places if ask.flows is not None else ():
            flow = ask.ask["share"]["flows"][ask.flows[i]]
            place = self._shared(ask.ask)
            limit = self.limits[place]
            state = limit.shares.get(ask.keys.get(limit.name, ""))
            if state:
                state.give_back(flow["level"], flow["flow"], ask.costs[place][i])

    def _give_back(self, keys, costs, back, now):
        known = []
        for limit, cost in zip(self.limits, costs):
            bucket = limit.bucket(keys.get(limit.name, "")).copy()
            if not bucket.ever(limit.p, cost, 1, 0):
                known.append(0)  # The limit is lower than the cost by now, and nothing comes back.
                continue
            knew, changed = bucket.release(limit.p, cost, back, now)
            known.append(knew)
            if changed:
                limit.buckets[keys.get(limit.name, "")] = bucket
        return min(known)

    def _ended(self, now, ended):
        ask = self._granted.get(ended["id"])
        if ask is None:
            return {"ended": 0}
        over, ask.out = ask.out, []
        for limit in self.limits:
            limit.bucket(ask.keys.get(limit.name, "")).ended(limit.p, over, now)
        return {"ended": len(over)}

    def _change(self, changes):
        for limit in self.limits:
            if limit.name in changes:
                limit.change({**limit.options, **changes[limit.name]})
        return {"limit": list(changes)}
