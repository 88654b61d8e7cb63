"""Reads tests of other languages than Python into the same values, so that the same rules weigh them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.judge.assertions import Assertion
from bot.judge.integrity.blocks import Text, read_text
from bot.judge.integrity.languages import SCRIPT, SHELL, Language, strength_of
from bot.judge.test_code import CodeOfTest, CodeOfTests

MAX_TESTS = 3000
MAX_ASSERTION = 400
_TOLERANCE = re.compile(
    r"(?:closeTo|CloseTo|_NEAR|inDelta|InDelta|InEpsilon|assertEquals)\s*\([^;\n]*,\s*([\d.eE+-]+)\s*\)"
)
_DIGITS = re.compile(r"toBeCloseTo\([^;\n]*,\s*(\d+)\s*\)")
_CATCH = re.compile(r"\bcatch\b\s*(?:\([^)]*\))?\s*\{|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{")
_LOUD = re.compile(r"\b(?:throw|fail\w*|expect|assert\w*|reject|t\.\w+)\b|panic!")
_TRY = re.compile(r"\btry\b\s*\{")
_RETURN = re.compile(r"^\s*(?:return|process\.exit\(0\))\s*;?\s*$", re.MULTILINE)
_FORGIVEN = re.compile(r"\|\|\s*(?:true|:)\s*$", re.MULTILINE)


def read_other_tests(source: str, language: Language) -> CodeOfTests:
    """The tests of one file, in order; at most 3,000."""
    text = read_text(source, is_shell=language.is_shell)
    tests: list[CodeOfTest] = []
    seen: dict[str, int] = {}
    for match in language.start.finditer(text.code):
        if len(tests) == MAX_TESTS:
            break
        test = _test(match, text, language)
        if test is None:
            continue
        count = seen[test.name] = seen.get(test.name, 0) + 1
        tests.append(test if count == 1 else _numbered(test, count))
    skips = (*(m.group().strip() for m in language.module_skip.finditer(source)),)
    narrow = (f"{m.group()} leaves out the others" for m in language.narrow.finditer(text.bare))
    return CodeOfTests(tuple(tests), (*skips, *narrow))


def _numbered(test: CodeOfTest, count: int) -> CodeOfTest:
    return CodeOfTest(
        f"{test.name} ({count})", test.line, test.end_line, test.assertions, test.skips,
        test.swallowed, test.returns_early, test.body,
    )  # fmt: skip


def _test(match: re.Match[str], text: Text, language: Language) -> CodeOfTest | None:
    groups = match.groupdict()
    name = next((groups[key] for key in ("name", "inner", "macro", "plain") if groups.get(key)), "")
    start = match.start() + (len(match["head"]) if groups.get("head") else 0)
    opening = text.bare.find(language.opens, start if language is SCRIPT else match.end())
    if not name or opening < 0 or opening > match.end() + 400:
        return None
    end = text.end_of_block(opening)
    body, bare = text.code[opening:end], text.bare[opening:end]
    heading = groups.get("head") or text.code[match.start() : opening] + _before(text, match)
    skips = [m.group().strip() for part in (heading, bare) for m in language.skip.finditer(part)]
    return CodeOfTest(
        name=" ".join(name.split())[:200],
        line=text.line_at(match.start()),
        end_line=text.line_at(end),
        assertions=tuple(_assertions(opening, end, text, language)),
        skips=tuple(dict.fromkeys(skips)),
        swallowed=_swallowed(body, language),
        returns_early=_returns_early(bare, language),
        body=" ".join(body.split()),
    )


def _before(text: Text, match: re.Match[str]) -> str:
    """The annotations that stand above a test."""
    above = text.code[max(0, match.start() - 1000) : match.start()].rsplit("}", 1)[-1]
    return "\n".join(
        line for line in above.splitlines()[-6:] if line.strip().startswith(("@", "#"))
    )


def _assertions(start: int, end: int, text: Text, language: Language) -> Iterator[Assertion]:
    for match in language.assertion.finditer(text.bare, start, end):
        whole = _statement(match, text, end, language)
        yield Assertion(
            text=whole,
            subject=_subject(whole),
            strength=strength_of(whole),
            line=text.line_at(match.start()),
            tolerance=_tolerance(whole),
            is_raise=bool(re.search(r"(?i)throw|raises|panic", whole)),
            has_match=bool(re.search(r"(?i)throw\w*\([^)]*\w", whole)),
        )


def _statement(match: re.Match[str], text: Text, end: int, language: Language) -> str:
    """An assertion with all that is called on it: `expect(a).not.toBe(b)`."""
    if language is SHELL:
        stop = text.bare.find("\n", match.end())
        return text.code[match.start() : stop if stop >= 0 else end].strip()[:MAX_ASSERTION]
    stop = text.end_of_block(match.end() - 1)
    while follows := re.compile(r"\s*\.\s*[\w$.]+\s*(\()?").match(text.bare, stop, end):
        stop = text.end_of_block(follows.end() - 1) if follows.group(1) else follows.end()
    return " ".join(text.code[match.start() : stop].split())[:MAX_ASSERTION]


def _subject(assertion: str) -> str:
    """What is looked at: the first argument of the first call."""
    inside = assertion.partition("(")[2]
    return re.split(r"[,)]", inside, maxsplit=1)[0].strip() or assertion


def _tolerance(assertion: str) -> float:
    if digits := _DIGITS.search(assertion):
        return float(10.0 ** -min(int(digits.group(1)), 300))
    found = _TOLERANCE.search(assertion)
    try:
        return float(found.group(1)) if found else 0.0
    except ValueError:
        return 0.0


def _swallowed(body: str, language: Language) -> int:
    """How many assertions stand where a failure is caught and nothing is made of it."""
    if language is SHELL:
        return sum(bool(language.assertion.search(line)) for line in _forgiven_lines(body))
    text = read_text(body)
    hidden = 0
    for attempt in _TRY.finditer(text.bare):
        end = text.end_of_block(attempt.end() - 1)
        handler = _CATCH.search(text.bare, end, end + 80)
        if handler is None:
            continue
        closing = text.end_of_block(handler.end() - 1)
        if not _LOUD.search(text.bare, handler.end(), closing):
            inside = language.assertion.finditer(text.bare, attempt.end(), end)
            hidden += sum(1 for _ in inside)
    return hidden


def _forgiven_lines(body: str) -> list[str]:
    return [line for line in body.splitlines() if _FORGIVEN.search(line)]


def _returns_early(bare: str, language: Language) -> bool:
    """Whether the body's own level returns before its end."""
    if language is SHELL:
        return False
    start = bare.find("{") + 1
    depth = 0
    for line in bare[start:].splitlines()[:-1]:
        if depth == 0 and _RETURN.match(line):
            return True
        depth += sum(c in "({[" for c in line) - sum(c in ")}]" for c in line)
    return False
