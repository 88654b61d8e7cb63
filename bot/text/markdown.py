"""Reads Markdown for what it lists: items with the heading and the sentence they stand under.

Quotations and HTML (comments too) are left out: nothing is demanded there. Code blocks stand apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

MAX_CHARACTERS = 65_536  # GitHub's own limit of one body
_PARSER = MarkdownIt("commonmark", {"maxNesting": 30})  # parsing leaves nothing in it
_ADDRESS = re.compile(r"https?://[^\s<>()\[\]{}|\\^`\"]+")


@dataclass(frozen=True, slots=True)
class ListItem:
    """One list item. `ticked` is None when it is no check-list item, `number` 0 when not numbered.

    `headings` are the headings above it, outermost first; `lead` the paragraph just before its list;
    `parent` the index of the item it is nested in, or -1.
    """

    text: str
    ticked: bool | None
    number: int
    headings: tuple[str, ...]
    lead: str
    parent: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph or list item as words, with the headings above it, outermost first."""

    text: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One block of code, with the headings above it, the paragraph just before it (in a list, its item's
    text) and the first word of its info string, in lower case."""

    text: str
    headings: tuple[str, ...]
    lead: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """Where a link or a bare address leads, with the headings above it, outermost first."""

    target: str
    headings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """What one Markdown text holds: its list items in order, its running text in passages, its links,
    what stands between backticks, and its blocks of code."""

    items: tuple[ListItem, ...]
    passages: tuple[Paragraph, ...]
    links: tuple[Link, ...]
    codes: tuple[str, ...]
    blocks: tuple[CodeBlock, ...]


@lru_cache(maxsize=8)  # several look at the same text in turn
def read_document(text: str) -> Document:
    """Parse one body (at most 65,536 characters are read); never raises on any text."""
    cleaned = text[:MAX_CHARACTERS].replace("\x00", "")
    walker = _Walker()
    for token in _PARSER.parse(cleaned):
        walker.take(token)
    return Document(
        tuple(walker.items),
        tuple(walker.passages),
        tuple(walker.links),
        tuple(walker.codes),
        tuple(walker.blocks),
    )


class _Walker:
    """Follows the flat token stream, holding where it stands."""

    def __init__(self) -> None:
        self.items: list[ListItem] = []
        self.passages: list[Paragraph] = []
        self.links: list[Link] = []
        self.codes: list[str] = []
        self.blocks: list[CodeBlock] = []
        self._headings: list[tuple[int, str]] = []
        self._lead = ""
        self._quotes = 0
        self._heading_level = 0
        self._open_items: list[int] = []  # index of each open item, -1 until its text is seen
        self._numbers: list[int] = []
        self._leads: list[str] = []

    def take(self, token: Token) -> None:
        if token.type in ("blockquote_open", "blockquote_close"):
            self._quotes += token.nesting
        elif self._quotes:
            return
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            self._leads.append(self._lead)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            self._leads.pop()
            self._lead = ""
        elif token.type == "heading_open":
            self._heading_level = int(token.tag[1])
        elif token.type == "heading_close":
            self._heading_level = 0
        elif token.type == "list_item_open":
            self._open_items.append(-1)
            self._numbers.append(int(token.info) if token.info.isdigit() else 0)
        elif token.type == "list_item_close":
            self._open_items.pop()
            self._numbers.pop()
        elif token.type in ("fence", "code_block"):
            at = self._open_items[-1] if self._open_items else -1
            lead = self.items[at].text if at >= 0 else self._lead
            language = (token.info.lower().split() or [""])[0]
            self.blocks.append(CodeBlock(token.content, self._above(), lead, language))
        elif token.type == "inline":
            self._take_inline(token.children or ())

    def _take_inline(self, children: Sequence[Token]) -> None:
        first = next((n for n, c in enumerate(children) if c.type in _BREAKS), 0)
        if first and not self._open_items and _is_bold(children[:first]):
            self._take_inline(children[:first])
            children = children[first + 1 :]
        self.links += [Link(target, self._above()) for target in _targets(children)]
        self.codes += [child.content for child in children if child.type == "code_inline"]
        text = plain_text(children)
        if self._heading_level or (not self._open_items and _is_bold(children)):
            level = self._heading_level or 7
            self._headings = [h for h in self._headings if h[0] < level]
            self._headings.append((level, text.strip().rstrip(":")))
            self._lead = ""
        elif self._open_items and self._open_items[-1] == -1:
            box = re.match(r"\[([ xX])\]\s+", text)
            item = ListItem(
                text=(text[box.end() :] if box else text).strip(),
                ticked=None if box is None else box.group(1) != " ",
                number=self._numbers[-1],
                headings=self._above(),
                lead=self._leads[-1] if len(self._open_items) == 1 else "",
                parent=self._open_items[-2] if len(self._open_items) > 1 else -1,
            )
            self._open_items[-1] = len(self.items)
            self.items.append(item)
            self.passages.append(Paragraph(item.text, self._above()))
        elif self._open_items:
            index = self._open_items[-1]
            self.items[index] = replace(self.items[index], text=f"{self.items[index].text} {text}")
            self.passages.append(Paragraph(text, self._above()))
        else:
            self._lead = text
            self.passages.append(Paragraph(text, self._above()))

    def _above(self) -> tuple[str, ...]:
        return tuple(heading for _, heading in self._headings)


_BREAKS = ("softbreak", "hardbreak")


def _is_bold(children: Sequence[Token]) -> bool:
    """Tell whether a line is nothing but bold words, as GitHub's own templates write a heading."""
    visible = [c for c in children if not (c.type == "text" and c.content.strip() in ("", ":"))]
    return (
        len(visible) >= 3
        and visible[0].type == "strong_open"
        and visible[-1].type == "strong_close"
        and sum(c.type == "strong_open" for c in visible) == 1
    )


def plain_text(children: Sequence[Token]) -> str:
    """Inline tokens as words; code keeps its backticks, HTML and images are dropped."""
    words: list[str] = []
    for child in children:
        if child.type == "text":
            words.append(child.content)
        elif child.type == "code_inline":
            words.append(f"`{child.content}`")
        elif child.type in _BREAKS:
            words.append(" ")
    return re.sub(r"[ \t]+", " ", "".join(words)).strip()


def _targets(children: Sequence[Token]) -> Iterator[str]:
    """Where links lead, and addresses that stand in the text as they are."""
    inside = False
    for child in children:
        if child.type == "link_open":
            inside = True
            yield str(child.attrGet("href") or "")
        elif child.type == "link_close":
            inside = False
        elif child.type == "text" and not inside:
            yield from (
                found.group().rstrip(".,;:!?'\"") for found in _ADDRESS.finditer(child.content)
            )
