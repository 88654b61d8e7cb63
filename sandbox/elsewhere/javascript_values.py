"""Reads and writes plain values as JavaScript shows them; what Python has no equal for stays text."""

from __future__ import annotations

import json
import re

_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_DEEPEST = 8
_DECODER = json.JSONDecoder()


class AsIs(str):
    """A value's text that is written as it was read."""

    __slots__ = ()


def read_arguments(text: str) -> tuple[object, ...]:
    """Return the arguments of a call from a list of them; none where the text is no such list."""
    try:
        parts = _parts(text[1:-1]) if text[:1] == "[" and text[-1:] == "]" else []
    except ValueError:
        return ()
    return tuple(map(_read_or_keep, parts))


def written(value: object, depth: int = 0) -> str:
    """Return a value as JavaScript writes it. Raises ValueError for what it cannot."""
    if isinstance(value, AsIs):
        return str(value)
    if depth > _DEEPEST:
        raise ValueError
    if isinstance(value, list | tuple):
        return "[" + ", ".join(written(one, depth + 1) for one in value) + "]"
    if isinstance(value, dict):
        members = (f"{_key(str(name))}: {written(one, depth + 1)}" for name, one in value.items())
        return "{" + ", ".join(members) + "}"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key(name: str) -> str:
    is_plain = _NAME.fullmatch(name) and name != "__proto__"
    return name if is_plain else f"[{json.dumps(name, ensure_ascii=False)}]"


def _read_or_keep(text: str) -> object:
    try:
        return _read(text, 0)
    except (ValueError, RecursionError):
        return AsIs(text)


def _read(text: str, depth: int) -> object:
    if depth > _DEEPEST:
        raise ValueError
    if text[:1] == "[" and text[-1:] == "]":
        return [_read(one, depth + 1) for one in _parts(text[1:-1])]
    if text[:1] == "{" and text[-1:] == "}":
        return dict(_member(one, depth + 1) for one in _parts(text[1:-1]))
    if text in ("NaN", "Infinity", "-Infinity"):  # JSON of Python's own
        raise ValueError
    value: object = json.loads(text)
    return value


def _member(text: str, depth: int) -> tuple[str, object]:
    if found := _NAME.match(text):
        name, end = found.group(), found.end()
    elif text[:1] == "[":
        name, end = _DECODER.raw_decode(text, 1)
        end += text[end : end + 1] == "]"
    else:
        raise ValueError
    if not isinstance(name, str) or text[end : end + 2] != ": ":
        raise ValueError
    return name, _read(text[end + 2 :], depth)


def _parts(text: str) -> list[str]:
    """Split at the commas outside of brackets and strings. Raises ValueError."""
    parts, begin, open_brackets, at = list[str](), 0, 0, 0
    while at < len(text):
        letter = text[at]
        if letter == '"':
            _, at = _DECODER.raw_decode(text, at)
            continue
        open_brackets += (letter in "[{(") - (letter in "]})")
        if letter == "," and open_brackets == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    if open_brackets:
        raise ValueError
    return [*parts, text[begin:].strip()] if text.strip() else []
