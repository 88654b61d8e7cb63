"""Finds the documents of the repository that a task's texts point to, for a model to read as sources.

They are read from base: the pull request cannot write what is asked of it. A document that only the
author points to is the author's word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from bot.models import TaskSource

MOST_DOCUMENTS = 3
_DOCUMENT = r"[\w./-]+\.(?:md|rst|txt|adoc)"
_POINTERS = re.compile(
    rf"https?://[^\s/()]+/[^\s/()]+/[^\s/()]+/blob/[^\s/()]+/({_DOCUMENT})"
    rf"|\]\((?!https?:)\.?/?({_DOCUMENT})[^)]*\)|`({_DOCUMENT})`"
)
_NO_TASK = re.compile(r"(?i)contributing|code_of_conduct|changelog|license|security|readme")


def linked_documents(
    sources: tuple[TaskSource, ...], read: Callable[[str], str | None]
) -> tuple[TaskSource, ...]:
    """The documents as sources, each with the trust of the most trusted text that names it.

    `read` gives a file of base by its path, or None. `sources` come most trusted first.
    """
    found: dict[str, TaskSource] = {}
    for source in sources:
        for path in _paths(source.text):
            if path not in found and len(found) < MOST_DOCUMENTS and (text := read(path)):
                name = f"{path}, linked by {source.reference}"
                found[path] = TaskSource(name, "", text, source.trust)
    return tuple(found.values())


def _paths(text: str) -> Iterator[str]:
    for match in _POINTERS.finditer(text):
        path = next(part for part in match.groups() if part).removeprefix("./").lstrip("/")
        if not _NO_TASK.search(path):
            yield path
