"""A target for a demonstration: takes every record, and remembers which came and under which permit."""

import asyncio
import threading


class RememberingReceiver:
    """Serves on a thread of its own; fast enough for some thousand requests a second."""

    def __init__(self):
        self.deliveries = []  # (topic-partition-offset, permit, admitted at us), as they came.
        self.port = None
        self._listening = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self):
        self._thread.start()
        self._listening.wait()
        return self

    def stop(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def distinct(self):
        return len({record for record, _, _ in self.deliveries})

    def admitted(self):
        """The instants for which permits were granted, one for each permit, in order."""
        return sorted({permit: at for _, permit, at in list(self.deliveries)}.values())

    def _serve(self):
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._converse, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        self._loop.run_forever()

    async def _converse(self, reader, writer):
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
                headers = {name.lower(): value.strip().decode("latin-1") for name, _, value in lines}
                await reader.readexactly(int(headers.get(b"content-length", 0)))
                if b"idempotency-key" not in headers:  # Who looks here with a browser is no record.
                    writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    continue
                self.deliveries.append((headers[b"idempotency-key"], headers.get(b"einlass-permit", ""),
                                        int(headers.get(b"einlass-admitted-at", 0))))
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def worst_window(instants, window_us):
    """The most of these ordered instants in any window (t - window_us, t]."""
    worst = low = 0
    for high, instant in enumerate(instants):
        while instant - instants[low] >= window_us:
            low += 1
        worst = max(worst, high - low + 1)
    return worst
