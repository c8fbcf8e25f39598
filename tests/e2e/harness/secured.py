"""A Kafka that nobody enters unchecked: TLS, logins and rights, as the tests want them."""

import os
import shutil
import tempfile

import certificates
import kafka as local_kafka

PASSWORD = "right-password-5f2c"
LISTENERS = ("SASL_SSL", "SSL", "SASL_PLAINTEXT")
MECHANISMS = ("plain", "scram-sha-256", "scram-sha-512", "oauthbearer")
_SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
_OAUTH = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="b";'
_PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required user_gate="%s";'
_ACLS = """authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
"""


class SecuredKafka(local_kafka.Kafka):
    """SASL_SSL and SASL_PLAINTEXT with every mechanism for the user `gate`, and SSL with client certificates."""

    def __init__(self, version, acls=False, extra="", classes=None):
        self.secrets = tempfile.mkdtemp(prefix="einlass-secrets-")
        self.authority = certificates.Authority(self.secrets)
        self._keystore = os.path.join(self.secrets, "server.pem")
        self.show()
        logins = {"plain": _PLAIN % PASSWORD, "scram-sha-256": _SCRAM, "scram-sha-512": _SCRAM, "oauthbearer": _OAUTH}
        lines = [f"listener.name.{name}.{mechanism}.sasl.jaas.config={logins[mechanism]}"
                 for name in ("sasl_ssl", "sasl_plaintext") for mechanism in MECHANISMS]
        lines += [f"sasl.enabled.mechanisms={','.join(MECHANISMS).upper()}", "ssl.keystore.type=PEM",
                  f"ssl.keystore.location={self._keystore}", "ssl.truststore.type=PEM",
                  f"ssl.truststore.location={self.authority.file}", "listener.name.ssl.ssl.client.auth=required"]
        super().__init__(version, extra="".join(line + "\n" for line in lines) + (_ACLS if acls else "") + extra,
                         listeners=LISTENERS, classes=classes)

    def show(self, authority=None, **how):
        """The certificate that it shows, from its next start on; `how` as Authority.sign() has it."""
        authority = authority or self.authority
        pieces = [*reversed(authority.sign("server", **how)), authority.file]
        with open(self._keystore, "w") as store:
            for piece in pieces:
                with open(piece) as file:
                    store.write(file.read())

    def add_scram(self, mechanism, password=PASSWORD):
        self.administer("kafka.admin.ConfigCommand", "--alter", "--add-config", f"{mechanism}=[password={password}]",
                        "--entity-type", "users", "--entity-name", "gate")

    def allow(self, operation, *resource):
        self.administer("kafka.admin.AclCommand", "--add", "--allow-principal", "User:gate",
                        "--operation", operation, *resource)

    def forbid(self, operation, *resource):
        self.administer("kafka.admin.AclCommand", "--remove", "--force", "--allow-principal", "User:gate",
                        "--operation", operation, *resource)

    def stop(self):
        super().stop()
        shutil.rmtree(self.secrets, ignore_errors=True)

    # What a client must say.

    def login(self, mechanism="PLAIN", password=PASSWORD, tls=True):
        properties = {"security.protocol": "sasl_ssl" if tls else "sasl_plaintext", "sasl.mechanisms": mechanism,
                      "sasl.username": "gate", "sasl.password": password}
        return {**properties, **self.trust()} if tls else properties

    def trust(self, authority=None):
        return {"ssl.ca.location": (authority or self.authority).file}

    def certificate(self, authority=None):
        certificate, key = (authority or self.authority).sign("client")
        return {"security.protocol": "ssl", **self.trust(), "ssl.certificate.location": certificate,
                "ssl.key.location": key}
