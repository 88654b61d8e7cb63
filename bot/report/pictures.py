"""Puts pictures side by side, and into a page: by a link where one is served, else as part of it.

A rendered page names a picture as `src="artifact:NAME"`. No text of others can look so: their quotes
are escaped.
"""

from __future__ import annotations

import base64
import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from sandbox.values import Observation

MAX_EMBEDDED_BYTES = 30_000_000
_NOT_PUBLIC = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test")
NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.png"
_PLACE = re.compile(rf'(src|href)="artifact:({NAME})"')

Read = Callable[[str], bytes | None]
Address = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class PictureRow:
    """The pictures of one moment by the names of their artifacts; empty where there is none.

    `changed_percent` is None where the two were not compared.
    """

    title: str
    base: str
    head: str
    difference: str
    changed_percent: float | None


def picture_rows(base: Observation | None, head: Observation | None) -> tuple[PictureRow, ...]:
    """Pair the pictures of both sides by their title, in the order in which they were taken."""
    before = {one.title: one for one in base.pictures} if base else {}
    after = {one.title: one for one in head.pictures} if head else {}
    rows = []
    for title in dict.fromkeys((*before, *after)):
        old, new = before.get(title), after.get(title)
        row = PictureRow(
            title,
            base=old.artifact if old else "",
            head=new.artifact if new else "",
            difference=new.difference if new else "",
            changed_percent=100 * new.changed / new.pixels if new and new.pixels else None,
        )
        rows.append(row)
    return tuple(rows)


def is_picture(name: str) -> bool:
    """Whether an artifact's name is that of a picture."""
    return re.fullmatch(NAME, name) is not None


def picture_address(link: str, name: str) -> str:
    """Where a picture is served, beside the report at `link`; its bare name where none is served."""
    here, mark, query = link.partition("?")
    return f"{here}/artifacts/{name}{mark}{query}" if here else name


def is_reachable(link: str) -> bool:
    """Whether the forge can load a picture from beside the report: its address is on the public web.

    The link carries the signature that the comment's own link to the report has: who reads the comment may
    see the pictures too.
    """
    parts = urlsplit(link)
    host = (parts.hostname or "").rstrip(".")
    if parts.scheme not in ("http", "https") or not host:
        return False
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith(_NOT_PUBLIC)


def linked(page: str, address: Address) -> str:
    """Let a page load its pictures from `address(name)`, which holds no quote."""
    return _PLACE.sub(lambda found: f'{found[1]}="{address(found[2])}"', page)


def embedded(page: str, read: Read) -> str:
    """Make the pictures part of a page, up to MAX_EMBEDDED_BYTES; a link leads to the file of that name."""
    left = MAX_EMBEDDED_BYTES

    def place(found: re.Match[str]) -> str:
        nonlocal left
        content = read(found[2]) if found[1] == "src" and left > 0 else None
        if content is None:
            return f'{found[1]}="{found[2]}"'
        left -= len(content)
        return f'src="data:image/png;base64,{base64.b64encode(content).decode()}"'

    return _PLACE.sub(place, page)
