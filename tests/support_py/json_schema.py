"""Holds values against the JSON Schemas of a document, as strictly as the gateway's own description is meant: what no schema
names is a problem too, unless one says that there may be more."""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
NOTES = {"description", "default", "example", "examples", "format"}  # they say nothing that can be checked


def is_type(value, name):
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def same(value, other):
    return value == other and isinstance(value, bool) == isinstance(other, bool)


class Schemas:
    def __init__(self, document):
        self.document = document

    def resolve(self, reference):
        """What '#/components/schemas/Key' names."""
        assert reference.startswith("#/"), reference
        found = self.document
        for step in reference[2:].split("/"):
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return found

    def problems(self, value, schema, where="$", inherited=frozenset()):
        """What is wrong with the value, as one line each."""
        found = []
        for keyword, rule in schema.items():
            if keyword in NOTES:
                continue
            check = getattr(self, "_" + keyword.lstrip("$"), None)
            assert check, f"the tests can't check '{keyword}'"
            found += check(value, rule, where, inherited | self._names(schema))
        if isinstance(value, dict) and "properties" in schema and "additionalProperties" not in schema:
            more = set(value) - inherited - self._names(schema)
            found += [f"{where}: no schema has '{name}'" for name in sorted(more)]
        return found

    def _names(self, schema):
        """The members that a schema names, itself or by what it is made of."""
        names = set(schema.get("properties", ()))
        for part in schema.get("allOf", ()):
            names |= self._names(part)
        return names | (self._names(self.resolve(schema["$ref"])) if "$ref" in schema else set())

    def _ref(self, value, reference, where, inherited):
        return self.problems(value, self.resolve(reference), where, inherited)

    def _type(self, value, names, where, _):
        names = [names] if isinstance(names, str) else names
        return [] if any(is_type(value, name) for name in names) else [f"{where} is no {' or '.join(names)}: {value!r:.80}"]

    def _enum(self, value, values, where, _):
        return [] if any(same(value, one) for one in values) else [f"{where} is none of {values}: {value!r:.80}"]

    def _const(self, value, wanted, where, _):
        return [] if same(value, wanted) else [f"{where} is not {wanted!r}: {value!r:.80}"]

    def _required(self, value, names, where, _):
        return [f"{where}: '{name}' is missing" for name in names if isinstance(value, dict) and name not in value]

    def _properties(self, value, schemas, where, _):
        members = value.items() if isinstance(value, dict) else ()
        return [problem for name, member in members if name in schemas
                for problem in self.problems(member, schemas[name], f"{where}.{name}")]

    def _additionalProperties(self, value, rule, where, inherited):
        more = {name: member for name, member in value.items() if name not in inherited} if isinstance(value, dict) else {}
        if rule is True:
            return []
        if rule is False:
            return [f"{where}: no schema has '{name}'" for name in sorted(more)]
        return [problem for name, member in more.items() for problem in self.problems(member, rule, f"{where}.{name}")]

    def _items(self, value, schema, where, _):
        elements = value if isinstance(value, list) else ()
        return [problem for index, element in enumerate(elements)
                for problem in self.problems(element, schema, f"{where}[{index}]")]

    def _allOf(self, value, schemas, where, inherited):
        return [problem for schema in schemas for problem in self.problems(value, schema, where, inherited)]

    def _anyOf(self, value, schemas, where, inherited):
        tried = [self.problems(value, schema, where, inherited) for schema in schemas]
        return [] if not all(tried) else min(tried, key=len)

    def _pattern(self, value, pattern, where, _):
        return [] if not isinstance(value, str) or re.search(pattern, value) else [f"{where} does not fit {pattern}: {value!r}"]

    def _minimum(self, value, least, where, _):
        return [f"{where} is less than {least}: {value}"] if is_type(value, "number") and value < least else []

    def _maximum(self, value, most, where, _):
        return [f"{where} is more than {most}: {value}"] if is_type(value, "number") and value > most else []

    def _minItems(self, value, least, where, _):
        return [f"{where} has fewer than {least}"] if isinstance(value, list) and len(value) < least else []

    def _maxItems(self, value, most, where, _):
        return [f"{where} has more than {most}"] if isinstance(value, list) and len(value) > most else []

    def _maxLength(self, value, most, where, _):
        return [f"{where} is longer than {most}"] if isinstance(value, str) and len(value) > most else []
