#!/usr/bin/env python3
"""One tenant, target or partition that is dead slows nobody else.

The same load twice: with nobody dead, then with some dead from the first record on. All the others must keep 99 % of
what they had. The limit of each tenant sets the pace, not the machine.
"""

import os
import time
import unittest

from harness import deliveries
from harness.flooding import UNKNOWN, WINDOW_UPDATE, Flooding
from harness.places import PATIENCE, SANITIZER, now_us, wait_until
from harness.plan import plan
from harness.receiver import Receiver
from harness.scenario import Scenario
import certificates
import servers

TENANTS, DEAD = 100, 10
PARTITIONS = 4
RATE = 5               # Of each tenant, a second.
SECONDS = 6            # How long is counted.
KEPT = 1 - 0.01 * PATIENCE
BOMB = 300_000_000     # Bytes of one record.
FLOOD_MIB = 400 / PATIENCE  # While it is counted: 1,500 to 4,400 on two cores, and 44 with a breaker that opens.
STALL = 0.6            # What the machine may take from all of them at once, in seconds, and they catch up with it.


def pace(rate, key):
    """Its burst comes at once and is over before the counting begins; after it, it is what a stall of all is made up by."""
    return {"algorithm": "token_bucket", "rate": f"{rate}/s", "burst": int(STALL * rate), "key": key, "store": "memory"}


def tenant_names(topic):
    """The dead ones are spread among the others, and so over all partitions."""
    return [("dead-" if number % (TENANTS // DEAD) == 0 else "well-") + f"{topic}-{number}"
            for number in range(TENANTS)]


@plan(alone=True)
class Isolation(Scenario):
    redis = False

    def produce_tenants(self, topic):
        """More than enough for all the time that is counted, each tenant in its partition, in turn."""
        self.world.create_topic(topic, PARTITIONS)
        rounds = RATE * (SECONDS + 6)
        self.world.produce_records(topic, [
            {"partition": number % PARTITIONS, "key": name.encode(), "value": b"x",
             "headers": [("tenant", name.encode())]}
            for _ in range(rounds) for number, name in enumerate(tenant_names(topic))])

    def config(self, topic, order, timeout="2s", **changes):
        return self.world.config(topic, 1, changes={
            "limits": {"shared": None, "per_tenant": pace(RATE, "header:tenant")},
            "targets": {"receiver": {"http": {"timeout": timeout, "max_in_flight": 64}}},
            "kafka": {"group": topic},
            "route": {"limits": ["per_tenant"], "order": order, "inside": {"records": 5000}}, **changes})

    def well_rate(self, since_us, wanted=lambda one: True):
        """What was accepted from a second after the first on, for SECONDS, of records that are `wanted`."""
        accepted = [one for one in deliveries.accepted(self.world.receiver.deliveries()) if wanted(one)]
        start = min(one.arrived for one in accepted if one.arrived >= since_us) + 1_000_000
        return sum(start <= one.arrived < start + SECONDS * 1_000_000 for one in accepted) / SECONDS

    def run_tenants(self, topic, mode, order):
        self.produce_tenants(topic)
        self.world.receiver.clear()
        self.world.receiver.tell(**mode)
        began = now_us()
        gate = self.world.gate(f"gate-{topic}", self.config(topic, order)).start()
        names = tenant_names(topic)
        places = [[name for number, name in enumerate(names) if number % PARTITIONS == partition]
                  for partition in range(PARTITIONS)]

        def is_well(one):
            tenants = places[one.partition]
            return tenants[one.offset % len(tenants)].startswith("well")

        wait_until(lambda: self.world.receiver.summary()["distinct"] > 0, 20, "the first delivery")
        time.sleep(SECONDS + 2)
        rate = self.well_rate(began, is_well)
        dead = sum(not is_well(one) for one in deliveries.accepted(self.world.receiver.deliveries()))
        gate.kill()
        self.world.receiver.tell("ok")
        return rate, dead

    def check_tenants(self, cases):
        before, accepted = self.run_tenants("before", {"mode": "ok"}, "none")
        self.assertGreater(accepted, 0)
        self.assertGreater(before, 0.95 * RATE * (TENANTS - DEAD), "the limits set the pace, not the machine")
        for number, (order, mode) in enumerate(cases):
            after, accepted = self.run_tenants(f"after-{number}", {**mode, "keys": "dead"}, order)
            self.assertEqual(accepted, 0, "the dead are dead")
            self.note(f"{TENANTS - DEAD} tenants, order {order}: {before:.1f}/s, "
                      f"with {DEAD} dead ones beside them ({mode}) {after:.1f}/s")
            # Counted from another moment on the same pace may be one record of each tenant more.
            self.assertGreaterEqual(after, KEPT * min(before, RATE * (TENANTS - DEAD)))

    @plan(whole=True)
    def test_dead_tenants(self):
        """Each has one attempt at a time, by its order."""
        self.check_tenants([("key", {"mode": "hang"})])

    @plan(whole=True)
    def test_dead_tenants_without_order(self):
        self.check_tenants([("none", {"mode": "status", "status": 500}), ("none", {"mode": "reset"})])

    def test_tenants_that_hang_without_order(self):
        """Each could hold as many places at the target as it gets permits until the timeout."""
        self.check_tenants([("none", {"mode": "hang"})])

    # ---- targets and partitions ----

    def two_routes(self, dead_port, **target):
        """The healthy route's config with a second one beside it, to a target of its own: `target` besides its http."""
        config = self.config("well", "partition", limits={"shared": None, "per_tenant": None, "pace": pace(400, "topic")})
        config["routes"][0]["limits"] = ["pace"]
        config["routes"][0]["inside"] = {"records": 1000}
        config["inside"] = {"records": 2000}  # The dead route's partitions alone could fill it twice.
        dead = {**config["routes"][0], "name": "dead", "topics": ["dead"], "target": "dead"}
        config["routes"].append(dead)
        http = {**config["targets"]["receiver"]["http"], "url": f"http://127.0.0.1:{dead_port}/callback"}
        config["targets"]["dead"] = {"http": http, **target}
        return config

    def begin_with_the_well_one(self, config):
        """The gate, and the healthy route's rate while nothing is there for the other; there is more for it than is counted."""
        for topic in ("well", "dead"):
            self.world.create_topic(topic, PARTITIONS)
        self.world.produce("well", 400 * (SECONDS * 3 + 12), size=100)
        gate = self.world.gate("gate", config).start()
        began = now_us()
        wait_until(lambda: self.world.receiver.summary()["distinct"] > 0, 20, "the first delivery")
        time.sleep(SECONDS + 2)
        before = self.well_rate(began)
        self.assertGreater(before, 0.95 * 400)
        return gate, before

    def check_flood(self, kind, tls=False):
        """It answers nothing and sends without end; a record for it comes all the time."""
        authority = certificates.Authority(self.world.directory) if tls else None
        flooding = Flooding(kind, authority.sign("flooding") if tls else None)
        self.addCleanup(flooding.stop)
        # Else the breaker opens, and the gate is spared all but a connection now and then.
        config = self.two_routes(flooding.port, breaker={"failures": 0}, retry={"budget": "100%"})
        http = config["targets"]["dead"]["http"]
        http["http2"] = "always"
        config["routes"][1]["order"] = "none"  # As many as may be in flight, and not one of each partition.
        if tls:
            http |= {"url": f"https://127.0.0.1:{flooding.port}/callback", "ca_file": authority.file}
        gate, before = self.begin_with_the_well_one(config)
        self.world.produce("dead", 400, size=100)
        wait_until(lambda: flooding.sent > 0, 20, "the flood")
        self.world.receiver.clear()
        began, sent, connections = now_us(), flooding.sent, flooding.connections
        time.sleep(SECONDS + 2)
        after = self.well_rate(began)
        sent, connections = (flooding.sent - sent) >> 20, flooding.connections - connections
        self.note(f"a healthy target: {before:.1f}/s, beside one that floods {after:.1f}/s; "
                  f"{connections} connections, {sent} MiB")
        self.assertGreater(sent, FLOOD_MIB, "it has flooded all the time")
        self.assertGreaterEqual(after, 0.9 * before)
        gate.kill()

    def test_a_target_that_floods(self):
        self.check_flood(UNKNOWN)

    @plan(whole=True)
    def test_a_target_that_floods_with_windows(self):
        self.check_flood(WINDOW_UPDATE)

    @plan(whole=True)
    def test_a_target_that_floods_in_tls(self):
        self.check_flood(UNKNOWN, tls=True)

    @plan(whole=True)
    def test_a_target_that_floods_with_windows_in_tls(self):
        self.check_flood(WINDOW_UPDATE, tls=True)

    def test_a_target_whose_large_records_are_compressed(self):
        """Each takes 30 ms to compress, and again at each attempt: the server fails them all."""
        other = Receiver(self.world.directory)
        self.addCleanup(servers.stop_child, other.process)
        other.tell("status", status=500)
        config = self.two_routes(other.port, breaker={"failures": 0}, retry={"budget": "100%"})
        config["targets"]["dead"]["http"]["compress"] = "gzip"
        config["routes"][1] |= {"order": "none", "retry": {"initial": "1ms", "max": "1ms"}}
        gate, before = self.begin_with_the_well_one(config)
        self.world.produce_records("dead", [{"partition": number % PARTITIONS, "value": os.urandom(900_000)}
                                            for number in range(48)])
        wait_until(lambda: other.deliveries(), 20, "the first large record")
        self.world.receiver.clear()
        began, attempts = now_us(), len(other.deliveries())
        time.sleep(SECONDS + 2)
        after, attempts = self.well_rate(began), len(other.deliveries()) - attempts
        self.note(f"a healthy target: {before:.1f}/s, beside {attempts} large bodies that are compressed {after:.1f}/s")
        self.assertGreater(attempts, 48, "they are compressed again and again")
        self.assertGreaterEqual(after, 0.9 * before)
        gate.kill()

    def test_a_record_that_is_three_hundred_megabytes_when_it_is_unpacked(self):
        """Kafka bounds what is compressed: 300 KB. Read as JSON it would take 4 GB, and counted in full all that may be inside.

        Its dead letter fits into no topic at first, and so it stays; compressed again it is as small as it came."""
        config = self.two_routes(1, breaker={"failures": 0})
        config["limits"]["pace"]["key"] = "json:/tenant"
        config["inside"]["bytes"] = "256MiB"
        config["routes"][1] |= {"dead_letter": "small"}
        self.world.create_topic("small", 1, **{"max.message.bytes": 20_000})
        self.world.create_topic("letters", 1)
        gate, before = self.begin_with_the_well_one(config)
        self.world.produce("dead", 1, size=BOMB, partition=0, tenants=1, properties={
            "compression.type": "gzip", "message.max.bytes": 1_000_000_000})
        wait_until(lambda: "dead-0@0 (" in gate.log(200), 60, "a dead letter that is too large")
        self.world.receiver.clear()
        began = now_us()
        time.sleep(SECONDS + 2)
        after = self.well_rate(began)
        self.note(f"a healthy target: {before:.1f}/s, beside a record of {BOMB >> 20} MiB {after:.1f}/s; "
                  f"at most {gate.most_resident_mb():.0f} MB")
        self.assertGreaterEqual(after, 0.9 * before)
        self.assertEqual(self.world.ends("small"), [0])
        if not SANITIZER:
            self.assertLess(gate.most_resident_mb(), 4 * (BOMB >> 20))
        config["routes"][1]["dead_letter"] = "letters"
        gate.reload({"routes": config["routes"]})
        wait_until(lambda: self.world.ends("letters") == [1], 60, "its dead letter")
        wait_until(lambda: self.world.committed("dead", "well")[0] == 1, 20, "it is finished")
        self.assertEqual(gate.terminate(), 0)

    def test_dead_targets(self):
        other = Receiver(self.world.directory)
        self.addCleanup(servers.stop_child, other.process)
        for topic in ("well", "dead"):
            self.world.create_topic(topic, PARTITIONS)
            self.world.produce(topic, 400 * (SECONDS * 3 + 12), size=100)
        gate = self.world.gate("gate", self.two_routes(other.port)).start()
        began = now_us()
        wait_until(lambda: self.world.receiver.summary()["distinct"] > 0, 20, "the first delivery")
        time.sleep(SECONDS + 2)
        before = self.well_rate(began)
        self.assertGreater(before, 0.95 * 400)
        for mode, trouble in (("hang", "no answer"), ("refuse", "refused")):
            self.world.receiver.clear()
            other.tell(mode)
            began = now_us()
            time.sleep(SECONDS + 2)
            after = self.well_rate(began)
            self.note(f"a healthy target: {before:.1f}/s, beside a dead one ({mode}) {after:.1f}/s; "
                      f"{gate.status()['books']['inside']} records inside")
            self.assertGreaterEqual(after, KEPT * before)
            dead = next(one for one in gate.status()["targets"] if one["name"] == "dead")
            self.assertIn(trouble, dead["trouble"], "it is asked, and dead")

    def test_a_poison_record_at_the_head_of_a_partition(self):
        """Order by partition: its partition waits behind it, and no other."""
        self.world.create_topic("results", PARTITIONS)
        records = [{"partition": number % PARTITIONS, "key": b"k", "value": b"x"}
                   for number in range(PARTITIONS * 20 * (SECONDS + 6))]
        records[0]["key"] = b"dead"
        self.world.produce_records("results", records)
        self.world.receiver.tell("status", status=500, keys="dead")
        config = self.config("results", "partition", limits={"shared": None, "per_tenant": None, "pace": pace(20, "partition")})
        config["routes"][0]["limits"] = ["pace"]
        began = now_us()
        self.world.gate("gate", config).start()
        wait_until(lambda: self.world.receiver.summary()["distinct"] > 0, 20, "the first delivery")
        time.sleep(SECONDS + 2)
        stuck = [one for one in self.world.receiver.deliveries() if one.partition == 0]
        self.assertEqual({one.offset for one in stuck}, {0}, "it is tried, and nothing behind it")
        self.assertEqual(deliveries.accepted(stuck), [])
        rate = self.well_rate(began)
        self.note(f"{PARTITIONS - 1} partitions of 20/s each: {rate:.1f}/s beside one that is stuck")
        self.assertGreaterEqual(rate, KEPT * 20 * (PARTITIONS - 1))


if __name__ == "__main__":
    unittest.main()
