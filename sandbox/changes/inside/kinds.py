"""Says of each changed file whether its program stayed the same, and what changed beside it.

Runs inside the sandbox. Input: JSON with `before` and `after`, the folders of the two sides, and `files`, a
list of [what, old path, new path]: `what` is a language or "document". Output on the private channel: one
JSON line a file, [number, kind]; no line where the program may have changed.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from sandbox.changes.inside.grammars import compare_trees
from sandbox.changes.inside.project import ChangedProject
from sandbox.changes.inside.python import compare_python

_MOST_BYTES = 1_000_000


def main() -> int:
    """Compare every named file. Returns the exit code."""
    asked = json.load(sys.stdin)
    before, after = Path(asked["before"]), Path(asked["after"])
    project = ChangedProject(after)
    with os.fdopen(int(os.environ["ASSAY_CHANNEL_FD"]), "wb") as channel:
        for number, (what, old, new) in enumerate(asked["files"]):
            if what == "document":
                kind = "" if any(map(project.reads_document, {old, new})) else "documentation"
            else:
                kind = _kind(what, new, (_read(before / old), _read(after / new)), project)
            if kind:
                channel.write(json.dumps([number, kind]).encode() + b"\n")
                channel.flush()
    return 0


def _kind(
    language: str, path: str, texts: tuple[bytes | None, bytes | None], project: ChangedProject
) -> str:
    before, after = texts
    if before is None or after is None:
        return ""
    try:
        if language == "python":
            return compare_python(before, after, project, path)
        return compare_trees(language, before, after, project)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _read(file: Path) -> bytes | None:
    """Read a file without following a link: none is named here, but the tree is somebody else's."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        text = stream.read(_MOST_BYTES + 1)
    return None if len(text) > _MOST_BYTES or b"\0" in text else text


if __name__ == "__main__":
    sys.exit(main())
