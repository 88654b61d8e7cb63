"""Carries out one item: `python3 -I drive.py`, told what to do by one JSON document on standard input.

The orders name `cases` (line, text to type, keys that stand for themselves, seconds), `files` (an
expected file outside the tree, and where the program may have put its own) and `watched` paths. The
answer goes to the channel as one JSON document; see `sandbox.terminal.shell_interaction`.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TypedDict

if not __package__:
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # noqa: PTH100, PTH120

from sandbox.terminal.compare import compare, guarded
from sandbox.terminal.terminal import converse, end_descendants, keep_to_ourselves, keys_of

_LONG_AGO = (1_000_000_000, 1_000_000_000)


class CaseOrder(TypedDict):
    """One command of the item."""

    line: str
    typed: str
    pressed: str
    limit_s: float


class FileOrder(TypedDict):
    """One expected file: where it stands, what it is called, and where the program's own may be."""

    expected: str
    name: str
    candidates: list[str]


class DriveOrders(TypedDict):
    """Everything to do for one item."""

    cases: list[CaseOrder]
    files: list[FileOrder]
    watched: list[str]
    output_bytes: int


def main() -> None:
    """Take the orders, carry them out, answer."""
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    os.set_inheritable(channel, False)
    keep_to_ourselves()
    orders: DriveOrders = json.loads(sys.stdin.buffer.read())
    candidates = [path for file in orders["files"] for path in file["candidates"]]
    # What is there is made to look old, so that a file of an earlier run is not taken for this one's.
    marked: dict[str, int] = {}
    for path in [*candidates, *orders["watched"]] if orders["cases"] else []:
        if Path(path).is_file():
            try:
                os.utime(path, ns=_LONG_AGO)
            except OSError:
                continue
            marked[path] = Path(path).stat().st_ino
    cases: list[dict[str, object]] = []
    for case in orders["cases"]:
        keys = [case["pressed"].encode()] if case["pressed"] else keys_of(case["typed"])
        seen = converse(case["line"], keys, case["limit_s"], orders["output_bytes"])
        waits = [len(_text(seen.output[:place])) for place in seen.typed_at]
        cases.append({**asdict(seen), "output": _text(seen.output), "typed_at": waits})
    end_descendants()
    answer = {
        "cases": cases,
        "files": [_file(file, marked, bool(cases)) for file in orders["files"]],
        "made": [path for path in orders["watched"] if _is_written(path, marked)],
        "there": [path for path in orders["watched"] if Path(path).is_file()],
    }
    data = json.dumps(answer).encode()
    while data:
        data = data[os.write(channel, data) :]


def _text(output: bytes) -> str:
    return output.decode("utf-8", "replace").replace("\r\n", "\n")


# --- files ------------------------------------------------------------------------------------


def _is_written(path: str, marked: dict[str, int]) -> bool:
    file = Path(path)
    if not file.is_file():
        return False
    status = file.stat()
    return (status.st_ino, status.st_mtime_ns) != (marked.get(path), _LONG_AGO[1])


def _file(order: FileOrder, marked: dict[str, int], was_run: bool) -> dict[str, str]:
    there = [path for path in order["candidates"] if Path(path).is_file()]
    written = [path for path in there if _is_written(path, marked)] if was_run else there
    if not there:
        return _told(order, "", "missing", f"looked for {', '.join(order['candidates'][:4])}")
    if not written:
        return _told(order, there[0], "missing", "the run did not write it; it was there before")
    suffix = Path(order["name"]).suffix.lower()
    found = guarded(lambda: compare(Path(order["expected"]), Path(written[0]), suffix))
    return _told(order, written[0], found.outcome, found.detail)


def _told(order: FileOrder, actual: str, outcome: str, detail: str) -> dict[str, str]:
    return {"name": order["name"], "actual": actual, "outcome": outcome, "detail": detail[:1000]}


if __name__ == "__main__":
    main()
