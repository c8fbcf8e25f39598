"""IAM as the login at a Kafka that takes what Amazon MSK takes: every client of a gate, credentials renewed, refused, away."""

import json
import os
import time
import unittest
import unittest.mock

from harness import msk, places
import kafka_secured_test
from harness.plan import plan

RECORDS = kafka_secured_test.RECORDS


@plan(seconds=300)
class Iam(kafka_secured_test.Secured):
    # A session ends with its token.
    extra = "connections.max.reauth.ms=3600000\n"

    def new_kafka(self):
        return msk.MskKafka(self.version, self.extra)

    def _gate_by_iam(self, life):
        self.credentials = msk.Credentials(self.world, self.kafka_server.known, life)
        self.addCleanup(self.credentials.server.stop)
        environment = unittest.mock.patch.dict(os.environ, self.credentials.environment())
        environment.start()
        self.addCleanup(environment.stop)
        gate = self._gate("SASL_SSL", self.kafka_server.trust())
        gate.change({"kafka": {"security": "aws_msk_iam"}})
        return gate

    def _refused(self):
        return {verdict for _, verdict in self.kafka_server.judged() if verdict != "good"}

    def _leave_without_a_token(self, gate):
        for token, _ in self.kafka_server.judged():
            self.world.secret(token)  # What was said is searched for them at the end.
        self._leave(gate)

    @plan(whole=True)
    def test_every_client_logs_in_and_goes_on_with_what_is_renewed(self):
        for topic, settings in (("dead", {}), ("einlass.quotas", {"cleanup.policy": "compact"})):
            self.world.create_topic(topic, 1, **settings)
        self.world.produce("results", 1, 50_000)
        gate = self._gate_by_iam(life=16)
        with open(gate.path) as file:
            [route] = json.load(file)["routes"]
        gate.change({"routes": [{**route, "dead_letter": "dead"}], "quotas": {"topic": "einlass.quotas"},
                     "targets": {"archive": {"kafka": {"properties": {"message.max.bytes": 20_000}}}}})
        self._begin_without_credentials(gate)
        self._arrive(gate)
        self.assertEqual(self.world.ends("dead"), [1])
        self.assert_check_is_good(gate)
        places.wait_until(lambda: time.time() > self.credentials.ends[0], 60, "the end of the first credentials")
        self.world.produce("results", RECORDS)
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), 2 * RECORDS)
        self.assertEqual(gate.log(400).count("kafka_login_failing"), 1, "at the beginning")
        self.assertEqual(self._refused(), set())
        self._while_the_server_refuses(gate)
        self._leave_without_a_token(gate)

    def _begin_without_credentials(self, gate):
        """Its table of quotas cannot be read, and so nothing else: it waits for that, and lives."""
        self.credentials.refuse, start = True, time.time()
        gate.start(wait=False)
        places.wait_until(lambda: "event=kafka_login_failing" in gate.log(400), 30, "told")
        places.wait_until(lambda: time.time() > start + 6, 30, "longer than a loop may be silent")
        self.assertEqual(places.get(gate.port, "/healthz")[0], 200)
        self.assertEqual(places.get(gate.port, "/readyz")[0], 503)
        self.assertNotIn("loop_stuck", gate.log(400))
        self.credentials.refuse = False
        gate.wait_until_ready()
        self.assertIn("event=kafka_login_ok", gate.log(400))

    def _while_the_server_refuses(self, gate):
        """A warning while the credentials are good; then nothing is read, and the reason is told, until it is repaired."""
        self.credentials.refuse = True
        places.wait_until(lambda: gate.log(400).count("event=kafka_login_failing") == 2, 60, "told")
        ready = places.get(gate.port, "/readyz")[1]
        self.assertGreater(self.credentials.ends[-1], time.time(), "they are good yet")
        self.assertNotIn("kafka.security", ready)
        why = f"kafka.security: no token for Amazon MSK: no AWS credentials: 127.0.0.1:{self.credentials.server.port}: status 403"
        self.assert_told(gate, why)
        self.assert_check_says(gate, why)
        self.world.produce("results", RECORDS)
        self.credentials.refuse = False
        self._arrive(gate, 60)
        self.assertEqual(sum(self.world.ends("archive")), 3 * RECORDS)
        self.assertEqual(gate.log(400).count("event=kafka_login_ok"), 2)

    @plan(whole=True)
    def test_credentials_that_brokers_do_not_take_are_asked_for_anew(self):
        """They would be good for hours; a target of its own logs in beside a source with a password."""
        gate = self._gate_by_iam(life=6 * 3600)
        self.credentials.wrong = True
        gate.change({"kafka": {"security": None, "properties": self.kafka_server.login()},
                     "targets": {"archive": {"kafka": {"security": "aws_msk_iam"}}}})
        gate.start(wait=False)
        self.assert_told(gate, "refuse the login")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        self.credentials.wrong = False
        self._arrive(gate, 60)
        self.assertEqual(sum(self.world.ends("archive")), RECORDS)
        self.assertEqual(self._refused(), {"MskTokens$Refused: another signature"})
        self._leave_without_a_token(gate)


if __name__ == "__main__":
    unittest.main()
