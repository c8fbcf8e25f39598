"""What the scenarios of HTTP targets share: a topic, a gate that delivers it to a server of ours, and its end."""

from harness import answering, places, scenario

RECORDS = 40


class HttpScenario(scenario.Scenario):
    redis = False

    def setUp(self):
        super().setUp()
        self.world.create_topic("results", 2)
        self.world.create_topic("results.dead", 1)

    def answering(self, answer=lambda request: 204):
        server = answering.Answering(answer)
        self.addCleanup(server.stop)
        return server

    def gate(self, http, wait=True, **route):
        changes = {"limits": None, "targets": {"receiver": {"http": http, "breaker": {"max_wait": "1s"}}},
                   "route": {"limits": [], **route}}
        return self.world.gate("gate-1", self.world.config("results", 1000, changes)).start(wait=wait)

    def secret(self, text):
        """A text that must never be seen anywhere: looked for at the end of each scenario."""
        return self.world.secret(text)

    def produce(self, records=RECORDS):
        self.world.produce("results", records)

    def assert_delivered(self, server, records=RECORDS, patience=30):
        """All of the topic, and none twice."""
        places.wait_until(lambda: len(server.records()) >= records, patience, f"{records} records accepted")
        accepted = [request.record() for request in server.requests() if request.accepted]
        self.assertEqual(len(accepted), records, "records were accepted twice")

    def target(self, gate):
        return next(iter(gate.status().get("targets", [])), {})

    def wait_until_unusable(self, gate, reason, patience=20):
        """The reason stands in /readyz, /v1/status and the log."""
        def told():
            code, text = places.get(gate.port, "/readyz", timeout=2.0)
            return code == 503 and reason in text
        places.wait_until(told, patience, f"/readyz to say '{reason}'")
        self.assertIn(reason, self.target(gate)["unusable"])
        places.wait_until(lambda: reason in gate.log(), 10, f"the log to say '{reason}'")

    def assert_no_secret_is_told(self):
        self.assertEqual(self.world.secrets_told(), "")
