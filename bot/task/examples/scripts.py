"""Takes JavaScript apart that a task shows: its statements, the comments beside them, lines at a prompt.

There is no parser for it on this side of the sandbox. What is no statement fails there, and shows nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

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
            is_below = bool(found) and not above and comment and _looks_back(lines, at, comment)
            if is_below:
                found[-1] = _with(found[-1], comment)
            above = above if comment else not line.strip()
            continue
        code = f"{code}\n{said}" if code else said
        above = False
        if _is_open(code):
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
                found[-1] = Line(last.code, last.shown, last.comments, output)
    return tuple(found)


def _looks_back(lines: list[str], at: int, comment: str) -> bool:
    """Whether a comment of its own line speaks of the statement above it."""
    below = next((one.strip() for one in lines[at + 1 :] if not one.strip().startswith("//")), "")
    return not below or re.match(r"=+>|-+>|→|⇒", comment) is not None


def _with(line: Line, comment: str) -> Line:
    return Line(line.code, line.shown, (*line.comments, comment), line.output)


def _line(code: str, comment: str) -> Line:
    plain = code.rstrip(";").strip()
    declared = _DECLARED.match(plain)
    shown = declared["name"] if declared else plain
    if not declared and (_STATEMENT.match(plain) or _ASSIGNED.match(plain)):
        shown = ""
    return Line(code, shown, (comment,) if comment else ())


def _apart(line: str) -> tuple[str, str]:
    """A line's code, and the comment behind it."""
    quote, at = "", 0
    while at < len(line):
        one = line[at]
        if quote:
            at += one == "\\"
            quote = "" if one == quote else quote
        elif one in "'\"`":
            quote = one
        elif line.startswith("//", at):
            return line[:at].rstrip(), line[at:].lstrip("/").strip()
        at += 1
    return line.rstrip(), ""


def _is_open(code: str) -> bool:
    """Whether brackets are still open, so that the next line belongs to the same statement."""
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
        at += 1
    return bool(waiting) or quote == "`"
