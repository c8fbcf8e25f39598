"""A fleet whose limit by key is changed, and whose records are paused, while it runs."""

from harness import scenario


class Steered(scenario.Scenario):
    """Gates of one group, ready, with a limit by key and a table of quotas."""

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
            "quotas": self.QUOTAS, "admin": {"token": self.world.secret(self.TOKEN)}, "kafka": self.KAFKA,
            "limits": {"shared": None, "per_tenant": {"algorithm": "sliding_log", "limit": self.LIMIT, "window": "1s",
                                                      "store": "redis", "key": "record_key"}},
            "route": {"limits": ["per_tenant"], "order": self.ORDER}})
        self.gates = self.world.start_gates(self.GATES, self.config, self.PARTITIONS)
