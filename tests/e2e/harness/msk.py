"""A Kafka whose port for tokens takes what Amazon MSK takes, and a server that gives AWS credentials to containers."""

import datetime
import json
import os
import secrets
import tempfile
import time

from harness import answering, places, secured
import kafka_jars

REGION = "eu-west-1"
_HERE = os.path.dirname(os.path.abspath(__file__))
_PREFIX = "listener.name.sasl_ssl.oauthbearer."
_LOGIN = ("org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required "
          'unsecuredLoginStringClaim_sub="b" known="{known}" judged="{judged}" region="{region}";')


class MskKafka(secured.SecuredKafka):
    """SASL_SSL with OAUTHBEARER by MskTokens.java; the rest as SecuredKafka has it."""

    def __init__(self, version, extra=""):
        self._msk = tempfile.TemporaryDirectory(prefix="einlass-msk-")
        self.known, self._judged = (os.path.join(self._msk.name, name) for name in ("known", "judged"))
        kafka_jars.compile_against(version, os.path.join(_HERE, "MskTokens.java"), self._msk.name)
        login = _LOGIN.format(known=self.known, judged=self._judged, region=REGION)
        super().__init__(version, classes=self._msk.name,
                         extra=f"{_PREFIX}sasl.jaas.config={login}\n"
                               f"{_PREFIX}sasl.server.callback.handler.class=MskTokens\n{extra}")

    def judged(self):
        """[(token, what the broker made of it)], in their order."""
        if not os.path.exists(self._judged):
            return []
        with open(self._judged) as file:
            return [tuple(line.rstrip("\n").split(" ", 1)) for line in file]

    def stop(self):
        super().stop()
        self._msk.cleanup()


class Credentials:
    """As ECS and EKS give them, for the token that stands in `token_file`; each set is good for `life` seconds.

    `wrong`: with a secret that the brokers do not know. `refuse`: none.
    """

    def __init__(self, world, known, life):
        self.life, self.wrong, self.refuse, self.ends = life, False, False, []
        self._world, self._known = world, known
        self._token = world.secret("authorization-" + secrets.token_hex(8))
        self.token_file = os.path.join(world.directory, "pod-token")
        with open(self.token_file, "w") as file:
            file.write(self._token + "\n")
        self.server = answering.Answering(self._answer)

    def environment(self):
        """What the gate is told, and nothing of this machine's own."""
        return {"AWS_CONTAINER_CREDENTIALS_FULL_URI": f"http://127.0.0.1:{self.server.port}/v1/credentials",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": self.token_file, "AWS_REGION": REGION,
                "AWS_SHARED_CREDENTIALS_FILE": os.path.join(self._world.directory, "none"),
                "AWS_EC2_METADATA_DISABLED": "true"}

    def _answer(self, request):
        asked = (request.method, request.path, request.headers.get("authorization"))
        if self.refuse or asked != ("GET", "/v1/credentials", self._token):
            return 403, {}, b'{"code": "AccessDenied", "message": "no"}'
        # With all that a URL has to encode.
        key, secret = f"ASIA{secrets.token_hex(8).upper()}", self._world.secret(secrets.token_hex(8) + "/+=%&")
        session = self._world.secret("IQoJ//" + secrets.token_hex(16) + "+/~==")
        self.ends.append(int(time.time()) + self.life)
        with open(self._known, "a") as file:
            file.write(f"{key} {'other' if self.wrong else secret} {session} {self.ends[-1]}\n")
        end = datetime.datetime.fromtimestamp(self.ends[-1], datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        return 200, {}, json.dumps({"AccessKeyId": key, "SecretAccessKey": secret, "Token": session,
                                    "Expiration": end, "RoleArn": "arn:aws:iam::123456789012:role/gate"}).encode()
