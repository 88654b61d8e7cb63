"""Reads the Markdown form of a rubric back, strictly: what is approved is what stands in the comment.

The form has four headings in this order, a paragraph under the first and a list under each other.
Whatever else stands there is refused with its place: nobody approves what nobody reads.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from bot.text import visible
from bot.values import Rubric

HEADINGS = ("Root cause or intent", "Requirements", "Acceptable", "Unacceptable")
MOST_ITEMS = 20
MOST_CHARACTERS = 500
MOST_ROOT_CHARACTERS = 2_000

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")
_ITEM = re.compile(r"[-*+]\s+(?:\[[ xX]\]\s+)?(\S.*)")
_SPAN = re.compile(r"((?<!`)`+[^`]+`+)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_CODE = re.compile(r"</?code>")


class RubricProblem(ValueError):
    """A text is not a rubric; the message is a clause that says why."""


def read_form(text: str) -> Rubric:
    """Read the comment as it stands now. Raises RubricProblem; what stands before the form is skipped."""
    # Each heading with the lines below it, from the form's first heading on.
    heading, sections = "", dict[str, list[str]]()
    for line in visible(text).splitlines():
        found = _HEADING.fullmatch(line.strip())
        if found and (heading or found[1] == HEADINGS[0]):
            heading = found[1]
            if heading in sections:
                raise RubricProblem(f"the heading “{heading[:60]}” stands there twice")
            sections[heading] = []
        elif heading:
            sections[heading].append(line)
    if tuple(filter(None, sections)) != HEADINGS:  # one without words only ends what is above it
        wanted = ", ".join(f"“{heading}”" for heading in HEADINGS)
        raise RubricProblem(f"it needs exactly the headings {wanted}, in this order")
    root, *lists = (sections[heading] for heading in HEADINGS)
    requirements, acceptable, unacceptable = (
        tuple(_items(heading, lines)) for heading, lines in zip(HEADINGS[1:], lists, strict=True)
    )
    return checked(Rubric(_plain(" ".join(root)), requirements, acceptable, unacceptable))


def checked(rubric: Rubric) -> Rubric:
    """The rubric itself, when it says what it must and no more than people read. Raises RubricProblem."""
    if not rubric.root_cause:
        raise RubricProblem("it names no root cause or intent")
    if len(rubric.root_cause) > MOST_ROOT_CHARACTERS:
        raise RubricProblem(f"the root cause is longer than {MOST_ROOT_CHARACTERS} characters")
    if not rubric.requirements:
        raise RubricProblem("it lists no requirement")
    for heading, items in zip(
        HEADINGS[1:], (rubric.requirements, rubric.acceptable, rubric.unacceptable), strict=True
    ):
        if len(items) > MOST_ITEMS:
            raise RubricProblem(f"“{heading}” has more than {MOST_ITEMS} entries")
        if any(not item or len(item) > MOST_CHARACTERS for item in items):
            raise RubricProblem(
                f"an entry of “{heading}” is empty or longer than {MOST_CHARACTERS} characters"
            )
        if len(set(items)) < len(items):
            raise RubricProblem(f"“{heading}” says the same twice")
    return rubric


def _items(heading: str, lines: list[str]) -> Iterator[str]:
    """The entries of a list; an indented line goes on with the entry above it."""
    entry = ""
    for line in lines:
        found = _ITEM.fullmatch(line.strip()) if line[:1] not in (" ", "\t") else None
        if found:
            if entry:
                yield _plain(entry)
            entry = found[1]
        elif line.strip() and entry and line[:1] in (" ", "\t"):
            entry += f" {line.strip()}"
        elif line.strip():
            raise RubricProblem(f"“{line.strip()[:60]}” under “{heading}” is no entry of its list")
    if entry:
        yield _plain(entry)


def _plain(text: str) -> str:
    """Undo what the form's own escapes did; what people put between backticks stays as it is."""
    parts = _SPAN.split(text)
    parts[::2] = [html.unescape(_ESCAPED.sub(r"\1", _CODE.sub("`", part))) for part in parts[::2]]
    return " ".join(visible("".join(parts)).split())
