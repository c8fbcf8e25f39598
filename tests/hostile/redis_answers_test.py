"""A Redis that answers what no Redis would: others do not notice, the gate goes on asking it, and nothing is lost."""

import collections
import time

from hostile import PARTITIONS, Hostile, Inputs
from harness import deliveries
from redis_inputs import PASSWORD, make_answer, make_greeting, make_soon
import resp_server
from harness.places import now_us, wait_until
import namespace
from harness.plan import plan

KEYS = 200
RECORDS = KEYS * 8
LONGEST_SILENCE = 30  # Seconds: docs/outages.md.
HOUR_US = 3_600_000_000


class RedisAnswers(Hostile):
    def setUp(self):
        super().setUp()
        self.honest = False
        self.after = collections.Counter()  # Good answers, once all inputs of that kind were used.
        self.server = resp_server.RespServer(self.answer, self.greet)
        self.addCleanup(self.server.stop)

    def greet(self, connection, number):
        if not self.honest and number % 3 == 2 and not self.greetings.all_used():
            if number % 2:
                connection.commands()
            connection.send(self.greetings.next())
            connection.stays(0.5)
            raise resp_server.End

    def answer(self, connection, words, number):
        if resp_server.is_look_at_holds(words) and not self.honest:
            if not self.holds.all_used():
                return connection.send(self.holds.next())
            self.after["holds"] += 1
        if self.honest or not resp_server.is_ask(words):
            return connection.send(resp_server.honest(words))
        ask = resp_server.Ask(words)
        if self.inputs.all_used():
            self.after["inputs"] += 1
            return connection.send(ask.deny(self.retry_at_last))
        kind, *what = self.inputs.next()
        if kind in ("raw", "closed"):
            connection.send(what[0])
        elif kind == "numbers":
            connection.send(ask.grant(changes={what[0]: what[1]}))
        elif kind == "slow":
            connection.send_slowly(ask.grant(changes={what[0]: what[1]}))
        else:
            connection.send(ask.grant(changes={what[1]: what[2]})[:what[0]])
        connection.stays(0.003)
        if kind in ("closed", "cut"):  # It may wait for more: that is tried enough by those that come before.
            raise resp_server.End

    def start(self, seconds):
        config = self.well_config(redis={"url": f"redis://127.0.0.1:{self.server.port}", "password": PASSWORD,
                                         "timeout": "1s", "namespace": "hostile"})
        config["limits"]["evil"] = {"algorithm": "sliding_log", "limit": 1000, "window": "1s", "store": "redis",
                                    "key": "record_key"}
        url = f"http://127.0.0.1:{self.world.receiver.port}/callback"
        self.add_evil(config, {"url": url}, limits=["evil"], retry={"initial": "10ms", "max": "50ms"})
        del config["routes"][-1]["dead_letter"]  # All of it is to be delivered in the end.
        self.start_well(config, seconds)

    def check(self, make, count, seconds, retry_at_last):
        """`retry_at_last`: when each line is told to ask again (in microseconds), once all inputs were used."""
        self.retry_at_last = retry_at_last
        self.inputs = Inputs(make, count)
        self.greetings, self.holds = Inputs(make_greeting, count // 20, seed=2), Inputs(make_greeting, count // 20,
                                                                                        seed=3)
        self.start(seconds)
        self.world.produce_records("evil", [
            {"partition": number % PARTITIONS, "key": b"key-%d" % (number % KEYS), "value": b"x"}
            for number in range(RECORDS)])
        began = time.monotonic()
        every = self.inputs, self.greetings, self.holds
        self.judge(lambda: not all(one.all_used() for one in every), patience=seconds)
        self.assertTrue(all(one.all_used() for one in every))
        self.note(f"{sum(one.count for one in every)} inputs in {time.monotonic() - began:.0f} s, "
                  f"{self.server.connections} connections")
        self.judge_recovery()

    def judge_recovery(self):
        def accepted():
            return sum(one.topic == "evil" for one in deliveries.accepted(self.world.receiver.deliveries()))
        before, since = accepted(), time.monotonic()
        self.assertLess(before, RECORDS, "some are left to wait for what the last answers said")
        self.honest = True
        wait_until(lambda: accepted() >= RECORDS, LONGEST_SILENCE + 5, "all of evil, from a Redis that is well again")
        self.note(f"{before} delivered meanwhile, the other {RECORDS - before} in {time.monotonic() - since:.1f} s")
        self.assert_nothing_lost(self.world.receiver.deliveries(), "evil")
        wait_until(lambda: self.gate.get("/readyz", timeout=5.0)[0] == 200, 70, "ready")

    def check_one(self, name, one):
        """Of `inputs` or `holds`: one kind of answer, and good ones to all else."""
        for each in ("inputs", "greetings", "holds"):
            setattr(self, each, Inputs(lambda *_: one, 1))
            if each != name:
                getattr(self, each).next()
        self.retry_at_last = 1_000_000
        self.start(20)
        self.world.produce_records("evil", [{"partition": 0, "key": b"k", "value": b"x"}])
        # Two more: then the gate has read that one.
        wait_until(lambda: self.after[name] >= 2, 20, "the answer is given, and the gate asks on")

    def test_how_long_a_target_is_held(self):
        """No longer than a target may ask for itself: docs/security.md."""
        self.check_one("holds", resp_server.array(1 << 53))
        target = next(one for one in self.gate.status()["targets"] if one["name"] == "evil")
        self.assertLess(target["held_until"] or 0, now_us() + HOUR_US)

    def test_a_password_that_an_error_repeats_without_quotes(self):
        """World.stop() looks for it."""
        self.check_one("inputs", ("raw", f"-ERR you sent {PASSWORD}\r\n".encode()))

    def test_a_sample(self):
        self.check(make_soon, 80, 60, 1_000_000)

    @plan(whole=True, seconds=300)
    def test_whole(self):
        self.check(make_answer, 1000, 180, 1 << 53)


if __name__ == "__main__":
    namespace.main()
