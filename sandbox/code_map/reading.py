"""Turns what the parser's worker told into facts; anything that is not of the agreed shape is dropped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from sandbox.code_map.facts import Definition, Facts

_KINDS = frozenset(("function", "method", "class", "type", "constant", "macro", "module"))
_NAME_CHARACTERS, _LINES = 120, 1_000_000
_MOST = 8_000  # of anything in one file


@dataclass(slots=True)
class Told:
    """What one run told: facts by the file's number, files that took too long, the last one begun."""

    facts: dict[int, Facts] = field(default_factory=dict)
    gave_up: set[int] = field(default_factory=set)
    begun: int = -1


def read_told(channel: bytes, files: int) -> Told:
    """Read the lines of a worker that was given so many files; a line of another shape is skipped."""
    told = Told()
    for record in _records(channel):
        number = record[0] if record else None
        if type(number) is not int or not 0 <= number < files:
            continue
        told.begun = max(told.begun, number)
        if len(record) == 2:
            told.gave_up.add(number)
        elif len(record) == 4 and number not in told.facts:
            facts = read_facts(record[1:])
            if facts:
                told.facts[number] = facts
    return told


def _records(channel: bytes) -> Iterator[list[object]]:
    for line in channel.split(b"\n"):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, list):
            yield record


def read_facts(record: object) -> Facts | None:
    """Check [definitions, uses, imports] piece by piece; None when it is something else."""
    if not (isinstance(record, list) and len(record) == 3):
        return None
    definitions, uses, imports = record
    if not (isinstance(definitions, list) and isinstance(uses, dict) and isinstance(imports, dict)):
        return None
    found = (_definition(one) for one in definitions[:_MOST])
    return Facts(tuple(one for one in found if one), _lines_by_name(uses), _lines_by_name(imports))


def _definition(value: object) -> Definition | None:
    if not (isinstance(value, list) and len(value) == 4):
        return None
    name, kind, line, end_line = value
    if not (_is_name(name) and kind in _KINDS and _is_line(line) and _is_line(end_line)):
        return None
    return Definition(name, kind, line, max(line, end_line))


def _lines_by_name(value: dict[object, object]) -> dict[str, tuple[int, ...]]:
    kept: dict[str, tuple[int, ...]] = {}
    for name, lines in list(value.items())[:_MOST]:
        if isinstance(name, str) and _is_name(name) and isinstance(lines, list):
            kept[name] = tuple(line for line in lines[:_MOST] if _is_line(line))
    return kept


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _NAME_CHARACTERS


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value <= _LINES


def plain(facts: Facts) -> list[object]:
    """The inverse of `read_facts`: what is kept."""
    definitions = [[d.name, d.kind, d.line, d.end_line] for d in facts.definitions]
    return [definitions, dict(facts.uses), dict(facts.imports)]
