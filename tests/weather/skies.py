"""The table: which weather comes to which link, and for how long."""

import collections

import names
from scenes import FOR_EVER, Scene
from wire import CALM, Weather

# What was in flight when the answers to it were lost.
_REPEATS = {"redis": 0, "kafka": 0, "target": 200}

# Until the last record is accepted, beyond what the limit needs: on a bad link, where TCP waits longer and longer before it sends
# again what was lost; and after a silence, as docs/guarantees.md says for each.
_LATE_S = 15
_LATE_BY_LOSS_S = 60
_HOLE_S = 20
_BACK_S = {"redis": 5, "kafka": _HOLE_S + 5, "target": 35}
_MOVED_S = {"redis": 10, "kafka": 40, "target": 35}
_ASTRAY_S = 10
_ASTRAY = {"is not there": None, "is not told": names.SILENCE, "leads to nobody": "10.77.0.99"}
_SESSION_S = 45  # Of the gate in its group.

# Scenes of one gate, one after the other. `changes`: of its config. `by_name`: it knows servers by names. `tls`: as stage.py says.
Act = collections.namedtuple("Act", "scenes changes by_name tls", defaults=[{}, False, ""])

LINKS = ["redis", "kafka", "target"]

_STEADY = {
    "1 ms": Weather(delay_ms=1, jitter_ms=0.5),
    "50 ms": Weather(delay_ms=50, jitter_ms=20),
    "500 ms": Weather(delay_ms=500, jitter_ms=100),
    "loss 0.1 %": Weather(delay_ms=5, jitter_ms=2, loss=0.001),
    "loss 5 %": Weather(delay_ms=5, jitter_ms=2, loss=0.05),
    "loss 20 %": Weather(delay_ms=5, jitter_ms=2, loss=0.2),
    "reordering": Weather(delay_ms=20, jitter_ms=10, reorder=0.25),
    "1 Mbit": Weather(delay_ms=5, bits=1_000_000),
    "MTU 576": Weather(delay_ms=1, mtu=576),
}
_UNTOLD = Weather(delay_ms=1, mtu=576, untold=True)
_WAYS = {"there": "nothing arrives there", "back": "nothing comes back", "both": "nothing passes"}
_SLOW_REDIS = {"redis": {"timeout": "3s"}}  # An answer that takes a second is too late else.


def _steady(link):
    for name, weather in _STEADY.items():
        yield Scene(name, [link], weather, within_s=_LATE_BY_LOSS_S if weather.loss > 0.1 else _LATE_S, repeats=_REPEATS[link])


def _hole(link, way, seconds, **changes):
    return Scene(f"{_WAYS[way]} for {seconds} s", [link], Weather(silent=way), seconds,
                 **{"within_s": _BACK_S[link], "repeats": _REPEATS[link], **changes})


def _holes(link):
    yield from (_hole(link, way, _HOLE_S) for way in _WAYS)
    yield _hole(link, "both", _HOLE_S, restart=link)._replace(name=f"nothing passes for {_HOLE_S} s, and it restarts")
    if link == "kafka":  # Nobody else takes the partitions, but what could not be committed comes again.
        yield _hole(link, "both", _SESSION_S + 15, within_s=65, repeats=300)
    if link == "target":
        yield _hole(link, "both", 60)
    if link != "redis":  # Hardly a packet to or from it is so large.
        yield Scene(f"MTU 576 and nobody says so for {_HOLE_S} s", [link], _UNTOLD, _HOLE_S, within_s=_BACK_S[link],
                    repeats=_REPEATS[link])
    yield Scene("nothing passes any more", [link], Weather(silent="both"), FOR_EVER)


def _table():
    for link in LINKS:
        steady = list(_steady(link))
        slow = [scene for scene in steady if link == "redis" and scene.name == "500 ms"]
        yield Act([scene for scene in steady if scene not in slow])
        yield Act(slow, _SLOW_REDIS)
        if slow:
            yield Act([Scene(f"500 ms for {_HOLE_S} s, but redis.timeout is 500 ms", [link], slow[0].weather, _HOLE_S,
                             within_s=_BACK_S[link])])
        yield Act(list(_holes(link)))
        yield from _moves(link)
    for name, speaks in {"TLS": "ssl", "HTTP/2": "ssl http2"}.items():
        scenes = list(_through_tls(name))
        yield Act([scene for scene in scenes if not scene.weather.untold], tls=speaks)
        yield Act([scene for scene in scenes if scene.weather.untold], tls=speaks)  # Nobody remembers what a router said before.


def _through_tls(name):
    """A target behind a real nginx: with HTTP/2 all share one connection, so what one packet needs holds up all of them."""
    for scene in _steady("target"):
        if scene.name in ("50 ms", "loss 5 %", "loss 20 %", "reordering", "1 Mbit", "MTU 576"):
            yield scene._replace(name=f"{name}, {scene.name}")
    for scene in _holes("target"):
        if scene.hold_s == _HOLE_S and not scene.restart:
            yield scene._replace(name=f"{name}, {scene.name}")


def _moves(link):
    """Without a word: what is connected to the old address waits."""
    name, changes = "moves to another address", {}
    if link == "kafka":
        yield Act([Scene(name, [link], CALM, within_s=100, repeats=300, moves=True)], by_name=True)
        name, changes = f"{name} (socket.timeout.ms is 10 s)", {"kafka": {"properties": {"socket.timeout.ms": 10_000}}}
    yield Act([Scene(name, [link], CALM, within_s=_MOVED_S[link], repeats=_REPEATS[link], moves=True)], changes, True)
    for what, astray in _ASTRAY.items():
        scene = Scene(f"moves, and for {_ASTRAY_S} s its name {what}", [link], CALM, _ASTRAY_S, within_s=_MOVED_S[link],
                      repeats=_REPEATS[link], moves=True, astray=astray)
        yield Act([scene], changes, True)


def _short():
    """All links at once, and then one after the other."""
    rough = Weather(delay_ms=30, jitter_ms=10, loss=0.03, reorder=0.05)
    narrow = Weather(delay_ms=5, bits=1_000_000, mtu=576)
    yield Act([Scene("rough", LINKS, rough, within_s=_LATE_S, repeats=_REPEATS["target"]),
               Scene("narrow", LINKS, narrow, within_s=2 * _LATE_S, repeats=_REPEATS["target"]),
               _hole("redis", "back", 5), _hole("kafka", "there", 5, within_s=10), _hole("target", "both", 6, restart="target"),
               Scene("nothing passes any more", ["target"], Weather(silent="both"), FOR_EVER)])


def acts(whole, only):
    """Those of the table, or the short form; of either the scenes whose LINK:NAME begins with `only`."""
    for act in _table() if whole else _short():
        scenes = [scene for scene in act.scenes if f"{scene.links[0]}:{scene.name}".startswith(only)]
        if scenes:
            yield act._replace(scenes=scenes)
