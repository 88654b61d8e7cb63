"""Reads foreign JSON tolerantly: a missing or oddly typed part becomes empty, never an exception."""

from __future__ import annotations

import json
from dataclasses import dataclass


def json_object(text: str | None) -> dict[str, object]:
    """Read the object that a text is; empty where there is no text, or it is none."""
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Payload:
    """A JSON value read by path: `Payload.parse(raw).text("pull_request", "head", "sha")`.

    GitHub's own typed models reject many of its real payloads, so nothing is required here; the
    caller decides which empty value is an error.
    """

    value: object

    @classmethod
    def parse(cls, raw: str | bytes) -> Payload:
        """Parses JSON text; raises `ValueError` when it is none."""
        try:
            return cls(json.loads(raw))
        except RecursionError as error:
            raise ValueError("JSON is nested too deeply") from error

    def at(self, *path: str) -> Payload:
        """The part under `path`, holding None where there is none."""
        value = self.value
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        return Payload(value)

    def text(self, *path: str) -> str:
        """The string under `path`, or an empty one."""
        value = self.at(*path).value
        return value if isinstance(value, str) else ""

    def integer(self, *path: str) -> int:
        """The whole number under `path`, or 0."""
        value = self.at(*path).value
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    def flag(self, *path: str) -> bool:
        """Whether `path` holds true."""
        return self.at(*path).value is True

    def items(self, *path: str) -> tuple[Payload, ...]:
        """The elements of the list under `path`, or none."""
        value = self.at(*path).value
        return tuple(Payload(item) for item in value) if isinstance(value, list) else ()

    def pairs(self, *path: str) -> tuple[tuple[str, str], ...]:
        """The string members of the object under `path`, sorted by key."""
        value = self.at(*path).value
        members = value.items() if isinstance(value, dict) else ()
        return tuple(sorted((key, item) for key, item in members if isinstance(item, str)))

    def has(self, *path: str) -> bool:
        """Whether there is anything but null under `path`."""
        return self.at(*path).value is not None
