"""Reads ready-made answers out of other languages than Python: JavaScript, Go, Rust, Java, C and shell.

No grammar: branches, cases, arms, tables and functions are told by the tokens round their literals. Of shell
only numbers are read, answers and questions alike: words are how a `case` tells commands apart.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.integrity.reading.answers import Constant, ReadyAnswer, TestExpectations
from bot.integrity.reading.tokens import (
    Token,
    constants_of,
    end_of_bracket,
    is_mark,
    literal_at,
    read_tokens,
)

MAX_SOURCE = 400_000
MOST_CONDITION = 60  # tokens
_EQUALS = ("==", "===")
_BEGINS = ("return", "=", ",", ":", "?", ";", "=>", "yield")
_GOES_ON = (".", "+", "-", "*", "/", "%", "?", "(", "[", "&&", "||", "<", ">", "?.", "??")
_NO_FUNCTION = {"if", "for", "while", "switch", "catch", "match", "return", "await", "typeof"}


@dataclass(frozen=True, slots=True)
class ScannedSource:
    """One source file's tokens with what its names stand for."""

    tokens: list[Token]
    names: dict[str, str]


def open_source(text: str, *, is_script: bool) -> ScannedSource:
    """The tokens of the first 400,000 characters."""
    tokens = read_tokens(text[:MAX_SOURCE], is_script=is_script)
    return ScannedSource(tokens, constants_of(tokens))


def answers_in_source(source: ScannedSource) -> Iterator[ReadyAnswer]:
    """Every ready-made answer of a file, each function's and each table's apart."""
    tokens, place = source.tokens, "the module"
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token.kind not in ("mark", "name"):
            continue
        if token.kind == "mark" and token.value in "([{":
            opened.append(at)
            # `f(a) {`, `f = (a) =>`
            body = _body(tokens, end_of_bracket(tokens, at) + 1) if token.value == "(" else 0
            name = _name_before(tokens, at) if body else ""
            place = f"`{name}`" if name else place
        elif token.kind == "mark" and token.value in ")]}" and opened:
            opened.pop()
            place = place if opened or token.value != "}" else "the module"
        elif is_mark(tokens, at, "=>") and is_mark(tokens, at - 2, "=", "async"):
            place = f"`{_name_before(tokens, at - 1)}`"
        table = f"the table in line {tokens[opened[-1]].line} of {place}" if opened else place
        # the answers that this token begins or stands in the middle of
        value, line = token.value, token.line
        if value == "if":
            start, end = _condition(tokens, at + 1)
            result = _result(source, end)
            givens = _waited_for(source, start, end) if result is not None else ()
            yield from (ReadyAnswer(given, result or "", line, place) for given in givens)
        elif value == "?":
            chosen = literal_at(tokens, at + 1, source.names)
            if chosen and is_mark(tokens, chosen.end, ":"):
                givens = _waited_for(source, _begin(tokens, at), at)
                yield from (ReadyAnswer(given, chosen.text, line, place) for given in givens)
        elif value in ("case", "=>"):
            case = _case(source, at) if value == "case" else _arm(source, at)
            yield from (ReadyAnswer((given,), case[-1], line, place) for given in case[:-1])
        elif value in (":", ","):
            pair = _entry(source, at, opened) if value == ":" else _pair(source, at, opened)
            yield from (ReadyAnswer((given,), result, line, table) for given, result in pair)


# --- conditions ---------------------------------------------------------------------------------


def _condition(tokens: list[Token], at: int) -> tuple[int, int]:
    """First token of a condition and the one after it, with brackets round it or before a block."""
    if is_mark(tokens, at, "("):
        end = end_of_bracket(tokens, at)
        if not is_mark(tokens, end + 1, *_EQUALS, "&&", "||"):
            return at + 1, end + 1
    end = at
    while end < min(len(tokens), at + MOST_CONDITION) and not is_mark(tokens, end, "{"):
        end += 1
    return at, end


def _begin(tokens: list[Token], at: int) -> int:
    """Where the condition before a question mark begins."""
    depth, start = 0, at
    while start > max(0, at - MOST_CONDITION):
        before = tokens[start - 1]
        if before.kind == "mark" and before.value in "([{":
            depth -= 1
        elif before.kind == "mark" and before.value in ")]}":
            depth += 1
        if depth < 0 or (depth == 0 and is_mark(tokens, start - 1, *_BEGINS)):
            break
        start -= 1
    return start


def _waited_for(source: ScannedSource, start: int, end: int) -> Iterator[tuple[str, ...]]:
    """The literals that a condition waits for; several at once where they are joined by `and`."""
    together: list[str] = []
    first = start
    for at in range(start, min(end, start + MOST_CONDITION) + 1):
        is_or = is_mark(source.tokens, at, "||")
        if at < end and not is_or and not is_mark(source.tokens, at, "&&"):
            continue
        found = _compared(source, first, at)
        first = at + 1
        if len(found) > 1:
            yield from ((one,) for one in found)
        else:
            together += found
        if (is_or or at >= end) and together:
            yield tuple(together)
            together = []


def _compared(source: ScannedSource, start: int, end: int) -> list[str]:
    """What one comparison is with: `x == 17`, `17 === x`, `x.equals("a")`, `[17, 18].includes(x)`."""
    tokens, names = source.tokens, source.names
    while is_mark(tokens, start, "("):
        start += 1
    left = literal_at(tokens, start, names)
    for at in range(start, end):
        if is_mark(tokens, at, *_EQUALS):
            right = literal_at(tokens, at + 1, names)
            known = [
                side.text for side in (left if left and left.end == at else None, right) if side
            ]
            return known if len(known) == 1 else []
        if is_mark(tokens, at, "equals", "Equal", "eq") and is_mark(tokens, at + 1, "("):
            inside = literal_at(tokens, at + 2, names)
            return [inside.text] if inside else [left.text] if left else []
        if is_mark(tokens, at, "includes", "contains") and is_mark(tokens, start, "["):
            listed: list[str] = []
            place = start + 1
            while (element := literal_at(tokens, place, names)) is not None:
                listed.append(element.text)
                place = element.end + 1
            return listed
    return []


def _result(source: ScannedSource, at: int) -> str | None:
    """The literal that a branch gives back or assigns, where it does nothing else first."""
    tokens = source.tokens
    while is_mark(tokens, at, "{", ")"):
        at += 1
    if is_mark(tokens, at, "return", "yield"):
        at += 1
    elif is_mark(tokens, at + 1, "="):
        at += 2
    elif not is_mark(tokens, at - 1, "{"):
        return None
    found = literal_at(tokens, at, source.names)
    return found.text if found and not is_mark(tokens, found.end, *_GOES_ON) else None


# --- cases, arms and tables ---------------------------------------------------------------------


def _case(source: ScannedSource, at: int) -> list[str]:
    """The literals of a `case` and of those that fall through to it, then its result; or nothing."""
    tokens, found = source.tokens, list[str]()
    while is_mark(tokens, at, "case", ","):
        given = literal_at(tokens, at + 1, source.names)
        if given is None:
            return []
        found.append(given.text)
        at = given.end + is_mark(tokens, given.end, ":")
    if is_mark(tokens, at, "->"):
        plain = literal_at(tokens, at + 1, source.names)
        return [*found, plain.text] if plain and is_mark(tokens, plain.end, ";") else []
    result = _result(source, at)
    return [*found, result] if found and result is not None else []


def _arm(source: ScannedSource, at: int) -> list[str]:
    """Rust's `17 | 18 => 289,`."""
    tokens, found = source.tokens, list[str]()
    result = literal_at(tokens, at + 1, source.names)
    if result is None or not is_mark(tokens, result.end, ",", "}"):
        return []
    while at > 0 and tokens[at - 1].kind in ("text", "number"):
        is_negative = is_mark(tokens, at - 2, "-")
        given = literal_at(tokens, at - 1 - is_negative)
        found.append(given.text if given else "")
        at -= 1 + is_negative
        if not is_mark(tokens, at - 1, "|"):
            break
        at -= 1
    return [*found, result.text] if found else []


def _entry(source: ScannedSource, at: int, opened: list[int]) -> list[tuple[str, str]]:
    """`17: 289` in a table."""
    tokens = source.tokens
    if not opened or not is_mark(tokens, opened[-1], "{") or not is_mark(tokens, at - 2, "{", ","):
        return []
    value = literal_at(tokens, at + 1, source.names)
    if value is None or not is_mark(tokens, value.end, ",", "}"):
        return []
    key = tokens[at - 1]
    given = literal_at(tokens, at - 1) if key.kind != "name" else None
    return [(given.text if given else key.value, value.text)]


def _pair(source: ScannedSource, at: int, opened: list[int]) -> list[tuple[str, str]]:
    """`[17, 289]` in a list of such pairs."""
    tokens = source.tokens
    if len(opened) < 2 or not is_mark(tokens, opened[-2], "[", "{"):
        return []
    if not is_mark(tokens, opened[-1] - 1, "[", "{", ","):
        return []
    given = literal_at(tokens, opened[-1] + 1, source.names)
    result = literal_at(tokens, at + 1, source.names)
    if given is None or result is None or given.end != at:
        return []
    return [(given.text, result.text)] if is_mark(tokens, result.end, "]", "}", ")") else []


# --- functions ----------------------------------------------------------------------------------


def _name_before(tokens: list[Token], opening: int) -> str:
    at = opening - 1
    while is_mark(tokens, at, "function", "async", "=", "*"):
        at -= 1
    if at < 0 or tokens[at].kind != "name" or tokens[at].value in _NO_FUNCTION:
        return ""
    return tokens[at].value


def _body(tokens: list[Token], at: int) -> int:
    """The first token of a function's body after its parameters and the type of its result; or 0."""
    for end in range(at, min(at + 12, len(tokens))):
        if is_mark(tokens, end, "=>"):
            return end + 1 + is_mark(tokens, end + 1, "{")
        if is_mark(tokens, end, "{"):
            return end + 1
        if is_mark(tokens, end, ";", "=", ",", ")", "}", "return", "&&", "||", "?"):
            return 0
    return 0


def constants_in_source(source: ScannedSource) -> Iterator[Constant]:
    """Functions with parameters that give one literal back whatever comes in."""
    tokens = source.tokens
    for opening in range(1, len(tokens)):
        name, body = "", 0
        if is_mark(tokens, opening, "("):
            takes_something = not is_mark(tokens, opening + 1, ")")
            name = _name_before(tokens, opening) if takes_something else ""
            body = _body(tokens, end_of_bracket(tokens, opening) + 1) if name else 0
        elif is_mark(tokens, opening + 1, "=>") and is_mark(tokens, opening - 1, "=", "async"):
            name, body = _name_before(tokens, opening), _body(tokens, opening + 1)
        result = literal_at(tokens, body + is_mark(tokens, body, "return")) if body else None
        if result and is_mark(tokens, result.end, ";", "}", ",", ")"):
            yield Constant(name, result.text, tokens[body].line)


# --- shell: numbers that become other numbers ----------------------------------------------------

_MOST_FOUND = 2000
_LONGEST_LINE = 500
_NEXT_LINE = r"[ \t]*(?:\n[ \t]*)?"
_NUMBER = r"[\"']?(-?\d{1,40}(?:\.\d{1,40})?)[\"']?"
_GIVES = (
    rf"(?:echo|printf)[ \t]+(?:(?:--|['\"]?%[sd](?:\\n)?['\"]?)[ \t]+)?{_NUMBER}[ \t]*(?=[;}}|&]|$)"
)
_SHELL_FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+)?(\w{1,80})[ \t]*\([ \t]*\)", re.MULTILINE)
_SHELL_ANSWERS = (
    re.compile(rf"(?:^|\bin\b|;;|\()[ \t]*{_NUMBER}[ \t]*\){_NEXT_LINE}{_GIVES}", re.MULTILINE),
    re.compile(
        rf"(?:=|==|-eq)[ \t]+{_NUMBER}[ \t]*(?:\]\]?|\)\))?[ \t]*(?:;|&&){_NEXT_LINE}"
        rf"(?:then{_NEXT_LINE})?(?:\{{[ \t]*)?{_GIVES}",
        re.MULTILINE,
    ),
)
_ASKED = re.compile(
    rf"\$\([ \t]*\w{{1,80}}[ \t]+([^()\n]{{1,200}}?)[ \t]*\)[\"']?[ \t]+(?:=|==|!=|-eq|-ne)[ \t]+{_NUMBER}"
)
_WORD = re.compile(r"[^\s\"']+")


def answers_in_shell(text: str) -> Iterator[ReadyAnswer]:
    """Every arm of a `case` and every branch that turns one number into another, by function."""
    text = _plain(text)
    named = [(found.start(), found[1]) for found in _SHELL_FUNCTION.finditer(text)]
    for pattern in _SHELL_ANSWERS:
        for found in islice(pattern.finditer(text), _MOST_FOUND):
            at = bisect_right(named, found.start(), key=lambda one: one[0])
            place = f"`{named[at - 1][1]}`" if at else "the script"
            line = text.count("\n", 0, found.start(1)) + 1
            yield ReadyAnswer((found[1],), found[2], line, place)


def questions_in_shell(text: str, name: str) -> Iterator[TestExpectations]:
    """What a script asks of the output of commands, as one test: `[ "$(twice 4)" = 8 ]`."""
    found = islice(_ASKED.finditer(_plain(text)), _MOST_FOUND)
    asked = frozenset((frozenset(_WORD.findall(one[1])), one[2]) for one in found)
    if asked:
        pairs = frozenset((given, result) for words, result in asked for given in words)
        yield TestExpectations(name, pairs, asked, frozenset())


def _plain(text: str) -> str:
    """A script without comments, its lines cut."""
    lines = text[:MAX_SOURCE].splitlines()
    return "\n".join("" if one.lstrip().startswith("#") else one[:_LONGEST_LINE] for one in lines)
