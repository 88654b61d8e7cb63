"""Reads what tests of other languages than Python ask: which literals they bring together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.integrity.reading.answers import TestExpectations
from bot.integrity.reading.languages import NATIVE, SCRIPT, Language
from bot.integrity.reading.other_tests import read_other_tests
from bot.integrity.reading.test_code import CodeOfTest
from bot.integrity.reading.tokens import (
    Token,
    assigned_names,
    constants_of,
    end_of_bracket,
    is_mark,
    literal_at,
    read_tokens,
)

MAX_SOURCE = 400_000
MOST_ROWS = 2000
MOST_SIDE = 40  # tokens of one side of a comparison
_COMPARES = ("==", "===", "!=", "!==")
_ENDS_SIDE = ("&&", "||", ";", "{", "}", "if", "return", ",", "=", ":=", "?")
_RESULT_KEYS = {"expected", "expect", "want", "wanted", "output", "result", "out", "exp"}


@dataclass(frozen=True, slots=True)
class _Equality:
    """One comparison: the literals that go in, the one expected, the function that is called."""

    inputs: frozenset[str]
    result: str
    called: str


@dataclass(frozen=True, slots=True)
class _NamesInTest:
    """What the names of a test stand for: one literal, or a call with literals inside."""

    literals: dict[str, str]
    worked: dict[str, _Equality]


def questions_in_text(source: str, language: Language) -> Iterator[TestExpectations]:
    """What each test of a file asks; a C program without test functions is one test."""
    is_script = language is SCRIPT
    file = read_tokens(source[:MAX_SOURCE], is_script=is_script)
    constants, file_rows = constants_of(file), frozenset(_rows(file))
    tests = read_other_tests(source, language).tests
    if language is NATIVE and not tests:
        tests = (CodeOfTest("main", 1, (), (), 0, False, source[:MAX_SOURCE]),)
    for test in tests:
        body = read_tokens(test.body, is_script=is_script)
        names = _NamesInTest(constants | constants_of(body), _worked(body, constants))
        said = (read_tokens(one.text, is_script=is_script) for one in test.assertions)
        every = [asked for tokens in said for asked in _called_with(tokens, names)]
        for at in range(len(body)):
            if not is_mark(body, at, *_COMPARES):
                continue
            start, end = _side(body, at, -1), _side(body, at, 1)
            left = literal_at(body, start, names.literals)
            right = literal_at(body, at + 1, names.literals)
            if right and right.end >= end:
                every.append(_worked_out(body[start:at], right.text, names))
            elif left and left.end == at:
                every.append(_worked_out(body[at + 1 : end], left.text, names))
        found = [asked for asked in every if asked.inputs]
        asserted = frozenset((asked.inputs, asked.result) for asked in found)
        pairs = {(given, asked.result) for asked in found for given in asked.inputs}
        rows = frozenset(_rows(body)) or (frozenset() if asserted else file_rows)
        calls = frozenset((asked.called, asked.result) for asked in found if asked.called)
        yield TestExpectations(test.name, frozenset(pairs | rows), asserted, calls)


def _called_with(tokens: list[Token], names: _NamesInTest) -> Iterator[_Equality]:
    """`expect(f(17)).toBe(289)`, `assertEquals(289, f(17))`: literals of the outer calls are expected."""
    results: list[str] = []
    inputs: set[str] = set()
    called, depth, at = "", 0, 0
    while at < len(tokens):
        token = tokens[at]
        known = names.worked.get(token.value) if token.kind == "name" else None
        literal = literal_at(tokens, at, names.literals) if depth else None
        if literal:
            results += [literal.text] if depth == 1 else []
            inputs |= {literal.text} if depth > 1 else set()
            at = literal.end
            continue
        if known:
            inputs |= known.inputs
            called = called or known.called
        elif depth == 1 and token.kind == "name" and is_mark(tokens, at + 1, "("):
            called = called or token.value
        if token.kind == "mark":
            depth += (token.value in "([{") - (token.value in ")]}")
        at += 1
    yield from (_Equality(frozenset(inputs), result, called) for result in results)


def _side(tokens: list[Token], at: int, step: int) -> int:
    """Where one side of a comparison begins, or ends."""
    opening, closing = ("([{", ")]}") if step > 0 else (")]}", "([{")
    depth, place = 0, at + step
    for _ in range(MOST_SIDE):
        if not 0 <= place < len(tokens):
            break
        token = tokens[place]
        if depth == 0 and (is_mark(tokens, place, *_ENDS_SIDE) or _is_in(token, closing)):
            break
        depth += _is_in(token, opening) - _is_in(token, closing)
        place += step
    return place + 1 if step < 0 else place


def _is_in(token: Token, marks: str) -> bool:
    return token.kind == "mark" and token.value in marks


def _worked_out(tokens: list[Token], result: str, names: _NamesInTest) -> _Equality:
    """An expression's literals, also those behind the names in it, and the function that it calls."""
    inputs: set[str] = set()
    called, at = "", 0
    while at < len(tokens):
        token = tokens[at]
        literal = literal_at(tokens, at, names.literals)
        known = names.worked.get(token.value) if token.kind == "name" else None
        if literal:
            inputs.add(literal.text)
        elif known:
            inputs |= known.inputs
            called = called or known.called
        elif token.kind == "name" and is_mark(tokens, at + 1, "(") and not called:
            called = token.value
        at = literal.end if literal else at + 1
    return _Equality(frozenset(inputs), result, called)


def _worked(body: list[Token], constants: dict[str, str]) -> dict[str, _Equality]:
    """Names that are given the result of a call: `const got = await f(17)`, `got := f(17)`."""
    found: dict[str, _Equality] = {}
    plain = _NamesInTest(constants | constants_of(body), {})
    for name, first in assigned_names(body):
        start = first
        while is_mark(body, start, "await", "new", "&", "*"):
            start += 1
        end = start  # the token after `a.b(17).c()`
        while end < len(body) and (body[end].kind == "name" or is_mark(body, end, ".", "::", "(")):
            if end > start and body[end].kind == body[end - 1].kind == "name":
                break
            if not is_mark(body, end, "("):
                end += 1
                continue
            end = end_of_bracket(body, end) + 1
            if not is_mark(body, end, ".", "(", "::"):
                break
        asked = _worked_out(body[start:end], "", plain)
        if asked.called and asked.inputs:
            found[name] = asked
    return found


def _rows(tokens: list[Token]) -> Iterator[tuple[str, str]]:
    """Pairs of literals in a row of a table: `[17, 289]`, `{17, 289}`, `{in: 17, want: 289}`."""
    count = 0
    for at in range(len(tokens)):
        if not is_mark(tokens, at, "[", "{", "("):
            continue
        if is_mark(tokens, at, "(") and at and tokens[at - 1].kind == "name":
            continue  # a call
        cells = _cells(tokens, at)
        if len(cells) < 2:
            continue
        count += 1
        if count > MOST_ROWS:
            return
        results = [cell for key, cell in cells if key.lower() in _RESULT_KEYS] or [cells[-1][1]]
        yield from ((cell, results[0]) for _, cell in cells if cell != results[0])


def _cells(tokens: list[Token], opening: int) -> list[tuple[str, str]]:
    """Keys, where there are any, and literals of a bracket that holds nothing else."""
    found: list[tuple[str, str]] = []
    at = opening + 1
    while len(found) < 12:
        key = ""
        if is_mark(tokens, at + 1, ":"):
            key, at = tokens[at].value, at + 2
        cell = literal_at(tokens, at)
        if cell is None:
            return []
        found.append((key, cell.text))
        if is_mark(tokens, cell.end, "]", "}", ")"):
            return found
        if not is_mark(tokens, cell.end, ","):
            return []
        at = cell.end + 1
        if is_mark(tokens, at, "]", "}", ")"):
            return found
    return []
