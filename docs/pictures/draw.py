#!/usr/bin/env python3
"""Draws the pictures of concepts.md: NAME.svg beside this file.

    draw.py            draws them all
    draw.py --check    leaves with 1 if a kept picture is another than the one it would draw
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH = 820
INK, SOFT, LINE, BLUE, PALE, GREEN, LIGHT_GREEN, RED, LIGHT_RED, GREY = (
    "#24292f", "#57606a", "#8c959f", "#0969da", "#ddf0ff", "#1a7f37", "#d3f5da", "#cf222e", "#ffe1e0", "#f6f8fa")


def text(x, y, words, color=INK, size=12, anchor="middle", weight="normal"):
    return (f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{words}</text>')


def box(x, y, width, height, fill=PALE, stroke=BLUE, more=""):
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" stroke="{stroke}" {more}/>'


def named(x, y, width, height, name, under="", fill=PALE, stroke=BLUE):
    """A box with its name in it, and a few words in the second line."""
    middle = x + width / 2
    if not under:
        return [box(x, y, width, height, fill, stroke), text(middle, y + height / 2 + 4, name, weight="600")]
    return [box(x, y, width, height, fill, stroke), text(middle, y + height / 2 - 3, name, weight="600"),
            text(middle, y + height / 2 + 13, under, SOFT, 11)]


def arrow(x1, y1, x2, y2, color=LINE, dashed=False):
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{color}" stroke-width="1.5" fill="none"{dash} '
            f'marker-end="url(#tip-{color[1:]})"/>')


def line(x1, y1, x2, y2, color=LINE, dashed=False):
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{color}" stroke-width="1.5"{dash}/>'


def record(x, y, name, fill=PALE, stroke=BLUE):
    return [f'<rect x="{x}" y="{y}" width="30" height="24" rx="4" fill="{fill}" stroke="{stroke}"/>',
            text(x + 15, y + 16, name, size=11)]


def picture(title, height, parts):
    tips = "".join(f'<marker id="tip-{color[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
                   f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{color}"/></marker>'
                   for color in (LINE, BLUE, GREEN, RED))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="-apple-system,Segoe UI,Helvetica,Arial,sans-serif" role="img" aria-label="{title}">',
        f"<defs>{tips}</defs>",
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>',
        text(16, 26, title, size=14, anchor="start", weight="600"), *parts, "</svg>", ""])


def stages():
    out, x = [], 22
    for name, question in (("INTAKE", "is there room?"), ("ROUTE", "which target?"), ("ADMISSION", "a permit now?"),
                           ("DELIVERY", "accepted?"), ("LEDGER", "finished up to?")):
        wide = 144 if name == "LEDGER" else 126
        out += named(x, 96, wide, 52, name, question)
        if name != "LEDGER":
            out.append(arrow(x + wide, 122, x + wide + 31, 122))
        x += wide + 32
    out += named(22, 196, 126, 40, "Kafka", fill=GREY, stroke=LINE)
    out += named(338, 196, 126, 40, "limiter", fill=GREY, stroke=LINE)
    out += named(496, 196, 126, 40, "target", fill=GREY, stroke=LINE)
    out += [arrow(85, 196, 85, 150), text(94, 176, "records", SOFT, 11, "start"),
            arrow(376, 148, 376, 194, BLUE), text(368, 176, "request", SOFT, 11, "end"),
            arrow(412, 194, 412, 150, GREEN), text(419, 176, "grant, or when", SOFT, 11, "start"),
            arrow(560, 148, 560, 194, BLUE), text(552, 176, "send", SOFT, 11, "end"),
            arrow(596, 194, 596, 150, GREEN), text(603, 176, "result", SOFT, 11, "start"),
            f'<path d="M726 148V262H85V240" stroke="{LINE}" stroke-width="1.5" fill="none" '
            f'marker-end="url(#tip-{LINE[1:]})"/>',
            text(405, 256, "commit: all is finished up to here, and these above it too", SOFT, 11),
            text(22, 62, "Only admission and delivery wait for other systems. Waiting records stay in the gate; when it is full, "
                 "Kafka is not read.", SOFT, 12, "start")]
    return picture("The five stages", 280, out)


def permit():
    y = 118
    out = [line(40, y, 786, y), text(786, y + 20, "time", SOFT, 11, "end")]
    for x, name, under in ((80, "ready", "it is first in its lane"), (210, "requested", "with all that could leave"),
                           (300, "granted", "for an instant")):
        out += [f'<circle cx="{x}" cy="{y}" r="5" fill="{BLUE}"/>', text(x, y - 16, name, weight="600"),
                text(x, y + 22 + (16 if name == "requested" else 0), under, SOFT, 11)]
    out += [f'<rect x="470" y="{y - 9}" width="110" height="18" fill="{LIGHT_GREEN}" stroke="{GREEN}"/>',
            text(478, y - 32, "the instant", anchor="start", weight="600"), line(470, y - 26, 470, y + 9, GREEN),
            text(592, y - 14, "use_within (100 ms)", SOFT, 11, "start"),
            arrow(500, y - 4, 500, y + 58, GREEN), text(500, y + 76, "used: one attempt leaves", GREEN, anchor="end"),
            arrow(580, y, 664, y + 58, RED), text(786, y + 76, "not used: given back, requested again", RED, anchor="end"),
            f'<path d="M305 {y - 34}C350 {y - 62} 420 {y - 62} 462 {y - 36}" stroke="{LINE}" fill="none" '
            f'stroke-dasharray="5 4"/>', text(385, y - 62, "at most horizon ahead", SOFT, 11)]
    return picture("The life of a permit: for one instant, and one attempt", 216, out)


ORDERS = (("order: partition", "one lane: nothing overtakes the first record",
           (("A1", "waits"), ("B1", "behind"), ("A2", "behind"), ("C1", "behind"), ("B2", "behind"))),
          ("order: key", "a lane for each key: B and C leave, A2 stays behind A1",
           (("A1", "waits"), ("B1", "leaves"), ("A2", "behind"), ("C1", "leaves"), ("B2", "behind"))),
          ("order: none", "no lanes: each record with a permit leaves",
           (("A1", "waits"), ("B1", "leaves"), ("A2", "waits"), ("C1", "leaves"), ("B2", "leaves"))))
LOOKS = {"waits": (LIGHT_RED, RED), "behind": (GREY, LINE), "leaves": (LIGHT_GREEN, GREEN)}


def order():
    out = [text(22, 54, "Five records of one partition, oldest at the left; customer A has no permits left in its bucket.", SOFT,
                12, "start")]
    for row, (name, says, records) in enumerate(ORDERS):
        y = 72 + row * 46
        out.append(text(22, y + 17, name, anchor="start", weight="600"))
        for place, (which, state) in enumerate(records):
            out += record(160 + place * 42, y, which, *LOOKS[state])
        out.append(text(390, y + 17, says, SOFT, 12, "start"))
    for x, state, says in ((160, "waits", "waits for a permit"), (330, "behind", "waits behind another"),
                           (520, "leaves", "may leave")):
        fill, stroke = LOOKS[state]
        out += [f'<rect x="{x}" y="214" width="12" height="12" rx="2" fill="{fill}" stroke="{stroke}"/>',
                text(x + 18, 224, says, SOFT, 11, "start")]
    return picture("Order: what waits for what", 242, out)


def ledger():
    out, finished, gone = [], {40, 41, 42, 45, 46, 48}, (43, 44, 47, 49)
    for place, offset in enumerate(range(40, 50)):
        state = "leaves" if offset in finished else "waits"
        out += record(60 + place * 70, 66, offset, *LOOKS[state])
    x = 60 + 3 * 70 - 20
    out += [line(x, 52, x, 118, BLUE), text(x, 134, "committed: 43", BLUE, weight="600"),
            text(x, 150, "all below is finished", SOFT, 11), arrow(460, 140, 429, 96, GREEN, True),
            arrow(505, 140, 496, 96, GREEN, True), arrow(570, 140, 630, 96, GREEN, True),
            text(540, 154, "in the commit's metadata: 45, 46 and 48 are finished too", GREEN),
            text(60, 186, "After a crash now, {}, {}, {}, {} and all later records are read again.".format(*gone), SOFT, 12, "start")]
    for at, state, says in ((600, "leaves", "finished"), (690, "waits", "not finished")):
        fill, stroke = LOOKS[state]
        out += [f'<rect x="{at}" y="16" width="12" height="12" rx="2" fill="{fill}" stroke="{stroke}"/>',
                text(at + 18, 26, says, SOFT, 11, "start")]
    return picture("The ledger of one partition", 204, out)


def outage():
    left, right, down, up = 170, 790, 340, 560
    out = [f'<rect x="{down}" y="56" width="{up - down}" height="164" fill="{LIGHT_RED}" opacity="0.6"/>',
           text((down + up) / 2, 50, "Redis does not answer", RED)]
    for row, (name, says, height) in enumerate((("hold (default)", "records wait", 0),
                                                ("local_share", "limit / instances", 12),
                                                ("pass", "no limit", 34))):
        base = 104 + row * 56
        out += [line(left, base, right, base), text(left - 12, base - 12, name, anchor="end", weight="600"),
                text(left - 12, base + 3, says, SOFT, 11, "end")]
        for begin, end, tall in ((left, down, 22), (down, up, height), (up, right, 22)):
            color = BLUE if tall == 22 else RED if tall > 22 else GREEN
            fill = PALE if tall == 22 else LIGHT_RED if tall > 22 else LIGHT_GREEN
            if tall:
                out.append(f'<rect x="{begin}" y="{base - tall}" width="{end - begin}" height="{tall}" fill="{fill}" '
                           f'stroke="{color}"/>')
    out.append(text(22, 242, "How much one gate lets through over time. Nothing is lost with any of them; with hold the limit is "
                    "never exceeded either.", SOFT, 12, "start"))
    return picture("on_outage: what a limit in Redis does while Redis is down", 258, out)


def fleet():
    out = []
    for row, (gate, due) in enumerate((("gate-1", "due at once"), ("gate-2", "due in 10 ms"), ("gate-3", "due in 20 ms"))):
        y = 56 + row * 54
        out += named(40, y, 130, 40, gate) + [arrow(170, y + 14, 398, y + 14, BLUE), text(284, y + 10, "request: up to 20, now or soon",
                                                                                      SOFT, 11),
                                              arrow(398, y + 28, 172, y + 28, GREEN), text(284, y + 42, due, GREEN, 11)]
    out += [box(400, 56, 176, 148, GREY, LINE), text(488, 80, "Redis", weight="600"), text(488, 98, "one script, one call", SOFT, 11),
            *named(420, 112, 136, 34, "bucket: callbacks", fill="#ffffff", stroke=LINE),
            *named(420, 156, 136, 34, "bucket: acme", fill="#ffffff", stroke=LINE),
            text(600, 80, "All gates share the bucket, and", SOFT, 12, "start"), text(600, 97, "Redis' clock is the one that counts.", SOFT, 12,
                                                                                    "start"),
            text(600, 128, "First come, first served,", SOFT, 12, "start"), text(600, 145, "whichever gate asks.", SOFT, 12, "start"),
            text(600, 176, "All limits of a record in one", SOFT, 12, "start"), text(600, 193, "call: all or nothing.", SOFT, 12,
                                                                                    "start")]
    return picture("Three gates, one limit", 226, out)


def books():
    out = named(30, 84, 150, 48, "received", "1,000") + [arrow(180, 108, 238, 108)]
    out += named(240, 56, 180, 104, "inside", "250, waiting or in flight", fill=GREY, stroke=LINE)
    for row, (name, under, fill, stroke) in enumerate((("delivered", "740: accepted by the target", LIGHT_GREEN, GREEN),
                                                       ("dead-lettered", "7: in the dead letter topic", LIGHT_RED, RED),
                                                       ("returned", "3: another gate reads them", PALE, BLUE),
                                                       ("filtered", "0: left out by the route", GREY, LINE))):
        y = 30 + row * 46
        out += named(500, y, 220, 38, name, under, fill, stroke) + [arrow(420, 70 + row * 25, 498, y + 19)]
    out.append(text(30, 238, "1,000 = 740 + 7 + 3 + 0 + 250, each counted separately: if they do not agree, a record is missing "
                    "and an alert fires.", SOFT, 12, "start"))
    return picture("The books of one gate", 256, out)


PICTURES = {"stages": stages, "permit": permit, "order": order, "ledger": ledger, "outage": outage, "fleet": fleet, "books": books}


def check_or_write(pictures):
    """The exit code: 1 if, with --check, a kept picture is another than the one drawn."""
    wrong = 0
    for name, draw in pictures.items():
        path = os.path.join(HERE, name + ".svg")
        if "--check" not in sys.argv[1:]:
            with open(path, "w", encoding="utf-8") as file:
                file.write(draw())
            continue
        with open(path, encoding="utf-8") as file:
            if file.read() != draw():
                print(f"{name}.svg is not what is drawn now; run this without --check and look at it")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(check_or_write(PICTURES))
