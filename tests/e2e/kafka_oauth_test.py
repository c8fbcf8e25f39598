"""Access tokens as the login at Kafka: asked for, handed to every client, renewed, refused and repaired."""

import base64
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import time
import unittest
import urllib.parse

import yaml

from harness import answering, places
import kafka_secured_test
from harness.plan import plan

SECRET = "secret-of-the-client-91c0"
PAGE = os.path.join(places.ROOT, "docs", "targets", "kafka.md")


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def unsigned(life, age=0, number=0):
    """A token that brokers without keys believe, as long as it is good."""
    now = int(time.time()) - age
    return f'{part({"alg": "none"})}.{part({"sub": "gate", "iat": now, "exp": now + life, "jti": str(number)})}.'


class TokenServer:
    """RFC 6749, section 4.4, over TLS. Its tokens carry no signature: the broker believes any, but not an old one."""

    def __init__(self, authority):
        self.given, self.ends, self.refuse, self.life, self.age = [], [], False, 3600, 0
        certificate, key = authority.sign("token-server")
        self._wanted = "Basic " + base64.b64encode(f"einlass:{SECRET}".encode()).decode()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server = answering.Answering(self._answer, tls=context)
        self.url = f"https://localhost:{self.server.port}/token"

    def _answer(self, request):
        asked = urllib.parse.parse_qs(request.body.decode())
        if self.refuse or request.headers.get("authorization") != self._wanted:
            return 401, {}, b'{"error": "invalid_client"}'
        if asked != {"grant_type": ["client_credentials"], "scope": ["kafka"]}:
            return 400, {}, b'{"error": "invalid_request"}'
        self.given.append(unsigned(self.life, self.age, len(self.given)))
        self.ends.append(int(time.time()) - self.age + self.life)
        answer = {"access_token": self.given[-1], "token_type": "Bearer", "expires_in": self.life}
        return 200, {}, json.dumps(answer).encode()


@plan(seconds=300)
class Tokens(kafka_secured_test.Secured):
    # A session ends with its token.
    extra = "connections.max.reauth.ms=3600000\n"

    def setUp(self):
        super().setUp()
        self.tokens = TokenServer(self.kafka_server.authority)
        self.addCleanup(self.tokens.server.stop)

    def _settings(self):
        """As docs/targets/kafka.md has them, with our servers in place of those that it names."""
        authority, secret = self.kafka_server.authority.file, os.path.join(self.world.directory, "client")
        with open(secret, "w") as file:
            file.write(SECRET + "\n")
        with open(PAGE, encoding="utf-8") as file:
            blocks = re.findall(r"```yaml\n(.*?)```", file.read(), re.DOTALL)
        [text] = [block for block in blocks if "\n  oauth:" in block]
        for theirs, ours in (("kafka-1:9093", self.kafka_server.brokers_at("SASL_SSL")),
                             ("https://login.example/token", self.tokens.url), ("/run/secrets/kafka", secret),
                             ("/etc/einlass/kafka-ca.pem", authority), ("/etc/einlass/login-ca.pem", authority)):
            self.assertIn(theirs, text)
            text = text.replace(theirs, ours)
        return yaml.safe_load(text)["kafka"]

    def _gate_with_tokens(self):
        gate = self._gate("SASL_SSL", {})
        gate.change({"kafka": self._settings()})
        return gate

    def _leave_without_a_secret(self, gate):
        said = places.get(gate.port, "/v1/status")[1] + places.get(gate.port, "/metrics")[1]
        self.assertEqual(gate.terminate(), 0)
        for secret in (SECRET, *self.tokens.given):
            self.assertNotIn(secret, said + gate.log(10_000))

    def _check(self, gate):
        return subprocess.run([places.EINLASS, "check", "--connect", "-c", gate.path], capture_output=True, text=True)

    @plan(whole=True)
    def test_renewed_before_they_expire(self):
        # Renewed when a fifth is left: enough for a broker on a machine with other work.
        self.tokens.life = 20
        gate = self._gate_with_tokens().start()
        self._arrive(gate)
        checked = self._check(gate)
        self.assertEqual(checked.returncode, 0, checked)
        given = len(self.tokens.given)
        places.wait_until(lambda: len(self.tokens.given) > given, 60, "another token")
        places.wait_until(lambda: time.time() > self.tokens.ends[given - 1], 60, "the end of those before it")
        self.world.produce("results", kafka_secured_test.RECORDS)
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), 2 * kafka_secured_test.RECORDS)
        self.assertNotIn("kafka_login_failing", gate.log(400))
        self._leave_without_a_secret(gate)

    @plan(whole=True)
    def test_a_token_server_that_refuses(self):
        self.tokens.refuse, self.tokens.life = True, 15
        gate = self._gate_with_tokens().start(wait=False)
        self.assert_told(gate, "kafka.oauth: no token from localhost", "invalid_client")
        checked = self._check(gate)
        self.assertEqual(checked.returncode, 1, checked)
        self.assertIn("kafka.oauth: no token from localhost", checked.stderr)
        self.assertEqual(self.world.ends("archive"), [0, 0])
        self.tokens.refuse = False
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), kafka_secured_test.RECORDS)
        # While the token is still good, a server that refuses to renew it is only worth a warning.
        self.tokens.refuse = True
        failing = "event=kafka_login_failing"
        places.wait_until(lambda: gate.log(400).count(failing) == 2, 60, "told that there is no other token")
        self.assertEqual(places.get(gate.port, "/readyz")[0], 200)
        self.assert_told(gate, "kafka.oauth: no token from localhost", "invalid_client")
        self.world.produce("results", kafka_secured_test.RECORDS)
        self.tokens.refuse = False
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), 2 * kafka_secured_test.RECORDS)
        self.assertIn("event=kafka_login_ok", gate.log(400))
        self._leave_without_a_secret(gate)

    @plan(whole=True)
    def test_a_target_with_tokens_of_its_own(self):
        """The source logs in by a password, at the same brokers; what is wrong with the target's login is told."""
        self.tokens.refuse = True
        gate = self._gate("SASL_SSL", self.kafka_server.login())
        gate.change({"targets": {"archive": {"kafka": {"oauth": self._settings()["oauth"]}}}})
        gate.start(wait=False)
        self.assert_told(gate, "targets.archive.kafka.oauth: no token from localhost", "invalid_client")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        self.tokens.refuse = False
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), kafka_secured_test.RECORDS)
        self._leave_without_a_secret(gate)

    @plan(whole=True)
    def test_dead_letters_go_by_the_sources_tokens(self):
        self.world.create_topic("dead", 1)
        self.world.produce("results", 1, 50_000)
        gate = self._gate_with_tokens()
        with open(gate.path) as file:
            [route] = json.load(file)["routes"]
        gate.change({"routes": [{**route, "dead_letter": "dead"}],
                     "targets": {"archive": {"kafka": {"properties": {"message.max.bytes": 20_000}}}}})
        gate.start()
        self._arrive(gate)
        self.assertEqual(sum(self.world.ends("archive")), kafka_secured_test.RECORDS)
        self.assertEqual(self.world.ends("dead"), [1])
        self._leave_without_a_secret(gate)

    @plan(whole=True)
    def test_a_token_that_has_expired(self):
        """It says that it is good for an hour; the brokers see that it is not, and another is asked for."""
        self.tokens.age = 7200
        gate = self._gate_with_tokens().start(wait=False)
        self.assert_told(gate, "refuse the login")
        self.assertEqual(self.world.ends("archive"), [0, 0])
        self.tokens.age = 0
        self._arrive(gate, 60)
        self.assertEqual(sum(self.world.ends("archive")), kafka_secured_test.RECORDS)
        self._leave_without_a_secret(gate)


class Entra:
    """Microsoft's token endpoint, as it is documented; without a signature, as the brokers here want it."""

    def __init__(self, authority):
        certificate, key = authority.sign("entra")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.refused = []
        self.server = answering.Answering(self._answer, tls=context)
        self.origin = f"https://localhost:{self.server.port}"

    def _answer(self, request):
        login = "Basic " + base64.b64encode(f"CLIENT:{SECRET}".encode()).decode()
        asked = (request.method, request.path, request.headers.get("content-type"), request.headers.get("authorization"),
                 urllib.parse.parse_qs(request.body.decode()))
        wanted = ("POST", "/TENANT/oauth2/v2.0/token", "application/x-www-form-urlencoded", login,
                  {"grant_type": ["client_credentials"], "scope": ["https://acme.servicebus.windows.net/.default"]})
        if asked != wanted:
            self.refused.append(asked)
            return 401, {}, b'{"error": "invalid_client", "error_description": "AADSTS7000215"}'
        answer = {"token_type": "Bearer", "expires_in": 3599, "ext_expires_in": 3599, "access_token": unsigned(3599)}
        return 200, {"Content-Type": "application/json; charset=utf-8"}, json.dumps(answer).encode()


class GoogleLocalServer:
    """What Google's kafka_gcp_credentials_server.py answers: by HTTP/1.0, without a length, a life with a fraction."""

    def __init__(self, _authority):
        self.refused = []
        refused = self.refused

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if (self.path, body) != ("/", "grant_type=client_credentials"):
                    refused.append((self.path, body))
                self.send_response(200)
                self.send_header("Content-type", "application/json")
                self.end_headers()
                answer = {"access_token": unsigned(3599), "token_type": "Bearer", "expires_in": 3598.731}
                self.wfile.write(json.dumps(answer).encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.server.stop = lambda: (self.server.shutdown(), self.server.server_close())
        self.origin = f"http://localhost:{self.server.server_address[1]}"


class ManagedServices(kafka_secured_test.Secured):
    """The configurations with `oauth` that docs/managed_kafka.md has, with our servers in the place of the providers'."""

    PROVIDERS = {"https://login.microsoftonline.com": Entra, "http://localhost:14293": GoogleLocalServer}

    def _settings(self, text, count):
        kafka = yaml.safe_load(text)["kafka"]
        [(theirs, provider)] = [one for one in self.PROVIDERS.items() if kafka["oauth"]["token_url"].startswith(one[0] + "/")]
        provider = provider(self.kafka_server.authority)
        self.addCleanup(provider.server.stop)
        kafka["oauth"]["token_url"] = kafka["oauth"]["token_url"].replace(theirs, provider.origin)
        if provider.origin.startswith("https:"):
            kafka["oauth"]["ca_file"] = self.kafka_server.authority.file
        if "client_secret_file" in kafka["oauth"]:
            kafka["oauth"]["client_secret_file"] = os.path.join(self.world.directory, "client")
            with open(kafka["oauth"]["client_secret_file"], "w") as file:
                file.write(SECRET + "\n")
        kafka["properties"] = {**kafka.get("properties", {}), **self.kafka_server.trust()}
        return {**kafka, "brokers": [self.kafka_server.brokers_at("SASL_SSL")], "group": f"gate-{count}"}, provider

    def test_each_logs_in_as_its_page_says(self):
        with open(os.path.join(places.ROOT, "docs", "managed_kafka.md"), encoding="utf-8") as file:
            blocks = [one for one in re.findall(r"```yaml\n(.*?)```", file.read(), re.DOTALL) if "\n  oauth:" in one]
        self.assertEqual(len(blocks), len(self.PROVIDERS))
        for count, text in enumerate(blocks, 1):
            settings, provider = self._settings(text, count)
            with self.subTest(settings["oauth"]["client_id"]):
                gate = self._gate("SASL_SSL", {}, f"gate-{count}")
                gate.change({"kafka": settings})
                self._arrive(gate.start())
                self.assertEqual(sum(self.world.ends("archive")), count * kafka_secured_test.RECORDS)
                self.assertEqual(provider.refused, [])
                self._leave(gate)


if __name__ == "__main__":
    unittest.main()
