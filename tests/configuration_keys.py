"""Every key of the configuration with its default and meaning, for tests of what is said about them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.configuration import Configuration
from bot.configuration.schema import section_of


@dataclass(frozen=True, slots=True)
class KeyDescription:
    """One documented key: its dotted path (`requirements[].id`), default as JSON, and meaning."""

    path: str
    default: str
    text: str


def described_keys(
    model: type[BaseModel] = Configuration, prefix: str = ""
) -> Iterator[KeyDescription]:
    """Every key of the schema, in its order."""
    for name, told in model.model_fields.items():
        path, section, default = f"{prefix}{name}", section_of(told), ""
        if not section and not told.is_required():
            default = json.dumps(told.get_default(call_default_factory=True))
        yield KeyDescription(path, default, told.description or "")
        if section:
            yield from described_keys(section, f"{path}[]." if is_listed(told) else f"{path}.")


def is_listed(key: FieldInfo) -> bool:
    """Whether a key that holds keys of its own holds a list of them."""
    return get_origin(key.annotation) is tuple
