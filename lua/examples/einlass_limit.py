#!/usr/bin/env python3
"""A limit that this program shares with gates and with everybody else who asks the same Redis.

    einlass_limit.py SCRIPTS [redis://localhost:6379/0]

SCRIPTS is the folder with acquire.lua, release.lua and peek.lua: build/<preset>/lua, or
share/einlass where Einlass is installed. Needs redis-py (Debian: python3-redis).
"""

import itertools
import os
import pathlib
import sys
import time
from dataclasses import dataclass

import redis

ANY_SLACK_MS = 2000  # Keys live so much longer than they must: clocks differ after a failover.


@dataclass
class Bucket:
    """One bucket: what it is called in Redis, and its limit. lua/README.md has the parameters."""
    key: str
    algorithm: str
    parameters: tuple[int, ...]
    cost: int = 1


@dataclass
class Permit:
    """`due` is on the server's clock, in microseconds, as everything here."""
    id: bytes
    due: int


@dataclass
class Answer:
    """`retry` says when to ask again, in microseconds from now; None: asking again helps nothing."""
    permits: list[Permit]
    now: int
    retry: int | None
    reason: int
    remaining: list[int]


class Limit:
    """One to eight buckets that are asked together, all or nothing."""

    def __init__(self, server: redis.Redis, scripts: pathlib.Path, *buckets: Bucket):
        self._buckets = buckets
        self._keys = [bucket.key for bucket in buckets]
        self._acquire, self._release, self._peek = (
            server.register_script((scripts / f"{name}.lua").read_text())
            for name in ("acquire", "release", "peek"))
        self._run = os.urandom(8)
        self._asks = itertools.count(1)
        self._memo = f"{buckets[0].key}:asked:{self._run.hex()}"
        self._open: bytes | None = None  # An ask whose answer is not here yet.

    def _arguments(self) -> list:
        return [argument for bucket in self._buckets
                for argument in (bucket.algorithm, bucket.cost, *bucket.parameters)]

    def acquire(self, least: int = 1, most: int = 1, horizon: int = 0) -> Answer:
        """Asks for `least` to `most` permits, due within `horizon` microseconds. If Redis does not
        answer, call it again: what the lost answer granted is not paid twice."""
        prefix = self._open or self._run + next(self._asks).to_bytes(6, "big")
        self._open = prefix
        granted, now, retry, reason, *rest = self._acquire(
            keys=[*self._keys, self._memo],
            # "1": it may have been sent before, also by redis-py, which tries again by itself.
            args=[*self._arguments(), least, most, horizon, prefix, "1", "", ANY_SLACK_MS])
        self._open = None
        remaining, dues = rest[:len(self._buckets)], rest[len(self._buckets):]
        permits = [Permit(prefix + i.to_bytes(2, "big"), now + due) for i, due in enumerate(dues)]
        assert granted == len(permits)
        return Answer(permits, now, retry if retry >= 0 else None, reason, remaining)

    def release(self, permits: list[Permit], ended: bool = False) -> int:
        """Gives permits back that were not used, or (`ended`) tells concurrency limits that what
        they were for is over."""
        args = [*self._arguments(), "ended" if ended else "unused", "", ANY_SLACK_MS]
        for permit in permits:
            args += [permit.id, permit.due]
        return self._release(keys=self._keys, args=args)

    def peek(self) -> list[int]:
        """What remains in each bucket, now."""
        return self._peek(keys=self._keys, args=[*self._arguments(), "", ANY_SLACK_MS])[1:]


def main(scripts: str, url: str = "redis://localhost:6379/0") -> None:
    """At most 20 calls a second to a partner, and at most 5 of them at once."""
    limit = Limit(redis.Redis.from_url(url), pathlib.Path(scripts),
                  Bucket("einlass:{einlass}:partner:", "token_bucket", (1, 50_000, 5)),
                  Bucket("einlass:{einlass}:at_once:", "concurrency", (5, 30_000_000)))
    for call in range(10):
        answer = limit.acquire()
        while not answer.permits:
            if answer.retry is None:
                sys.exit("this will never be granted")
            time.sleep(min(answer.retry, 20_000) / 1e6)  # Others' calls may end before that.
            answer = limit.acquire()
        print(f"call {call} at {answer.now}, remaining {answer.remaining}")
        limit.release(answer.permits, ended=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
