"""All links and targets of a run, in one process:   network.py PLAN.json

The plan names them; each line of stdin is an order, each line of stdout its answer. It ends with its stdin.

    {"do": "link", "name": .., "state": .., "delay_ms": ..}
    {"do": "target", "name": .., "mode": .., ...}
    {"do": "history", "path": ..}       all requests and stalls into a file, as JSON
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
import time

from links import Link
from target import Target, now_us

_LOOK_S = 0.01
_STALL_US = 20_000  # Shorter waits for the processor are not worth a note.


class Network:
    """The side that gives the orders. Any thread may."""

    def __init__(self, directory, links, targets, start_child):
        """`links`: of {name, port, to, ports}; `targets`: of {name, port, host}."""
        plan = os.path.join(directory, "network.json")
        with open(plan, "w") as file:
            json.dump({"links": links, "targets": targets}, file, indent=1)
        self._lock = threading.Lock()
        log = os.path.join(directory, "network.log")
        self.process = start_child([sys.executable, os.path.abspath(__file__), plan], log,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._read()

    def order(self, **words):
        with self._lock:
            self.process.stdin.write(json.dumps(words) + "\n")
            self.process.stdin.flush()
            return self._read()

    def _read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the network's process is gone; network.log says why")
        return json.loads(line)


async def notice_stalls(stalls):
    while True:
        before = time.monotonic_ns()
        await asyncio.sleep(_LOOK_S)
        late = (time.monotonic_ns() - before) // 1000 - int(_LOOK_S * 1e6)
        if late > _STALL_US:
            stalls.append((now_us(), late))


def obey(order, links, targets, stalls):
    what = order.pop("do")
    if what == "link":
        links[order["name"]].set(order["state"], order.get("delay_ms", 0))
    elif what == "target":
        targets[order["name"]].set(order["mode"], order)
    else:
        with open(order["path"], "w") as file:
            deliveries = [entry for target in targets.values() for entry in target.history]
            json.dump({"deliveries": deliveries, "stalls": stalls}, file)
    return {}


async def serve(plan):
    links = {link["name"]: Link(**link) for link in plan["links"]}
    targets = {target["name"]: Target(**target) for target in plan["targets"]}
    for one in (*links.values(), *targets.values()):
        await one.start()
    stalls = []
    noticing = asyncio.ensure_future(notice_stalls(stalls))
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    print("{}", flush=True)
    while line := await orders.readline():
        print(json.dumps(obey(json.loads(line), links, targets, stalls)), flush=True)
    noticing.cancel()


def main():
    with open(sys.argv[1]) as file:
        plan = json.load(file)
    asyncio.run(serve(plan))


if __name__ == "__main__":
    main()
