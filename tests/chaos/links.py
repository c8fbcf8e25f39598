"""One network link between two programs: a TCP proxy that can fall silent, break its connections, or be slow."""

import asyncio
import socket
import struct

_CHUNK = 65536
_CHUNKS_HELD = 64  # A silent or slow link stops reading then, as a full socket would.


def reset(writer):
    """Ends a connection with RST, as a host does that has never heard of it. Harmless for one that is gone."""
    connection = writer.get_extra_info("socket")
    if connection is not None and connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


class Link:
    """Listens on one port of 127.0.0.1 and passes everything on to another.

    silent: nothing passes, connections stay; what was sent arrives late, as after TCP's retransmissions.
    closed: connections are reset, new ones too.
    `ports` are written over in what comes back ({"23456": "23457"}): a Sentinel names the servers behind other links.
    """

    def __init__(self, name, port, to, ports=None):
        self.name, self._port, self._to = name, port, to
        self._ports = {old.encode(): new.encode() for old, new in (ports or {}).items()}
        self._delay, self._closed = 0.0, False
        self._open = asyncio.Event()
        self._open.set()
        self._writers = set()
        self._server = None

    async def start(self):
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", self._port)

    def set(self, state, delay_ms=0):
        """`state`: open, silent or closed."""
        self._delay = delay_ms / 1000
        self._closed = state == "closed"
        if self._closed:
            for writer in list(self._writers):
                reset(writer)
        if state == "silent":
            self._open.clear()
        else:
            self._open.set()

    async def _carry(self, reader, writer):
        self._writers.add(writer)
        far_writer, whole = None, False
        try:
            await self._open.wait()
            if self._closed:
                return
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to)
            self._writers.add(far_writer)
            await asyncio.gather(self._pass_on(reader, far_writer, {}), self._pass_on(far_reader, writer, self._ports))
            whole = True
        except OSError:
            pass  # The far side is down or gone: the near side learns it from the reset below.
        finally:
            for one in (writer, far_writer):
                if one is not None:
                    self._writers.discard(one)
                    one.close() if whole else reset(one)

    async def _pass_on(self, reader, writer, ports):
        held = asyncio.Queue(_CHUNKS_HELD)
        reading = asyncio.ensure_future(self._read(reader, held))
        loop = asyncio.get_running_loop()
        try:
            while True:
                due, data = await held.get()
                if due > loop.time():
                    await asyncio.sleep(due - loop.time())
                await self._open.wait()
                if data is None:
                    raise ConnectionResetError
                if not data:
                    writer.write_eof()
                    return
                for old, new in ports.items():
                    data = data.replace(old, new)
                writer.write(data)
                await writer.drain()
        finally:
            reading.cancel()

    async def _read(self, reader, held):
        """Puts (when it may arrive, data) until the end, which is b"", or None where it broke off."""
        data = True
        while data:
            try:
                data = await reader.read(_CHUNK)
            except OSError:
                data = None
            await held.put((asyncio.get_running_loop().time() + self._delay, data))
