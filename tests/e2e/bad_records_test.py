"""Records that a healthy server answers with an error are in trouble, and nobody else is.

Bad ones are there first, all at once; then good ones come, RATE a second. From two seconds on these keep nine tenths of
their rate, however many bad ones there are, and whatever makes a record bad: its key, its body, or the host that it names.
"""

import itertools
import threading
import time
import unittest

from harness.answering import Answering
from harness.places import PATIENCE, wait_until
from harness.plan import plan
from harness.scenario import Scenario
from harness.world import produce_lines

PARTITIONS = 8
RATE = 20
SPOILT = 2    # Seconds that bad ones may take from the good.
SECONDS = 10  # How long is counted then.
KEPT = 1 - 0.1 * PATIENCE
BAD, GOOD = b"bad", b"good"
PACE = {"algorithm": "gcra", "burst": 1, "store": "memory"}


class Produced:
    """Good records, evenly, for as long as it takes. Beside ten thousand bad ones nothing else may run: if none comes for
    a second the breaker opens, as it should, and those that then come late wait half a second for the next probe."""

    def __init__(self, world, record):
        self._record, self._over = record, threading.Event()
        self._producer = world.start_lines("results")
        self._numbers, self.came = itertools.count(), 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.began = time.monotonic()
        self._thread.start()

    def stop(self):
        self._over.set()
        self._thread.join()
        self._producer.stdin.close()
        assert self._producer.wait(30 * PATIENCE) == 0, "the producer of the good ones failed"

    def _run(self):
        at_a_time, turn = RATE // 5, 0
        while not self._over.wait(max(0.0, self.began + turn / 5 - time.monotonic())):
            numbers = itertools.islice(self._numbers, at_a_time)
            self._producer.stdin.write(produce_lines({"partition": number % PARTITIONS, **self._record(number)}
                                                     for number in numbers))
            self._producer.stdin.flush()
            self.came += at_a_time
            turn += 1


class BadRecords(Scenario):
    redis = False

    def start(self, bad, bad_record, **changes):
        """The bad ones, and a gate in the middle of them."""
        self.world.create_topic("results", PARTITIONS)
        self.world.produce_records("results", [{"partition": number % PARTITIONS, **bad_record(number)}
                                               for number in range(bad)])
        changes = {"limits": None, "inside": {"records": 50_000}, **changes}
        changes["route"] = {"limits": [], "retry": None, "inside": {"records": 5_000}, **changes.get("route", {})}
        return self.world.gate("gate", self.world.config("results", 1000, changes)).start()

    def good_rate(self, good_record):
        """(accepted, come) between SPOILT seconds after the first good one came and SECONDS later: no bad one is accepted."""
        produced = Produced(self.world, good_record)
        try:
            time.sleep(SPOILT)
            before, come = self.world.receiver.summary()["accepted"], produced.came
            time.sleep(SECONDS)
            return self.world.receiver.summary()["accepted"] - before, produced.came - come
        finally:
            produced.stop()

    def judge(self, what, accepted, come):
        self.note(f"{what}: {accepted} of {come} good ones in {SECONDS} s")
        self.assertGreater(come, RATE * SECONDS * 0.9)
        self.assertGreaterEqual(accepted, KEPT * come)

    # ---- one URL ----

    def check_one_url(self, bad, order, route=None, mode="status", **changes):
        """With order key each record has a key of its own; with none it has none at all; with partition, where a bad one
        keeps back what stands behind it, each kind has partitions of its own."""
        keyed = order == "key"
        self.world.receiver.tell(mode, status=500, **{"keys" if keyed else "bodies": "bad"})

        def record(kind):
            apart = {"partition": number_of(kind)} if order == "partition" else {}
            return lambda number: {"key": b"%s-%d" % (kind, number) if keyed else None, "value": kind, **apart}

        def number_of(kind):
            return PARTITIONS - 1 if kind == GOOD else 0
        gate = self.start(bad, record(BAD), route={"order": order, **(route or {})}, **changes)
        tried = 1 if order == "partition" else min(bad, 16)
        wait_until(lambda: self.world.receiver.summary()["requests"] >= tried, 30, "the bad ones' attempts")
        self.judge(f"{bad} bad ones, order {order}", *self.good_rate(record(GOOD)))
        self.assertIsNone(gate.process.poll())

    @plan(whole=True)
    def test_one(self):
        self.check_one_url(1, "none")

    @plan(whole=True)
    def test_twenty_with_keys(self):
        self.check_one_url(20, "key")

    @plan(whole=True)
    def test_a_hundred(self):
        self.check_one_url(100, "none")

    def test_a_hundred_with_keys(self):
        self.check_one_url(100, "key")

    @plan(whole=True)
    def test_a_hundred_in_the_order_of_their_partition(self):
        self.check_one_url(100, "partition")

    @plan(whole=True)
    def test_twenty(self):
        self.check_one_url(20, "none")

    @plan(whole=True, alone=True)
    def test_ten_thousand(self):
        self.check_one_url(10_000, "none")

    @plan(whole=True, alone=True)
    def test_ten_thousand_with_keys(self):
        self.check_one_url(10_000, "key")

    def test_a_hundred_that_are_hung_up_on(self):
        """A server may fall over them before it answers, and is well otherwise."""
        self.check_one_url(100, "none", mode="reset")

    def test_twenty_under_a_limit_that_binds(self):
        """Good ones and the retries that the target's budget allows take all of it."""
        self.check_one_url(20, "none", limits={"shared": None, "pace": {**PACE, "rate": f"{RATE * 5 // 4}/s"}},
                           route={"limits": ["pace"]})

    # ---- several servers ----

    def check_two_urls(self, bad, order):
        """Each of them answers the bad ones with an error. It is one receiver, under two names."""
        urls = [f"http://{host}:{self.world.receiver.port}/callback" for host in ("127.0.0.1", "localhost")]
        self.check_one_url(bad, order, targets={"receiver": {"http": {"url": None, "urls": urls}}})

    @plan(whole=True)
    def test_one_at_two_servers(self):
        self.check_two_urls(1, "none")

    @plan(whole=True)
    def test_a_hundred_at_two_servers(self):
        self.check_two_urls(100, "none")

    @plan(whole=True)
    def test_twenty_with_keys_at_two_servers(self):
        self.check_two_urls(20, "key")

    @plan(whole=True, alone=True)
    def test_ten_thousand_at_two_servers(self):
        self.check_two_urls(10_000, "none")

    # ---- hosts of records ----

    def check_hosts(self, bad, keyed, order="none"):
        """One host answers everything with an error. `keyed`: each host has a limit, and so a line, of its own."""
        failing = Answering(lambda request: 500, address="127.0.0.2", port=self.world.receiver.port)
        self.addCleanup(failing.stop)

        def record(host):
            return lambda number: {"key": b"%s-%d" % (host, number) if order == "key" else None, "value": b"x",
                                   "headers": [("host", host)]}
        limit = {"algorithm": "token_bucket", "rate": "1000/s", "burst": 1000, "store": "memory", "key": "header:host"}
        url = f"http://{{header:host}}:{self.world.receiver.port}/callback"
        gate = self.start(bad, record(b"127.0.0.2"), limits={"shared": None, "each": limit} if keyed else None, targets={
            "receiver": {"http": {"url": url, "allow_hosts": ["*"], "allow_private": True}}}, route={
                "order": order, "limits": ["each"] if keyed else []})
        wait_until(lambda: len(failing.requests()) >= min(bad, 16), 30, "the bad ones' attempts")
        self.judge(f"{bad} for a host that fails, order {order}{', a limit for each host' if keyed else ''}",
                   *self.good_rate(record(b"127.0.0.1")))
        self.assertIsNone(gate.process.poll())

    def check_one_host(self, bad):
        """All are for one host, which answers the bad ones with an error."""
        self.world.receiver.tell("status", status=500, bodies="bad")

        def record(kind):
            return lambda number: {"key": None, "value": kind, "headers": [("host", b"127.0.0.1")]}
        url = f"http://{{header:host}}:{self.world.receiver.port}/callback"
        gate = self.start(bad, record(BAD), route={"order": "none"}, targets={
            "receiver": {"http": {"url": url, "allow_hosts": ["*"], "allow_private": True}}})
        wait_until(lambda: self.world.receiver.summary()["requests"] >= min(bad, 16), 30, "the bad ones' attempts")
        self.judge(f"{bad} bad ones for the same named host", *self.good_rate(record(GOOD)))
        self.assertIsNone(gate.process.poll())

    def test_a_hundred_for_the_same_host(self):
        self.check_one_host(100)

    @plan(whole=True)
    def test_one_for_the_same_host(self):
        self.check_one_host(1)

    @plan(whole=True, alone=True)
    def test_ten_thousand_for_the_same_host(self):
        self.check_one_host(10_000)

    @plan(whole=True, alone=True)
    def test_ten_thousand_for_one_host(self):
        self.check_hosts(10_000, keyed=False)

    def test_a_hundred_for_one_host_beside_anothers_tenant(self):
        self.check_hosts(100, keyed=True)

    @plan(whole=True)
    def test_a_hundred_for_one_host(self):
        self.check_hosts(100, keyed=False)

    @plan(whole=True)
    def test_a_hundred_for_one_host_with_keys(self):
        self.check_hosts(100, keyed=False, order="key")

    @plan(whole=True)
    def test_twenty_for_one_host_beside_anothers_tenant(self):
        self.check_hosts(20, keyed=True)

    @plan(whole=True, alone=True)
    def test_ten_thousand_for_one_host_beside_anothers_tenant(self):
        self.check_hosts(10_000, keyed=True)


if __name__ == "__main__":
    unittest.main()
