#!/usr/bin/env python3
"""Draws the dashboards as they look while two gates are under load, for docs/pictures.

    EINLASS_BUILD=$PWD/build/release grafana/drawing/draw.py FOLDER

FOLDER is where npm installs Grafana's panel components (400 MB; node, npm and chromium must be there). Two real gates run for
two and a half minutes on a real Kafka and Redis, as in tests/grafana/live_test.py; in the middle the target refuses connections.
"""

import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "grafana"))
import live_test  # noqa: E402
import prometheus  # noqa: E402
import written  # noqa: E402

PICTURES = os.path.join(ROOT, "docs", "pictures")
STEP_S, BEFORE_S, DOWN_S, AFTER_S = 2, 60, 20, 70
ESBUILD = ["--bundle", "--outfile=app.js", "--format=iife", "--jsx=automatic", "--loader:.svg=text", "--minify",
           "--loader:.woff2=dataurl", "--loader:.png=dataurl", "--loader:.ttf=dataurl",
           '--define:process.env.NODE_ENV="production"', "--define:process.env={}", "--define:global=window"]
PAGE = """<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="app.css"><div id="root"></div>
<script>window.board = {board}; window.span = {span};</script><script src="app.js"></script>"""
folder = None


class Drawing(live_test.Live):
    test_every_panel_and_alert = None

    def test_draw(self):
        self.load()
        began = time.time()
        self.rest(BEFORE_S)
        self.world.receiver.tell("refuse")
        self.rest(DOWN_S)
        self.world.receiver.tell("delay", delay_ms=20)
        self.rest(AFTER_S)
        ended = time.time()
        for uid, board in written.all_of().items():
            for panel in written.panels(board):
                panel["lines"] = [line for target in panel["targets"] for line in self.lines(target, began, ended)]
                if panel["type"] != "timeseries":  # What is shown is the last; what had gone by then is not there.
                    panel["lines"] = [line for line in panel["lines"] if line["times"][-1] > 1000 * (ended - 2 * STEP_S)]
            draw(uid, board, began, ended)

    def rest(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(1)

    def lines(self, target, began, ended):
        words = urllib.parse.urlencode({"query": prometheus.chosen(target["expr"]), "start": began, "end": ended,
                                        "step": STEP_S})
        status, text = prometheus.get(self.prometheus.port, f"/api/v1/query_range?{words}")
        assert status == 200, text
        for one in json.loads(text)["data"]["result"]:
            yield {"name": live_test.legend(target["legendFormat"], one["metric"]),
                   "times": [1000 * at for at, _ in one["values"]],
                   "values": [None if value == "NaN" else float(value) for _, value in one["values"]]}


def draw(uid, board, began, ended):
    span = {"from": 1000 * began, "to": 1000 * ended}
    page = os.path.join(folder, "page.html")
    with open(page, "w") as file:
        text = json.dumps(board).replace("</", "<\\/").replace("Infinity", "null")
        file.write(PAGE.replace("{board}", text).replace("{span}", json.dumps(span)))
    height = 38 * max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in board["panels"]) + 110
    picture = os.path.join(PICTURES, f"{uid}.png")
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    "--allow-file-access-from-files", f"--user-data-dir={folder}/profile",
                    f"--screenshot={picture}", f"--window-size=1624,{height}", "--virtual-time-budget=15000",
                    f"file://{page}"], check=True, capture_output=True, timeout=180)


def main():
    global folder
    folder = os.path.abspath(sys.argv.pop())
    for one in (PICTURES, folder):
        os.makedirs(one, exist_ok=True)
    for name in ("package.json", "app.tsx"):
        shutil.copy(os.path.join(HERE, name), folder)
    if not os.path.exists(os.path.join(folder, "node_modules", "@grafana", "ui")):
        subprocess.run(["npm", "install", "--ignore-scripts", "--legacy-peer-deps"], cwd=folder, check=True)
    subprocess.run([os.path.join(folder, "node_modules", ".bin", "esbuild"), "app.tsx", *ESBUILD], cwd=folder, check=True)
    unittest.main(defaultTest="Drawing")


if __name__ == "__main__":
    main()
