#!/usr/bin/env python3
"""Draws the dashboards as they look while two gates are under load, for docs/pictures.

    EINLASS_BUILD=$PWD/build/release grafana/drawing/draw.py FOLDER

FOLDER is where npm installs Grafana's panel components (400 MB; node, npm and chromium must be there). Two real gates run for
nine minutes on a real Kafka and Redis and deliver to three targets. A burst fills the shared limit, one target refuses
connections for a minute, another fails now and then; at the end a route and a tenant are paused.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "grafana"))
import prometheus  # noqa: E402
import written  # noqa: E402
from live_test import legend  # noqa: E402
from harness.places import get, wait_until  # noqa: E402
from harness.receiver import Receiver  # noqa: E402
from harness.world import World  # noqa: E402
import servers  # noqa: E402

PICTURES = os.path.join(ROOT, "docs", "pictures")
STEP_S, LASTS_S, FIRST_S = 2, 555, 15  # Rates have a window after the first seconds.
ESBUILD = ["--bundle", "--outfile=app.js", "--format=iife", "--jsx=automatic", "--loader:.svg=text", "--minify",
           "--loader:.woff2=dataurl", "--loader:.png=dataurl", "--loader:.ttf=dataurl",
           '--define:process.env.NODE_ENV="production"', "--define:process.env={}", "--define:global=window"]
FONT = "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"
PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="app.css">
<style>@font-face {font-family: "Inter Variable"; font-weight: 100 900; src: url({font})}</style><div id="root"></div>
<script>window.board = {board}; window.span = {span};</script><script src="app.js"></script>"""


def config(world, erp, mailer):
    settings = world.config("callbacks", 80)
    settings["kafka"]["properties"] = {"session.timeout.ms": "6000", "heartbeat.interval.ms": "1000"}
    partner = settings["targets"].pop("receiver")

    def at(receiver, most):
        return {"http": {**partner["http"], "url": f"http://127.0.0.1:{receiver.port}/", "max_in_flight": most}}
    settings["targets"] = {"partner": partner, "erp": at(erp, 16), "mailer": at(mailer, 32)}
    settings["limits"] = {
        "callbacks": settings["limits"]["shared"],
        "per_tenant": {"algorithm": "token_bucket", "rate": "20/s", "burst": 20, "key": "header:tenant", "store": "redis"},
        "erp": {"algorithm": "concurrency", "limit": 8, "lease": "10s", "store": "redis"},
        "mail": {"algorithm": "token_bucket", "rate": "25/s", "burst": 25, "store": "memory"},
        "mail_new": {"algorithm": "token_bucket", "rate": "28/s", "burst": 28, "store": "redis", "shadow": True}}
    settings["quotas"] = {"topic": "einlass.quotas"}
    settings["shares"] = {"tenants": {"by": "header:tenant", "weight": {"default": 1, "acme": 3, "globex": 2},
                                      "levels": {"by": "header:class", "names": ["urgent", "normal", "bulk"], "keep": "5%"}}}
    route = {**settings["routes"][0], "inside": {"records": 4000}}
    settings["routes"] = [
        {**route, "name": "callbacks", "target": "partner", "limits": ["per_tenant", "callbacks"], "order": "none",
         "share": "tenants", "dead_letter": "callbacks.dead"},
        {**route, "name": "invoices", "topics": ["invoices"], "target": "erp", "limits": ["erp"], "order": "key",
         "dead_letter": "invoices.dead"},
        {**route, "name": "mails", "topics": ["mails"], "target": "mailer", "limits": ["mail", "mail_new"], "order": "none",
         "retry": {"initial": "500ms", "max": "5s"}, "filter": [{"by": "header:kind", "not_in": ["test"]}],
         "dead_letter": "mails.dead"}]
    return settings


class Run:
    """The gates and what happens to them; ask() answers of the time until look()."""

    def __init__(self):
        self.world = World(own_kafka=True)
        self.receivers, self.prometheus = [], None

    def stop(self):
        if self.prometheus:
            self.prometheus.stop()
        for receiver in self.receivers:
            servers.stop_child(receiver.process)
        self.world.stop()

    def start(self):
        world = self.world
        self.receivers = [Receiver(tempfile.mkdtemp(dir=world.directory)) for _ in range(2)]
        self.erp, mailer = self.receivers
        for name, partitions in (("callbacks", 4), ("invoices", 2), ("mails", 2)):
            world.create_topic(name, partitions, **{"retention.ms": 3_600_000})
            world.create_topic(f"{name}.dead", 1)
        world.create_topic("einlass.quotas", 1, **{"cleanup.policy": "compact"})
        world.receiver.tell("delay", delay_ms=30)
        self.erp.tell("delay", delay_ms=250)
        mailer.tell("mix", seed=7, percent=4, statuses=[503, 429, 400])
        gates = world.start_gates(2, config(world, self.erp, mailer), 8)
        named = [{"source_labels": ["__address__"], "regex": f"127.0.0.1:{gate.port}", "target_label": "instance",
                  "replacement": f"{gate.name}:9465"} for gate in gates]
        self.prometheus = prometheus.Prometheus(world.directory, [gate.port for gate in gates], {"relabel_configs": named})

    def tenant(self, name, rate, level, seconds=LASTS_S + 60):
        self.produce("callbacks", rate, seconds, header=[f"tenant={name}", f"class={level}"])

    def produce(self, topic, rate, seconds=LASTS_S + 60, **more):
        self.world.start_producing(topic, rate * seconds, rate=rate, keys=50, **more)

    def pause(self, what, **told):
        since = int(time.time() * 1000)
        if "minutes" in told:
            told["until"] = since + 60_000 * told.pop("minutes")
        self.world.produce_records("einlass.quotas", [{"key": f"pause:{what}".encode(), "value": json.dumps(
            {"paused": True, "since": since, **told}).encode()}])

    def look(self):
        """What the boards ask, each panel with its `lines`; and the span of time."""
        started = time.time()

        def until(second):
            wait_until(lambda: time.time() - started > second, second + 60, f"second {second}")
        for name, rate, level in (("acme", 22, "bulk"), ("globex", 17, "normal"), ("stark", 5, "urgent"),
                                  ("umbrella", 6, "normal"), ("initech", 6, "normal"), ("hooli", 6, "normal")):
            self.tenant(name, rate, level)
        self.produce("invoices", 15)
        self.produce("mails", 36)
        self.produce("mails", 4, header="kind=test")
        until(60)
        for name in ("umbrella", "initech", "hooli"):
            self.tenant(name, 11, "normal", 80)
        until(210)
        self.erp.tell("refuse")
        until(270)
        self.erp.tell("delay", delay_ms=250)
        until(330)
        self.tenant("globex", 9, "normal", 60)
        until(405)
        self.pause("route/invoices", by="anna", note="the ERP is upgraded", minutes=15)
        until(465)
        self.pause("limit/per_tenant/globex", by="ben", note="their receiver is full")
        until(LASTS_S)
        began, ended = started + FIRST_S, time.time() - 1
        boards = written.all_of()
        for board in boards.values():
            for panel in written.panels(board):
                panel["lines"] = [line for target in panel["targets"] for line in self.lines(target, began, ended)]
        return boards, began, ended

    def lines(self, target, began, ended):
        words, path = {"query": prometheus.chosen(target["expr"]), "time": ended}, "query"
        begin, end = math.ceil(began / STEP_S) * STEP_S, math.floor(ended / STEP_S) * STEP_S
        if target["range"]:
            words, path = {"query": words["query"], "start": begin, "end": end, "step": STEP_S}, "query_range"
        status, text = get(self.prometheus.port, f"/api/v1/{path}?{urllib.parse.urlencode(words)}")
        assert status == 200, text
        for one in json.loads(text)["data"]["result"]:
            values = one.get("values") or [one["value"]]
            if target["range"]:  # A gap is shown as one.
                there = {round(at): value for at, value in values}
                values = [(at, there.get(at, "NaN")) for at in range(begin, end + 1, STEP_S)]
            yield {"name": legend(target["legendFormat"], one["metric"]), "times": [1000 * at for at, _ in values],
                   "values": [float(value) if math.isfinite(float(value)) else None for _, value in values]}


def draw(folder, uid, board, span):
    page = os.path.join(folder, "page.html")
    with open(page, "w") as file:
        text = json.dumps(board).replace("</", "<\\/")
        file.write(PAGE.replace("{font}", FONT).replace("{board}", text).replace("{span}", json.dumps(span)))
    height = 38 * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in board["panels"]) + 110
    picture = os.path.join(PICTURES, f"{uid}.png")
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    "--allow-file-access-from-files", f"--user-data-dir={folder}/profile",
                    f"--screenshot={picture}", f"--window-size=1624,{height}", "--virtual-time-budget=15000",
                    f"file://{page}"], check=True, capture_output=True, timeout=180)


def main():
    folder = os.path.abspath(sys.argv[1])
    for one in (PICTURES, folder):
        os.makedirs(one, exist_ok=True)
    for name in ("package.json", "app.tsx"):
        shutil.copy(os.path.join(HERE, name), folder)
    if not os.path.exists(os.path.join(folder, "node_modules", "@grafana", "ui")):
        subprocess.run(["npm", "install", "--ignore-scripts", "--legacy-peer-deps"], cwd=folder, check=True)
    subprocess.run([os.path.join(folder, "node_modules", ".bin", "esbuild"), "app.tsx", *ESBUILD], cwd=folder, check=True)
    prometheus.CHOICES["$__rate_interval"] = "15s"
    run = Run()
    try:
        run.start()
        boards, began, ended = run.look()
    finally:
        run.stop()
    for uid, board in boards.items():
        draw(folder, uid, board, {"from": 1000 * began, "to": 1000 * ended})


if __name__ == "__main__":
    main()
