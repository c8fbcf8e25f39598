"""The receiver behind a real HAProxy, by HTTP/2 in TLS and by HTTP/1.1, which is reloaded in the middle."""

import collections
import unittest

from harness import deliveries, haproxy, scenario
from harness.plan import plan
import certificates

RATE = 200  # Of each topic: with one limit for both, one of them may be through before the last reload.
BURST = 5
PARTITIONS = 8
RECORDS = 600  # Of each topic.


@plan(half=True)
class BehindHaproxy(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        authority = certificates.Authority(self.world.directory)
        self.ca = authority.file
        self.proxy = haproxy.Haproxy(self.world.directory, self.world.receiver.port, authority.sign("haproxy")).start()
        self.addCleanup(self.proxy.stop)

    def config(self):
        limit = {"algorithm": "token_bucket", "rate": f"{RATE}/s", "burst": BURST, "store": "memory"}
        config = self.world.config("by_http2", RATE, {
            "limits": {"shared": {**limit, "limit": None, "window": None}, "plain": limit},
            "targets": {"receiver": {"http": {"url": f"https://localhost:{self.proxy.tls_port}/callback",
                                              "http2": "always", "ca_file": self.ca}},
                        "plain": {"http": {"url": f"http://127.0.0.1:{self.proxy.plain_port}/callback"}}}})
        config["routes"].append({**config["routes"][0], "name": "plain", "topics": ["by_http1"], "target": "plain",
                                 "limits": ["plain"]})
        return config

    def test_reloaded_again_and_again(self):
        """Each old one says GOAWAY, or Connection: close, answers what it has taken, and is gone."""
        topics = ("by_http2", "by_http1")
        for topic in topics:
            self.world.create_topic(topic, PARTITIONS)
            self.world.produce(topic, RECORDS, keys=60)
        self.world.receiver.tell("delay", delay_ms=20)  # Some are under way at any time.
        gate = self.world.gate("gate-1", self.config()).start()
        for accepted in (300, 700):
            self.world.receiver.wait_for(accepted, 20, [gate])
            self.proxy.reload()
        self.world.receiver.wait_for(len(topics) * RECORDS, 40, [gate])
        seen = self.world.receiver.deliveries()
        for topic in topics:
            self.assert_nothing_lost(seen, topic)
            self.assert_committed(topic)
        self.assert_no_duplicates(seen)
        self.assert_ordered(seen)
        self.assert_within_limit(seen, len(topics) * (RATE + BURST))
        self.assert_books_closed([gate])
        through = collections.Counter(one.gate for one in deliveries.accepted(seen))
        self.note(f"through {dict(through)}")
        self.assertEqual(set(through), {f"h{version}.{run}" for version in (1, 2) for run in (1, 2, 3)})
        for target in gate.status()["targets"]:
            self.assertEqual(target["trouble"], "", target)


if __name__ == "__main__":
    unittest.main(verbosity=2)
