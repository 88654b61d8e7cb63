"""Reads tests of other languages than Python into the same values, so that the same rules weigh them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.integrity.reading.languages import SHELL, Language, strength_of
from bot.integrity.reading.test_code import Assertion, CodeOfTest, CodeOfTests

_C_LIKE = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|(?<!\\)(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)"
    # a regular expression, which may hold quotes, brackets and `//`
    r"|(?<=[(,=:\[!&|?{};\n])[ \t]{0,40}/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,200}\]){1,200}/",
    re.DOTALL,
)
_SHELL_LIKE = re.compile(r"(?:(?<=\s)|^)#[^\n]*|(?<!\\)\"(?:\\.|[^\"\\])*\"|'[^']*'", re.MULTILINE)
_COMMENTS = ("//", "/*", "#")
_OPENS_BLOCK = "({["
_BRACKETS = re.compile(r"[(){}\[\]]")


@dataclass(frozen=True, slots=True)
class Text:
    """A program text three times, position for position: as it is, with comments blanked out (`code`),
    and with words blanked out too (`bare`)."""

    whole: str
    code: str
    bare: str
    line_ends: tuple[int, ...]
    closings: dict[int, int]

    def line_at(self, position: int) -> int:
        """The line of a position, from 1."""
        return bisect_left(self.line_ends, position) + 1

    def end_of_block(self, opening: int) -> int:
        """Where the bracket at `opening` closes; the end of the text when it never does."""
        return self.closings.get(opening, len(self.bare))


def read_text(source: str, *, is_shell: bool = False) -> Text:
    """Blank out comments, and strings beside them, so that only code is left where code is asked for."""
    pattern = _SHELL_LIKE if is_shell else _C_LIKE

    def without_comment(match: re.Match[str]) -> str:
        return _blank(match.group()) if match.group().startswith(_COMMENTS) else match.group()

    def without_word(match: re.Match[str]) -> str:
        text = match.group()
        return (
            _blank(text) if text.startswith(_COMMENTS) else text[0] + _blank(text[1:-1]) + text[-1]
        )

    bare = pattern.sub(without_word, source)
    # for every opening bracket the position after the one that closes it; kinds are not told apart
    closings: dict[int, int] = {}
    waiting: list[int] = []
    for bracket in _BRACKETS.finditer(bare):
        if bracket.group() in _OPENS_BLOCK:
            waiting.append(bracket.start())
        elif waiting:
            closings[waiting.pop()] = bracket.end()
    ends = tuple(match.start() for match in re.finditer("\n", source))
    return Text(source, pattern.sub(without_comment, source), bare, ends, closings)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


_STRING = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`)")
_WAITS = re.compile(r"(?i)throw|raises|reject|panic")
_FORBIDS = re.compile(r"(?i)(?:not|never|no)_?throw|\.not\.|\.resolves\b|notpanic")
_OPENING, _CLOSING = "([{", ")]}"


def _taken_apart(assertion: str, line: int) -> Assertion:
    """One assertion by its calls; brackets inside its strings are no brackets."""
    bare = _STRING.sub(lambda m: m[0][0] + "x" * (len(m[0]) - 2) + m[0][-1], assertion)
    # where the outermost round brackets open and close; an unclosed one ends with the text
    calls: list[tuple[int, int]] = []
    depth, opening = 0, 0
    for at, mark in enumerate(bare):
        if mark == "(":
            opening = opening if depth else at
            depth += 1
        elif mark == ")" and depth:
            depth -= 1
            calls += [] if depth else [(opening, at)]
    calls += [(opening, len(bare))] if depth else []
    chain, last = "", 0  # with nothing inside round brackets: `expect().toBe()`
    for start, end in calls:
        chain += bare[last : start + 1]
        last = end
    chain += bare[last:]
    arguments = [_arguments(bare, start, end) for start, end in calls]
    first = arguments[0] if arguments else []
    subject = assertion[first[0][0] : first[0][1]].strip() if first else ""
    wants = bool(_WAITS.search(chain)) and not _FORBIDS.search(chain)
    # `throws(what, Error)` tells it beside the code that runs; `expect(what).toThrow(Error)` alone
    needed = 1 if chain.lstrip().startswith("expect") else 2
    names_error = bool(arguments) and len(arguments[-1]) >= needed
    return Assertion(
        text=assertion,
        subject=subject or assertion,
        strength=strength_of(assertion, chain),
        line=line,
        tolerance=_tolerance(assertion),
        is_raise=wants,
        has_match=wants and names_error,
    )


def _arguments(bare: str, start: int, end: int) -> list[tuple[int, int]]:
    """The arguments of one call, blank ones left out."""
    depth, first = 0, start + 1
    found: list[tuple[int, int]] = []
    for at in range(start + 1, end + 1):
        mark = bare[at] if at < end else ","
        depth += (mark in _OPENING) - (mark in _CLOSING)
        if mark == "," and (depth <= 0 or at == end):
            found.append((first, at))
            first = at + 1
    return [(a, b) for a, b in found if bare[a:b].strip()]


MAX_SOURCE = 400_000
MAX_TESTS = 2000
MAX_BODY = 5000
MAX_ASSERTIONS = 300
MAX_ASSERTION = 400
MAX_CALLS = 8  # chained on one assertion
_TOLERANCE = re.compile(
    r"(?:closeTo|CloseTo|_NEAR|inDelta|InDelta|InEpsilon|assertEquals)\s*\([^;\n]{0,400},\s*([\d.eE+-]+)\s*\)"
)
_DIGITS = re.compile(r"toBeCloseTo\([^;\n]{0,400},\s*(\d+)\s*\)")
_CATCH = re.compile(
    r"\bcatch\b\s*+(?:\([^)]{0,200}\)\s*+)?\{|\.catch\(\s*+(?:\(\s*+\w*+\s*+\)|\w++)\s*+=>\s*+\{"
)
_LOUD = re.compile(
    r"\b(?:throw|fail\w*|expect|assert\w*|reject|t\.\w+)\b|panic!"
    r"|[\w$]\s{0,9}=\s{0,9}(?:e|ex|err|error|exception)\b"  # kept for what comes behind
)
_TRY = re.compile(r"\btry\b\s*\{")
_WHERE_THERE = re.compile(
    r"\bif\s{0,9}\((?P<what>[A-Za-z_$][\w$.?\[\]'\"-]{0,80})\)\s{0,9}\{?\s{0,40}(?:await\s)?"
    r"(?:assert[\w.]{0,40}|expect)\(\s{0,9}(?P=what)(?=\s{0,9}[,)])"
)
_AT_ONCE = re.compile(
    r"(?<!async )(?<!async)(?:\(\s{0,9}\)\s{0,9}=>|\bfunction\b\s{0,9}\w{0,80}\s{0,9}\(\s{0,9}\))\s{0,9}\Z"
)
"""How the function of a test begins that is given nothing to call at its end, and is over when it returns."""
_COMES_LATER = re.compile(r"\breturn\b")
_TIMER = re.compile(r"\b(?:set(?:Timeout|Interval|Immediate)|queueMicrotask|nextTick)\(")
_CLOCK = re.compile(
    r"(?i)fake_?timers|mock\.timers|\.tick\(|advanceTimers|run(?:All|OnlyPending)Tim|sinon"
)
_RETURN = re.compile(r"^[^\S\n]*+(?:return|process\.exit\(0\))[^\S\n]*+;?[^\S\n]*+$", re.MULTILINE)
_BRANCH = re.compile(
    r"\b(?:(?:if|for|while|switch|catch)\b[^{};]{0,250}|else|try|finally|do|default\s*:)\s*\Z"
)
_FORGIVEN = re.compile(r"\|\|[ \t]*(?:true|:)[ \t]*$", re.MULTILINE)
_FOLLOWS = re.compile(r"\s{0,40}\.\s{0,40}[\w$.]{1,80}\s{0,9}(\()?")


@dataclass(frozen=True, slots=True)
class _TestFile:
    """A test file, and where in it assertions stand and failures are hidden, found once."""

    text: Text
    language: Language
    asserted: tuple[re.Match[str], ...]
    hidden: tuple[int, ...]

    def within(self, start: int, end: int) -> list[re.Match[str]]:
        """The assertions between two positions, at most 300."""
        first = bisect_left(self.asserted, start, key=lambda m: m.start())
        last = bisect_left(self.asserted, end, key=lambda m: m.start())
        return list(self.asserted[first : min(last, first + MAX_ASSERTIONS)])

    def hidden_within(self, start: int, end: int) -> int:
        """How many assertions between two positions cannot be seen to fail."""
        return bisect_left(self.hidden, end) - bisect_left(self.hidden, start)


def read_other_tests(source: str, language: Language) -> CodeOfTests:
    """The tests of one file, in order; at most 2,000, of its first 400,000 characters."""
    text = read_text(source[:MAX_SOURCE], is_shell=language.is_shell)
    asserted = tuple(language.assertion.finditer(text.bare))
    file = _TestFile(text, language, asserted, tuple(sorted(_hidden(text, language, asserted))))
    tests: list[CodeOfTest] = []
    seen: dict[str, int] = {}
    for match in language.start.finditer(text.code):
        if len(tests) == MAX_TESTS:
            break
        test = _test(match, file)
        if test is None:
            continue
        count = seen[test.name] = seen.get(test.name, 0) + 1
        tests.append(test if count == 1 else replace(test, name=f"{test.name} ({count})"))
    skips = (*(m.group().strip() for m in language.module_skip.finditer(text.whole)),)
    narrow = (f"{m.group()} leaves out the others" for m in language.narrow.finditer(text.bare))
    return CodeOfTests(tuple(tests), (*skips, *narrow))


def _test(match: re.Match[str], file: _TestFile) -> CodeOfTest | None:
    text, language = file.text, file.language
    groups = match.groupdict()
    name = next((groups[key] for key in ("name", "inner", "macro", "plain") if groups.get(key)), "")
    start = match.start() + len(match["head"]) if groups.get("head") else match.end()
    opening = text.bare.find(language.opens, start, match.end() + 400)
    if not name or opening < 0:
        return None
    end = text.end_of_block(opening)
    bare = text.bare[opening : min(end, opening + MAX_BODY)]
    heading = groups.get("head") or text.code[match.start() : opening]
    if not groups.get("head"):
        # with the annotations that stand above
        above = text.code[max(0, match.start() - 1000) : match.start()].rsplit("}", 1)[-1]
        heading += "\n".join(
            line for line in above.splitlines()[-6:] if line.strip().startswith(("@", "#"))
        )
    skips = [m.group().strip() for m in language.skip.finditer(heading)]
    skips += [_with_reason(text, opening + m.start(), m) for m in language.skip.finditer(bare)]
    return CodeOfTest(
        name=" ".join(name.split())[:200],
        line=text.line_at(match.start()),
        assertions=tuple(_assertion(found, end, file) for found in file.within(opening, end)),
        skips=tuple(dict.fromkeys(skips)),
        swallowed=file.hidden_within(opening, end)
        + _late(opening, end, file)
        + _only_where_there(text.code[opening : opening + len(bare)]),
        returns_early=_returns_early(bare, language),
        body=" ".join(text.code[opening : opening + len(bare)].split()),
    )


def _late(opening: int, end: int, file: _TestFile) -> int:
    """How many assertions stand in a timer's function, in a test that neither waits nor moves the clock."""
    bare = file.text.bare[opening : min(end, opening + MAX_BODY)]
    begins = bare[: max(bare.find("{"), 0)]
    if not _AT_ONCE.search(begins) or _COMES_LATER.search(bare) or _CLOCK.search(file.text.bare):
        return 0
    timers = (opening + one.end() for one in _TIMER.finditer(bare))
    return sum(len(file.within(at, min(file.text.end_of_block(at - 1), end))) for at in timers)


def _only_where_there(code: str) -> int:
    """How many assertions of something stand behind the question whether it is there."""
    found = (one["what"] for one in _WHERE_THERE.finditer(code))
    roots = (re.escape(re.split(r"\W", one)[0]) for one in found)
    loop = r"\bfor\s{{0,9}}\((?:const|let|var)\s[^()]{{0,80}}(?<![\w$]){}(?![\w$])"
    return sum(re.search(loop.format(one), code) is None for one in roots)


def _with_reason(text: Text, start: int, match: re.Match[str]) -> str:
    """What leaves a test out, with all of the reason where it ends at the beginning of one."""
    end = start + len(match.group())
    quote = text.bare[end - 1]
    if quote in "\"'`":
        end = text.bare.find(quote, end) + 1 or end
    return " ".join(text.code[start:end].split())


def _assertion(match: re.Match[str], end: int, file: _TestFile) -> Assertion:
    """An assertion with all that is called on it: `expect(a).not.toBe(b)`."""
    text = file.text
    if file.language is SHELL:
        stop = text.bare.find("\n", match.end())
        whole = text.code[match.start() : stop if stop >= 0 else end].strip()[:MAX_ASSERTION]
    else:
        stop = text.end_of_block(match.end() - 1)
        for _ in range(MAX_CALLS):
            follows = _FOLLOWS.match(text.bare, stop, end)
            if follows is None:
                break
            stop = text.end_of_block(follows.end() - 1) if follows.group(1) else follows.end()
        stop = min(stop, match.start() + MAX_ASSERTION)
        whole = " ".join(text.code[match.start() : stop].split())
    return _taken_apart(whole, text.line_at(match.start()))


def _tolerance(assertion: str) -> float:
    if digits := _DIGITS.search(assertion):
        return float(10.0 ** -min(int(digits.group(1)), 300))
    found = _TOLERANCE.search(assertion)
    try:
        return float(found.group(1)) if found else 0.0
    except ValueError:
        return 0.0


def _hidden(text: Text, language: Language, asserted: tuple[re.Match[str], ...]) -> Iterator[int]:
    """Where assertions stand whose failure is caught and nothing is made of it."""
    if language is SHELL:
        forgiven = {text.line_at(match.start()) for match in _FORGIVEN.finditer(text.bare)}
        yield from (m.start() for m in asserted if text.line_at(m.end()) in forgiven)
        return
    for attempt in list(_TRY.finditer(text.bare))[:MAX_TESTS]:
        end = text.end_of_block(attempt.end() - 1)
        handler = _CATCH.search(text.bare, end, end + 80)
        if handler is None:
            continue
        closing = min(text.end_of_block(handler.end() - 1), handler.end() + MAX_BODY)
        if not _LOUD.search(text.bare, handler.end(), closing):
            first = bisect_left(asserted, attempt.end(), key=lambda m: m.start())
            inside = asserted[first : first + MAX_ASSERTIONS]
            yield from (m.start() for m in inside if m.start() < end)


def _returns_early(bare: str, language: Language) -> bool:
    """Whether the test itself returns before its last line, in a branch or not; functions in it may."""
    if language is SHELL:
        return False
    start, last = bare.find("{"), bare.rstrip().rfind("\n")
    for match in _RETURN.finditer(bare, start + 1):
        if match.start() >= last:
            continue
        opened: list[int] = []  # the curly brackets that are open there, the outermost first
        for at in range(start, match.start()):
            if bare[at] == "{":
                opened.append(at)
            elif bare[at] == "}" and opened:
                opened.pop()
        if opened and all(_BRANCH.search(bare, max(0, at - 300), at) for at in opened[1:]):
            return True
    return False
