#!/usr/bin/env python3
"""The model against `einlass replay` on both stores: the shared vectors, and random walks through every limiter.

    replay_test.py --einlass BINARY [--steps N] [--seed S] [--shapes sliding_log,eight] [--stores memory]

Not one difference is allowed in what is granted, when it is due, when to ask again, which limit was the reason and what
remains. Then each promise is checked by brute force on what the program answered. A difference is printed with its
config and the shortest trace that shows it.
"""

import argparse
import json
import os
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "deploy", "local"))

import promises  # noqa: E402
import share_walk  # noqa: E402
import vectors  # noqa: E402
import walk  # noqa: E402
from model import Limiter  # noqa: E402
from redis import Redis  # noqa: E402
from replay import STORES, Replay, ReplayError, trace_of  # noqa: E402

SHORTER_SHARE = 0.3  # Of the steps that an algorithm has.
MOST_SHRINKING_RUNS = 200


def first_difference(expected, answers):
    """The place, or None."""
    if answers == expected:
        return None
    return next((i for i, (one, other) in enumerate(zip(expected, answers)) if one != other), len(expected) - 1)


def model_answers(limits, asked, lines):
    limiter = Limiter(limits, asked)
    return [limiter.answer(line) for line in lines]


def shrunk(lines, differs):
    """Fewer lines that still differ: takes pieces out for as long as that holds."""
    runs = 0
    piece = max(1, len(lines) // 2)
    while piece >= 1:
        at = 0
        while at < len(lines) and runs < MOST_SHRINKING_RUNS:
            fewer = lines[:at] + lines[at + piece:]
            runs += 1
            if fewer and differs(fewer):
                lines = fewer
            else:
                at += piece
        piece //= 2
    return lines


def told(replay, store, limits, asked, lines, hint):
    """The difference at the end of `lines`, in words."""
    def difference(some):
        try:
            return first_difference(model_answers(limits, asked, some), replay.answers(store, limits, asked, some))
        except (ReplayError, AssertionError):
            return None

    if difference(lines[hint:]) is not None:
        lines = lines[hint:]
    lines = shrunk(lines, lambda some: difference(some) is not None)
    end = difference(lines)
    expected = model_answers(limits, asked, lines)
    answers = replay.answers(store, limits, asked, lines)
    text = [f"--store {store} differs from the model", "config: " + json.dumps(limits), "limits: " + ",".join(asked)]
    for i, line in enumerate(lines[:end + 1]):
        text += [json.dumps(line), "   model   " + json.dumps(expected[i])]
        if answers[i] != expected[i]:
            text.append(f"   {store:7} " + json.dumps(answers[i]))
    return "\n".join(text)


def run_vectors(replay, stores):
    """The failures, in words."""
    failures = []
    for vector in vectors.load():
        expected = vector.answers
        answered = {"model": model_answers(vector.limits, vector.asked, vector.lines)}
        for store in stores:
            try:
                answered[store] = replay.answers(store, vector.limits, vector.asked, vector.lines)
            except ReplayError as error:
                failures.append(f"{vector.name}: {error}")
        for who, answers in answered.items():
            at = first_difference(expected, answers)
            if at is not None:
                failures.append(f"{vector.name}, line {2 * at + 2}: {json.dumps(vector.lines[at])}\n"
                                f"   expected {json.dumps(expected[at])}\n   {who:8} {json.dumps(answers[at])}")
    return failures


def run_walk(replay, stores, shape, seed, steps):
    """(what was done, the failures), in words."""
    begun = time.monotonic()
    walks = share_walk if shape in share_walk.SHAPES else walk
    made = walks.Walk(shape, seed).steps(steps)
    limits = walks.limits(shape)
    failures = []
    trace, expected = trace_of(made.lines), trace_of(made.answers)
    for store in stores:
        try:
            text = replay.text(store, limits, made.names, trace)
        except ReplayError as error:
            failures.append(f"{shape}, seed {seed}: {error}")
            continue
        if text == expected and store != stores[0]:
            continue  # The first store's answers stand for these too.
        answers = [json.loads(line) for line in text.splitlines()]
        at = first_difference(made.answers, answers)
        if at is None:
            failures += [f"{shape} on {store}: {broken}" for broken in broken_promises(made, limits, answers)]
        else:
            begin = max(session.begin for session in made.sessions if session.begin <= at)
            failures.append(f"{shape}, seed {seed}: "
                            + told(replay, store, limits, made.names, made.lines[:at + 1], begin))
    granted = sum(1 for answer in made.answers if answer.get("granted"))
    denied = sum(1 for answer in made.answers if answer.get("granted") == 0)
    if min(granted, denied) < len(made.lines) // 50:
        failures.append(f"{shape}: {granted} granted and {denied} denied prove little")
    return (f"{shape}: {len(made.lines)} steps, {granted} granted, {denied} denied, {len(made.probes)} retries tried, "
            f"{time.monotonic() - begun:.1f} s"), failures


def broken_promises(made, limits, answers):
    ends = [session.begin for session in made.sessions[1:]] + [len(made.lines)]
    for session, end in zip(made.sessions, ends):
        if session.judged:
            options = {name: {**limits[name], **session.options[name]} for name in made.names}
            try:
                promises.check(made.lines, answers, session.begin, end, options, session.costs, session.keys)
            except promises.Broken as broken:
                yield f"lines {session.begin + 1} to {end} with {json.dumps(options)}: {broken}"
    for place in made.probes:
        try:
            promises.check_retry(made.lines, answers, place)
        except promises.Broken as broken:
            yield f"line {place + 1}: {broken}: {json.dumps(made.lines[place])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--einlass", required=True)
    parser.add_argument("--steps", type=int, default=100_000, help="of each algorithm")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--shapes", default=",".join([*walk.MIXES, *share_walk.SHAPES, *walk.ALGORITHMS]))
    parser.add_argument("--stores", default=",".join(STORES))
    options = parser.parse_args()
    stores = options.stores.split(",")
    shorter = (*walk.SHORTER, *share_walk.SHAPES)
    print(f"seed {options.seed}", flush=True)
    redis = Redis(arguments=["--maxmemory", "1gb"])
    try:
        redis.start()
        replay = Replay(options.einlass, redis.url)
        failures = run_vectors(replay, stores)
        with ProcessPoolExecutor(2) as pool:
            walks = [pool.submit(run_walk, replay, stores, shape, options.seed,
                                 int(options.steps * (SHORTER_SHARE if shape in shorter else 1)))
                     for shape in filter(None, options.shapes.split(","))]
            for done in walks:
                said, wrong = done.result()
                print(said, flush=True)
                failures += wrong
    finally:
        redis.stop()
    for failure in failures:
        print("FAILED: " + failure, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
