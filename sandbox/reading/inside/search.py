"""Prints the lines of a tree that hold a text or match a pattern, one JSON list [path, line, text] each.

Runs inside the sandbox: a pattern may take for ever, then the sandbox's time limit ends it and what was
found until then counts. Input: {"wanted": str, "is_pattern": bool, "most": int}.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator

_FILE_BYTES = 2_000_000
_LINE_CHARACTERS = 2_000
_SHOWN = 300


def main() -> int:
    """Search the working directory. Returns 0, or 2 for a pattern that is none."""
    asked = json.load(sys.stdin)
    try:
        pattern = re.compile(asked["wanted"] if asked["is_pattern"] else re.escape(asked["wanted"]))
    except (re.error, RecursionError, OverflowError) as error:
        print(error, file=sys.stderr)
        return 2
    with os.fdopen(int(os.environ["ASSAY_CHANNEL_FD"]), "wb") as channel:
        for number, hit in enumerate(_hits(pattern)):
            if number > asked["most"]:
                break
            channel.write(json.dumps(hit).encode() + b"\n")
            channel.flush()
    return 0


def _hits(pattern: re.Pattern[str]) -> Iterator[tuple[str, int, str]]:
    """Yield what regular files below the working directory hold; no link is followed."""
    for folder, folders, names in os.walk("."):
        folders[:] = sorted(one for one in folders if one not in (".git", "node_modules"))
        for name in sorted(names):
            path = os.path.join(folder, name).removeprefix("./")  # noqa: PTH118
            if not os.path.isfile(path) or os.path.islink(path):  # noqa: PTH113, PTH114
                continue
            try:
                file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            except OSError:
                continue
            with os.fdopen(file, "rb") as stream:
                data = stream.read(_FILE_BYTES)
            lines = [] if b"\0" in data[:8_000] else data.decode(errors="replace").split("\n")
            yield from (
                (path, number, line[:_SHOWN])
                for number, line in enumerate(lines, start=1)
                if pattern.search(line[:_LINE_CHARACTERS])
            )


if __name__ == "__main__":
    sys.exit(main())
