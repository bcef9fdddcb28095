"""The gateway's own description of its API (GET /openapi.json), and what it says of a request and its response."""

import json
import re
from dataclasses import dataclass

from frames import frames_of
from json_schema import Schemas

METHODS = ("get", "post", "put", "patch", "delete")

# What HTTP and browsers ask for, at any path.
USUAL_HEADERS = {"content-type", "content-length", "transfer-encoding", "connection", "date", "vary", "cache-control", "etag",
                 "x-content-type-options", "x-accel-buffering", "keep-alive"}


@dataclass
class Operation:
    path: str
    method: str  # in capitals
    body: dict  # as the document has it
    parameters: list

    @property
    def name(self):
        return self.body["operationId"]

    def examples(self):
        """Bodies that it takes; one None where it takes none."""
        content = self.body.get("requestBody", {}).get("content", {}).get("application/json", {})
        return [example["value"] for example in content.get("examples", {}).values()] or [None]

    def examples_of(self, place):
        """Its parameters in the query or the header, with their examples."""
        return {one["name"]: one["example"] for one in self.parameters if one["in"] == place and "example" in one}

    def matches(self, path):
        pattern = "".join(".+" if part.startswith("{") else re.escape(part)
                          for part in re.split(r"(\{[^}]*\})", self.path))
        return re.fullmatch(pattern, path) is not None


class ApiDescription:
    def __init__(self, document):
        self.document = document
        self.schemas = Schemas(document)
        self.operations = list(self._operations())

    def _operations(self):
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    named = [*item.get("parameters", ()), *item[method].get("parameters", ())]
                    parameters = [self.whole(parameter) for parameter in named]
                    yield Operation(path, method.upper(), item[method], parameters)

    def whole(self, thing):
        """The thing itself, where the document only refers to it."""
        return self.schemas.resolve(thing["$ref"]) if "$ref" in thing else thing

    def find(self, method, path):
        """The operation that a request is; a path that is written out comes before one with parameters."""
        fitting = [one for one in self.operations if one.method == method and one.matches(path)]
        return min(fitting, key=lambda one: (one.path.count("{"), -len(one.path)), default=None)

    def request_problems(self, operation, body):
        schema = operation.body["requestBody"]["content"]["application/json"]["schema"]
        return self.schemas.problems(body, schema)

    def response_problems(self, operation, response):
        """What the document does not say of a response that came."""
        known = operation.body["responses"]
        if str(response.status) not in known and "default" not in known:
            return [f"{response.status} is not among its responses"]
        described = self.whole(known.get(str(response.status), known.get("default")))
        return self._header_problems(described, response) + self._body_problems(described, response)

    def _header_problems(self, described, response):
        headers = {name.lower(): self.whole(header) for name, header in described.get("headers", {}).items()}
        unknown = set(response.headers) - set(headers) - USUAL_HEADERS
        problems = [f"the header {name} is not described" for name in sorted(unknown) if not name.startswith("access-control-")]
        for name, header in headers.items():
            value = response.headers.get(name)
            if value is not None:
                is_number = header["schema"].get("type") == "integer"
                problems += self.schemas.problems(int(value) if is_number else value, header["schema"], name)
        return problems

    def _body_problems(self, described, response):
        if "content" not in described:
            return [] if not response.body else ["it has a body, which is not described"]
        media = response.headers["content-type"].split(";")[0]
        if media not in described["content"]:
            return [f"{media} is not described"]
        schema = described["content"][media]["schema"]
        return [problem for value in values_of(media, response.body) for problem in self.schemas.problems(value, schema)]


def values_of(media, body):
    """What in a body has a schema: the whole, or each event or line."""
    if media == "application/json":
        return [json.loads(body)]
    if media == "text/event-stream":
        return [*frames_of(body), "[DONE]"]
    if media == "application/x-ndjson":
        return [json.loads(line) for line in body.splitlines()]
    return [body.decode()]
