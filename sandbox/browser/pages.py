"""Finds the pages that a change can be seen on: HTML files that open without being built."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from sandbox.toolchains.tree import Tree

MAX_PAGES = 5
_MAX_FILES = 20_000
_MAX_READ = 400
_MAX_PAGE_CHARACTERS = 500_000
_PAGES = frozenset({".html", ".htm", ".xhtml"})
_ASSETS = frozenset({".css", ".js", ".mjs", ".svg"})
_BUILT = frozenset((
    ".vue", ".jsx", ".tsx", ".ts", ".svelte", ".astro", ".scss", ".sass", ".less", ".styl",
))  # fmt: skip
_TEMPLATES = frozenset((
    ".j2", ".jinja", ".jinja2", ".ejs", ".hbs", ".handlebars", ".mustache", ".pug", ".njk",
    ".liquid", ".erb", ".haml", ".twig", ".tmpl",
))  # fmt: skip
_LEFT_OUT = frozenset((
    "node_modules", "vendor", "third_party", "tests", "test", "testing", "testdata", "fixtures",
    "__tests__", "spec", "templates", "_layouts", "_includes", "layouts", "partials", "views",
    "coverage", "htmlcov",
))  # fmt: skip
_TEMPLATE_MARK = re.compile(r"{%|<%|<\?php|<\?=")
_WHOLE = re.compile(r"<!doctype html|<html[\s>]|<body[\s>]", re.IGNORECASE)
_NEEDS_BUILD = re.compile(
    r"<script[^<>]+src=[\"'][^\"'>]+\.(?:jsx|tsx?|vue|svelte)[\"'?]", re.IGNORECASE
)
# Where a page loads a file NAME: in quotes, in `url(…)`, or as an attribute without quotes. What a text
# says of it, and the address of another file (`part.js.html`), load nothing.
_ADDRESS = (
    r"""["'/]NAME["']|\burl\((?:[^"'()<>\s]{0,200}/)?NAME\)|=(?:[^"'()<>\s]{0,200}/)?NAME[>\s]"""
)


def is_front_end(path: str) -> bool:
    """Say whether a file is something that browsers get, or that such a thing is made from."""
    suffix = PurePosixPath(path).suffix.lower()
    return suffix in _PAGES | _ASSETS | _BUILT | _TEMPLATES


def find_pages(tree: Path, changed: tuple[str, ...]) -> tuple[str, ...]:
    """Return at most MAX_PAGES HTML files of a tree that show the changed files, the surest first.

    Those are the changed pages, pages that load a changed file, and the index of a changed file's site.
    """
    candidates = [
        path for path in changed if PurePosixPath(path).suffix.lower() in _PAGES | _ASSETS
    ]
    if not candidates:
        return ()
    files, listed = Tree(tree), tuple(_listed(tree))
    own = [path for path in candidates if path in listed]
    names = [PurePosixPath(path).name for path in candidates]
    assets = [name for name in names if PurePosixPath(name).suffix.lower() in _ASSETS]
    naming: list[str] = []
    if assets:
        either = "|".join(re.escape(name) for name in assets[:200])
        named = re.compile(_ADDRESS.replace("NAME", f"(?:{either})(?:[?#][^\"'()<>\\s]*)?"))
        naming = [path for path in listed[:_MAX_READ] if named.search(_text(files, path))]
    indexes = [str(PurePosixPath(site_root(tree, path), "index.html")) for path in candidates]
    found = dict.fromkeys((*own, *naming, *(path for path in indexes if path in listed)))
    pages: list[str] = []
    for path in found:
        if len(pages) == MAX_PAGES:
            break
        text = _text(files, path)
        must_be_made = _TEMPLATE_MARK.search(text) or _NEEDS_BUILD.search(text)
        if _WHOLE.search(text) and not must_be_made:
            pages.append(path)
    return tuple(pages)


def site_root(tree: Path, path: str) -> str:
    """Return the outermost folder above a page that has an index: there its absolute links begin."""
    parts = PurePosixPath(path.partition("?")[0].lstrip("/")).parts[:-1]
    roots = ("/".join(parts[:depth]) for depth in range(len(parts) + 1))
    is_plain = Tree(tree).is_plain
    return next((root for root in roots if is_plain(f"{root}/index.html".lstrip("/"))), "")


def _listed(tree: Path) -> Iterator[str]:
    """Yield the HTML files of a tree, without those that are parts, tests or somebody else's."""
    seen = 0
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(f for f in folders if f not in _LEFT_OUT and not f.startswith("."))
        for name in sorted(names):
            seen += 1
            if PurePosixPath(name).suffix.lower() in _PAGES:
                yield Path(folder, name).relative_to(tree).as_posix()
        if seen > _MAX_FILES:
            return


def _text(files: Tree, path: str) -> str:
    return files.read(path)[:_MAX_PAGE_CHARACTERS] if files.is_plain(path) else ""
