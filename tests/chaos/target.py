"""A target that remembers every request, and misbehaves as it is told."""

import asyncio
import hashlib
import random
import time

from links import reset

REFUSED = 422
_REFUSABLE = b"refuse"
_GARBAGE = b"\x16\x03\x01HTTP/9.9 banana\r\n\x00\x00\r\n\r\n"


def now_us():
    return time.time_ns() // 1000


def answer_text(status, headers=""):
    return f"HTTP/1.1 {status} Status\r\nContent-Length: 0\r\n{headers}\r\n".encode()


class Target:
    """Answers 200, or 422 for a value that begins with "refuse"; other modes last until the next set().

    status: `percent` of the requests get `status`, with `retry_after`. slow: the answer comes `delay_ms` later.
    hang: no answer while it lasts, then the connection is reset. reset: reset at once. garbage: no HTTP comes back.
    lost: the record is accepted, and the connection reset before the answer: the sender cannot know.
    """

    def __init__(self, name, port, host="127.0.0.1"):
        self.name, self._port, self._host = name, port, host
        self.history = []
        self._random = random.Random(name)
        self._mode, self._settings = "ok", {}
        self._changed = asyncio.Event()

    async def start(self):
        self._server = await asyncio.start_server(self._converse, self._host, self._port)

    def set(self, mode, settings):
        self._mode, self._settings = mode, settings
        self._changed.set()
        self._changed = asyncio.Event()

    async def _converse(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
                headers = {name.decode().lower(): value.strip().decode("latin-1") for name, _, value in lines}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                if not await self._serve(writer, self._note(headers, body), body):
                    break
        except (asyncio.IncompleteReadError, OSError):
            pass  # The sender has closed it, or its link was cut.
        finally:
            reset(writer)

    def _note(self, headers, body):
        entry = {"target": self.name, "arrived": now_us(), "answered": 0, "status": 0, "mode": self._mode,
                 "topic": headers.get("kafka-topic", ""), "partition": int(headers.get("kafka-partition", -1)),
                 "offset": int(headers.get("kafka-offset", -1)), "key": headers.get("kafka-key"),
                 "attempt": int(headers.get("einlass-attempt", 0)), "permit": headers.get("einlass-permit", ""),
                 "admitted": int(headers.get("einlass-admitted-at", 0)), "gate": headers.get("x-gate", ""),
                 "token": headers.get("idempotency-key", ""), "hash": hashlib.sha1(body).hexdigest()}
        self.history.append(entry)
        return entry

    async def _serve(self, writer, entry, body):
        """Whether the connection lives on."""
        mode, settings = self._mode, self._settings
        if mode == "hang":
            await self._changed.wait()
        if mode == "garbage":
            writer.write(_GARBAGE)
            await writer.drain()
        if mode in ("hang", "reset", "garbage"):
            return False
        status, headers = self._decide(mode, settings, body)
        entry["status"] = status
        if mode == "lost":
            return False
        if mode == "slow":
            await asyncio.sleep(settings["delay_ms"] / 1000)
        writer.write(answer_text(status, headers))
        await writer.drain()
        entry["answered"] = now_us()
        return True

    def _decide(self, mode, settings, body):
        if mode == "status" and self._random.randrange(100) < settings["percent"]:
            wait = settings.get("retry_after")
            return settings["status"], f"Retry-After: {wait}\r\n" if wait else ""
        return (REFUSED if body.startswith(_REFUSABLE) else 200), ""
