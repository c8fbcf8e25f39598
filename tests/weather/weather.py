#!/usr/bin/env python3
"""One gate on a bad wire: slow, lossy, narrow, out of order, silent one way or both.

    weather.py                 less than two minutes: some of it, on all links
    weather.py --all           the whole table, each weather on each link
    weather.py --all --only redis:loss    what begins so

Needs root and TUN devices; without them it says so and ends with 77. Exit 0: each promise was kept. README.md has the rest.
"""

import argparse
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "chaos"), os.path.join(TESTS, "e2e")]

from harness import world  # noqa: E402  It also makes what starts servers known.
import kafka_jars  # noqa: E402
import scenes  # noqa: E402
import skies  # noqa: E402
import stage  # noqa: E402

NOT_RUN = 77
_SHOWN = 5  # Breaches of one scene.


def say(text):
    print(text, flush=True)


def row(one):
    silent = "-" if one.silent is None else f"{one.silent:.1f}"
    return (f"| {', '.join(one.links)} | {one.name} | {silent} | {one.took:.1f} of {one.needed:.1f} | {one.repeats} | {one.most} | "
            f"{', '.join(map(str, one.met))} |")


def perform(act):
    """All scenes of one act, on a stage of its own. Whether all promises were kept."""
    world_of_it = stage.Stage([scene.topic for scene in act.scenes], act.changes, act.by_name, act.tls)
    good = True
    try:
        world_of_it.start()
        for scene in act.scenes:
            outcome = scenes.Play(scene, world_of_it).play()
            say(row(outcome))
            for breach in outcome.breaches[:_SHOWN]:
                say(f"  BREACH {breach.promise}: {breach.text}")
            if outcome.breaches:
                good = False
                say(f"  {len(outcome.breaches)} in all; the gate's log ends so:\n{world_of_it.gate.log(25)}")
    except (AssertionError, OSError):
        if world_of_it.gate is not None:
            say(f"{world_of_it.gate.get('/readyz', timeout=2.0)}\n{world_of_it.gate.log(25)}")
        raise
    finally:
        world_of_it.stop()
    return good


def why_not():
    """Why no network can be made here; "" if one can. A child tries it: whoever makes one is in it."""
    child = os.fork()
    if child == 0:
        try:
            import namespaces
            namespaces.Network([namespaces.GATE], "10.77.0.0/24")
            os._exit(0)
        except OSError as error:
            say(f"not run: no network of its own with a TUN device can be made here, which takes root: {error}")
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def interrupted(number, _):
    raise KeyboardInterrupt(f"signal {number}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--all", action="store_true", help="the whole table")
    parser.add_argument("--only", default="", metavar="LINK:NAME", help="scenes that begin so")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupted)
    if why_not():
        return NOT_RUN
    kafka_jars.fetch(world.KAFKA_VERSION)  # While there is a way to them.
    say("| link | weather | first after, s | last after, s, and what the limit needs | repeats | most permits in 1 s | "
        "packets: all, lost, overtaking, too large |\n|---|---|---|---|---|---|---|")
    results = [perform(act) for act in skies.acts(options.all, options.only)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
