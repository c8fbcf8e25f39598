"""share: a limit's permits divided among the flows of all gates, by weight and level.

Each flow has a tag: how far it has been served, by its weight. It is kept as N = tag * weight in thousandths of a unit, so
that a permit of cost c adds 1000 c and nothing is rounded. A gate that did not get all that it wanted is remembered, with
the weights W and the tags N of its waiting flows added up, and with what it still wants (D), until it asks again or its
time is over.

Who is next among the flows of whoever asks is worst-case fair queueing (WF2Q+): of those that are not ahead of the level
N / W of their gate the one that would be done first. And a permit is granted only if, behind it, the limit still has within
the horizon what the flows of other gates are short of that level: so nobody books what is another's, and what is left is
there when that one asks. Between levels whoever is above goes first, but each level below earns a part.
"""

from dataclasses import dataclass, field

UNIT = 1000
WHOLE = 100  # Of a level's credit: a unit.
MOST_SLOTS = 32  # Gates of which it is known which flows wait there.
LONG_PAST = 4  # A flow so many permits behind its level is as good as one that nobody knows.
MOST_TIME = 1 << 40
GONE = 10_000_000  # Of a gate that was not heard of for so long beyond its time nothing is kept.


@dataclass
class Sums:
    """Flows that wait, all together. N counts from the level's time."""
    W: int = 0
    N: int = 0
    D: int = 0


@dataclass
class Flow:
    """A flow of whoever asks."""
    name: object
    level: int
    weight: int
    records: int  # Those that wait for a permit.
    N: int = 0  # From the level's time.
    granted: int = 0

    def waits(self):
        return self.records > self.granted

    def tag(self):
        return self.N // self.weight


@dataclass
class Known:
    """A flow that was served or waits. N counts from 0."""
    N: int
    weight: int
    slots: set = field(default_factory=set)  # The gates in which it waits.


@dataclass
class Gate:
    slot: int  # None: of this one it is not known which flows wait there.
    until: int
    sums: list

    def waits(self, now):
        return self.until > now and any(s.D for s in self.sums)


class Share:
    """The state. There is none while nobody waits."""

    def __init__(self, epoch, levels):
        self.epoch = epoch
        self.time = [0] * levels
        self.credit = [0] * levels
        self.gates = {}
        self.flows = {}
        self.slots = 0

    def copy(self):
        other = Share(self.epoch, 0)
        other.time, other.credit, other.slots = self.time[:], self.credit[:], self.slots
        other.gates = {n: Gate(g.slot, g.until, [Sums(s.W, s.N, s.D) for s in g.sums]) for n, g in self.gates.items()}
        other.flows = {k: Known(f.N, f.weight, set(f.slots)) for k, f in self.flows.items()}
        return other

    def serves(self, gate, levels, now):
        """Whether it can go on; else all begins anew. Forgets gates that are gone."""
        self.gates = {name: g for name, g in self.gates.items() if g.until + GONE > now}
        slots_lost = self.slots == MOST_SLOTS and gate not in self.gates and len(self.gates) < MOST_SLOTS
        return (len(self.time) == levels and max(self.time) < MOST_TIME and not slots_lost
                and any(g.waits(now) for g in self.gates.values()))

    def known(self, level, name, cost):
        """What is known of the flow that matters still."""
        flow = self.flows.get((level, name))
        long_past = flow and flow.N // flow.weight + LONG_PAST * UNIT * cost <= self.time[level]
        return None if long_past else flow

    def give_back(self, level, name, units):
        """A permit of the flow was not used."""
        flow = self.known(level, name, units)
        if flow is None:
            return
        flow.N -= UNIT * units
        for gate in self.gates.values():
            if gate.slot in flow.slots:
                gate.sums[level].N -= UNIT * units


def scaled(N, weight, to):
    """N under another weight."""
    return N if weight == to else N // weight * to + N % weight * to // weight


class Asking:
    """One ask: which flow is next, and what is to be left for others."""

    def __init__(self, share, ask, cost, now):
        levels = ask["levels"]
        share = share and share.copy()
        self.share = state = share if share and share.serves(ask["gate"], levels, now) else Share(now, levels)
        self.keep, self.idle_after, self.wish = ask["keep"], ask["idle_after"], ask["wish"]
        self.gate, self.cost, self.now = ask["gate"], cost, now
        self.own = state.gates.pop(self.gate, None)
        # What a gate says of its flows' tags holds while it is remembered: it has heard of them since.
        claims = self.own is not None and self.own.until > now and ask["epoch"] == state.epoch
        self.flows = [Flow(f["flow"], f["level"], f["weight"], f["records"]) for f in ask["flows"]]
        for flow, said in zip(self.flows, ask["flows"]):
            time = state.time[flow.level] * flow.weight
            known = state.known(flow.level, flow.name, cost)
            flow.N = said["served"] if claims and "served" in said else time
            if known:
                flow.N = max(flow.N, scaled(known.N, known.weight, flow.weight))
            flow.N -= time
        self.rest = [Sums(W, N - W * (state.time[level] - ask["time"][level]) if claims else 0, D * cost)
                     for level, (W, N, D) in enumerate(ask["rest"])]
        self.others = [Gate(gate.slot, gate.until, [Sums(s.W, s.N, s.D) for s in gate.sums])
                       for gate in state.gates.values() if gate.waits(now)]
        self.before = [flow.N for flow in self.flows]
        self.time = state.time[:]  # What tags count from until the end.

    def _mine(self, level):
        return [f for f in self.flows if f.level == level and f.waits()]

    def _wanted(self, level, others, rests):
        return sum(g.sums[level].D for g in others) + rests[level].D

    def _others(self, at):
        return [g for g in self.others if g.until > (self.now if at is None else at)]

    def _waited_for(self, level, at=None):
        return bool(self._mine(level)) or self._wanted(level, self._others(at), self.rest) > 0

    def _top(self, at=None):
        return next(level for level in range(len(self.rest)) if self._waited_for(level, at))

    def _own_sums(self, level):
        mine, rest = self._mine(level), self.rest[level]
        return sum(f.weight for f in mine) + rest.W, sum(f.N for f in mine) + rest.N

    def _due_by_credit(self, level, at=None):
        return level > self._top(at) and self.share.credit[level] >= WHOLE

    def next(self, at=None):
        """The flow that is next, if nobody is heard of until `at`; None if none waits."""
        levels = [level for level in range(len(self.rest)) if self._mine(level)]
        if not levels:
            return None
        due = [level for level in levels if self._due_by_credit(level, at)]
        level = max(due, key=lambda level: self.share.credit[level]) if due else levels[0]
        W, N = self._own_sums(level)
        mine = self._mine(level)
        return min([f for f in mine if f.tag() <= N // W], key=self._done, default=None) or min(mine, key=Flow.tag)

    def _done(self, flow):
        return (flow.N + UNIT * self.cost) // flow.weight

    def left_for_others(self, flow, at=None, of_gate=True):
        """Units that the limit must still have behind a permit of this flow, if nobody is heard of until `at`; with or
        without what other flows of the same gate are to have."""
        others = self._others(at)
        rests = self.rest if of_gate else [Sums()] * len(self.rest)
        level, credit = flow.level, self.share.credit
        units = 0
        for above in range(0 if self._due_by_credit(level, at) else level):
            units += self._wanted(above, others, rests)
        for below in range(level + 1, len(credit)):
            units += min(max(0, credit[below] // WHOLE), self._wanted(below, others, rests))
        W, N = self._own_sums(level)
        short = 0
        for s in (gate.sums[level] for gate in others):
            if s.W > 0:
                short += min(s.D * UNIT, max(0, s.W * N // W - s.N))
        rest = rests[level]
        if rest.W > 0 and flow.tag() > N // W:  # Another ask may name one that is next.
            short += min(rest.D * UNIT, max(0, rest.W * flow.N // flow.weight - rest.N))
        return units + short // UNIT

    def retry(self, at):
        """When whoever is next then could have a permit; at(units) says when the limit has as much behind one more, or
        None."""
        ends = sorted(g.until for g in self.others)
        for time, end in zip([self.now] + ends, ends + [None]):
            instant = at(self.left_for_others(self.next(time), time))
            if instant is not None and (end is None or max(time, instant) < end):
                return max(time, instant)
        return self.now + self.idle_after

    def take(self, flow):
        credit, top, due = self.share.credit, self._top(), self._due_by_credit(flow.level)
        for level in range(top + 1, len(credit)):
            if self._waited_for(level):
                credit[level] += self.keep * self.cost
        if flow.level != top:
            left = credit[flow.level] - WHOLE * self.cost
            # Who is given what others leave pays with what it has, and owes nothing.
            credit[flow.level] = left if due else max(left, min(credit[flow.level], 0))
        flow.N += UNIT * self.cost
        flow.granted += 1
        known = self.share.known(flow.level, flow.name, self.cost)
        for gate in self.others:
            if known and gate.slot in known.slots:
                gate.sums[flow.level].N += UNIT * self.cost

    def tags(self):
        """N of each flow, counted from 0."""
        return [f.N + self.time[f.level] * f.weight for f in self.flows]

    def end(self, retry, waits_here):
        """The state behind the ask; None if nobody waits. `waits_here`: what is left waits for this limit."""
        state = self.share
        record = self._record(retry, waits_here)
        for flow, before, N in zip(self.flows, self.before, self.tags()):
            known = state.known(flow.level, flow.name, self.cost)
            slots = known.slots if known else set()
            for gate in state.gates.values():
                if gate.slot in slots:
                    gate.sums[flow.level].N += flow.N - before
            if record.slot is not None:
                (slots.add if waits_here and flow.waits() else slots.discard)(record.slot)
            state.flows[flow.level, flow.name] = Known(N, flow.weight, slots)
        state.gates[self.gate] = record
        waiting = [g for g in state.gates.values() if g.waits(self.now)]
        if not waiting:
            return None
        for level in range(len(state.time)):
            W, N = sum(g.sums[level].W for g in waiting), sum(g.sums[level].N for g in waiting)
            on = max(0, N // W) if W > 0 else 0
            if not any(g.sums[level].D for g in waiting) and not self._mine(level):
                state.credit[level] = 0
                on = max([on] + [f.tag() for f in self.flows if f.level == level])
            state.time[level] += on
            for gate in state.gates.values():
                gate.sums[level].N -= gate.sums[level].W * on
        return state

    def _record(self, retry, waits_here):
        left = max(0, self.wish - sum(f.granted for f in self.flows)) * self.cost
        sums = []
        for level, rest in enumerate(self.rest):
            mine = self._mine(level) if waits_here else []
            D = min(left, sum(f.records - f.granted for f in mine) * self.cost)
            W, N = (sum(f.weight for f in mine), sum(f.N for f in mine)) if D > 0 else (0, 0)
            sums.append(Sums(rest.W + W, rest.N + N, rest.D + D) if rest.D + D > 0 else Sums())
        return Gate(self._slot(), self.now + (retry or 0) + self.idle_after, sums)

    def _slot(self):
        if self.own is not None:
            return self.own.slot
        if self.share.slots == MOST_SLOTS:
            return None
        self.share.slots += 1
        return self.share.slots - 1
