"""What is done to a link while records come, and what was measured. Each scene has topics of its own."""

import collections
import time

import checks
import judge
from harness import places
import namespaces
import stage
import wire

_BACKLOG = 600        # Records of the route that is judged, and of
_BESIDE = 100         # the route beside: 6 s and 2 s at their limits.
_COMMIT_S = 70        # Until Kafka knows what is finished: a request whose answer is lost is given up after a minute.
_BESIDE_LATE_S = 3.0  # What the route beside may take longer than its limit needs.
_LAST_S = 10          # A silence without an end has lasted for so long when the gate is told to leave.
_LEAVE_S = 25         # `drain_timeout` and 15 s: less than docs/deploy.md allows.

# Of one scene: `took` and `silent` in seconds, see judge; `met` what the packets met; `most` permits in one second.
Outcome = collections.namedtuple("Outcome", "links name records took needed silent repeats most met breaches")


class Scene(collections.namedtuple("Scene", "name links weather hold_s restart within_s repeats moves astray",
                                   defaults=[0, "", 0, 0, False, None])):
    """`weather` is there from before the records until after them, or, with `hold_s`, comes in their midst for so long, or
    for ever: FOR_EVER. `restart`: the server that is killed and started anew meanwhile. `within_s`: until all is accepted,
    beyond what the limit needs, counted from the beginning, or from when it is over. `repeats`: how many at most. `moves`: the
    server goes to another address in their midst, for good; for `hold_s` its name leads `astray`."""

    @property
    def topic(self):
        """Of each route, behind the route's name."""
        return "".join(letter if letter.isalnum() else "-" for letter in f"{'-'.join(self.links)}-{self.name}")


FOR_EVER = -1


class Play:
    """One scene on a stage."""

    def __init__(self, scene, world):
        self._scene, self._world = scene, world
        self._main, self._beside = f"main-{scene.topic}", f"beside-{scene.topic}"
        self._forgot = []

    def play(self):
        scene = self._scene
        if not scene.hold_s and not scene.moves:
            since = places.now_us()
            self._set(scene.weather)
            self._produce(_BACKLOG)
            return self._end(since)
        self._produce(_BACKLOG // 2)
        places.wait_until(lambda: any(self._world.committed(self._main).values()), 30, "the first commit")
        cut = places.now_us()
        self._disturb(cut)
        self._produce(_BACKLOG - _BACKLOG // 2)
        if scene.hold_s == FOR_EVER:
            return self._leave(cut)
        if not scene.hold_s:
            return self._end(cut)
        breaches = self._judge_beside(cut)
        self._wait(cut, scene.hold_s)
        if scene.moves:
            self._world.name(scene.links[0], namespaces.MOVED[scene.links[0]])
        return self._end(places.now_us(), breaches)

    def _disturb(self, cut):
        scene = self._scene
        if scene.moves:
            self._world.move(scene.links[0])
            self._world.name(scene.links[0], scene.astray if scene.hold_s else namespaces.MOVED[scene.links[0]])
        self._set(scene.weather)
        if scene.restart:
            self._world.restart(scene.restart)
        if scene.restart == "redis":
            self._forgot = [(cut, places.now_us() + (scene.hold_s + 2) * judge.SECOND_US)]

    def _wait(self, since, seconds):
        """A weather lasts for its time."""
        time.sleep(max(0, seconds - (places.now_us() - since) / judge.SECOND_US))

    def _set(self, weather):
        return [self._world.networks.set(link, weather) for link in self._scene.links]

    def _produce(self, records):
        self._world.produce(self._main, records)
        self._world.produce(self._beside, _BESIDE // 2)

    def _end(self, since, breaches=()):
        """`since`: when the weather began that lasts until now, or when one is over that held everything up."""
        scene, most_s = self._scene, _BACKLOG / stage.LIMIT + self._scene.within_s
        met = self._set(wire.CALM) if scene.hold_s and not scene.moves else None
        self._world.wait_until_finished(self._main, time.monotonic() + most_s * places.PATIENCE + _COMMIT_S)
        met = met or self._set(wire.CALM)
        self._world.wait_until_finished(self._beside, time.monotonic() + _COMMIT_S)
        h = self._world.history(self._main)
        within_s = (judge.accepted_since(h, since) / stage.LIMIT + scene.within_s) * places.PATIENCE
        allowed = judge.Allowed(scene.repeats, within_s, self._forgot, "target" in scene.links)
        found = [*breaches, *judge.breaches(h, since, allowed)]
        if not scene.hold_s:
            found += self._judge_beside(since)
        found += [checks.Breach("commits", f"{topic} is not committed") for topic in (self._main, self._beside)
                  if not self._world.finished(topic)]
        return self._outcome(h, since, met, found)

    def _judge_beside(self, since):
        """What the gate needs no bad link for is done as ever."""
        if "kafka" in self._scene.links:
            return []
        within_s = (_BESIDE / stage.BESIDE + _BESIDE_LATE_S) * places.PATIENCE
        self._world.wait_until_finished(self._beside, time.monotonic() + within_s)
        return list(judge.others_go_on(self._world.history(self._beside), since, within_s))

    def _leave(self, cut):
        """It is never over: the others are done, and then the gate is to leave in time."""
        breaches = self._judge_beside(cut)
        self._wait(cut, _LAST_S)
        begun = time.monotonic()
        try:
            code = self._world.gate.terminate(_LEAVE_S)
            print(f"  SIGTERM: the gate left after {time.monotonic() - begun:.1f} s with {code}", flush=True)
            if code not in ((0, 1) if "kafka" in self._scene.links else (0,)):  # Its last commit may fail.
                breaches.append(checks.Breach("it leaves", f"with {code}"))
        except AssertionError as error:
            breaches.append(checks.Breach("it leaves", str(error).splitlines()[0]))
        h = self._world.history(self._main)
        breaches += judge.nothing_lost_below(h, self._world.committed(self._main))
        breaches += [*checks.permits(h), *checks.in_order(h, judge.ORDERS)]
        return self._outcome(h, cut, self._set(wire.CALM), breaches)

    def _outcome(self, h, since, met, breaches):
        instants = {one.permit: one.admitted for one in h.deliveries}.values()
        total = wire.Done(*map(sum, zip(*(way for link in met for way in link.values()))))
        needed = judge.accepted_since(h, since) / stage.LIMIT
        return Outcome(self._scene.links, self._scene.name, len(h.records), judge.took_s(h, since), needed,
                       judge.silence_s(h, since), judge.repeats(h), checks.most_in_window(instants, judge.SECOND_US),
                       total, [*breaches, *judge.weather_came(self._scene.weather, total)])
