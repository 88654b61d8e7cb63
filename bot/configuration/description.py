"""Describes every key of the configuration, for the README and for people who ask."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.configuration.schema import Configuration, is_listed, section_of


@dataclass(frozen=True, slots=True)
class KeyDescription:
    """One documented key: its dotted path (`requirements[].id`), default as JSON, and meaning."""

    path: str
    default: str
    text: str


def describe_keys() -> tuple[KeyDescription, ...]:
    """Every key of the schema with its default and meaning, in the order of the schema."""
    return tuple(_describe(Configuration, ""))


def json_schema() -> str:
    """The JSON Schema by which editors complete and check `.github/assay.yml`, as text."""
    schema = Configuration.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Assay configuration"
    return json.dumps(schema, indent=2) + "\n"


def _describe(model: type[BaseModel], prefix: str) -> Iterator[KeyDescription]:
    for name, field in model.model_fields.items():
        path = f"{prefix}{name}"
        section = section_of(field)
        yield KeyDescription(path, "" if section else _default(field), field.description or "")
        if section:
            yield from _describe(section, f"{path}[]." if is_listed(section) else f"{path}.")


def _default(field: FieldInfo) -> str:
    return "" if field.is_required() else json.dumps(field.get_default(call_default_factory=True))
