"""Takes JavaScript apart that a task shows, and reads what a comment beside code says of its result.

There is no parser for it on this side of the sandbox. What is no statement fails there, and shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.task.examples.values import read_value
from bot.values import ExampleKind

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_DECLARED = re.compile(r"(?:const|let|var)\s+(?P<name>[A-Za-z_$][\w$]*)\s*=(?!=)")
_STATEMENT = re.compile(
    r"(?:const|let|var|function|class|import(?!\s*\()|export|if|for|while|do|return|throw|try|switch|async\s+function)\b"
)
_PROMPT = re.compile(r"> (?P<code>\S.*)")
_ASSIGNED = re.compile(r"[\w$.\[\]]+\s*(?:[-+*/]?=)(?![=>])")


@dataclass(frozen=True, slots=True)
class Line:
    """One statement. `shown` is the expression that its comments, or the output below it, speak of."""

    code: str
    shown: str
    comments: tuple[str, ...] = ()
    output: str = ""

    @property
    def is_expression(self) -> bool:
        """Whether the statement is what is shown, and not what makes it."""
        return self.code.rstrip(";") == self.shown


def read_lines(text: str) -> tuple[Line, ...]:
    """The statements of a block, each with the comments beside it and right below it."""
    found: list[Line] = []
    code, above = "", False
    lines = text.splitlines()
    for at, line in enumerate(lines):
        said, comment = _apart(line)
        if not said.strip() and not code:
            if found and not above and comment:
                # On a line of its own it is about the statement above by its sign, or with nothing below.
                rest = (one.strip() for one in lines[at + 1 :])
                below = next((one for one in rest if not one.startswith("//")), "")
                if not below or re.match(r"=+>|-+>|→|⇒", comment):
                    found[-1] = replace(found[-1], comments=(*found[-1].comments, comment))
            above = above if comment else not line.strip()
            continue
        code = f"{code}\n{said}" if code else said
        above = False
        if _scan(code)[1]:  # the next line belongs to the same statement
            continue
        found.append(_line(code.strip(), comment))
        code = ""
    return tuple(found)


def read_prompts(text: str) -> tuple[Line, ...]:
    """The lines of a session of `node`, each with what stands below; empty where the first has no prompt."""
    lines = text.strip("\n").splitlines()
    if not lines or not _PROMPT.match(lines[0]):
        return ()
    found: list[Line] = []
    for line in lines:
        prompt = _PROMPT.match(line)
        if prompt:
            code, comment = _apart(prompt["code"])
            found.append(_line(code.strip(), comment))
        elif found and line.strip():
            last = found[-1]
            if last.is_expression:  # below a declaration stands `undefined`
                output = f"{last.output}\n{line}".strip()
                found[-1] = replace(last, output=output)
    return tuple(found)


def _line(code: str, comment: str) -> Line:
    plain = code.rstrip(";").strip()
    declared = _DECLARED.match(plain)
    shown = declared["name"] if declared else plain
    if not declared and (_STATEMENT.match(plain) or _ASSIGNED.match(plain)):
        shown = ""
    return Line(code, shown, (comment,) if comment else ())


def _apart(line: str) -> tuple[str, str]:
    """A line's code, and the comment behind it."""
    at = _scan(line)[0]
    return line[:at].rstrip(), line[at:].lstrip("/").strip()


def _scan(code: str) -> tuple[int, bool]:
    """Where the first comment begins, and whether a bracket or a template is left open before it."""
    waiting: list[str] = []
    quote, at = "", 0
    while at < len(code):
        one = code[at]
        if quote:
            at += one == "\\"
            quote = "" if one == quote else quote
        elif one in "'\"`":
            quote = one
        elif one in _PAIRS:
            waiting.append(_PAIRS[one])
        elif waiting and one == waiting[-1]:
            waiting.pop()
        elif code.startswith("//", at):
            return at, bool(waiting)
        at += 1
    return len(code), bool(waiting) or quote == "`"


# --- what a comment beside code says of its result -------------------------------------------------


_LONGEST = 300
_MARK_EXPECTED = re.compile(
    r"(?:but {1,4})?(?:(?:this|it) {1,4})?"
    r"(?:should|must|shall|ought to|expected|expect|desired|want(?:ed)?)\b:? {0,4}"
    r"(?P<still>still {1,4}|stay {1,4}|remain {1,4})?"
    r"(?:(?:now|to|instead) {1,4})?"
    r"(?:be|return|give|print|output|equal|yield|produce|get|raise|throw)?:? {1,4}",
    re.IGNORECASE,
)
_MARK_KEPT = re.compile(
    r"(?:still|stays|remains|unchanged)\b:? {0,4}(?:is|returns|gives)?:? {0,4}", re.IGNORECASE
)
_MARK_ACTUAL = re.compile(
    r"(?:currently|actual(?:ly)?|today|got|wrong(?:ly)?|bug|incorrect(?:ly)?)\b:? {0,4}"
    r"(?:is|returns|gives|prints|raises|throws)?:? {0,4}",
    re.IGNORECASE,
)
_MARK_IS = re.compile(
    r"(?:=+>|-+>|→|⇒|(?:returns?|gives?|prints?|yields?|outputs?|raises|throws|evaluates to|result)\b:?)"
    r" {0,4}",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?P<turn>should (?:be|return|give|print|raise)|expected|instead of|rather than)\b:?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SaidResult:
    """One thing that is said of a piece of code: a result as text, and in which sense."""

    kind: ExampleKind
    result: str


def is_demand(comment: str) -> bool:
    """Whether a comment says what should be."""
    return _MARK_EXPECTED.match(comment) is not None


def said_in(comment: str, kind: ExampleKind, *, is_script: bool = False) -> Iterator[SaidResult]:
    """Read "should be 3", "=> 2 instead of 3", "currently 2"; `kind` is what a plain "=> 2" says here."""
    comment = comment.strip()[:_LONGEST]
    turn_before = _MARK_IS.match(comment) or _MARK_ACTUAL.match(comment)
    expected = _MARK_EXPECTED.match(comment)
    if not expected and turn_before:
        inner = _MARK_EXPECTED.match(comment, turn_before.end())
        if inner and _MARK_IS.match(comment):
            expected = inner
    marked = expected or _MARK_KEPT.match(comment) or turn_before
    if not marked:
        value = read_value(comment, is_script=is_script)
        is_telling = value is not None and isinstance(value[0], list | tuple | dict | str)
        if value and (kind is ExampleKind.EXPECTED or (is_telling and kind is ExampleKind.SHOWN)):
            yield SaidResult(kind, comment)
        return
    rest = comment[marked.end() :]
    turn = _TURN.search(rest)
    first = (
        rest[: turn.start()].rstrip(" ,;(#-\u2013\u2014").removesuffix("but").rstrip(" ,;")
        if turn
        else rest
    )
    second = rest[turn.end() :].strip(" :)") if turn else ""
    is_back = turn is not None and turn["turn"].lower() in ("instead of", "rather than")
    if expected:
        is_kept = expected["still"] is not None
        yield SaidResult(ExampleKind.KEPT if is_kept else ExampleKind.EXPECTED, first)
        if turn and is_back:
            yield SaidResult(ExampleKind.REPORTED, second)
    elif turn:
        yield SaidResult(ExampleKind.REPORTED, first)
        yield SaidResult(ExampleKind.EXPECTED, second)
    elif _MARK_ACTUAL.match(comment):
        yield SaidResult(ExampleKind.REPORTED, first)
    else:
        yield SaidResult(ExampleKind.KEPT if _MARK_KEPT.match(comment) else kind, first)
