"""Finds what a task's texts point to: documents of the repository, and pages of the web.

Documents are read from base: the pull request cannot write what is asked of it. What is linked demands
as the text does that links it; what is only named (`docs/spec.md`, or linked beside the task, as under
"References") is for a model to look at. What stands in code, quotations and comments points nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import unquote, urldefrag, urlsplit

from bot.task.sections import SectionKind, section_kind
from bot.text.markdown import read_document
from bot.values import IssueReference

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


def closing_issues(text: str, repository: str) -> tuple[IssueReference, ...]:
    """The issues that `text` closes, in order, each once; `repository` is meant where none is named.

    Keywords as in GitHub's "Linking a pull request to an issue"; code and HTML comments do not count.
    """
    found: dict[IssueReference, None] = {}
    for match in _CLOSING.finditer(_NOT_PROSE.sub(" ", text[:262_144])):
        number = match["url_number"] or match["number"] or match["gh"]
        found[IssueReference(match["url"] or match["name"] or repository, int(number))] = None
    return tuple(found)


_DOCUMENT = re.compile(r"[^\n\\?#:*|<>]+\.(?:md|markdown|rst|txt|adoc|docx|pdf)", re.IGNORECASE)
_NO_TASK = re.compile(
    r"(?i)(?:^|/)(?:contributing|code_of_conduct|changelog|changes|license|security|readme)[^/]*$"
)
_NO_TEXT = re.compile(
    r"(?i)\.(?:png|jpe?g|gif|svg|webp|ico|mp[34]|mov|webm|zip|gz|tgz|whl|exe|dmg|log)$"
)
_RAW = "https://raw.githubusercontent.com"
_MOST_BRANCH_PARTS = 4
_ANCHOR = re.compile(r"[\w-]{1,100}")


class Way(StrEnum):
    """How a text points to something."""

    DOCUMENT = "document"  # a link to a document of the repository
    NAMED = "named"  # a document that is named, or linked beside the task
    PAGE = "page"  # a link to a page of the web


@dataclass(frozen=True, slots=True)
class Pointer:
    """One thing that a text points to. `places` are the paths where a document may stand, the likeliest
    first, or a page's one address; `anchor` is the heading of a document that is meant."""

    way: Way
    places: tuple[str, ...]
    anchor: str = ""


def pointers(text: str, home: str) -> tuple[Pointer, ...]:
    """What a text points to, in its order. `home` is the repository's own address on the web, or empty."""
    document = read_document(text)
    found: list[Pointer] = []
    for link in document.links:
        try:
            address, anchor = urldefrag(link.target)
            parts = urlsplit(address)
        except ValueError:
            continue
        is_ours = bool(home) and f"{address}/".lower().startswith(f"{home}/".lower())
        is_page = parts.scheme in ("http", "https") and not is_ours
        if places := tuple(_places(address, home)):
            beside = section_kind(link.headings) is SectionKind.OTHER
            named = unquote(anchor).lower()
            named = named if _ANCHOR.fullmatch(named) else ""
            found.append(Pointer(Way.NAMED if beside else Way.DOCUMENT, places, named))
        elif is_page and parts.hostname and not _NO_TEXT.search(parts.path):
            found.append(Pointer(Way.PAGE, (address,)))
    found += [
        Pointer(Way.NAMED, (path,))
        for code in document.codes
        if (path := _path(code)) and not re.search(r"\s|\.(?i:docx|pdf)$", code)
    ]
    return tuple(dict.fromkeys(found))


def _places(address: str, home: str) -> Iterator[str]:
    """The paths of the repository that a link may mean; a branch's name may have slashes in it."""
    _, _, name = home.partition("://")
    owner = name.partition("/")[2]
    path = address.split("?", 1)[0]
    for door in (f"{home}/blob/", f"{home}/raw/", f"{_RAW}/{owner}/") if home else ():
        if path.lower().startswith(door.lower()):
            path = f"blob/{path[len(door) :]}"
    if "://" in path or path.startswith("//"):
        return
    if path.lower().startswith(f"/{owner}/blob/".lower()) and owner:
        path = path[len(owner) + 2 :]
    path = re.sub(r"^(?:\.{1,2}/)+", "", path)
    if not path.startswith("blob/"):
        yield from filter(None, [_path(path)])
        return
    below = path.split("/")[2:]
    for skipped in range(min(len(below), _MOST_BRANCH_PARTS)):
        yield from filter(None, [_path("/".join(below[skipped:]))])


def _path(text: str) -> str:
    """The path of a document that may say what is asked; empty for anything else."""
    path = unquote(text).removeprefix("./").lstrip("/")
    is_one = _DOCUMENT.fullmatch(path) and ".." not in path.split("/")
    return path if is_one and not _NO_TASK.search(path) else ""


def section_of(text: str, anchor: str) -> str:
    """The part of a document under the heading that an anchor names; the whole where there is none."""
    lines = text.splitlines()
    level, start, fenced = 0, 0, False
    for number, line in enumerate(lines):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        heading = None if fenced else re.match(r"(#{1,6})\s+(.*)", line.rstrip("# \t\r"))
        if heading and level and len(heading[1]) <= level:
            return "\n".join(lines[start:number])
        if heading and not level:
            named = re.sub(r"[^\w\- ]", "", heading[2].lower())  # as GitHub does
            if named.replace(" ", "-") == anchor:
                level, start = len(heading[1]), number
    return "\n".join(lines[start:]) if level else text
