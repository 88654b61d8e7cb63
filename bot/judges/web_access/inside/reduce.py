"""Reads HTML on standard input and writes its text: blocks and entries as lines, links with addresses.

`nh3` parses as browsers do and keeps a few plain tags, so the rest is lines; its time grows with the
square of the nesting, which is why this is a process that can be ended.
"""

from __future__ import annotations

import html
import re
import resource
import sys

import nh3

_BLOCKS = [
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption",
    "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "ol", "p", "pre",
    "section", "table", "td", "th", "title", "tr", "ul",
]  # fmt: skip
_UNREAD = {"script", "style", "noscript", "svg", "template", "nav", "iframe", "form"}
_MOST_SECONDS, _MOST_MEMORY_BYTES = 3, 1 << 30
_LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
_HEADING = re.compile(r"<h([1-6])>")
_ENTRY = re.compile(r"<li>(?:\s|<(?:p|div)>)*")
_TAG = re.compile(r"</?[a-z][a-z0-9]*[^>]*>")


def reduce(page: str) -> str:
    """The text of a page."""
    plain = nh3.clean(
        page,
        tags={*_BLOCKS, "a"},
        clean_content_tags=_UNREAD,
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        link_rel=None,
    )
    plain = _LINK.sub(r"\2 (\1)", plain)
    plain = _HEADING.sub(lambda found: "\n" + "#" * int(found[1]) + " ", plain)
    plain = _ENTRY.sub("\n- ", plain)
    lines = html.unescape(_TAG.sub("\n", plain)).splitlines()
    shown = (" ".join(line.split()) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(shown)).strip()


def main() -> None:
    """Reduce what stands on standard input."""
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, _MOST_MEMORY_BYTES))
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    sys.stdout.buffer.write(reduce(text).encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
