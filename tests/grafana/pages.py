"""What the gates' own pages say, read and reckoned without Prometheus: the truth that its answers are compared with."""

import re
import sys
import threading
import time

import prometheus  # noqa: F401  It has put the folder of `places` on the path.
from harness.places import get

_SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def parsed(text):
    """[(name, labels, value)]"""
    samples = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, labels, value = _SAMPLE.match(line).groups()
            samples.append((name, dict(_LABEL.findall(labels or "")), float(value)))
    return samples


class Pages:
    """Reads each gate's page about three times a second, on a thread of its own."""

    def __init__(self, ports):
        self._ports = ports
        self._read = []  # (instant, {instance: samples}), the oldest first.
        self._left = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self):
        self._left.set()
        self._thread.join()

    def _work(self):
        while not self._left.wait(0.3):
            at, pages = time.time(), {}
            for port in self._ports:
                status, text = get(port, "/metrics", timeout=2)
                if status == 200:
                    pages[f"127.0.0.1:{port}"] = parsed(text)
            self._read.append((at, pages))

    def _at(self, at):
        """The last page of each gate that was read by then."""
        while self._read[-1][0] < at:
            time.sleep(0.05)
        found = {}
        for read_at, pages in list(self._read):
            if read_at <= at:
                found.update(pages)
        return found

    def values(self, metric, by, at, how=sum, **match):
        """{what `by` names, joined: the values of those that match, added up or as `how` says}."""
        groups = {}
        for instance, samples in self._at(at).items():
            for name, labels, value in samples:
                labels = {**labels, "instance": instance}
                if name == metric and all(re.fullmatch(text, labels.get(key, "")) for key, text in match.items()):
                    groups.setdefault("/".join(labels[key] for key in by.split()), []).append(value)
        return {key: how(group) for key, group in groups.items()}

    def rates(self, metric, by, at, **match):
        """How fast they rose in the window before."""
        before = self.values(metric, by, at - prometheus.WINDOW_S, **match)
        now = self.values(metric, by, at, **match)
        return {key: (value - before.get(key, 0)) / prometheus.WINDOW_S for key, value in now.items()}

    def quantile(self, q, metric, by, at, **match):
        """Of what was observed in the window before; the middle of its bucket."""
        found = {}
        rates = self.rates(f"{metric}_bucket", f"le {by}".strip(), at, **match)
        groups = {}
        for key, value in rates.items():
            bound, _, group = key.partition("/")
            groups.setdefault(group, []).append((float(bound.replace("+Inf", "inf")), value))
        for group, buckets in groups.items():
            buckets.sort()
            place = next((i for i, (_, count) in enumerate(buckets) if count >= q * buckets[-1][1]), 0)
            low = buckets[place - 1][0] if place else 0.0
            found[group] = (low + min(buckets[place][0], 3600)) / 2 if buckets[-1][1] else float("nan")
        return found


if __name__ == "__main__":
    sys.exit("a module of live_test.py")
