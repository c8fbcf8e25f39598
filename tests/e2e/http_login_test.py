"""As whom an HTTP target is spoken to: passwords, tokens that are renewed, signatures, each judged by somebody else."""

import base64
import json
import os
import resource
import subprocess
import sys
import unittest
import urllib.parse

from harness import http_scenario, places

VERIFIER = "standardwebhooks==1.1.0"


def verifying_python():
    """A Python that has the verifier that the Standard Webhooks project gives to receivers."""
    folder = os.path.join(places.BUILD, "python-webhooks")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", VERIFIER], check=True, stdout=sys.stderr)
    return python


# Both read lines of JSON: headers, the body in base64, and print one word a line.
VERIFY_SHARED = """
import base64, json, sys, standardwebhooks
for line in sys.stdin:
    one = json.loads(line)
    standardwebhooks.Webhook(sys.argv[1]).verify(base64.b64decode(one["body"]), one["headers"], json_parse=False)
    print("good")
"""
VERIFY_PUBLIC = """
import base64, json, sys
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
key = Ed25519PublicKey.from_public_bytes(base64.b64decode(sys.argv[1]))
for line in sys.stdin:
    one = json.loads(line)
    headers = one["headers"]
    content = f'{headers["webhook-id"]}.{headers["webhook-timestamp"]}.'.encode() + base64.b64decode(one["body"])
    mine = [part[4:] for part in headers["webhook-signature"].split(" ") if part.startswith("v1a,")]
    assert len(mine) == 1, headers
    key.verify(base64.b64decode(mine[0]), content)
    print("good")
"""
MAKE_KEY = """
import base64
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
key = Ed25519PrivateKey.generate()
private = key.private_bytes(s.Encoding.Raw, s.PrivateFormat.Raw, s.NoEncryption())
public = key.public_key().public_bytes(s.Encoding.Raw, s.PublicFormat.Raw)
print(base64.b64encode(private + public).decode(), base64.b64encode(public).decode())
"""


class TokenServer:
    """RFC 6749, section 4.4, as a token server has to do it; `refuse` for one that does not know the client."""

    def __init__(self, scenario, client_id, client_secret, expires_in=3600):
        self.given, self.refuse, self.expires_in = 0, False, expires_in
        login = base64.b64encode(f"{client_id}:{urllib.parse.quote(client_secret, safe='')}".encode()).decode()
        self._wanted = f"Basic {login}"
        self._scenario = scenario
        self.server = scenario.answering(self._answer)
        self.url = f"http://127.0.0.1:{self.server.port}/token"

    def token(self, number):
        return f"token-{number}-of-the-scenario"

    def good(self, request):
        """For the target: whether it is the newest token."""
        return request.headers.get("authorization") == f"Bearer {self.token(self.given)}"

    def _answer(self, request):
        asked = urllib.parse.parse_qs(request.body.decode())
        known = request.headers.get("authorization") == self._wanted and not self.refuse
        if not known:
            return 401, {}, json.dumps({"error": "invalid_client"}).encode()
        if asked.get("grant_type") != ["client_credentials"] or asked.get("scope") != ["deliver"]:
            return 400, {}, json.dumps({"error": "invalid_request"}).encode()
        self.given += 1
        token = self._scenario.secret(self.token(self.given))
        return 200, {}, json.dumps({"access_token": token, "token_type": "Bearer",
                                    "expires_in": self.expires_in}).encode()


class Logins(http_scenario.HttpScenario):
    def oauth2(self, tokens, secret):
        return {"oauth2": {"token_url": tokens.url, "client_id": "gate", "client_secret": secret, "scope": "deliver"}}

    def test_a_password_and_a_token_renewed_on_disk(self):
        password = self.secret("open sesame")
        wanted = "Basic " + base64.b64encode(f"ali:{password}".encode()).decode()
        receiver = self.answering(lambda request: 204 if request.headers.get("authorization") == wanted else 401)
        most = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))  # As for whoever wants core dumps of all.
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, files), files))  # As a shell has it.
        path = os.path.join(self.world.directory, "password")
        with open(path, "w") as file:
            file.write(self.secret("wrong and long") + "\n")
        self.produce()
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/",
                          "auth": {"basic": {"username": "ali", "password_file": path}}}, wait=False)
        self.wait_until_unusable(gate, "the login is refused")
        self.assertEqual(resource.prlimit(gate.process.pid, resource.RLIMIT_CORE)[0], 0, "a core dump has passwords in it")
        self.assertEqual(resource.prlimit(gate.process.pid, resource.RLIMIT_NOFILE)[0], files, "it may have more")
        with open(path + ".new", "w") as file:
            file.write(password + "\n")
        os.rename(path + ".new", path)
        self.assert_delivered(receiver)
        gate.wait_until_ready()
        self.assert_no_secret_is_told()
        self.assert_books_closed([gate])

    def test_without_a_token_nothing_is_sent(self):
        secret = self.secret("s:cret/of the client")
        tokens = TokenServer(self, "gate", secret)
        tokens.refuse = True
        receiver = self.answering(lambda request: 204 if tokens.good(request) else 401)
        self.produce()
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/", "auth": self.oauth2(tokens, secret)},
                         wait=False, retry={"initial": "100ms", "max": "1s", "attempts": 2}, dead_letter="results.dead")
        self.wait_until_unusable(gate, "invalid_client")
        self.assert_check_says(gate, "invalid_client")
        self.assertEqual(receiver.requests(), [], "requests without a token")
        tokens.refuse = False
        self.assert_delivered(receiver)
        self.assertEqual(gate.status()["books"]["dead_lettered"], 0, "a missing token must not cost attempts")
        gate.wait_until_ready()
        self.assert_check_is_good(gate)
        self.assert_no_secret_is_told()

    def test_a_token_that_is_revoked(self):
        secret = self.secret("s:cret/of the client")
        tokens = TokenServer(self, "gate", secret)
        receiver = self.answering(lambda request: 204 if tokens.good(request) else 401)
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/", "auth": self.oauth2(tokens, secret)})
        self.produce()
        self.assert_delivered(receiver)
        tokens.given += 1  # Nobody but the token server knows of the newest one.
        self.produce()
        self.assert_delivered(receiver, 2 * http_scenario.RECORDS)
        self.assertEqual(tokens.given, 3)
        self.assert_no_secret_is_told()

    def test_signatures(self):
        python = verifying_python()
        private, public = subprocess.run([python, "-c", MAKE_KEY], capture_output=True, text=True,
                                         check=True).stdout.split()
        shared = self.secret("whsec_" + base64.b64encode(os.urandom(32)).decode())
        self.secret(private)
        receiver = self.answering()
        sign = {"secret": f"whsk_{private}", "previous_secret": shared}
        gate = self.gate({"url": f"http://127.0.0.1:{receiver.port}/", "sign": sign})
        self.produce()
        self.assert_delivered(receiver)
        lines = []
        for request in receiver.requests():
            self.assertEqual(f'"{request.headers["webhook-id"]}"', request.headers["idempotency-key"])
            lines.append(json.dumps({"headers": request.headers, "body": base64.b64encode(request.body).decode()}))
        for script, key in ((VERIFY_SHARED, shared), (VERIFY_PUBLIC, public)):
            done = subprocess.run([python, "-c", script, key], input="\n".join(lines), capture_output=True, text=True)
            self.assertEqual(done.stdout.split(), ["good"] * http_scenario.RECORDS, done.stderr)
        self.assert_no_secret_is_told()


if __name__ == "__main__":
    unittest.main(verbosity=2)
