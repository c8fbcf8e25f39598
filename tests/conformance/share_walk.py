"""Random walks through limits that the flows of several gates share: a trace for `einlass replay`, and what the model answers.

Gates as they are, and worse: they remember what they were told of their flows, or have forgotten it; they list all flows that
wait, or some and the sums of the others; they die, miss answers and ask again, give permits back, change weights.
"""

import random
from types import SimpleNamespace

import walk
from model import Limiter

STEPS_OF_A_SESSION = 250
START = walk.START

# Those that flows cannot share: they grant nothing ahead, or what one leaves depends on when the others ask.
NOT_SHARED = ("fixed_window", "fixed_window_by_key", "counter", "sliding_window", "sliding_window_newest", "leaky_meter",
              "warm_up", "concurrency")

# name: (the shared limit, those beside it)
SHAPES = {
    **{f"shared_{name}": (name, ()) for name in walk.ALGORITHMS if name not in NOT_SHARED},
    "shared_beside_bucket": ("token_bucket", ("smooth_now",)),
    "shared_beside_log": ("sliding_log_even", ("token_bucket", "sliding_log")),
    "shared_beside_held": ("leaky_queue", ("concurrency",)),
    "shared_beside_window": ("token_bucket", ("counter", "sliding_window")),
}


def names(shape):
    return (SHAPES[shape][0], *SHAPES[shape][1])


def limits(shape):
    drawn = random.Random(0)
    return {name: {**walk.ALGORITHMS[name][0], **walk.ALGORITHMS[name][1](drawn), "key": "header:key"} for name in names(shape)}


def _key(flow):
    return flow["level"], flow["flow"]


class _Gate:
    def __init__(self, rng, number, flows, levels):
        self.number = number
        self.waiting = {}  # (level, flow): records.
        self._served = {}  # (level, flow): what it was told, and of which weight.
        self.epoch, self.time = 0, [0] * levels
        self._rng, self._flows, self._levels = rng, flows, levels

    def arrive(self):
        rng = self._rng
        for _ in range(rng.randint(1, 3)):
            key = (rng.randrange(self._levels), rng.choice(self._flows))
            self.waiting[key] = self.waiting.get(key, 0) + rng.choice((1, 1, 2, 9, 200))

    def knows(self, flow):
        return flow in self._served

    def served(self, flow, weight):
        """As far as it was told, under this weight; one of which it was told nothing begins now."""
        if flow not in self._served:
            return self.time[flow[0]] * weight
        served, told = self._served[flow]
        return served if told == weight else served // told * weight

    def told(self, asked, share):
        if share["epoch"] != self.epoch:
            self._served = {}
        self.epoch, self.time = share["epoch"], share["time"]
        listed = [_key(flow) for flow in asked]
        if self.epoch:
            self._served.update(zip(listed, zip(share["served"], (flow["weight"] for flow in asked))))
        for place in share["flows"]:
            self.waiting[listed[place]] = self.waiting.get(listed[place], 0) - 1
        self.waiting = {key: records for key, records in self.waiting.items() if records > 0}
        self._served = {key: served for key, served in self._served.items() if key in self.waiting}


class Walk:
    """As walk.Walk."""

    def __init__(self, shape, seed):
        self.shape = shape
        self.names = names(shape)
        self.model = Limiter(limits(shape), self.names)
        self.lines, self.answers, self.sessions, self.probes = [], [], [], []
        self._rng = random.Random(f"{shape} {seed}")
        self._now = START
        self._number = 0

    def steps(self, count):
        while len(self.lines) < count:
            if len(self.lines) - (self.sessions[-1].begin if self.sessions else -STEPS_OF_A_SESSION) >= STEPS_OF_A_SESSION:
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
        options = {name: walk.ALGORITHMS[name][1](rng) for name in self.names}
        self._options = options
        self._costs = {name: rng.choice((1, 1, rng.randint(1, 4))) for name in self.names}
        self._keys = {name: f"k{len(self.sessions)}" for name in self.names}
        self.sessions.append(SimpleNamespace(begin=len(self.lines), options=options, costs=self._costs, keys=self._keys, judged=True))
        self._levels = rng.choice((1, 1, 2, 3))
        self._keep = rng.choice((0, 5, 20, 33))
        self._idle_after = rng.choice((50, 500, 5_000))
        self._pace = 100 if "sliding_log_even" in self.names else 1
        self._horizon = rng.choice((0, rng.randint(0, 100), rng.randint(0, 2_000), rng.randint(0, 9_000))) * self._pace
        self._flows = list(range(1, rng.choice((2, 4, 12))))
        self._weights = {flow: rng.choice((1, 1, 1, 5, 50, 1_000)) for flow in self._flows}
        self._gates = [_Gate(rng, n, self._flows, self._levels) for n in range(rng.choice((1, 2, 3, 6)))]
        self._lost = None
        self._planned = []
        self._asks = []
        self._retry = 0
        self._say("limit", options)

    def _step(self):
        rng = self._rng
        if self._planned:
            self._now, gate = self._planned.pop(0)
            self.probes.append(len(self.lines))
            self._ask(gate, again=True)
            return
        self._move_clock()
        draw = rng.random()
        if draw < 0.08 and self._asks:
            ask = rng.choice(self._asks[-6:])
            self._say("release", {"id": ask["id"], **({"count": rng.randint(1, 3)} if rng.random() < 0.6 else {})})
        elif draw < 0.11 and self._asks and "concurrency" in self.names:
            self._say("ended", {"id": self._asks.pop(rng.randrange(len(self._asks)))["id"]})
        elif draw < 0.13:
            self._say("peek", {"keys": self._keys})
        elif draw < 0.15 and self._asks:
            self._say("acquire", rng.choice(self._asks[-3:]))  # Once more, whatever has become of it.
        elif self._lost and draw < 0.5:
            gate, ask = self._lost
            self._lost = None
            gate.told(ask["share"]["flows"], self._say("acquire", ask)["share"])
        else:
            self._ask(rng.choice(self._gates))

    def _ask(self, gate, again=False):
        """`again`: for the same flows as it did last, as it was told of them."""
        rng = self._rng
        if again:
            ask = {**self._asks[-1], "id": self._id()}
            share = {**ask["share"], "epoch": gate.epoch, "time": gate.time}
            share["flows"] = [{**flow, "served": gate.served(_key(flow), flow["weight"])} if gate.knows(_key(flow)) else flow
                              for flow in share["flows"]]
            self._answered(gate, {**ask, "share": share})
            return
        if rng.random() < 0.02:
            self._gates[self._gates.index(gate)] = gate = _Gate(rng, 100 * len(self.lines) + gate.number, self._flows, self._levels)
        if rng.random() < 0.6 or not gate.waiting:
            gate.arrive()
        if rng.random() < 0.02:
            self._weights[rng.choice(self._flows)] = rng.choice((1, 2, 3, 7, 999))
        listed = sorted(gate.waiting, key=lambda key: gate.served(key, self._weights[key[1]]))[:rng.choice((1, 2, 99))]
        rest = [[0, 0, 0] for _ in range(self._levels)]
        for level, flow in gate.waiting:
            if (level, flow) not in listed:
                weight = self._weights[flow]
                rest[level][0] += weight
                rest[level][1] += gate.served((level, flow), weight) - gate.time[level] * weight
                rest[level][2] += min(50, gate.waiting[level, flow])
        flows = []
        for level, flow in listed:
            said = {"flow": flow, "level": level, "weight": self._weights[flow], "records": gate.waiting[level, flow]}
            if gate.knows((level, flow)) and rng.random() < 0.97:
                said["served"] = gate.served((level, flow), said["weight"])
            flows.append(said)
        most = rng.choice((1, rng.randint(1, 4), rng.randint(1, 20)))
        share = {"limit": self.names[0], "gate": gate.number, "levels": self._levels, "keep": self._keep, "idle_after": self._idle_after,
                 "epoch": gate.epoch if rng.random() < 0.98 else 5, "time": gate.time, "rest": rest,
                 "wish": most + rng.choice((0, 1, 30)), "flows": flows}
        ask = {"min": 1, "max": most, "horizon": self._horizon, "cost": self._costs, "keys": self._keys, "id": self._id(),
               "share": share}
        self._answered(gate, ask)

    def _id(self):
        self._number += 1
        return f"a{self._number}"

    def _answered(self, gate, ask):
        rng = self._rng
        answer = self._say("acquire", ask)
        self._asks.append(ask)
        wait = self._retry = answer["share"]["retry"] or 0
        if rng.random() < 0.05 and not self._planned:
            self._lost = (gate, ask)
            return
        asked = ask["share"]["flows"]
        gate.told(asked, answer["share"])
        # Where other flows of the gate are in the way nobody knows when these will ask; and see limits/permits/acquire.h of even logs.
        alone = not any(weights for weights, _, _ in ask["share"]["rest"]) and all(gate.knows(_key(flow)) for flow in asked)
        exact = answer["retry"] == wait and alone and gate.epoch and self._pace == 1
        if exact and not self._planned and rng.random() < 0.3:
            if wait > 1:
                self._planned.append((self._now + wait - 1, gate))
            self._planned.append((self._now + wait, gate))

    def _move_clock(self):
        rng = self._rng
        move = rng.randrange(9)
        if move < 3:
            return
        if move == 3:
            self._now += min(self._retry, 20_000_000)
        elif move == 4:
            self._now += max(0, min(self._retry, 20_000_000) - 1)
        elif move == 5:
            self._now += rng.randint(0, 2 * self._idle_after)
        elif move == 6 and rng.random() < 0.1:
            self._now += rng.choice((10_000_000, rng.randint(0, 40_000_000)))
        else:
            self._now += rng.randint(0, 60 * self._pace)
