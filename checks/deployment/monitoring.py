#!/usr/bin/env python3
"""Checks the files of deploy/monitoring against a running server: rules and settings are valid, the tests of the rules
pass, every metric, label and value that a rule, the dashboard or the autoscaler names is in the server's /metrics, and
a Prometheus that scrapes it answers every query and has the exemplars of the panels that show them.

usage: monitoring.py target/release/shruti
needs: requirements.txt; prometheus with promtool
"""
import asyncio
import contextlib
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import websockets
import yaml

from workspace import WORKSPACE
from harness import Server, answers, end, free_port, text_of, wait_until

DEPLOY = WORKSPACE / "deploy"
MONITORING = DEPLOY / "monitoring"
TEXT = "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।"
STREAMS = 2
# labels added by Prometheus and Kubernetes
ADDED_LABELS = {"job", "instance", "namespace", "pod"}
OWN_LABELS = {"objective"}
OWN_METRICS = {"up"}
SELECTOR = re.compile(r"\b(shruti[_:][\w:]+|up\b)(?:\{([^}]*)\})?")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
GROUPING = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")


def queries():
    """Yields every query of the files: its location, the query, and whether it has a result on a healthy server."""
    for name in ("recording-rules.yaml", "alert-rules.yaml"):
        for group in yaml.safe_load((MONITORING / name).read_text("utf-8"))["groups"]:
            for rule in group["rules"]:
                yield f"{name}: {rule.get('record') or rule['alert']}", rule["expr"], "record" in rule
    dashboard = json.loads((MONITORING / "dashboard.json").read_text("utf-8"))
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"dashboard.json: {panel['title']}", target["expr"], True
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield f"dashboard.json: ${variable['name']}", re.fullmatch(r"label_values\((.*), \w+\)", variable["query"]["query"])[1], True
    for rule in yaml.safe_load((MONITORING / "prometheus-adapter.yaml").read_text("utf-8"))["rules"]["custom"]:
        series = re.match(r"\w+", rule["seriesQuery"])[0]
        query = rule["metricsQuery"].replace("<<.Series>>", series).replace("<<.LabelMatchers>>", "").replace("<<.GroupBy>>", "instance")
        yield f"prometheus-adapter.yaml: {series}", query, True


def samples(text):
    """Returns the labels of each sample, by the name of the metric."""
    found = {}
    for name, labels in re.findall(r"^(\w+)(?:\{([^}]*)\})? \S+(?: # \{.*)?$", text, re.MULTILINE):
        found.setdefault(name, []).append(dict(re.findall(r'(\w+)="([^"]*)"', labels)))
    return found


def exemplar_queries():
    """Returns the queries of panels that show exemplars."""
    for panel in json.loads((MONITORING / "dashboard.json").read_text("utf-8"))["panels"]:
        for target in panel.get("targets", []):
            if target.get("exemplar"):
                yield f"dashboard.json: {panel['title']}", target["expr"]


def mistakes(query, metrics, recorded, codes):
    """Returns the names in a query that the server does not export."""
    known = {label for labels in metrics.values() for one in labels for label in one} | ADDED_LABELS | OWN_LABELS
    for group in GROUPING.findall(query):
        for label in filter(None, map(str.strip, group.split(","))):
            if label not in known:
                yield f"unknown label {label}"
    for name, matchers in SELECTOR.findall(query):
        if name in OWN_METRICS or name in recorded:
            continue
        if name not in metrics:
            yield f"unknown metric {name}"
            continue
        for label, operator, value in MATCHER.findall(matchers):
            if label in ADDED_LABELS:
                continue
            values = {one[label] for one in metrics[name] if label in one}
            if not values:
                yield f"{name} has no label {label}"
            elif label == "code" and value not in codes:
                yield f"unknown error {value}"
            elif label != "code" and operator in ("=", "!=") and value not in values:
                yield f"{label} of {name} is never {value}"
            elif operator in ("=~", "!~") and not any(re.fullmatch(value, one) for one in values):
                yield f"{label} of {name} never matches {value}"


def is_well_formed(dashboard):
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels), "two panels have the same id"
    taken = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert max(x for x, _ in cells) < 24 and not cells & taken, f"{panel['title']} overlaps another panel"
        taken |= cells
        for target in panel.get("targets", []):
            assert target["datasource"]["uid"] == "${datasource}", f"{panel['title']} has a separate data source"


def post(node, key, text):
    connection = http.client.HTTPConnection(node.host)
    with contextlib.closing(connection):
        connection.request("POST", "/v1/tts", json.dumps({"text": text}), {"authorization": f"Bearer {key}", "content-type": "application/json"})
        response = connection.getresponse()
        response.read()
        return response.status


async def converse(node, key):
    """Speaks a turn that ends and one that is cancelled, then opens as many conversations as fit, and one more."""
    connect = lambda: websockets.connect(f"ws://{node.host}/v1/tts/stream", additional_headers={"authorization": f"Bearer {key}"})
    async with connect() as stream:
        await stream.send(json.dumps({"text": TEXT, "turn_id": "a", "final": True}))
        await stream.send(json.dumps({"text": TEXT * 50, "turn_id": "b", "final": True}))
        async for message in stream:
            event = {} if isinstance(message, bytes) else json.loads(message)
            if event.get("type") == "turn.done":
                await stream.send(json.dumps({"type": "cancel", "turn_id": "b"}))
            if event.get("type") == "turn.cancelled":
                break
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(STREAMS):
            await stack.enter_async_context(connect())
        assert post(node, key, TEXT) == 503, "the server does not refuse streams above the limit"


class Prometheus:
    """A Prometheus that scrapes a server every second, with the settings and rules of deploy/monitoring."""

    def __init__(self, folder, node):
        settings = yaml.safe_load((MONITORING / "prometheus.yaml").read_text("utf-8"))
        settings["global"] = {name: "1s" for name in settings["global"]}
        settings["rule_files"] = [str(MONITORING / name) for name in settings["rule_files"]]
        settings["scrape_configs"][0]["static_configs"][0]["targets"] = [node.host]
        file = f"{folder}/prometheus.yaml"
        pathlib.Path(file).write_text(yaml.safe_dump(settings), "utf-8")
        port = free_port()
        self.url, self.log = f"http://127.0.0.1:{port}", f"{folder}/prometheus.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(["prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder}/tsdb",
                                             f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage"], stdout=log, stderr=log)
        wait_until(lambda: answers(f"{self.url}/-/ready"), self.process, lambda: text_of(self.log))

    def query(self, query):
        return self.ask("query", query=query)["result"]

    def exemplars(self, query):
        """Returns the trace ID of each exemplar of the last five minutes."""
        now = time.time()
        series = self.ask("query_exemplars", query=query, start=now - 300, end=now + 60)
        return [exemplar["labels"]["trace_id"] for one in series for exemplar in one["exemplars"]]

    def ask(self, what, **parameters):
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{what}?{urllib.parse.urlencode(parameters)}") as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{parameters}\n{error.read().decode()}") from error

    def wait_for(self, query):
        wait_until(lambda: self.query(query), self.process, lambda: f"no result of {query}")


def filled(query):
    """Returns a query of the dashboard with Grafana's variables filled in."""
    return query.replace("$__rate_interval", "1m").replace("$job", ".*").replace("$instance", ".*")


def promtool(*arguments):
    done = subprocess.run(["promtool", *arguments], cwd=MONITORING, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"promtool {' '.join(arguments)}\n{done.stdout}{done.stderr}")


def main():
    binary = os.path.realpath(sys.argv[1])
    promtool("check", "config", "prometheus.yaml")
    promtool("test", "rules", "rules-test.yaml")
    is_well_formed(json.loads((MONITORING / "dashboard.json").read_text("utf-8")))
    asked = list(queries())
    recorded = {where.split(": ")[1] for where, _, _ in asked if where.startswith("recording-rules.yaml")}
    codes = set(re.findall(r"^### (\w+)$", (DEPLOY.parent / "docs/errors.md").read_text("utf-8"), re.MULTILINE))
    with tempfile.TemporaryDirectory() as folder:
        # no collector runs at this address; spans are counted even if they cannot be sent
        traces = [f"--traces-endpoint=http://127.0.0.1:{free_port()}", "--traces-sample=1"]
        node = Server(binary, f"--max-streams={STREAMS}", *traces, folder=folder).start()
        prometheus = Prometheus(folder, node)
        try:
            key = node.key
            # the rules exclude requests from probes, so send one that they must exclude
            assert answers(f"{node.url}/readyz")
            assert post(node, key, TEXT) == 200 and post(node, "sk_unknown", TEXT) == 401
            asyncio.run(converse(node, key))
            metrics = samples(node.metrics())
            wrong = [f"{where}: {mistake}" for where, query, _ in asked for mistake in mistakes(query, metrics, recorded, codes)]
            if wrong:
                sys.exit("\n".join(wrong))
            # wait until Prometheus has scraped twice after the last request and has evaluated the rules with these
            # values
            prometheus.wait_for('count_over_time(shruti_errors_total{code="overloaded"}[1m]) >= 3 and on () shruti:objective:bad_5m')
            for where, query, has_answer in asked:
                if not prometheus.query(filled(query)) and has_answer:
                    sys.exit(f"{where}: no answer to {query}")
            for where, query in exemplar_queries():
                traces = prometheus.exemplars(filled(query))
                if not traces or not all(re.fullmatch("[0-9a-f]{32}", trace) for trace in traces):
                    sys.exit(f"{where}: no traces among the exemplars of {query}: {traces}")
        finally:
            end(prometheus.process)
            end(node.process)
    print(f"monitoring: {len(asked)} queries use existing metrics, and Prometheus answers them; the tests of the rules pass")


main()
