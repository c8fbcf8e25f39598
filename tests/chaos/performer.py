"""Does to a scene what the schedule says, undoes it in time, and writes down when it really happened."""

import heapq
import itertools
import threading
import time

import fleet
import history
from harness import places
import schedule
import servers

_TICK_S = 0.03
_BACK_S = 180.0
_SWAP_S = 20.0  # Of the Sentinels, when they are asked to; or they have given up.


class Recovery:
    """Asks on a thread of its own whether Kafka and Redis are whole, as an answer may take seconds."""

    def __init__(self, scene):
        self._conditions = {"kafka": scene.cluster.whole, "redis": scene.redis.whole}
        self._since = dict.fromkeys(self._conditions, 0)  # Whole since that instant; 0: not whole.
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def whole(self, what):
        return self._since[what] > 0

    def whole_after(self, what, instant):
        """Whether it was seen whole by a look that began after the instant."""
        return self._since[what] > instant

    def disturbed(self, what):
        self._since[what] = 0

    def close(self):
        self._end.set()
        self._thread.join()

    def _watch(self):
        while not self._end.wait(0.2):
            for what, condition in self._conditions.items():
                begin = places.now_us()
                self._since[what] = begin if condition() else 0


class Performer:
    """Everything happens on the thread that calls run(): a process that it starts dies with that thread."""

    def __init__(self, scene, h, say):
        self._scene, self._h, self._say = scene, h, say
        self._queue, self._order = [], itertools.count()
        self._waits = []  # (condition, what then, what else after the deadline, deadline)
        self._recovery = Recovery(scene)
        self._begin = 0.0
        self._reloading = False
        self.performed = 0  # Of the faults; the others were left out.

    def run(self, faults, seconds):
        """Performs them all, and returns when the time is over and everything that was disturbed is back."""
        self._begin = time.monotonic()
        for fault in faults:
            self._at(fault.at, lambda fault=fault: self._perform(fault))
        while self._elapsed() < seconds or self._queue or self._waits:
            self._tick()

    def settle(self, condition, patience):
        """Ticks until the condition holds; whether it did."""
        end = time.monotonic() + patience
        while not condition():
            if time.monotonic() > end:
                return False
            self._tick()
        return True

    def leave(self, members):
        """Asks them all to go; returns when they have gone."""
        for member in members:
            self._ask_to_leave(member, lambda code: None)
        while self._waits:
            self._tick()

    def close(self):
        self._recovery.close()

    def _elapsed(self):
        return time.monotonic() - self._begin

    def _at(self, second, action):
        heapq.heappush(self._queue, (second, next(self._order), action))

    def _after(self, seconds, action):
        self._at(self._elapsed() + seconds, action)

    def _when(self, condition, action, otherwise, patience):
        self._waits.append((condition, action, otherwise, time.monotonic() + patience))

    def _tick(self):
        while self._queue and self._queue[0][0] <= self._elapsed():
            heapq.heappop(self._queue)[2]()
        waits, self._waits = self._waits, []
        for wait in waits:
            condition, action, otherwise, deadline = wait
            if condition():
                action()
            elif time.monotonic() > deadline:
                otherwise()
            else:
                self._waits.append(wait)
        for member in self._scene.members.values():
            if member.wanted and not member.running():
                self._ended_by_itself(member)
        for broker in self._scene.cluster.brokers.values():
            if broker.wanted and not broker.running():
                self._broker_ended_by_itself(broker)
        time.sleep(_TICK_S)

    def _ended_by_itself(self, member):
        code = member.gate.process.returncode
        self._note(f"{member.run} ENDED BY ITSELF with {code}; its last words:\n{member.gate.log(8)}")
        why = "fenced" if member.was_fenced() else None
        self._h.exits.append(history.Exit(member.run, places.now_us(), code, member.farewell(), why))
        member.start()

    def _broker_ended_by_itself(self, broker):
        """No fault of the gates': it counts as another killed broker."""
        begin, name = places.now_us(), f"broker-{broker.node}"
        self._note(f"{name} ended by itself with {broker.process.returncode}; its last words:\n"
                   f"{servers.tail(broker.log_path, 3)}")
        broker.spawn()
        self._until_whole(schedule.Fault(0, "broker", name, 0, {}), "kafka", begin)

    def _note(self, text):
        self._say(f"{self._elapsed():7.2f}  {text}")

    def _perform(self, fault):
        done = {"kill": self._kill, "stop": self._stop, "terminate": self._terminate, "visit": self._visit,
                "link": self._link, "broker": self._broker, "target": self._target, "reload": self._reload,
                "break_config": self._break_config}.get(
                    fault.kind, self._redis)(fault)
        self.performed += done
        self._note(schedule.text(fault) + ("" if done else ": left out"))

    def _over(self, fault, begin, end=None, **how):
        at = end or places.now_us()
        self._h.events.append(history.Event(fault.kind, fault.subject, begin, at, {**fault.how, **how}))

    def _member(self, fault):
        member = self._scene.members[fault.subject]
        return member if member.wanted and member.running() and not member.stopped else None

    def _restart(self, member):
        member.start()
        self._note(f"{member.run} starts")

    def _kill(self, fault):
        member = self._member(fault)
        if member is None:
            return False
        begin = places.now_us()
        member.kill()
        gone = places.now_us()

        def back():
            self._restart(member)
            self._over(fault, begin, gone=gone)
        self._after(fault.seconds, back)
        return True

    def _stop(self, fault):
        member = self._member(fault)
        if member is None:
            return False
        begin = places.now_us()
        member.stop()

        def back():
            member.go_on()
            self._over(fault, begin)
        self._after(fault.seconds, back)
        return True

    def _terminate(self, fault):
        member = self._member(fault)
        if member is None:
            return False
        begin, elapsed = places.now_us(), self._elapsed()

        def gone(code):
            at = places.now_us()

            def back():
                self._restart(member)
                self._over(fault, begin, code=code, gone=at)
            self._at(elapsed + fault.seconds, back)
        self._ask_to_leave(member, gone)
        return True

    def _ask_to_leave(self, member, then):
        run = member.run
        member.ask_to_leave()

        def gone(code):
            self._h.exits.append(history.Exit(run, places.now_us(), code, member.farewell(), "terminate"))
            self._note(f"{run} left with {code}")
            then(code)

        def late():
            member.kill()
            gone("no exit within %.0f s" % fleet.LEAVING_S)
        self._when(lambda: not member.running(), lambda: gone(member.gate.process.returncode), late, fleet.LEAVING_S)

    def _visit(self, fault):
        member = self._scene.members[fault.subject]
        if member.running():
            return False
        member.start()
        begin = places.now_us()

        def leave():
            self._over(fault, begin)
            if not member.wanted or not member.running():
                return
            at = places.now_us()
            if fault.how["leave"] == "kill":
                member.kill()
                self._over(fault._replace(kind="kill"), at, gone=places.now_us())
                self._note(f"{member.run} killed")
            else:
                left = fault._replace(kind="terminate")
                self._ask_to_leave(member, lambda code: self._over(left, at, code=code, gone=places.now_us()))
        self._after(fault.seconds, leave)
        return True

    def _link(self, fault):
        begin = places.now_us()
        state = fault.how["state"]
        self._scene.set_link(fault.subject, "open" if state == "slow" else state, fault.how.get("delay_ms", 0))

        def back():
            self._scene.set_link(fault.subject, "open")
            if not fault.subject.startswith("brokers"):
                return self._over(fault, begin)
            self._until_whole(fault, "kafka", begin)
        self._after(fault.seconds, back)
        return True

    def _until_whole(self, fault, what, begin):
        healed = places.now_us()

        def never():
            raise AssertionError(f"{schedule.text(fault)}: {what} is not whole again after {_BACK_S} s")
        self._when(lambda: self._recovery.whole_after(what, healed), lambda: self._over(fault, begin), never, _BACK_S)

    def _broker(self, fault):
        if not self._recovery.whole("kafka"):
            return False
        begin = places.now_us()
        broker = self._scene.cluster.brokers[int(fault.subject[-1])]
        broker.kill()
        self._recovery.disturbed("kafka")

        def back():
            broker.spawn()
            self._note(f"{fault.subject} starts")
            self._until_whole(fault, "kafka", begin)
        self._after(fault.seconds, back)
        return True

    def _redis(self, fault):
        pair = self._scene.redis
        primary = pair.primary() if self._recovery.whole("redis") else None
        if primary is None:
            return False
        begin = places.now_us()
        server = pair.replica() if fault.kind.endswith("replica") else primary
        undo = None
        if fault.kind == "fail_over":
            if not pair.fail_over():
                return False
        elif fault.kind.startswith("kill"):
            server.kill()
            undo = server.spawn
        else:
            server.pause()
            undo = server.resume
        self._recovery.disturbed("redis")

        def back():
            if undo:
                undo()
                self._note(f"{server.name} is back")
            self._until_whole(fault, "redis", begin)
        if fault.kind == "fail_over":  # The Sentinels begin later: until then all looks whole.
            self._when(lambda: pair.primary() not in (server, None), back, back, _SWAP_S)
        else:
            self._after(fault.seconds, back)
        return True

    def _target(self, fault):
        begin = places.now_us()
        self._scene.network.order(do="target", name=fault.subject, **fault.how)

        def back():
            self._scene.network.order(do="target", name=fault.subject, mode="ok")
            self._over(fault, begin)
        self._after(fault.seconds, back)
        return True

    def _reload(self, fault):
        """All get the limit. The one before it is over when no gate knows it any more, nor has permits of it ahead."""
        limits, limit, begin = self._h.limits, fault.how["limit"], places.now_us()
        if self._reloading or limit == limits[-1][2]:
            return False
        limits.append((begin, history.FOR_EVER, limit))
        for member in self._scene.members.values():
            member.gate.change({"limits": {"fleet": {"limit": limit}}})

        def over():
            since, _, before = limits[-2]
            limits[-2] = (since, places.now_us() + fleet.HORIZON_US + fleet.REDIS_TIMEOUT_US, before)
            self._over(fault, begin)
        self._read_anew(fault, self._scene.members.values(), "applied", over)
        return True

    def _break_config(self, fault):
        """It says no and goes on as before."""
        member = self._member(fault)
        if member is None or self._reloading:
            return False
        begin = places.now_us()
        with open(member.gate.path, "w") as file:
            file.write('{"limits": {"fleet": ')

        def over():
            if member.running():
                member.gate.change({})
            self._over(fault, begin)
        self._read_anew(fault, [member], "wrong", over)
        return True

    def _read_anew(self, fault, members, result, then):
        """Asks those that run; one that ends instead reads the config when it starts."""
        waiting = {member: [member.run, None] for member in members if member.running()}
        self._reloading = True

        def done():
            for member, (run, before) in list(waiting.items()):
                if member.run != run or not member.running():
                    del waiting[member]
                elif before is None and member.ready and not member.stopped and member.reloads(result) is not None:
                    waiting[member][1] = member.reloads(result)
                    member.read_anew()
                elif before is not None and (member.reloads(result) or 0) > before:
                    del waiting[member]
            return not waiting

        def end():
            self._reloading = False
            then()

        def never():
            raise AssertionError(f"{schedule.text(fault)}: not {result} after {_BACK_S} s by "
                                 f"{', '.join(member.run for member in waiting)}")
        self._when(done, end, never, _BACK_S)
