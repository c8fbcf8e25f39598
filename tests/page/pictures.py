#!/usr/bin/env python3
"""Draws the live page for docs/pictures, in six states, on a desk and on a phone, light and dark:

    EINLASS_BUILD=$PWD/build/release tests/page/pictures.py docs/pictures

Two real gates on a real Kafka and Redis deliver to two targets for some four minutes; the pictures are of the first gate."""

import json
import os
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "e2e"))

from harness.places import get, wait_until  # noqa: E402
from harness.receiver import Receiver  # noqa: E402
from harness.world import World  # noqa: E402
from browser import Browser  # noqa: E402
import servers  # noqa: E402

DESK, PHONE = (1280, 1000), (390, 1300)
OTHERS = ("umbrella", "initech", "hooli", "stark")
TOKEN = "token-of-the-pictures-77c1"
ROUTES = '[aria-labelledby="h-lines"]'  # Of a desk down to them; a phone shows its first screen.
SHOWN_UNTIL = {"paused": '[aria-labelledby="h-why"]'}
SHOWN_S = 35  # So long each state lasts, so that the chart has something of it.


def config(world, erp):
    settings = world.config("callbacks", 60)
    target = settings["targets"].pop("receiver")
    settings["targets"] = {"partner": target, "erp": {"http": {
        **target["http"], "url": f"http://127.0.0.1:{erp.port}/", "max_in_flight": 16}}}
    shared = settings["limits"].pop("shared")
    settings["limits"] = {
        "callbacks": shared,
        "per_tenant": {"algorithm": "token_bucket", "rate": "5/s", "burst": 10, "key": "header:tenant", "store": "redis"},
        "erp": {"algorithm": "token_bucket", "rate": "20/s", "burst": 20, "store": "redis"}}
    settings["quotas"], settings["admin"] = {"topic": "einlass.quotas"}, {"token": world.secret(TOKEN)}
    route = {**settings["routes"][0], "inside": {"records": 2000}}
    settings["routes"] = [
        {**route, "name": "callbacks", "target": "partner", "limits": ["callbacks", "per_tenant"], "order": "none",
         "dead_letter": "callbacks.dead"},
        {**route, "name": "invoices", "topics": ["invoices"], "target": "erp", "limits": ["erp"],
         "dead_letter": "invoices.dead"}]
    return settings


class Drawing:
    def __init__(self, folder):
        self.folder = folder
        self.world = World(own_kafka=True)
        self.erp = Receiver(tempfile.mkdtemp(dir=self.world.directory))
        self.browser = Browser(*DESK)

    def stop(self):
        self.browser.stop()
        servers.stop_child(self.erp.process)
        self.world.stop()

    def draw(self):
        for topic, partitions in (("callbacks", 4), ("invoices", 2), ("callbacks.dead", 1), ("invoices.dead", 1)):
            self.world.create_topic(topic, partitions)
        self.world.create_topic("einlass.quotas", 1, **{"cleanup.policy": "compact"})
        for receiver in (self.world.receiver, self.erp):
            receiver.tell("delay", delay_ms=30)
        first, _ = self.world.start_gates(2, config(self.world, self.erp), 6)
        self.browser.call("Emulation.setScrollbarsHidden", hidden=True)
        self.browser.log_in_with(TOKEN)
        self.browser.open(f"http://127.0.0.1:{first.port}/")
        self.produce("invoices", 8, "umbrella")
        for tenant in OTHERS:
            self.produce("callbacks", 3, tenant)
        self.keep("quiet")
        self.produce("callbacks", 60, "acme")
        self.produce("callbacks", 25, "globex")
        self.keep("limit")
        paused = {"route/invoices": {"by": "anna@ops", "note": "the ERP is upgraded", "for": "10m"},
                  "limit/per_tenant/globex": {"by": "ben@ops", "note": "their receiver is full"}}
        for what, how in paused.items():
            self.steer(first, what, "POST", how)
        self.keep("paused")
        for what in paused:
            self.steer(first, what, "DELETE")
        self.erp.tell("refuse")
        self.world.receiver.tell("status", status=503, retry_after="45")
        self.keep("target")
        self.erp.tell("delay", delay_ms=30)
        self.world.receiver.tell("delay", delay_ms=30)
        wait_until(lambda: not first.status()["troubles"] or all(one["ended"] for one in first.status()["troubles"]), 120,
                   "both targets are well again")
        self.world.redis.kill()
        self.keep("redis")
        self.world.redis.start()
        wait_until(lambda: all(one["ended"] for one in first.status()["troubles"]), 120, "Redis is followed again")
        first.process.send_signal(signal.SIGSTOP)
        self.keep("alone")
        first.process.send_signal(signal.SIGCONT)

    def steer(self, gate, what, method, how=None):
        """As `einlass pause` and `resume` do."""
        code, text = get(gate.port, f"/v1/pauses/{what}", method, body=json.dumps(how).encode() if how else None,
                         headers={"Authorization": f"Bearer {TOKEN}"})
        assert code == 200, text

    def produce(self, topic, rate, tenant):
        self.world.start_producing(topic, rate * 600, rate=rate, keys=20, header=f"tenant={tenant}")

    def keep(self, state):
        began = time.monotonic()
        # The browser is asked all the while, for so long its requests go on.
        wait_until(lambda: self.browser.text("h1") and time.monotonic() - began > SHOWN_S, SHOWN_S + 10, state)
        for device, size in (("desktop", DESK), ("phone", PHONE)):
            self.browser.resize(*size)
            for scheme in ("light", "dark"):
                self.browser.prefer(scheme)
                self.settle()
                path = os.path.join(self.folder, f"page-{state}-{device}-{scheme}.png")
                self.browser.picture(path, whole=size == DESK, before=SHOWN_UNTIL.get(state, ROUTES) if size == DESK else None)

    def settle(self):
        """Until the chart has been drawn in its new size and colours."""
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 2.5, 5, "two events")


if __name__ == "__main__":
    drawing = Drawing(os.path.abspath(sys.argv[1]))
    try:
        drawing.draw()
    finally:
        drawing.stop()
