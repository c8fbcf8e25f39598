#!/usr/bin/env python3
"""Draws what each limiter admits over time: NAME.svg beside NAME.md, from the answers of `einlass replay`.

    draw.py --einlass BINARY            draws them all
    draw.py --einlass BINARY --check    leaves with 1 if a kept picture is another than the one it would draw

The limit is the one of the page's own example; the requests are the same on every page.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SECOND = 1_000_000
END = 4 * SECOND
START = 1_000 * SECOND  # On the clock of the trace; a whole second, so that aligned windows are at whole seconds.

# The asks: a trickle, a burst on either side of the first second's end, a pause, then more than any limit here lets by.
ASKS = sorted([t * 1000 for t in (100, 300, 500)]
              + [900_000 + i * 12_500 for i in range(16)]
              + [1_900_000 + i * 12_500 for i in range(16)]
              + [2_400_000 + i * 60_000 for i in range(26)])

LEFT, WIDTH, HEIGHT = 68, 820, 262
PLOT = WIDTH - LEFT - 20
ASK_Y, DOT_Y, AXIS_Y, PLOT_TOP = 52, 86, 222, 112
INK, SOFT, GRID, ADMITTED, DENIED, AREA, OVER, LIMIT = (
    "#24292f", "#57606a", "#eaeef2", "#0969da", "#b6bec7", "#cfe3fb", "#cf222e", "#bf3989")


class Picture:
    """What stands on one page: how far ahead it asks, what the curve is, the line it is held against. `page`: whose example
    it is, if not the one of its name; `more`: what is added to its limit."""

    def __init__(self, name, title, horizon=0, bound=None, bound_text="", windows=(), held=0, page=None, more=""):
        self.name, self.title, self.horizon, self.page, self.more = name, title, horizon, page or name, more
        self.bound, self.bound_text, self.windows, self.held = bound, bound_text, windows, held


EVERY_SECOND = (0, SECOND, 2 * SECOND, 3 * SECOND)
PICTURES = [
    Picture("sliding_log", "10 in any second", bound=10, bound_text="limit 10"),
    Picture("sliding_log_ahead", "10 in any second, asked for up to 500 ms ahead", horizon=SECOND // 2, bound=10,
            bound_text="limit 10", page="sliding_log"),
    Picture("sliding_log_together", "the same with even: 0%", horizon=SECOND // 2, bound=10, bound_text="limit 10",
            page="sliding_log", more="even: 0%"),
    Picture("fixed_window", "10 in each second of the clock", bound=10, bound_text="limit 10 per window",
            windows=EVERY_SECOND),
    Picture("counter", "10 in a second that opens with its first permit", bound=10, bound_text="limit 10 per window",
            windows="opened"),
    Picture("sliding_window", "10 in any second, counted in 5 slices", bound=10, bound_text="limit 10",
            windows=tuple(i * SECOND // 5 for i in range(20))),
    Picture("sliding_window_newest", "10 in any second, 5 slices, with the times of the newest", bound=10,
            bound_text="limit 10", windows=tuple(i * SECOND // 5 for i in range(20))),
    Picture("leaky_bucket", "queue, 10/s: evenly spaced, at most 4 wait", horizon=SECOND, bound=10,
            bound_text="10 per second"),
    Picture("token_bucket", "10/s, burst 5", bound=15, bound_text="burst 5 + 10/s"),
    Picture("gcra", "10/s, burst 5", bound=15, bound_text="burst 5 + 10/s"),
    Picture("smooth", "10/s, burst 5, waits at most 300 ms", horizon=SECOND, bound=15,
            bound_text="burst 5 + 10/s"),
    Picture("smooth_warm_up", "10/s, warm-up 2 s, waits at most 1 s", horizon=SECOND, bound=11,
            bound_text="1 + 10/s", page="smooth"),
    Picture("concurrency", "at most 5 in flight; each attempt takes 400 ms", bound=5, bound_text="limit 5", held=400_000),
]


def config_of(picture):
    """The example of its page, whole."""
    with open(os.path.join(HERE, picture.page + ".md"), encoding="utf-8") as file:
        example = re.search(r"```yaml\n(.*?)```", file.read(), re.DOTALL).group(1)
    return re.sub(r"(?m)^( +)(algorithm: .*)$", rf"\1\2\n\1{picture.more}", example) if picture.more else example


def replay(einlass, picture):
    """[(ask, due instant or None)] of all asks, after START; and of a held permit, when it ends."""
    lines = [(at, {"acquire": {"min": 1, "max": 1, "horizon": picture.horizon, "keys": {}, "id": str(at)}})
             for at in ASKS]
    if picture.held:
        lines += [(at + picture.held, {"ended": {"id": str(at)}}) for at in ASKS]
    lines.sort(key=lambda line: line[0])
    limit = "warm" if picture.name == "smooth_warm_up" else "callbacks"
    with tempfile.TemporaryDirectory(prefix="einlass-draw-") as directory:
        config, trace = os.path.join(directory, "gate.yaml"), os.path.join(directory, "trace.jsonl")
        with open(config, "w", encoding="utf-8") as file:
            file.write(config_of(picture))
        with open(trace, "w", encoding="utf-8") as file:
            file.writelines(json.dumps({"at": START + at, **line}) + "\n" for at, line in lines)
        done = subprocess.run([einlass, "replay", "-c", config, "--limits", limit, "--trace", trace],
                              capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [(at, at + answer["due"][0] if answer["granted"] else None)
            for (at, line), answer in zip(lines, answers) if "acquire" in line]


def curve(picture, admitted):
    """[(instant, value)] where it changes: how many in the second until then, or how many are held."""
    lasts = picture.held or SECOND
    changes = sorted([(at, 1) for at in admitted] + [(at + lasts, -1) for at in admitted], key=lambda c: (c[0], c[1]))
    points, value = [(0, 0)], 0
    for at, change in changes:
        value += change
        if points[-1][0] == at:
            points[-1] = (at, value)
        else:
            points.append((at, value))
    return points


def x_of(at):
    return round(LEFT + PLOT * at / END, 1)


def drawn(picture, asks):
    admitted = sorted(due for _, due in asks if due is not None)
    points = [point for point in curve(picture, admitted) if point[0] <= END]
    top = max(picture.bound, max(value for _, value in points))
    top += 2 if top <= 12 else 3
    y_of = lambda value: round(AXIS_Y - (AXIS_Y - PLOT_TOP) * value / top, 1)  # noqa: E731
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="-apple-system,Segoe UI,Helvetica,Arial,sans-serif" '
           f'font-size="12" role="img" aria-label="{picture.title}">',
           f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{HEIGHT - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>',
           text(16, 24, picture.title, INK, 'font-size="14" font-weight="600"')]
    out += marks(picture, admitted) + scale(top, y_of)
    out += area(points, y_of, picture.bound)
    y = y_of(picture.bound)
    out += [f'<path d="M{LEFT} {y}H{LEFT + PLOT}" stroke="{LIMIT}" stroke-width="1.5" stroke-dasharray="5 4"/>',
            text(LEFT + PLOT, y - 5, picture.bound_text, LIMIT, 'text-anchor="end"')]
    out += events(asks)
    out += legend(picture, len(asks), len(admitted))
    return "\n".join(out + ["</svg>", ""])


def text(x, y, words, color=SOFT, more=""):
    return f'<text x="{x}" y="{y}" fill="{color}" {more}>{words}</text>'.replace(" >", ">")


def marks(picture, admitted):
    """The windows or slices, every other one shaded."""
    edges = list(picture.windows)
    if picture.windows == "opened":
        edges, end = [], -1
        for at in admitted:
            if at >= end:
                edges += [at, at + SECOND]
                end = at + SECOND
        spans = list(zip(edges[0::2], edges[1::2]))
    else:
        spans = list(zip(edges, edges[1:] + [END]))[0::2]
    return [f'<rect x="{x_of(begin)}" y="{PLOT_TOP}" width="{round(x_of(min(end, END)) - x_of(begin), 1)}" '
            f'height="{AXIS_Y - PLOT_TOP}" fill="#f6f8fa"/>' for begin, end in spans]


def scale(top, y_of):
    step = 5 if top > 8 else 2
    out = []
    for value in range(0, top + 1, step):
        out += [f'<path d="M{LEFT} {y_of(value)}H{LEFT + PLOT}" stroke="{GRID if value else SOFT}"/>',
                text(LEFT - 8, y_of(value) + 4, value, SOFT, 'text-anchor="end"')]
    for second in range(END // SECOND + 1):
        out.append(text(x_of(second * SECOND), AXIS_Y + 16, f"{second} s", SOFT, 'text-anchor="middle"'))
    return out


def steps(points, y_of, ceiling):
    path, y = f"M{x_of(points[0][0])} {y_of(0)}", None
    for at, value in points:
        y = y_of(min(value, ceiling))
        path += f"H{x_of(at)}V{y}"
    return path + f"H{x_of(END)}V{y_of(0)}Z"


def area(points, y_of, bound):
    """The curve; what is above the bound is red."""
    above = [f'<path d="{steps(points, y_of, 1 << 30)}" fill="{OVER}" fill-opacity="0.35"/>'] \
        if max(value for _, value in points) > bound else []
    return above + [f'<path d="{steps(points, y_of, bound)}" fill="{AREA}" stroke="{ADMITTED}" stroke-width="1"/>']


def events(asks):
    out = [text(LEFT - 8, ASK_Y + 4, "requests", SOFT, 'text-anchor="end"'),
           text(LEFT - 8, DOT_Y + 4, "admitted", SOFT, 'text-anchor="end"')]
    for at, due in asks:
        color = DENIED if due is None else ADMITTED
        out.append(f'<path d="M{x_of(at)} {ASK_Y - 7}v14" stroke="{color}" stroke-width="1.5"/>')
        if due is not None and due <= END:
            if due > at:
                out.append(f'<path d="M{x_of(at)} {ASK_Y + 7}L{x_of(due)} {DOT_Y - 4}" stroke="{ADMITTED}" '
                           'stroke-width="0.6" stroke-opacity="0.6"/>')
            out.append(f'<circle cx="{x_of(due)}" cy="{DOT_Y}" r="3" fill="{ADMITTED}"/>')
    return out


def legend(picture, asked, admitted):
    what = "in flight at that instant" if picture.held else "admitted in the second before that instant"
    y = HEIGHT - 11
    return [f'<rect x="{LEFT}" y="{y - 9}" width="10" height="10" fill="{AREA}" stroke="{ADMITTED}"/>',
            text(LEFT + 16, y, what),
            f'<path d="M{LEFT + 296} {y - 10}v12" stroke="{DENIED}" stroke-width="1.5"/>',
            text(LEFT + 304, y, "a denied request"),
            text(LEFT + PLOT, y, f"{admitted} of {asked} requests admitted", INK, 'text-anchor="end"')]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--einlass", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wrong = 0
    for picture in PICTURES:
        made = drawn(picture, replay(options.einlass, picture))
        path = os.path.join(HERE, picture.name + ".svg")
        if not options.check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != made:
                print(f"{picture.name}.svg is not what draw.py draws; run it without --check and look at it")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
