"""A fleet whose quotas and weights are changed, and whose records are paused, while it runs."""

import subprocess

from harness import scenario
from harness.places import EINLASS


class Steered(scenario.Scenario):
    """Gates of one group, ready, with a table of quotas, and a limit by key if nothing else is said."""

    QUOTAS = None  # As in the configuration.
    TOKEN = "steering-token-1f00d2"
    GATES, PARTITIONS = 2, 6
    LIMIT, ORDER = 20, "key"
    KAFKA = {}

    def setUp(self):
        super().setUp()
        if "topic" in self.QUOTAS:
            self.world.create_topic(self.QUOTAS["topic"], 1, **{"cleanup.policy": "compact"})
        self.world.create_topic("results", self.PARTITIONS)
        self.config = self.world.config("results", 1, changes={
            "quotas": self.QUOTAS, "admin": {"token": self.world.secret(self.TOKEN)}, "kafka": self.KAFKA, **self.changes()})
        self.gates = self.world.start_gates(self.GATES, self.config, self.PARTITIONS)

    def changes(self):
        """What else the gates are configured with."""
        return {"limits": {"shared": None, "per_tenant": {"algorithm": "sliding_log", "limit": self.LIMIT, "window": "1s",
                                                          "store": "redis", "key": "record_key"}},
                "route": {"limits": ["per_tenant"], "order": self.ORDER}}

    def einlass(self, *arguments, code=0):
        """What a verb prints that asks the first gate."""
        verb, *rest = arguments
        sub = [rest.pop(0)] if verb == "quota" else []
        done = subprocess.run([EINLASS, verb, *sub, "-c", self.gates[0].path, *rest], capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout + done.stderr
