#!/usr/bin/env python3
"""Draws the pictures of shares.md from the limiter's model in tests/conformance: NAME.svg beside this file.

    shares.py            draws them
    shares.py --check    leaves with 1 if a kept picture is another than the one it would draw
"""

import os
import sys

from draw import BLUE, GREEN, HERE, SOFT, WIDTH, check_or_write, picture, text

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests", "conformance"))
from model import Limiter  # noqa: E402

SECOND, MILLI = 1_000_000, 1_000
RATE, TURN, AHEAD = 70, 50 * MILLI, 200 * MILLI  # A gate asks 20 times a second, and for at most 200 ms ahead.
END, SLICE = 8 * SECOND, 500 * MILLI
FLOWS = ("acme", "bolt", "cargo")
WEIGHTS = (5, 1, 1)
COLOURS = (BLUE, "#bf8700", GREEN)
LEFT, RIGHT, TOP, BOTTOM = 60, WIDTH - 96, 62, 238


def has_records(gate, flow, at):
    """Two gates: acme's records are all in the first, bolt's in both, cargo's in the second; acme has none for two seconds."""
    if flow == 0:
        return gate == 0 and not 3 * SECOND <= at < 5 * SECOND
    return flow == 1 or gate == 1


class Gate:
    """What a gate keeps of a shared limit between two requests."""

    def __init__(self, number):
        self.number, self.epoch, self.time, self.served, self.asked = number, 0, [0], {}, 0

    def request(self, at):
        self.asked += 1
        ready = [flow for flow in range(len(FLOWS)) if has_records(self.number, flow, at)]
        self.served = {flow: served for flow, served in self.served.items() if flow in ready}
        flows = [{"flow": flow + 1, "level": 0, "weight": WEIGHTS[flow], "records": 50,
                  **({"served": self.served[flow]} if flow in self.served else {})} for flow in ready]
        share = {"limit": "callbacks", "gate": self.number, "levels": 1, "keep": 0, "idle_after": 100 * MILLI, "epoch": self.epoch,
                 "time": self.time, "rest": [[0, 0, 0]], "wish": 20, "flows": flows}
        return {"min": 1, "max": 20, "horizon": AHEAD, "cost": {"callbacks": 1}, "keys": {}, "id": f"{self.number}-{self.asked}",
                "share": share}

    def take(self, request, answer):
        """[(flow, due)], in microseconds from the request."""
        told, asked = answer["share"], [one["flow"] - 1 for one in request["share"]["flows"]]
        if told["epoch"] != self.epoch:
            self.served = {}
        self.epoch, self.time = told["epoch"], told["time"]
        self.served.update(zip(asked, told["served"]))
        return [(asked[place], due) for place, due in zip(told["flows"], answer["due"])]


def permits():
    """[(flow, instant)] of all that both gates got."""
    model = Limiter({"callbacks": {"algorithm": "token_bucket", "rate": f"{RATE}/s", "burst": 5}}, ("callbacks",))
    begin, gates, got = 1_000 * SECOND, (Gate(0), Gate(1)), []
    for at in range(0, END, TURN // 2):
        gate = gates[at // (TURN // 2) % 2]  # In turn.
        request = gate.request(at)
        got += [(flow, at + due) for flow, due in gate.take(request, model.answer({"at": begin + at, "acquire": request}))]
    return got


def x_of(at):
    return round(LEFT + (RIGHT - LEFT) * at / END, 1)


def y_of(rate):
    return round(BOTTOM - (BOTTOM - TOP) * rate / (RATE * 1.1), 1)


def bars(got):
    """One above the other, what each flow had in each half second."""
    out = []
    for begin in range(0, END, SLICE):
        below = 0
        for flow, colour in enumerate(COLOURS):
            rate = sum(1 for one, due in got if one == flow and begin <= due < begin + SLICE) * SECOND / SLICE
            if rate:
                out.append(f'<rect x="{x_of(begin) + 1}" y="{y_of(below + rate)}" width="{x_of(SLICE) - LEFT - 2:.1f}" '
                           f'height="{y_of(below) - y_of(below + rate):.1f}" fill="{colour}" fill-opacity="0.75"/>')
            below += rate
    return out


def shares():
    out = bars(permits())
    for rate in (0, 10, 20, 70):
        out += [f'<path d="M{LEFT} {y_of(rate)}H{RIGHT}" stroke="{SOFT}" stroke-opacity="{0.3 if rate else 1}"/>',
                text(LEFT - 8, y_of(rate) + 4, f"{rate}/s", SOFT, 11, "end")]
    for second in range(END // SECOND + 1):
        out.append(text(x_of(second * SECOND), BOTTOM + 17, f"{second} s", SOFT, 11))
    for flow, colour in enumerate(COLOURS):
        out += [f'<rect x="{RIGHT + 12}" y="{TOP + 24 * (2 - flow)}" width="12" height="12" fill="{colour}" fill-opacity="0.75"/>',
                text(RIGHT + 30, TOP + 24 * (2 - flow) + 10, f"{FLOWS[flow]}: {WEIGHTS[flow]}", size=11, anchor="start")]
    out.append(text(x_of(4 * SECOND), TOP - 10, "acme has no records: the others get its part", SOFT, 11))
    return picture(f"Permits of {RATE}/s, divided among three tenants of two gates by weight", 268, out)


if __name__ == "__main__":
    sys.exit(check_or_write({"shares": shares}))
