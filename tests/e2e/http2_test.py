"""The receiver behind a real HTTP/2 proxy (nghttpx): the same promises, also when the proxy leaves or dies in the middle."""

import os
import signal
import socket
import unittest

from harness import deliveries, places, scenario
from harness.plan import plan
import servers

LIMIT = 200
PARTITIONS = 6
RECORDS = 1600
SECOND_US = 1_000_000


class Nghttpx:
    """In the clear, with the receiver behind it over HTTP/1.1."""

    def __init__(self, directory, receiver_port):
        self.port = servers.free_ports(1)[0]
        self._log = os.path.join(directory, "nghttpx.log")
        self._arguments = ["nghttpx", "--conf=/dev/null", "--workers=1", "--accesslog-file=/dev/null",
                           f"-f127.0.0.1,{self.port};no-tls", f"-b127.0.0.1,{receiver_port}"]
        self.process = None
        self.start()

    def start(self):
        self.process = servers.start_child(self._arguments, self._log)
        places.wait_until(self._listens, 10, "nghttpx")

    def _listens(self):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(20 * places.PATIENCE)

    def stop(self):
        servers.stop_child(self.process, 0.1)


@plan(alone=True)
class BehindNghttpx(scenario.Scenario):
    def setUp(self):
        super().setUp()
        self.proxy = Nghttpx(self.world.directory, self.world.receiver.port)
        self.addCleanup(self.proxy.stop)

    def begin(self):
        self.world.create_topic("results", PARTITIONS)
        target = {"http": {"url": f"http://127.0.0.1:{self.proxy.port}/callback", "http2": "always"},
                  "breaker": {"max_wait": "1s"}}
        config = self.world.config("results", LIMIT, {"targets": {"receiver": target}})
        self.gates = self.world.start_gates(1, config, PARTITIONS)
        self.world.produce("results", RECORDS, keys=60)
        self.world.receiver.wait_for(2 * LIMIT, 20)

    def finish(self, jitter_us=100_000):
        self.world.receiver.wait_for(RECORDS, 40, self.gates)
        seen = self.world.receiver.deliveries()
        self.assert_nothing_lost(seen, "results")
        self.assert_ordered(seen)
        self.assert_within_limit(seen, LIMIT, jitter_us=jitter_us)
        self.assert_committed("results")
        self.assert_books_closed(self.gates)
        target = self.gates[0].status()["targets"][0]
        self.assertEqual(target["connections"], 1, target)
        self.assertEqual(target["trouble"], "", target)
        return seen

    @plan(whole=True)
    def test_the_proxy_leaves_and_another_comes(self):
        """It says GOAWAY, answers what it has taken, and is gone: nothing is delivered twice."""
        self.begin()
        self.proxy.end(signal.SIGQUIT)
        self.proxy.start()
        seen = self.finish()
        self.assert_no_duplicates(seen)

    @plan(whole=True)
    def test_the_proxy_is_killed_and_comes_back(self):
        self.begin()
        self.proxy.end(signal.SIGKILL)
        places.wait_until(lambda: self.gates[0].status()["targets"][0]["trouble"], 5, "the target is in trouble")
        self.note(self.gates[0].status()["targets"][0]["trouble"])
        self.proxy.start()
        back = places.now_us()
        # What a proxy takes while it is still coming up arrives later than from one that runs.
        seen = self.finish(jitter_us=300_000)
        # Of each partition one record is under way at a time: its answer may have died with the proxy.
        self.assertLessEqual(len(deliveries.duplicates(seen)), PARTITIONS)
        first = min(one.arrived for one in deliveries.accepted(seen) if one.arrived >= back)
        self.note(f"first delivery {(first - back) / 1000:.0f} ms after the proxy was back")
        self.assertLessEqual(first - back, 3 * SECOND_US * places.PATIENCE)


if __name__ == "__main__":
    unittest.main()
