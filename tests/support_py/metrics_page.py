"""A scrape of /metrics, read: what a metric's values are and come to."""

import re

from client import get

SAMPLE = re.compile(r'([a-z_]+)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\]|\\.)*)"')


class MetricsPage:
    def __init__(self, text):
        self.text = text
        self.samples = []  # (name, labels, value)
        self.types = {}
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                self.types[name] = kind
            elif not line.startswith("#"):
                name, labels, value = SAMPLE.fullmatch(line).groups()
                self.samples.append((name, dict(LABEL.findall(labels or "")), float(value)))

    def series(self, metric):
        return [labels for name, labels, _ in self.samples if name == metric]

    def sum(self, metric, **labels):
        """Of all values of the metric that have these labels; 0 where there are none."""
        return sum(value for name, has, value in self.samples
                   if name == metric and labels.items() <= has.items())

    def names(self):
        """Of everything that has a value, as queries name it."""
        return {name for name, _, _ in self.samples}


def scrape(port, headers=None):
    response = get(port, "/metrics", headers=headers)
    assert response.status == 200, response.body
    return MetricsPage(response.body.decode())
