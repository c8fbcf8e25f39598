"""Whether anything that the program said has a secret in it that a scenario gave to it."""

import glob
import os
import re
import subprocess
import urllib.parse

from harness import places

_NAMES = ("password", "secret", "token", "bearer", "authorization", "credential", "cookie", "api-key", "api_key",
          "apikey", "ssl.key.pem")
_NO_SECRETS = ("token_url", "sasl.oauthbearer.token.endpoint.url")
_SHORTEST = 6  # A shorter text stands somewhere by chance.


def _is_secret(name):
    return name not in _NO_SECRETS and any(part in name.lower() for part in _NAMES)


def _forms(text):
    """As it may be told: itself, what it is in a URL, and the words of a header's value behind its scheme."""
    scheme, _, credential = text.partition(" ")
    bare = {credential} if scheme.lower() in ("basic", "bearer") else set()
    return {text, urllib.parse.quote(text, safe="")} | bare


def _of_url(text):
    login = re.match(r"[a-z+]+://([^/@]*)@", text)
    return [urllib.parse.unquote(login.group(1).split(":", 1)[-1])] if login else []


def of_config(settings):
    """The secrets of a configuration as it is now, with those in files."""
    found = set()
    for name, value in settings.items():
        if isinstance(value, dict):
            found |= of_config(value)
        elif isinstance(value, list):
            found |= set().union(*(of_config(one) for one in value if isinstance(one, dict)))
        elif isinstance(value, str):
            texts = _of_url(value)
            plain = name.removesuffix("_file")
            if name.endswith("_file") and (_is_secret(plain) or plain == "proxy") and os.path.isfile(value):
                with open(value, errors="replace") as file:
                    written = file.read().strip()
                texts += _of_url(written) or [written]
            elif _is_secret(name) and not name.endswith("_file"):
                texts.append(value)
            for text in texts:
                found |= _forms(text)
    return {text for text in found if len(text) >= _SHORTEST}


def said_by(gates, directory):
    """{where: text} of all that they said: each log whole, and the pages of those that still run."""
    texts = {}
    for path in glob.glob(os.path.join(directory, "*.log")):
        with open(path, errors="replace") as log:
            texts[os.path.basename(path)] = log.read()
    for gate in gates:
        if gate.process is None or gate.process.poll() is not None:
            continue
        for page in ("/metrics", "/v1/status", "/v1/quotas", "/v1/pauses", "/v1/why?key=k", "/readyz"):
            texts[f"{page} of {gate.name}"] = gate.get(page, timeout=2.0)[1]
    for gate in gates:
        if gate.process is not None:
            done = subprocess.run([places.EINLASS, "print-config", "-c", gate.path], capture_output=True, text=True,
                                  timeout=30, check=False)
            texts[f"print-config of {gate.name}"] = done.stdout + done.stderr
    return texts


def told(secrets, texts):
    """Where one of them stands, without it; "" if none does anywhere."""
    return "\n".join(f"{where} shows a secret of {len(secret)} characters"
                     for where, text in sorted(texts.items()) for secret in sorted(secrets) if secret in text)
