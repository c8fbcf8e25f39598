"""A real Prometheus that scrapes gates, with the rules of deploy/prometheus over shorter windows."""

import json
import os
import re
import sys
import urllib.parse

import written

sys.path.insert(0, os.path.join(written.ROOT, "tests", "e2e"))
from harness.places import get, wait_until  # noqa: E402
import servers  # noqa: E402

WINDOW_S = 10
BESIDE = "einlass-beside"
# What Grafana would put into an expression, and what a test can wait for.
CHOICES = {"$__rate_interval": f"{WINDOW_S}s", "$__range": "20s", "$job": "einlass", "$instance": ".+", "$route": ".+",
           "$limit": ".+"}


def chosen(expression):
    for name, value in CHOICES.items():
        expression = expression.replace(name, value)
    return expression


def shortened(rules):
    """The same rules, for a test that lasts a minute: windows become ten seconds, nothing is waited for. A loop is
    busy at a tenth: one that never rests may get no more where other work runs beside."""
    rules = re.sub(r"(\[|offset )\d+[ms]\b", rf"\g<1>{WINDOW_S}s", rules)
    rules = re.sub(r"(process_start_time_seconds\{[^}]*\})\[\d+s\]", r"\1[60s]", rules)
    rules = rules.replace("> 1800", "> 9").replace("> 900", "> 9").replace("< 900", f"< {WINDOW_S}")
    rules = rules.replace("loop_busy:ratio_rate5m > 0.9", "loop_busy:ratio_rate5m > 0.1")
    return re.sub(r"^ +for: .*\n", "", rules, flags=re.M)


def targets(ports):
    return [{"targets": [f"127.0.0.1:{port}" for port in ports]}]


class Prometheus:
    """Every second; stops with stop(), or with the thread that made it."""

    def __init__(self, directory, ports, scrape=None, beside=()):
        """`scrape`: what the scrape of the gates has besides. `beside`: the ports of another fleet's gates, a job of its own."""
        self.port = servers.free_ports(1)[0]
        source = os.path.join(written.ROOT, "deploy", "prometheus")
        for name in ("recording.yml", "alerts.yml"):
            with open(os.path.join(source, name)) as file, open(os.path.join(directory, name), "w") as copy:
                copy.write(shortened(file.read()))
        config = {"global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
                  "rule_files": ["recording.yml", "alerts.yml"],
                  "scrape_configs": [
                      {**(scrape or {}), "job_name": "einlass", "static_configs": targets(ports)},
                      # A page waits a second for a shard that does not answer.
                      {"job_name": BESIDE, "scrape_interval": "2s", "scrape_timeout": "2s",
                       "file_sd_configs": [{"files": ["beside.json"], "refresh_interval": "1s"}]}]}
        self._beside = os.path.join(directory, "beside.json")
        self.find_beside(beside)
        path = os.path.join(directory, "prometheus.yml")
        with open(path, "w") as file:
            json.dump(config, file)
        self.process = servers.start_child(
            ["prometheus", f"--config.file={path}", f"--storage.tsdb.path={directory}/tsdb", "--log.level=warn",
             f"--web.listen-address=127.0.0.1:{self.port}"], os.path.join(directory, "prometheus.log"))
        wait_until(lambda: get(self.port, "/-/ready")[0] == 200, 20, "Prometheus")

    def find_beside(self, ports):
        """The gates of that fleet that service discovery knows from now on."""
        with open(self._beside + ".new", "w") as file:
            json.dump(targets(ports), file)
        os.rename(self._beside + ".new", self._beside)

    def stop(self):
        servers.stop_child(self.process)

    def ask(self, expression, at):
        """[(labels, value)] at that instant, in seconds."""
        words = urllib.parse.urlencode({"query": chosen(expression), "time": f"{at:.3f}"})
        status, text = get(self.port, f"/api/v1/query?{words}")
        answer = json.loads(text) if text.startswith("{") else {}
        if status != 200 or answer.get("status") != "success":
            raise AssertionError(f"{expression}: {answer.get('error', text)}")
        return [(one["metric"], float(one["value"][1])) for one in answer["data"]["result"]]

    def firing(self, job="einlass"):
        """The names of the alerts that fire now for the gates of that job."""
        answer = json.loads(get(self.port, "/api/v1/alerts")[1])
        return {one["labels"]["alertname"] for one in answer["data"]["alerts"]
                if one["state"] == "firing" and one["labels"]["job"] == job}
