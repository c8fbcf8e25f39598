"""The target: tests/tools/receiver, told how to answer and asked what it saw."""

import json
import os
import time

from harness import deliveries
from harness.places import BUILD, PATIENCE, get, wait_until
import servers


class Receiver:
    def __init__(self, directory):
        self.port, self._control = servers.free_ports(2)
        self._log = os.path.join(directory, "receiver.log")
        self.process = servers.start_child(
            [os.path.join(BUILD, "tests", "tools", "receiver"), "--port", str(self.port), "--control-port",
             str(self._control)], self._log)
        wait_until(lambda: get(self._control, "/_summary")[0] == 200, 10, "the receiver")

    def tell(self, mode, **settings):
        self._ask("/_control", "POST", json.dumps({"mode": mode, **settings}))

    def summary(self):
        return json.loads(self._ask("/_summary"))

    def deliveries(self):
        return deliveries.parse(self._ask("/_log"))

    def keep_full(self):
        self._ask("/_keep_full", "POST")

    def full(self):
        """Everything since keep_full() as (head, body), both bytes."""
        lines = [json.loads(line) for line in self._ask("/_full").splitlines()]
        return [(bytes.fromhex(line["head"]), bytes.fromhex(line["body"])) for line in lines]

    def clear(self):
        self._ask("/_clear", "POST")

    def forget(self):
        """All but which records were accepted, which summary() goes on counting. Not while an answer is due."""
        self._ask("/_forget", "POST")

    def wait_for(self, records, patience, gates=()):
        """Until so many different records have been accepted. These gates must stay alive meanwhile."""
        patience *= PATIENCE
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            for gate in gates:
                assert gate.process.poll() is None, f"{gate.name} ended with {gate.process.returncode}:\n{gate.log()}"
            if self.summary()["distinct"] >= records:
                return
            time.sleep(0.1)
        raise AssertionError(f"{records} records expected within {patience} s, the receiver has {self.summary()}")

    def _ask(self, path, method="GET", body=None):
        status, text = get(self._control, path, method, body)
        assert status == 200, f"receiver: {path}: {status} {text}"
        return text
