"""Source and target on a Kafka that nobody enters unchecked: every login, and what is said of a wrong one."""

import subprocess
import unittest

import places
import certificates
import kafka as local_kafka
import scenario
import secured

RECORDS = 60


class Secured(scenario.Scenario):
    redis = kafka = False
    version = local_kafka.LATEST_3
    acls = False
    extra = ""

    def setUp(self):
        super().setUp()
        self.world.kafka = secured.SecuredKafka(self.version, self.acls, self.extra).start()
        self.kafka_server = self.world.kafka
        self.world.create_topic("results", 2)
        self.world.create_topic("archive", 2)
        self.world.produce("results", RECORDS)

    def _gate(self, listener, properties, name="gate-1"):
        """Reads `results` and writes `archive`, both through that listener."""
        return self.world.gate(name, self.world.config("results", 1000, {
            "kafka": {"brokers": [self.kafka_server.brokers_at(listener)], "group": name,
                      "properties": {"reconnect.backoff.ms": 50, **properties}},
            "limits": {"shared": {"store": "memory"}},
            "targets": {"receiver": None, "archive": {"kafka": {"topic": "archive", "partition": "same"}}},
            "route": {"target": "archive"}}))

    def _arrive(self, gate, patience=40):
        """All records, through that gate's group."""
        ends = self.world.ends("results")
        places.wait_until(lambda: self.world.committed("results", gate.name) == ends, patience,
                          f"{gate.name} has delivered")
        places.wait_until(lambda: places.get(gate.port, "/readyz")[0] == 200, 15, f"{gate.name} ready")

    def _told(self, gate, *texts):
        """Not ready, and the reason stands everywhere."""
        def everywhere():
            code, ready = places.get(gate.port, "/readyz", timeout=2.0)
            places_to_look = [ready, places.get(gate.port, "/v1/status", timeout=2.0)[1], gate.log(400)]
            return code == 503 and all(text in place for text in texts for place in places_to_look)
        try:
            places.wait_until(everywhere, 40, f"told: {texts}")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{places.get(gate.port, '/readyz')}\n{gate.status().get('kafka')}"
                                 f"\n{gate.status().get('targets')}") from None

    def _leave(self, gate):
        status = places.get(gate.port, "/v1/status")[1] + places.get(gate.port, "/metrics")[1]
        self.assertEqual(gate.terminate(), 0)
        self.assertNotIn(secured.PASSWORD, status + gate.log(10_000))


class Logins(Secured):
    def test_each_that_there_is(self):
        kafka = self.kafka_server
        kafka.add_scram("SCRAM-SHA-256")
        kafka.add_scram("SCRAM-SHA-512")
        token = {"security.protocol": "sasl_plaintext", "sasl.mechanisms": "OAUTHBEARER",
                 "enable.sasl.oauthbearer.unsecure.jwt": "true", "sasl.oauthbearer.config": "principal=gate"}
        logins = [("plain", "SASL_SSL", kafka.login()), ("plain-open", "SASL_PLAINTEXT", kafka.login(tls=False)),
                  ("scram-256", "SASL_SSL", kafka.login("SCRAM-SHA-256")),
                  ("scram-512", "SASL_SSL", kafka.login("SCRAM-SHA-512")),
                  ("certificate", "SSL", kafka.certificate()), ("token", "SASL_PLAINTEXT", token)]
        for count, (name, listener, properties) in enumerate(logins, 1):
            with self.subTest(name):
                gate = self._gate(listener, properties, name).start()
                self._arrive(gate)
                self.assertEqual(sum(self.world.ends("archive")), count * RECORDS)
                self._leave(gate)


class Wrong(Secured):
    """Nothing is lost, the reason is told, and it goes on by itself once it is repaired."""

    def _repaired(self, gate):
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), RECORDS)
        self._leave(gate)

    def _with_a_certificate(self, text, **how):
        kafka = self.kafka_server
        kafka.kill()
        kafka.show(**how)
        kafka.start()
        gate = self._gate("SASL_SSL", kafka.login()).start(wait=False)
        self._told(gate, "TLS with the Kafka brokers", text)
        self.assertEqual(self.world.ends("archive"), [0, 0])
        kafka.kill()
        kafka.show()
        kafka.start()
        self._repaired(gate)

    def test_password(self):
        self.kafka_server.add_scram("SCRAM-SHA-512", "another-password")
        gate = self._gate("SASL_SSL", self.kafka_server.login("SCRAM-SHA-512")).start(wait=False)
        self._told(gate, "refuse the login")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        self.kafka_server.add_scram("SCRAM-SHA-512")
        self._repaired(gate)

    def test_authority(self):
        foreign = certificates.Authority(self.kafka_server.secrets + "/foreign")
        self._with_a_certificate("certificate verify failed", authority=foreign)

    def test_name(self):
        self._with_a_certificate("certificate verify failed", names=("DNS:another.example",))

    def test_expired(self):
        self._with_a_certificate("certificate verify failed", expired=True)


class Checked(Secured):
    """`einlass check --connect` says of each target what the gate would say later."""

    def _check(self, target):
        gate = self._gate("SASL_PLAINTEXT", self.kafka_server.login(tls=False))
        gate.change({"targets": {"archive": {"kafka": target}}})
        checked = subprocess.run([places.EINLASS, "check", "--connect", "-c", gate.path], capture_output=True,
                                 text=True)
        self.assertNotIn(secured.PASSWORD, checked.stdout + checked.stderr)
        [line] = [line for line in (checked.stdout + checked.stderr).splitlines() if "target archive" in line]
        self.assertEqual("FAILED" in line, checked.returncode == 1, checked)
        return line

    def test_kafka_targets(self):
        self.assertIn("ok", self._check({"topic": "archive"}))
        self.assertIn("Unknown topic", self._check({"topic": "nowhere"}))
        self.assertIn("refuse the login", self._check({"properties": {"sasl.password": "wrong-password"}}))
        self.assertIn("out of reach", self._check({"brokers": ["127.0.0.1:1"]}))
        self.assertEqual(self.world.ends("archive"), [0, 0], "it writes nothing")


class ScramOnKafka4(Secured):
    version = local_kafka.LATEST_4

    def test_is_explained(self):
        """With an old librdkafka, that is; a newer one logs in."""
        self.kafka_server.add_scram("SCRAM-SHA-512")
        gate = self._gate("SASL_SSL", self.kafka_server.login("SCRAM-SHA-512")).start(wait=False)
        version = tuple(map(int, self._library_version(gate).split(".")))
        if version >= (2, 6, 1):
            self._arrive(gate)
        else:
            self._told(gate, "refuse the login", "with Kafka 4 use librdkafka 2.6.1")
            checked = subprocess.run([places.EINLASS, "check", "--connect", "-c", gate.path], capture_output=True,
                                     text=True)
            self.assertEqual(checked.returncode, 1, checked)
            for place in ("Kafka at", "target archive"):
                [line] = [line for line in checked.stderr.splitlines() if place in line]
                self.assertIn("with Kafka 4 use librdkafka 2.6.1", line)
            self.assertIn("event=kafka_old_scram", gate.log(400))
        self._leave(gate)

    def _library_version(self, gate):
        text = places.wait_until(lambda: places.get(gate.port, "/metrics", timeout=2.0)[1], 20, "metrics")
        places.wait_until(lambda: "librdkafka=" in places.get(gate.port, "/metrics")[1], 20, "its version")
        return places.get(gate.port, "/metrics")[1].split('librdkafka="')[1].split('"')[0]


class Rights(Secured):
    acls = True

    def test_each_that_is_missing_is_named(self):
        kafka = self.kafka_server
        gate = self._gate("SASL_PLAINTEXT", kafka.login(tls=False)).start(wait=False)
        self._told(gate, "may not use the group gate-1", "may not use the topic results")
        kafka.allow("Read", "--topic", "results")
        self._told(gate, "may not use the group gate-1")
        kafka.allow("Read", "--group", "gate-1")
        self._told(gate, "may not write to", "archive")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        kafka.allow("Write", "--topic", "archive")
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), RECORDS)
        self._leave(gate)


if __name__ == "__main__":
    unittest.main()
