"""Reads how the exported functions of JavaScript and TypeScript may be called.

Only what stands at the top level of a module is read, and the methods of its classes; no wrapped modules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.integrity.reading.signatures import Parameter, Passing, Signature
from bot.integrity.reading.tokens import Token, end_of_bracket, is_mark, past, read_tokens

_MOST_SOURCE = 200_000
_MOST_AHEAD = 200  # tokens of a type, before what it is the type of
_MODIFIERS = frozenset(
    ("public", "protected", "private", "readonly", "override", "static", "async", "abstract")
)
_RESERVED = frozenset((
    "if", "for", "while", "switch", "catch", "function", "return", "new", "super", "await", "typeof",
    "do",
))  # fmt: skip
_CLASS = re.compile(
    r"^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+(?P<name>[\w$]+)(?P<rest>[^{}]{0,600})\{",
    re.MULTILINE,
)
_OPENING, _CLOSING = ("(", "[", "{"), (")", "]", "}")


@dataclass(frozen=True, slots=True)
class DerivedClass:
    """A class with what it is derived from, as written."""

    name: str
    line: int
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Script:
    """The tokens of a module."""

    text: str
    tokens: list[Token]
    is_typed: bool

    def shown(self, start: int, end: int) -> str:
        """The source of some tokens, the last one left out, in one line."""
        if start >= end:
            return ""
        stop = self.tokens[end].at if end < len(self.tokens) else len(self.text)
        return " ".join(self.text[self.tokens[start].at : stop].split())


def script_signatures(text: str, *, is_typed: bool) -> Iterator[Signature]:
    """Yield the signatures of all functions at the top level and of all methods there, exported or not."""
    if len(text) > _MOST_SOURCE:
        return
    tokens = read_tokens(text, is_script=True)
    script = _Script(text, tokens, is_typed)
    at = 0
    while at < len(tokens):
        found = _declared(script, at)
        if found:
            yield found
        elif is_mark(tokens, at, "class") and not is_mark(tokens, at - 1, "."):
            opening, angles = at + 2, 0
            stop = min(len(tokens), opening + _MOST_AHEAD)
            while opening < stop and (angles or not is_mark(tokens, opening, "{", ";")):
                angles += is_mark(tokens, opening, "<") - is_mark(tokens, opening, ">")
                opening = past(tokens, opening)
            is_named = at + 1 < len(tokens) and tokens[at + 1].kind == "name"
            if is_named and is_mark(tokens, opening, "{"):
                yield from _of_members(script, opening, f"{tokens[at + 1].value}.")
        elif (
            is_mark(tokens, at, "{")  # `module.exports = {`
            and is_mark(tokens, at - 1, "=")
            and is_mark(tokens, at - 2, "exports")
        ):
            yield from _of_members(script, at, "")
        at = past(tokens, at)


def script_classes(text: str) -> Iterator[DerivedClass]:
    """Yield the classes of a module's top level."""
    if len(text) > _MOST_SOURCE:
        return
    for found in _CLASS.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        depth, plain = 0, ""
        for part in re.split(r"([<>])", found["rest"]):  # without what is between angles
            depth += (part == "<") - (part == ">")
            plain += part if not depth and part != ">" else " "
        extends = re.search(r"\bextends\s+([\w$.]+)", plain)
        if not depth:
            yield DerivedClass(found["name"], line, (extends[1],) if extends else ())


def _declared(script: _Script, at: int) -> Signature | None:
    """The function that is declared at, or assigned to, the name at a place."""
    tokens = script.tokens
    start = at + 1
    if is_mark(tokens, at, "default") and is_mark(tokens, at - 1, "export"):
        behind = start + is_mark(tokens, start, "async")
        is_nameless = is_mark(tokens, behind, "(") or is_mark(tokens, behind + 1, "(")
        return _assigned(script, "default", start) if is_nameless else None
    if tokens[at].kind != "name" or tokens[at].value in _RESERVED:
        return None
    if is_mark(tokens, at - 1, "function") or (
        is_mark(tokens, at - 1, "*") and is_mark(tokens, at - 2, "function")
    ):
        head = at - 2 if is_mark(tokens, at - 1, "*") else at - 1
        is_async = is_mark(tokens, head - 1, "async")
        is_statement = not is_mark(tokens, head - 1 - is_async, "=", "(", ",", ":", "return")
        return _called(script, tokens[at].value, start, is_async=is_async) if is_statement else None
    name = tokens[at].value
    if is_mark(tokens, at - 1, "."):
        if is_mark(tokens, at - 2, "prototype") and is_mark(tokens, at - 3, "."):
            name = f"{tokens[at - 4].value}.{name}"
        elif name == "exports" and is_mark(tokens, at - 2, "module"):
            name = "module.exports"
        elif not is_mark(tokens, at - 2, "exports"):
            name = f"{tokens[at - 2].value}.{name}"
    elif not is_mark(tokens, at - 1, "const", "let", "var"):
        return None
    if is_mark(tokens, start, ":"):
        stop = min(len(tokens), start + _MOST_AHEAD)
        while start < stop and not is_mark(tokens, start, "=", ";"):
            start = past(tokens, start)
    return _assigned(script, name, start + 1) if is_mark(tokens, start, "=") else None


def _assigned(script: _Script, name: str, start: int) -> Signature | None:
    """The function expression or arrow function that begins at a token."""
    tokens = script.tokens
    is_async = is_mark(tokens, start, "async")
    start += is_async
    if is_mark(tokens, start, "function"):
        start += 1 + is_mark(tokens, start + 1, "*")
        start += start < len(tokens) and tokens[start].kind == "name"
        return _called(script, name, start, is_async=is_async)
    return _called(script, name, start, is_async=is_async, is_arrow=True)


def _called(
    script: _Script, name: str, start: int, *, is_async: bool, is_arrow: bool = False
) -> Signature | None:
    """The signature whose parameters begin at a token, behind type parameters."""
    tokens = script.tokens
    if is_mark(tokens, start, "<"):
        depth = 0
        stop = min(start + _MOST_AHEAD, len(tokens))
        while start < stop:
            depth += is_mark(tokens, start, "<") - is_mark(tokens, start, ">")
            start += 1
            if not depth:
                break
    if not is_mark(tokens, start, "("):
        return None
    close = end_of_bracket(tokens, start)
    body = _body(tokens, close + 1, is_arrow=is_arrow)
    if body is None:
        return None
    return Signature(
        name,
        tokens[start].line,
        tuple(_parameters(script, start + 1, close)),
        script.shown(close + 1, body),
        is_script=True,
        is_typed=script.is_typed,
        is_async=is_async,
    )


def _body(tokens: list[Token], at: int, *, is_arrow: bool) -> int | None:
    """The token after a function's body; None where there is none, as with overloads."""
    has_arrow, stop = not is_arrow, min(len(tokens), at + _MOST_AHEAD)
    while at < stop and not is_mark(tokens, at, ";"):
        if is_mark(tokens, at, "=>"):
            has_arrow = True
            if not is_mark(tokens, at + 1, "{"):
                return _expression_end(tokens, at + 1) if is_arrow else None
        if is_mark(tokens, at, *_OPENING):
            of_type = is_mark(tokens, at - 1, ":", "|", "&", "<", ",")
            close = end_of_bracket(tokens, at)
            if is_mark(tokens, at, "{") and not of_type and has_arrow:
                return close + 1
            at = close
        elif is_mark(tokens, at, *_CLOSING, "=", "function", "export", "const"):
            return None
        at += 1
    return None


def _expression_end(tokens: list[Token], at: int) -> int:
    while at < len(tokens) and not is_mark(tokens, at, ";", ",", *_CLOSING, "export", "const"):
        at = past(tokens, at)
    return at


def _of_members(script: _Script, opening: int, owner: str) -> Iterator[Signature]:
    """Yield the methods of a class's body or of a table, without private ones."""
    tokens = script.tokens
    close, at = end_of_bracket(tokens, opening), opening + 1
    while at < close:
        token = tokens[at]
        if is_mark(tokens, at, *_OPENING):
            at = end_of_bracket(tokens, at) + 1
            continue
        is_name = token.kind == "name" and token.value not in _RESERVED
        if is_name and not is_mark(tokens, at - 1, ".", "=", "new", "#", "get", "set"):
            marks = set()
            before = at - 1
            while is_mark(tokens, before, *_MODIFIERS, "*"):
                marks.add(tokens[before].value)
                before -= 1
            found = None
            if is_mark(tokens, at + 1, "(", "<"):
                found = _called(script, token.value, at + 1, is_async="async" in marks)
            elif not owner and is_mark(tokens, at + 1, ":"):
                found = _assigned(script, token.value, at + 2)
            is_private = token.value.startswith("_") or marks & {"private", "protected"}
            if found and not is_private:
                is_made = token.value == "constructor"
                name = owner[:-1] if is_made else f"{owner}{token.value}"
                yield replace(found, name=name, is_static="static" in marks)
        at += 1


def _parameters(script: _Script, start: int, end: int) -> Iterator[Parameter]:
    tokens = script.tokens
    for begin, last in _split(tokens, start, end):
        first = begin
        while first + 1 < last and (
            is_mark(tokens, first, *_MODIFIERS) and not is_mark(tokens, first + 1, "=", ":", "?")
        ):
            first += 1
        if first >= last or is_mark(tokens, first, "this"):
            continue
        if is_mark(tokens, first, "."):
            name = next((t.value for t in tokens[first:last] if t.kind == "name"), "")
            yield Parameter(name, Passing.REST)
            continue
        at, entries = first + 1, tuple[Parameter, ...]()
        if is_mark(tokens, first, "{", "["):
            at = end_of_bracket(tokens, first)
            if is_mark(tokens, first, "{"):
                entries = tuple(_entries(script, first + 1, at))
            at += 1
        is_optional = is_mark(tokens, at, "?")
        default = _default(script, at, last)
        name = tokens[first].value if tokens[first].kind == "name" else ""
        yield Parameter(name, Passing.BY_PLACE, default, entries, is_optional)


def _entries(script: _Script, start: int, end: int) -> Iterator[Parameter]:
    for first, last in _split(script.tokens, start, end):
        if is_mark(script.tokens, first, "."):
            yield Parameter("rest", Passing.REST)
        elif script.tokens[first].kind in ("name", "text"):
            default = _default(script, first + 1, last)
            yield Parameter(script.tokens[first].value, Passing.BY_NAME, default)


def _default(script: _Script, at: int, last: int) -> str | None:
    """The text behind the `=` of a parameter."""
    while at < last and not is_mark(script.tokens, at, "="):
        at = past(script.tokens, at)
    return script.shown(at + 1, last) if at < last else None


def _split(tokens: list[Token], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the parts between the commas of a list, as first token and the one after the last."""
    first, at, angles, is_type = start, start, 0, False
    while at < end:
        if is_mark(tokens, at, *_OPENING):
            at = end_of_bracket(tokens, at)
        elif is_mark(tokens, at, ":"):
            is_type = True
        elif is_mark(tokens, at, "="):
            is_type = False
        elif is_type and is_mark(tokens, at, "<", ">"):
            angles = max(0, angles + (1 if tokens[at].value == "<" else -1))
        elif is_mark(tokens, at, ",") and not angles:
            if at > first:
                yield first, at
            first, is_type = at + 1, False
        at += 1
    if end > first:
        yield first, end
