"""A program that shares a limit with the gates: lua/examples/einlass_limit.py at work.

    partner.py SCRIPTS URL KEY LIMIT WINDOW_US SECONDS

Asks all the time, and prints the instants of its permits, one a line. A process of its own, because it needs redis-py,
which is there for Debian's own Python.
"""

import os
import pathlib
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "lua", "examples"))
import einlass_limit  # noqa: E402
import redis  # noqa: E402


def main(scripts, url, key, limit, window_us, seconds):
    partner = einlass_limit.Limit(redis.Redis.from_url(url), pathlib.Path(scripts),
                                  einlass_limit.Bucket(key, "sliding_log", (int(limit), int(window_us))))
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        for permit in partner.acquire(1, 20, horizon=500_000).permits:
            print(permit.due, flush=True)
        time.sleep(0.05)


if __name__ == "__main__":
    main(*sys.argv[1:])
