"""A collector of traces that does as it is told: takes OTLP over HTTP in JSON, checks its shape, and keeps the spans."""

import http.server
import json
import re
import threading
import time

TRACE_ID = re.compile(r"[0-9a-f]{32}")
SPAN_ID = re.compile(r"[0-9a-f]{16}")
NUMBER = re.compile(r"[0-9]+")
KINDS = {1: "internal", 2: "server", 3: "client"}
SPAN_FIELDS = {"traceId", "spanId", "parentSpanId", "flags", "name", "kind", "startTimeUnixNano", "endTimeUnixNano",
               "attributes", "events", "status"}


def value_of(value):
    """An AnyValue as Python has it; numbers of 64 bits are text."""
    (kind, content), = value.items()
    if kind == "intValue":
        assert NUMBER.fullmatch(content), value
        return int(content)
    if kind == "arrayValue":
        return [value_of(element) for element in content["values"]]
    assert isinstance(content, {"stringValue": str, "boolValue": bool, "doubleValue": (int, float)}[kind]), value
    return content


def attributes_of(holder):
    pairs = [(attribute["key"], value_of(attribute["value"])) for attribute in holder["attributes"]]
    assert len(dict(pairs)) == len(pairs), holder
    return dict(pairs)


class Span:
    def __init__(self, span, resource):
        assert set(span) <= SPAN_FIELDS, span
        assert TRACE_ID.fullmatch(span["traceId"]) and SPAN_ID.fullmatch(span["spanId"]), span
        assert SPAN_ID.fullmatch(span.get("parentSpanId", "0" * 16)), span
        assert NUMBER.fullmatch(span["startTimeUnixNano"]) and NUMBER.fullmatch(span["endTimeUnixNano"]), span
        self.trace, self.id, self.parent = span["traceId"], span["spanId"], span.get("parentSpanId")
        self.name, self.kind, self.flags = span["name"], KINDS[span["kind"]], span["flags"]
        self.start, self.end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        self.attributes = attributes_of(span)
        self.events = {event["name"]: int(event["timeUnixNano"]) for event in span.get("events", ())}
        assert span["status"] in ({}, {"code": 2}), span
        self.failed = span["status"] != {}
        self.resource = resource
        assert self.start <= self.end and all(self.start <= at <= self.end for at in self.events.values()), span

    def __repr__(self):
        return f"{self.kind} {self.name} {self.attributes}"


class FakeCollector:
    def __init__(self, away=False):
        """Where it is away, its port is its own, but nobody listens until come() is called."""
        self.delay = 0     # seconds before it answers
        self.answers = []  # (status, headers, body) for the next posts; then 200
        self.posts = []    # (path, headers, body, when) of all of them
        self.spans = []    # of those that were answered with 200
        self.problems = []
        self._released = threading.Event()
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                collector._take(self)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.server_bind()
        self.port = self._server.server_address[1]
        self._is_there = False
        if not away:
            self.come()

    def come(self):
        self._is_there = True
        self._server.server_activate()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}/v1/traces"

    def _take(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.posts.append((handler.path, handler.headers, body, time.monotonic()))
        self._released.wait(self.delay)
        status, headers, answer = self.answers.pop(0) if self.answers else (200, {}, b"{}")
        if status == 200:
            try:
                self._keep(json.loads(body))
            except Exception as problem:  # whatever is wrong with it, the test is told
                self.problems.append(repr(problem))
        try:
            handler.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(answer)
        except OSError:
            pass  # it was not waited for

    def _keep(self, document):
        assert set(document) == {"resourceSpans"}, document
        for group in document["resourceSpans"]:
            resource = attributes_of(group["resource"])
            for scope in group["scopeSpans"]:
                assert scope["scope"]["name"] == "runnel", scope
                spans = [Span(span, resource) for span in scope["spans"]]
                self.spans.extend(spans)  # at once: whoever looks sees all of a request's, or none

    def of_trace(self, trace):
        return [span for span in list(self.spans) if span.trace == trace]

    def of_request(self, request_id):
        """The spans of the trace in which that request is."""
        for span in list(self.spans):
            if span.attributes.get("runnel.request_id") == request_id:
                return self.of_trace(span.trace)
        return []

    def close(self):
        self._released.set()
        if self._is_there:
            self._server.shutdown()
        self._server.server_close()
