"""Source and target on a Kafka that nobody enters unchecked: every login, and what is said of a wrong one."""

import ctypes
import subprocess
import unittest

from harness import places, scenario, secured, told, world
import certificates
import kafka as local_kafka
from harness.plan import plan

RECORDS = 60

@plan(seconds=300)
class Secured(scenario.Scenario):
    redis = kafka = False
    version = world.KAFKA_VERSION
    acls = False
    extra = ""

    def setUp(self):
        super().setUp()
        self.world.kafka = self.new_kafka().start()
        self.kafka_server = self.world.kafka
        self.world.create_topic("results", 2)
        self.world.create_topic("archive", 2)
        self.world.produce("results", RECORDS)

    def new_kafka(self):
        return secured.SecuredKafka(self.version, self.acls, self.extra)

    def _gate(self, listener, properties, name="gate-1", **target):
        """Reads `results` and writes `archive`, both through that listener."""
        return self.world.gate(name, self.world.config("results", 1000, {
            **self._through(listener, properties, name),
            "targets": {"receiver": None, "archive": {"kafka": {"topic": "archive", "partition": "same", **target}}},
            "route": {"target": "archive"}}))

    def _through(self, listener, properties, name="gate-1"):
        return {"kafka": {"brokers": [self.kafka_server.brokers_at(listener)], "group": name,
                          "properties": {"reconnect.backoff.ms": 50, **properties}},
                "limits": {"shared": {"store": "memory"}}}

    def _arrive(self, gate, patience=40):
        """All records, through that gate's group."""
        ends = self.world.ends("results")
        places.wait_until(lambda: self.world.committed("results", gate.name) == ends, patience,
                          f"{gate.name} has delivered")
        places.wait_until(lambda: places.get(gate.port, "/readyz")[0] == 200, 15, f"{gate.name} ready")

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


class Renewed(Secured):
    """A password is renewed in its file, with no restart: what reads, writes and is steered by logs in with the new one."""

    def test_after_the_brokers_refuse_the_old_one(self):
        kafka = self.kafka_server
        kafka.add_scram("SCRAM-SHA-512", "another-password")
        login = kafka.login("SCRAM-SHA-512")
        file = kafka.secrets + "/password"
        del login["sasl.password"]
        self._write(file, "another-password")
        gate = self._gate("SASL_SSL", {**login, "sasl.password_file": file}).start()
        self._arrive(gate)
        kafka.add_scram("SCRAM-SHA-512")
        kafka.kill()
        kafka.start()
        self.assert_told(gate, "refuse the login")
        self._write(file, secured.PASSWORD)
        self.world.produce("results", RECORDS)
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), 2 * RECORDS)
        self.assertIn("kafka_login_renewed", gate.log(10_000))
        self.assertEqual(gate.get("/-/reload", "POST"), (200, "nothing has changed\n"))
        self._leave(gate)

    @staticmethod
    def _write(file, password):
        with open(file, "w") as opened:
            opened.write(password)


class Wrong(Secured):
    """Nothing is lost, the reason is told, and it goes on by itself once it is repaired."""

    def _repaired(self, gate):
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), RECORDS)
        self._leave(gate)

    @plan(whole=True)
    def test_password(self):
        self.kafka_server.add_scram("SCRAM-SHA-512", "another-password")
        gate = self._gate("SASL_SSL", self.kafka_server.login("SCRAM-SHA-512")).start(wait=False)
        self.assert_told(gate, "refuse the login")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        self.kafka_server.add_scram("SCRAM-SHA-512")
        self._repaired(gate)

    @plan(whole=True)
    def test_certificates(self):
        kafka = self.kafka_server
        shown = {"of-an-authority": {"authority": certificates.Authority(kafka.secrets + "/foreign")},
                 "of-a-name": {"names": ("DNS:another.example",)}, "that-expired": {"expired": True}}
        gates = []
        for name, how in shown.items():
            kafka.kill()
            kafka.show(**how)
            kafka.start()
            gates.append(self._gate("SASL_SSL", kafka.login(), name).start(wait=False))
            with self.subTest(name):
                self.assert_told(gates[-1], "TLS with the Kafka brokers", "certificate verify failed")
                self.assertEqual(self.world.ends("archive"), [0, 0])
        kafka.kill()
        kafka.show()
        kafka.start()
        for gate in gates:
            self._arrive(gate)
            self._leave(gate)
        self.assertEqual(sum(self.world.ends("archive")), len(gates) * RECORDS)


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

    @plan(whole=True)
    def test_kafka_targets(self):
        self.assertIn("ok", self._check({"topic": "archive"}))
        self.assertIn("Unknown topic", self._check({"topic": "nowhere"}))
        self.assertIn("refuse the login", self._check({"properties": {"sasl.password": "wrong-password"}}))
        self.assertIn("cannot be reached", self._check({"brokers": ["127.0.0.1:1"]}))
        self.assertEqual(self.world.ends("archive"), [0, 0], "it writes nothing")


class ScramOnKafka4(Secured):
    """With an old librdkafka no login can succeed, and nobody waits for one; a newer librdkafka logs in."""
    version = local_kafka.LATEST_4

    def _refused(self, gate, path, *verb):
        run = subprocess.run([places.EINLASS, *verb, "-c", gate.path], capture_output=True, text=True, timeout=30)
        self.assertEqual(run.returncode, 78 if verb[0] == "run" else 1, run)
        self.assertIn(f"{path}.sasl.mechanisms: SCRAM-SHA-512 cannot log in at localhost", run.stderr)
        self.assertIn("use librdkafka 2.6.1 or later", run.stderr)
        self.assertNotIn(secured.PASSWORD, run.stdout + run.stderr)

    @plan(whole=True)
    def test_is_refused_at_the_start(self):
        kafka = self.kafka_server
        kafka.add_scram("SCRAM-SHA-512")
        old = ctypes.CDLL("librdkafka.so.1").rd_kafka_version() < 0x020601ff
        for listener, tls in (("SASL_SSL", True), ("SASL_PLAINTEXT", False)):
            gate = self._gate(listener, kafka.login("SCRAM-SHA-512", tls=tls))
            if old:
                gate.change({})
                self._refused(gate, "kafka.properties", "run")
            else:
                self._arrive(gate.start())
                self._leave(gate)
        if old:
            self._of_a_target(gate)
            self._where_the_brokers_come_later()

    def _of_a_target(self, gate):
        kafka = self.kafka_server
        self._refused(gate, "kafka.properties", "check", "--connect")
        gate.change({"kafka": {"properties": kafka.login(tls=False)},
                     "targets": {"archive": {"kafka": {"properties": kafka.login("SCRAM-SHA-512", tls=False)}}}})
        self._refused(gate, "targets.archive.kafka.properties", "run")
        self._refused(gate, "targets.archive.kafka.properties", "check", "--connect")

    def _where_the_brokers_come_later(self):
        """That they are away keeps no gate from starting."""
        gate = self._gate("SASL_SSL", self.kafka_server.login("SCRAM-SHA-512"))
        self.kafka_server.kill()
        gate.start(wait=False)
        self.assert_told(gate, "brokers are down")
        self.assertIn("event=kafka_old_scram", gate.log(400))
        self.kafka_server.start()
        self.assert_told(gate, "refuse the login", "with Kafka 4 use librdkafka 2.6.1")
        self._leave(gate)


class Rights(Secured):
    acls = True

    def test_each_that_is_missing_is_named(self):
        kafka = self.kafka_server
        gate = self._gate("SASL_PLAINTEXT", kafka.login(tls=False)).start(wait=False)
        self.assert_told(gate, "may not use the group gate-1", "may not use the topic results")
        checked = subprocess.run([places.EINLASS, "check", "--connect", "-c", gate.path], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 1, checked)
        for text in ("topic results: this login may not see it; grant it DESCRIBE and READ",
                     "may not use the group gate-1; grant it READ", "topic archive at "):
            self.assertIn(text, checked.stderr)
        kafka.allow("Read", "--topic", "results")
        self.assert_told(gate, "may not use the group gate-1")
        kafka.allow("Read", "--group", "gate-1")
        self.assert_told(gate, "may not write to", "archive")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        kafka.allow("Write", "--topic", "archive")
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), RECORDS)
        self.assertNotIn("target_breaker_open", gate.log(400), "a right that is missing is no failed attempt")
        self._revoked(gate, "may not use the group gate-1", "--group", "gate-1")
        kafka.allow("Describe", "--topic", "results")  # So that it is there, but may not be read.
        self._revoked(gate, "may not use the topic results", "--topic", "results")
        self.assertEqual(sum(self.world.ends("archive")), 3 * RECORDS)
        self._leave(gate)

    def test_one_that_comes_is_there_for_all_members(self):
        """Of two shards one gets the topic's only partition; the other finds out by itself."""
        kafka = self.kafka_server
        self.world.create_topic("extra", 1)
        for right in (("Read", "--topic", "results"), ("Read", "--group", "gate-1"), ("Write", "--topic", "archive")):
            kafka.allow(*right)
        config = self.world.config("results", 1000, {
            **self._through("SASL_PLAINTEXT", kafka.login(tls=False)),
            "targets": {"receiver": None, "archive": {"kafka": {"topic": "archive", "partition": "same"}}},
            "route": {"target": "archive", "topics": ["results", "extra"]}, "shards": 2})
        gate = self.world.gate("gate-1", config).start(wait=False)
        self.assert_told(gate, "may not use the topic extra")
        kafka.allow("Read", "--topic", "extra")
        places.wait_until(lambda: len(gate.partitions()) == 3, 40, "it is read")
        places.wait_until(lambda: places.get(gate.port, "/readyz")[0] == 200, 20, "ready")
        self._leave(gate)

    @plan(whole=True)
    def test_of_transactions(self):
        kafka = self.kafka_server
        for right in (("Read", "--topic", "results"), ("Read", "--group", "gate-1"), ("Write", "--topic", "archive")):
            kafka.allow(*right)
        gate = self._gate("SASL_PLAINTEXT", kafka.login(tls=False), exactly_once=True).start(wait=False)
        name = "einlass:gate-1:gate-1:archive"
        self.assert_told(gate, f"may not write in transactions; grant it WRITE and DESCRIBE on the transactional id {name}")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        kafka.allow("Write", "--transactional-id", name)
        self._arrive(gate)
        self.assertEqual(len(self.world.consume("archive")), RECORDS)
        self._leave(gate)

    @plan(whole=True)
    def test_of_dead_letters(self):
        kafka = self.kafka_server
        self.world.create_topic("dead", 1)
        for right in (("Read", "--topic", "results"), ("Read", "--group", "gate-1")):
            kafka.allow(*right)
        self.world.receiver.tell("status", status=400)
        gate = self.world.gate("gate-1", self.world.config("results", 1000, {
            **self._through("SASL_PLAINTEXT", kafka.login(tls=False)), "route": {"dead_letter": "dead"}}))
        gate.change({})
        self.assert_check_says(gate, "topic dead: this login may not see the topic; grant it WRITE and DESCRIBE")
        kafka.allow("Describe", "--topic", "dead")
        self.assert_check_says(gate, "topic dead: this login may not write to any topic there; grant it WRITE")
        gate.start(wait=False)
        self.assert_told(gate, "this login may not write to any topic of", "grant it WRITE and DESCRIBE on the dead letter")
        self.assertEqual(self.world.ends("dead"), [0])
        kafka.allow("Write", "--topic", "dead")
        self._arrive(gate)
        self.assertEqual(self.world.ends("dead"), [RECORDS])
        self.assert_check_is_good(gate)
        self._leave(gate)

    @plan(whole=True)
    def test_those_that_the_page_lists_are_enough(self):
        """Of a gate, and of a redrive, which is refused without its own."""
        self.world.create_topic("results.dead", 1)
        reading, writing = ([word.replace("User:einlass", "User:gate") for word in words[2:]]  # Behind the broker.
                            for words in told.commands("security.md", "kafka-acls.sh"))
        self.kafka_server.administer("kafka.admin.AclCommand", *writing)
        self.kafka_server.administer("kafka.admin.AclCommand", *reading)
        for what in (("--topic", "results.dead"), ("--group", "einlass.redrive")):
            self.kafka_server.forbid("Read", *what)
        self.world.receiver.tell("status", status=400)
        gate = self.world.gate("einlass", self.world.config("results", 1000, {
            **self._through("SASL_PLAINTEXT", self.kafka_server.login(tls=False), "einlass"),
            "route": {"dead_letter": "results.dead"}})).start()
        self._arrive(gate)
        self.assertEqual(self.world.ends("results.dead"), [RECORDS])
        self.world.receiver.tell("ok")
        self.assertEqual(self._redrive(gate).returncode, 1)
        self.kafka_server.administer("kafka.admin.AclCommand", *reading)
        done = self._redrive(gate)
        self.assertEqual((done.returncode, f"delivered {RECORDS} " in done.stdout), (0, True), done)
        self._leave(gate)

    @staticmethod
    def _redrive(gate):
        return subprocess.run([places.EINLASS, "redrive", "-c", gate.path, "--route", "results"], capture_output=True, text=True,
                              timeout=60 * places.PATIENCE, check=False)

    def _revoked(self, gate, text, *resource):
        """The right to read, while the gate runs; and granted again."""
        self.kafka_server.forbid("Read", *resource)
        self.world.produce("results", RECORDS)
        self.assert_told(gate, text)
        self.kafka_server.allow("Read", *resource)
        self._arrive(gate)
        places.wait_until(lambda: gate.status()["kafka"]["trouble"] == "", 10, "no trouble any more")


if __name__ == "__main__":
    unittest.main()
