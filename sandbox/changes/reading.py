"""Has the changed files compared inside the sandbox; what is not shown to be harmless is code."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from sandbox.base import TREE, Limits, Mount, Sandbox
from sandbox.code_map.inventory import language_of, tree_program
from sandbox.repository.names import raw_name
from sandbox.streams import json_values
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import ChangeKind, ChangeStatus, Checkout, FileChange

_BEFORE = "/opt/assay/before"
_PROGRAM = "sandbox.changes.inside.kinds"
_LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=16, output_bytes=20_000)
_CHANNEL_BYTES = 2_000_000
_PLAIN_FILE = "100644"
_LAYOUTS_ARE_GUESSED = ("php",)  # its comments are code too: annotations are read from them

_PROSE = re.compile(r"(?i)\.(?:md|markdown|mdown|rst|adoc|asciidoc)$")
_IN_DOCUMENTS = re.compile(
    r"(?i)^(?:docs?|documentation)/(?:.*[^/]\.(?:md|markdown|mdown|mdx|rst|adoc|asciidoc|txt|inc|bib|po|pot|png|jpe?g|gif|svg"
    r"|webp|ico|drawio|puml|mmd|dot)|(?:[^/]+/)*conf\.py)$|^examples?/.*[^/]\.(?:md|markdown|mdown|rst|adoc)$"
    r"|^(?:mkdocs\.ya?ml|\.readthedocs\.ya?ml)$"
)
_NAMED = re.compile(
    r"(?i)^(?:readme|change(?:s|log)|history|news|release[-_ ]?notes?|contributing|code_of_conduct|security|"
    r"support|authors?|contributors|maintainers|governance|roadmap|upgrad(?:e|ing)|migrat(?:e|ion|ing)|faq|"
    r"license|licence|copying|notice|todo|thanks|acknowledge?ments)[^/]*?(?:\.(?:md|markdown|mdown|rst|adoc|txt))?$"
)
_FRAGMENT = re.compile(
    r"(?i)^(?:newsfragments|changelog\.d|changes|changelogs?|news|release-?notes|\.changeset|\.changes?|changelog/[^/]+)"
    r"/[^/]+\.(?:md|rst|txt|feature|bugfix|doc|misc|removal|trivial|breaking|deprecation|improvement|vendor)[^/]*$"
)
_OF_TYPED = re.compile(
    r"\+[ \t]{0,20}(?:\[tool\.setuptools\.package-data\]"
    r"|[\w.\"*-]{1,80}[ \t]{0,20}=[ \t]{0,20}\[[ \t]{0,20}[\"']py\.typed[\"'],?[ \t]{0,20}\])?[ \t]{0,20}"
)
_DECLARATIONS = re.compile(r"\.pyi$|\.d\.[cm]?ts$|(?:^|/)py\.typed$")


async def read_kinds(sandbox: Sandbox, checkout: Checkout) -> Mapping[str, ChangeKind]:
    """Return the kind of every change that leaves the program as it is, by path.

    Raises SandboxError.
    """
    changes = checkout.diff.files
    of_types = (one for one in changes if _is_declared(one) or _ships_types(one))
    found = {one.path: ChangeKind.TYPES for one in of_types}
    asked = [(one, what) for one in changes if (what := _asked_of(one))]
    if not asked:
        return found
    files = [(what, *(os.fsdecode(raw_name(path)) for path in _names(one))) for one, what in asked]
    told = {"before": _BEFORE, "after": TREE, "files": files}
    both = Mount(checkout.head_tree, TREE), Mount(checkout.base_tree, _BEFORE)
    command = tree_program(_PROGRAM, told, _LIMITS, _CHANNEL_BYTES, *both)
    completed = await sandbox.run(command)
    for answer in json_values(completed.channel.splitlines()):
        if isinstance(answer, list) and [type(one) for one in answer] == [int, str]:
            number, kind = answer
            if kind in _TOLD and 0 <= number < len(asked):
                found.setdefault(asked[number][0].path, ChangeKind(kind))
    return found


def is_documentation(path: str) -> bool:
    """Tell by its place and name whether a file is for people to read; what reads it decides the rest."""
    pure = PurePosixPath(path)
    if classify(path) is not PathKind.SOURCE or re.search(
        r"(?i)(?:requirements|constraints)[^/]*$", path
    ):
        return False
    if _FRAGMENT.search(path) or _IN_DOCUMENTS.search(path):
        return True
    if len(pure.parts) == 1 or pure.parts[0] == ".github":
        return bool(_PROSE.search(path) or _NAMED.match(pure.name))
    return bool(_NAMED.match(pure.name)) and pure.suffix.lower() in ("", ".md", ".rst", ".markdown")


def _is_declared(change: FileChange) -> bool:
    """Tell whether a file holds nothing but types, which no interpreter reads."""
    return all(map(_DECLARATIONS.search, _names(change))) and _is_plain(change)


def _ships_types(change: FileChange) -> bool:
    """Tell whether a project only newly says that it has types: `py.typed` (PEP 561) among its data."""
    lines = [line for hunk in change.hunks for line in hunk.lines if line[:1] in ("+", "-")]
    is_said = any("py.typed" in line for line in lines) and all(map(_OF_TYPED.fullmatch, lines))
    return change.path.rpartition("/")[2] == "pyproject.toml" and _is_plain(change) and is_said


def _names(change: FileChange) -> tuple[str, str]:
    return change.old_path or change.path, change.path


def _is_plain(change: FileChange) -> bool:
    """Tell whether a file is an ordinary one on both sides: no link, no program."""
    return {change.old_mode, change.new_mode} - {""} <= {_PLAIN_FILE}


def _asked_of(change: FileChange) -> str:
    """Return the language to compare a file in, "document", or "" for what can only be code."""
    if all(map(is_documentation, _names(change))):
        return "document" if _is_plain(change) else ""
    language = "" if _is_declared(change) else language_of(change.path)
    is_same_mode = change.old_mode == change.new_mode and change.new_mode != "120000"
    is_edited = change.status is ChangeStatus.MODIFIED and is_same_mode and not change.binary
    return language if is_edited and language not in _LAYOUTS_ARE_GUESSED else ""


_TOLD = (
    ChangeKind.DOCUMENTATION,
    ChangeKind.COMMENTS,
    ChangeKind.FORMATTING,
    ChangeKind.TYPES,
    ChangeKind.UNUSED,
)
