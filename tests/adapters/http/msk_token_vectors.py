#!/usr/bin/env python3
"""Writes msk_token_vectors.h: the addresses that AWS' published signer makes of these credentials at these times.

    msk_token_vectors.py [--check]

--check compares what stands there with what the signer makes now. The signer comes from PyPI, into the folder of the build.
"""

import base64
import datetime
import os
import subprocess
import sys

LIBRARIES = ("aws-msk-iam-sasl-signer-python==1.0.2", "boto3==1.44.8", "botocore==1.44.8")
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
HEADER = os.path.join(HERE, "msk_token_vectors.h")

# AWS' own example, and what credentials of its services look like, with all that has to be encoded.
KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
TEMPORARY, ODD_SECRET = "ASIAQNZGKIQY56JQ7WML", "+/=%&?#!~*'();:@,$[] \\\"<>`{}|^._-".replace(" ", "")
SESSION = "IQoJb3JpZ2luX2VjEOP//////////wEaCXVzLWVhc3QtMSJHMEUCIQD+a/b=c=="
ODD_SESSION = "~._-+/=%25&a=b?#!*'();:@,$[]<>`{}|^\\\""
CASES = [
    (KEY, SECRET, "", "eu-west-1", "2026-11-25T04:30:00Z"),
    (KEY, SECRET, "", "us-east-1", "2024-02-29T23:59:59Z"),
    (KEY, SECRET, "", "cn-north-1", "2027-01-01T00:00:00Z"),
    (KEY, SECRET, "", "us-gov-west-1", "2038-01-19T03:14:08Z"),
    (TEMPORARY, SECRET, SESSION, "eu-west-1", "2026-11-25T04:30:00Z"),
    (TEMPORARY, SECRET, SESSION * 20, "ap-southeast-2", "2026-03-01T12:00:01Z"),
    (TEMPORARY, SECRET, SESSION, "cn-northwest-1", "2026-11-25T04:30:00Z"),
    (TEMPORARY, ODD_SECRET, ODD_SESSION, "me-central-1", "2026-12-31T23:59:59Z"),
]


def python_with_the_signer():
    folder = os.path.join(ROOT, "build", "msk-signer")
    python = os.path.join(folder, "bin", "python")
    if not os.path.exists(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", *LIBRARIES], check=True, stdout=sys.stderr)
    return python


def signed(key, secret, session, region, time):
    """The address without what the signer says of itself; what comes last is not signed."""
    import aws_msk_iam_sasl_signer.MSKAuthTokenProvider as signer
    import botocore.auth
    from botocore.credentials import CredentialProvider, Credentials

    class Given(CredentialProvider):
        def load(self):
            return Credentials(key, secret, session or None)

    at = datetime.datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ")
    botocore.auth.get_current_datetime = lambda *_, **__: at
    token, ends = signer.generate_auth_token_from_credentials_provider(region, Given())
    assert ends == (at.replace(tzinfo=datetime.timezone.utc).timestamp() + 900) * 1000
    address = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
    address, own = address.rsplit("&", 1)
    assert own.startswith("User-Agent=aws-msk-iam-sasl-signer-python"), own
    return address


def literal(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    pieces = [quoted[i:i + 80] for i in range(0, len(quoted), 80)] or [""]
    for i in range(len(pieces) - 1):  # No escape is cut in two.
        if (len(pieces[i]) - len(pieces[i].rstrip("\\"))) % 2:
            pieces[i], pieces[i + 1] = pieces[i][:-1], "\\" + pieces[i + 1]
    return "\n     ".join(f'"{piece}"' for piece in pieces)


def header():
    rows = []
    for case in CASES:
        seconds = int(datetime.datetime.strptime(case[4], "%Y-%m-%dT%H:%M:%SZ").replace(
            tzinfo=datetime.timezone.utc).timestamp())
        texts = ",\n     ".join(literal(text) for text in case[:4])
        rows.append(f"    {{{texts},\n     {seconds},\n     {literal(signed(*case))}}},\n")
    return f"""// What AWS' own signer makes; written by msk_token_vectors.py. Of {", ".join(LIBRARIES)}.
#pragma once

#include <cstdint>
#include <string_view>

namespace einlass::http::testing {{

struct MskTokenVector {{
  std::string_view access_key_id, secret_access_key, session_token, region;
  std::int64_t seconds;      // Since 1970.
  std::string_view address;  // Without the User-Agent behind it.
}};

// clang-format off
inline constexpr MskTokenVector kMskTokenVectors[] = {{
{"".join(rows)}}};
// clang-format on

}}  // namespace einlass::http::testing
"""


def main():
    check = sys.argv[1:] == ["--check"]
    if os.environ.get("MSK_SIGNER") != "here":
        environment = {**os.environ, "MSK_SIGNER": "here"}
        return subprocess.run([python_with_the_signer(), __file__, *sys.argv[1:]], env=environment).returncode
    made = header()
    if not check:
        with open(HEADER, "w") as file:
            file.write(made)
        return 0
    with open(HEADER) as file:
        good = file.read() == made
    print("as AWS' signer makes them" if good else f"{HEADER} is not what AWS' signer makes")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
