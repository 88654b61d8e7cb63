"""Cuts program text of C-like languages into tokens, and reads the literals among them.

A literal is told by its text, as in `literals`: `17`, `"17"` and `16 + 1` are the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from bot.integrity.reading.literals import given_once

MOST_CELLS = 60  # of one literal
MOST_DEPTH = 8
_MOST_BITS = 128  # of a power
_WORD = r"\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`"
_REST = (
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)(?:[nfFdDlLuU]\w{0,4}|[iu]\d+)?"
    r"|(?P<mark>===|!==|==|!=|=>|->|:=|::|&&|\|\||\?\?|\?\.|<=|>=|\S)"
)
_COMMENT = r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
_PATTERN = (
    r"|(?P<pattern>(?<=[(,=:\[!&|?{};\n ])/(?![/*])"
    r"(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,200}/[a-z]*)"
)
_SCRIPT = re.compile(
    rf"{_COMMENT}|(?P<text>(?<!\\)(?:{_WORD}|'(?:\\.|[^'\\\n])*')){_PATTERN}{_REST}", re.DOTALL
)
_NATIVE = re.compile(
    rf"{_COMMENT}|(?P<text>(?<!\\)(?:{_WORD}|'(?:\\.[^'\n]{{0,8}}|[^'\\\n])')){_REST}", re.DOTALL
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_PLAIN = {"true", "false", "null", "undefined", "nil", "None", "NULL", "nullptr"}
_TURNS = {"to_string", "to_owned", "into", "as_str"}  # a literal that is only made another type


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of code. `kind` is text, pattern, name, number or mark; `value` is a text's content.

    `at` is its position in the source, `line` its line there (from 1).
    """

    kind: str
    value: str
    at: int
    line: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal by its text, and the token after it."""

    text: str
    end: int


def read_tokens(source: str, *, is_script: bool) -> list[Token]:
    """The tokens of a text without its comments; a template with holes in it is no text."""
    found: list[Token] = []
    line, counted = 1, 0
    for match in (_SCRIPT if is_script else _NATIVE).finditer(source):
        kind = match.lastgroup or ""
        if kind == "comment":
            continue
        value = match[kind]
        if kind == "text" and value[0] == "`" and "${" in value:
            kind = "pattern"
        elif kind == "text":
            # written blanks count once, as tests are read without their line ends
            single = re.sub(r"\s+", " ", value[1:-1])
            value = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), single)
        line += source.count("\n", counted, match.start())
        counted = match.start()
        found.append(Token(kind, value, counted, line))
    return found


def is_mark(tokens: list[Token], at: int, *values: str) -> bool:
    """Whether the token at a place is one of these marks or words."""
    return (
        0 <= at < len(tokens) and tokens[at].kind in ("mark", "name") and tokens[at].value in values
    )


def literal_at(tokens: list[Token], at: int, names: dict[str, str] | None = None) -> Literal | None:
    """The literal that begins at a token: word, number, list, table, a sum of them, a known name."""
    found = _product(tokens, at, names or {})
    while found and is_mark(tokens, found.end, "+", "-"):
        found = _joined(found, tokens, 1, _product(tokens, found.end + 1, names or {}))
    return found


def _product(tokens: list[Token], at: int, names: dict[str, str]) -> Literal | None:
    """A literal, or a product and powers of such, which bind closer than sums."""
    found = _single(tokens, at, names, 0)
    while found and is_mark(tokens, found.end, "*"):
        is_power = is_mark(tokens, found.end + 1, "*")
        following = found.end + 1 + is_power
        take = _single(tokens, following, names, 0) if is_power else None
        more = take if is_power else _product(tokens, following, names)
        found = _joined(found, tokens, 1 + is_power, more)
    return found


def _joined(one: Literal, tokens: list[Token], marks: int, more: Literal | None) -> Literal | None:
    """A small sum, product or power, or two words put together."""
    if more is None:
        return None
    mark, left, right = tokens[one.end].value * marks, one.text, more.text
    text = left + right if mark == "+" else None
    if all(re.fullmatch(r"-?\d{1,18}", side) for side in (left, right)):
        base, by = int(left), int(right)
        if mark == "**":
            text = str(base**by) if 0 <= by * base.bit_length() <= _MOST_BITS else None
        else:
            text = str({"+": base + by, "-": base - by, "*": base * by}[mark])
    return Literal(text, more.end) if text is not None else None


def _single(tokens: list[Token], at: int, names: dict[str, str], depth: int) -> Literal | None:
    if not 0 <= at < len(tokens) or depth > MOST_DEPTH:
        return None
    token = tokens[at]
    if is_mark(tokens, at, "[", "{"):
        return _listed(tokens, at, names, depth)
    if is_mark(tokens, at, "-") and at + 1 < len(tokens) and tokens[at + 1].kind == "number":
        return Literal("-" + _number(tokens[at + 1].value), at + 2)
    known = None
    if token.kind == "text":
        is_turned = is_mark(tokens, at + 1, ".") and is_mark(tokens, at + 2, *_TURNS)
        return Literal(token.value, at + 5 if is_turned else at + 1)  # after `.to_string()`
    if token.kind == "number":
        known = _number(token.value)
    elif token.kind == "name":
        known = token.value if token.value in _PLAIN else names.get(token.value)
    return Literal(known, at + 1) if known is not None else None


def _listed(tokens: list[Token], at: int, names: dict[str, str], depth: int) -> Literal | None:
    """A list or table whose parts are all literals: its text has no blanks."""
    opening, start = tokens[at].value, at
    parts: list[str] = []
    at += 1
    while at - start < MOST_CELLS and not is_mark(tokens, at, _CLOSING[opening]):
        key = ""
        if opening == "{" and is_mark(tokens, at + 1, ":"):
            key, at = tokens[at].value + ":", at + 2
        part = _single(tokens, at, names, depth + 1)
        if part is None:
            return None
        parts.append(key + part.text)
        at = part.end + is_mark(tokens, part.end, ",")
    if not is_mark(tokens, at, _CLOSING[opening]):
        return None
    return Literal(f"{opening}{','.join(parts)}{_CLOSING[opening]}", at + 1)


def _number(text: str) -> str:
    plain = text.replace("_", "")
    if plain[:2] in ("0x", "0X"):
        return str(int(plain, 16)) if len(plain) > 2 else plain
    whole = re.fullmatch(r"(\d{1,18})[eE]\+?(\d{1,2})", plain)  # 1e6
    return str(int(whole[1]) * 10 ** int(whole[2])) if whole else plain


def end_of_bracket(tokens: list[Token], opening: int, most: int = sys.maxsize) -> int:
    """The token that closes a bracket; the last one, of at most so many, when nothing does.

    Kinds are not told apart.
    """
    depth, end = 0, min(len(tokens), opening + most)
    for at in range(opening, end):
        if tokens[at].kind == "mark":
            depth += (tokens[at].value in "([{") - (tokens[at].value in ")]}")
            if depth <= 0:
                return at
    return end - 1


def past(tokens: list[Token], at: int) -> int:
    """The place after a token, or after the bracket that it opens."""
    return 1 + (end_of_bracket(tokens, at) if is_mark(tokens, at, *_CLOSING) else at)


def constants_of(tokens: list[Token]) -> dict[str, str]:
    """Names that are given one literal, once: `const a = 17`, `a := 17`, `let a = "b"`."""
    given = ((name, literal_at(tokens, at)) for name, at in assigned_names(tokens))
    return given_once((name, value.text if value else None) for name, value in given)


def assigned_names(tokens: list[Token]) -> Iterator[tuple[str, int]]:
    """Every name that is assigned something, and the token where that begins."""
    for at in range(1, len(tokens) - 1):
        if is_mark(tokens, at, "=", ":=") and tokens[at - 1].kind == "name":
            yield tokens[at - 1].value, at + 1
