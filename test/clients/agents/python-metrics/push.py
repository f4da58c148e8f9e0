"""Pushes what prometheus_client exposes, with nothing but the standard library in between: the page that a scrape
would get is posted unchanged. Prints one line of JSON per push that was answered."""

import json
import os
import sys
import time
import urllib.error
import urllib.request

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, Summary
from prometheus_client import exposition
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.openmetrics import exposition as openmetrics

settings = json.loads(os.environ["CLIENT_SETTINGS"])
forms = {"text": exposition, "openmetrics": openmetrics}


def push(form, registry):
    module = forms[form]
    headers = {"Content-Type": module.CONTENT_TYPE_LATEST, settings["header"]: settings["key"]}
    body = module.generate_latest(registry)
    request = urllib.request.Request(settings["url"], data=body, headers=headers, method="POST")
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status


def tell(**line):
    print(json.dumps(line), flush=True)


def once():
    """Every type that the client has, once in each form."""
    for form in forms:
        registry = CollectorRegistry()
        served = Counter("served", "Requests that were served.", ["path"], registry=registry)
        served.labels('/a"b\\c').inc(3)
        served.labels("/größe").inc(0.5)
        Gauge("depth", "How deep it is.", registry=registry).set(-2.25)
        took = Histogram("took_seconds", "How long it took.", buckets=(0.1, 1), registry=registry)
        for seconds in (0.05, 0.5, 5):
            took.observe(seconds)
        Summary("size_bytes", "How large it was.", registry=registry).observe(512)
        Info("built", "What it is built of.", registry=registry).info({"version": "1.2.3", "form": form})
        tell(form=form, status=push(form, registry))


class Ticking:
    """A gauge with explicit timestamps, so that a test can query each pushed sample."""

    def __init__(self):
        self.number = 0
        self.at = 0.0

    def tick(self):
        self.number += 1
        self.at = round(time.time(), 3)

    def collect(self):
        family = GaugeMetricFamily("ticks", "How often it was pushed.", labels=["client"])
        family.add_metric(["python"], self.number, timestamp=self.at)
        yield family


def repeat():
    """Pushes repeatedly until standard input ends. An unanswered push is repeated unchanged."""
    ticking = Ticking()
    registry = CollectorRegistry()
    registry.register(ticking)
    until = time.monotonic() + settings["limitSeconds"]
    while time.monotonic() < until:
        ticking.tick()
        while time.monotonic() < until:
            try:
                tell(status=push("text", registry), atMs=round(ticking.at * 1000), value=ticking.number)
                break
            except (urllib.error.URLError, ConnectionError, TimeoutError) as trouble:
                if isinstance(trouble, urllib.error.HTTPError) and trouble.code < 500:
                    raise
                time.sleep(0.05)
        time.sleep(0.1)


if sys.argv[1:] == ["repeat"]:
    repeat()
else:
    once()
