"""Where things stand, and waiting for them."""

import http.client
import os
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))

BUILD = os.environ.get("EINLASS_BUILD", os.path.join(ROOT, "build", "release"))
EINLASS = os.path.join(BUILD, "einlass")
# address or thread, if the programs were built with that sanitizer.
SANITIZER = os.environ.get("EINLASS_SANITIZER", "")
# How many times longer than usual a program may take: more than 1 for one that a sanitizer slows down.
PATIENCE = float(os.environ.get("EINLASS_PATIENCE", "1"))


def now_us():
    return time.time_ns() // 1000


def wait_until(condition, patience, what):
    """Polls until `condition()` is true and returns it; an AssertionError naming `what` when patience runs out.

    `patience` is in seconds of an ordinary build, here as everywhere in these tests.
    """
    patience *= PATIENCE
    deadline = time.monotonic() + patience
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {patience} s")
        time.sleep(0.02)


def get(port, path, method="GET", body=None, timeout=30.0, headers=None, tls=None):
    """(status, text); (0, reason) if nobody answers. `tls`: the ssl.SSLContext to speak it with."""
    timeout *= PATIENCE
    connection = (http.client.HTTPSConnection("127.0.0.1", port, timeout=timeout, context=tls) if tls else
                  http.client.HTTPConnection("127.0.0.1", port, timeout=timeout))
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return 0, str(error)
    finally:
        connection.close()
