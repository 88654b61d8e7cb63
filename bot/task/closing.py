"""Finds the issues that a text closes, by GitHub's own keywords."""

from __future__ import annotations

import re
from dataclasses import dataclass

_KEYWORD = r"(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)"
_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}"
_TARGET = (
    rf"(?:https?://[A-Za-z0-9.-]+/(?P<url>{_NAME})/issues/(?P<url_number>[1-9]\d{{0,8}})"
    rf"|(?P<name>{_NAME})?\#(?P<number>[1-9]\d{{0,8}})"
    r"|GH-(?P<gh>[1-9]\d{0,8}))"
)
_CLOSING = re.compile(
    rf"(?<![\w/-]){_KEYWORD}(?:\s{{0,9}}:)?\s{{1,9}}{_TARGET}(?![\w-])", re.IGNORECASE
)
_NOT_PROSE = re.compile(r"<!--.*?(?:-->|\Z)|```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]*`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class IssueReference:
    """One issue; `repository` is `owner/name`."""

    repository: str
    number: int


def closing_issues(text: str, repository: str) -> tuple[IssueReference, ...]:
    """The issues that `text` closes, in order, each once; `repository` is meant where none is named.

    Keywords as in GitHub's "Linking a pull request to an issue"; code and HTML comments do not count.
    """
    found: dict[IssueReference, None] = {}
    for match in _CLOSING.finditer(_NOT_PROSE.sub(" ", text[:262_144])):
        number = match["url_number"] or match["number"] or match["gh"]
        found[IssueReference(match["url"] or match["name"] or repository, int(number))] = None
    return tuple(found)
