"""GitHub's OpenAPI description as validators, compiled one schema at a time when first used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs

Schema = dict[str, Any]
PREFIX = "#/components/schemas/"
# Where the description contradicts itself: this list's account must be a user and an enterprise at
# once (`allOf`), while the component of the same thing says `anyOf`.
CORRECTED = {
    "apps/list-installations 200": {"type": "array", "items": {"$ref": f"{PREFIX}installation"}},
}


class Description:
    """Says what is wrong with a request, a reply or a webhook; an empty list means nothing."""

    def __init__(self, path: Path) -> None:
        raw = json.loads(path.read_bytes())
        self._components: Schema = raw["components"]
        self._webhooks: Schema = raw["x-webhooks"]
        self._translated: Schema = {}
        self._validators: dict[str, jsonschema_rs.Validator] = {}
        self._operations: Schema = {
            operation["operationId"]: operation
            for methods in raw["paths"].values()
            for operation in methods.values()
            if isinstance(operation, dict)
        }

    def knows(self, operation: str) -> bool:
        return operation in self._operations

    def request_faults(self, operation: str, query: dict[str, str], body: bytes) -> list[str]:
        described = self._operations[operation]
        faults = self._query_faults(operation, described, query)
        content = described.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            return [
                *faults,
                *([f"{operation} takes no body"] if body.strip() not in {b"", b"{}"} else []),
            ]
        try:
            value = json.loads(body or b"{}")
        except ValueError:
            return [*faults, f"{operation}: the body is no JSON"]
        key = f"{operation} request"
        faults += self._faults(key, content["schema"], value)
        unknown = (
            set(value) - self._properties(content["schema"]) if isinstance(value, dict) else []
        )
        return faults + [f"{key}: GitHub knows no {name!r}" for name in sorted(unknown)]

    def reply_faults(self, operation: str, status: int, body: bytes) -> list[str]:
        key = f"{operation} {status}"
        described = self._resolved(self._operations[operation]["responses"].get(str(status), {}))
        content = described.get("content", {})
        schema = next((content[kind]["schema"] for kind in content if "json" in kind), None)
        if not described:
            if status < 400:
                return [f"{key}: GitHub never answers so"]
            schema = {"$ref": f"{PREFIX}basic-error"}
        if schema is None:
            return [f"{key}: GitHub sends no body"] if body else []
        try:
            value = json.loads(body)
        except ValueError:
            return [f"{key}: the reply is no JSON"]
        faults = self._faults(key, schema, value)
        if status < 400 and isinstance(value, dict) and (known := self._properties(schema)):
            extra = sorted(set(value) - known)
            faults += [f"{key}: GitHub sends no {name!r}" for name in extra]
        return faults

    def webhook_faults(self, event: str, payload: Schema) -> list[str]:
        name = event.replace("_", "-")
        action = str(payload.get("action", "")).replace("_", "-")
        wanted = f"{name}-{action}" if action else name
        if event == "repository_dispatch":
            wanted = "repository-dispatch-sample.collected"  # the action is the caller's word
            payload = {**payload, "action": "sample.collected"}
        if wanted not in self._webhooks:
            return [f"GitHub sends no {wanted}"]
        content = self._webhooks[wanted]["post"]["requestBody"]["content"]["application/json"]
        faults = self._faults(f"webhook {wanted}", content["schema"], payload)
        # This list of events is older than merge queues; the component `integration` takes any word.
        return [fault for fault in faults if "check_suite/app/events" not in fault]

    def _query_faults(self, operation: str, described: Schema, query: dict[str, str]) -> list[str]:
        known = {}
        for parameter in map(self._resolved, described.get("parameters", [])):
            if parameter["in"] == "query":
                known[parameter["name"]] = parameter["schema"]
        faults = [f"{operation}: no parameter {name!r}" for name in query if name not in known]
        for name, text in query.items():
            if name in known:
                kind = known[name].get("type")
                value: object = int(text) if kind == "integer" and text.isdigit() else text
                if kind == "boolean" and text in ("true", "false"):
                    value = text == "true"
                faults += self._faults(f"{operation} ?{name}", known[name], value)
        return faults

    def _faults(self, key: str, schema: Schema, value: object) -> list[str]:
        if key not in self._validators:
            self._validators[key] = self._compiled(CORRECTED.get(key, schema))
        errors = self._validators[key].iter_errors(value)
        return [
            f"{key} at {'/'.join(map(str, e.instance_path))}: {e.message[:200]}" for e in errors
        ]

    def _compiled(self, schema: Schema) -> jsonschema_rs.Validator:
        root = _translated(schema)
        reached: Schema = {}
        waiting = list(_references(root))
        while waiting:
            name = waiting.pop()
            if name not in reached:
                if name not in self._translated:
                    self._translated[name] = _translated(self._components["schemas"][name])
                reached[name] = self._translated[name]
                waiting += _references(reached[name])
        bundle = {"allOf": [root], "components": {"schemas": reached}}
        return jsonschema_rs.Draft202012Validator(bundle, validate_formats=True)

    def _resolved(self, part: Schema) -> Schema:
        while "$ref" in part:
            _, _, kind, name = part["$ref"].split("/")
            part = self._components[kind][name]
        return part

    def _properties(self, schema: Schema) -> set[str]:
        schema = self._resolved(schema)
        names = set(schema.get("properties", {}))
        for word in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(word, []):
                names |= self._properties(part)
        return names


def _translated(schema: Any) -> Any:
    """OpenAPI 3.0 says `nullable: true` where JSON Schema has a type `null`."""
    if isinstance(schema, list):
        return [_translated(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _translated(part) for key, part in schema.items() if key != "nullable"}
    # An example may hold anything, also what looks like a schema.
    for word in ("example", "examples"):
        if not isinstance(schema.get(word), dict) or "type" not in schema.get(word, {}):
            plain.pop(word, None)
    return {"anyOf": [{"type": "null"}, plain]} if schema.get("nullable") is True else plain


def _references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for part in schema for name in _references(part)]
    if not isinstance(schema, dict):
        return []
    found = [name for part in schema.values() for name in _references(part)]
    reference = schema.get("$ref")
    return [*found, reference.removeprefix(PREFIX)] if isinstance(reference, str) else found
