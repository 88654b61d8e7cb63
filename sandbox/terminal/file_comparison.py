"""Says where a program may have put the file that a test plan expects.

PRDBench's plans name the reference (`evaluation/expected_outputs/path.txt`); where the program's own
file goes stands in the command, in what is typed, or in the prose, or follows from the reference's name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

_PATH = re.compile(r"(?<![\w./-])(?:[\w.-]+/)*[\w.-]+\.[A-Za-z]\w{0,5}(?![\w/])")
_ABBREVIATIONS = {"e.g", "i.e"}
_MARK = re.compile(r"(?i)(?:^|(?<=[_\-. ]))(?:expected|reference|golden)(?:$|[_\-. ]+)")


def named_paths(texts: Iterable[str]) -> tuple[str, ...]:
    """Return everything in the texts that reads as a relative path of a file, in order, each once."""
    found = (match.group() for text in texts for match in _PATH.finditer(text))
    paths = (_normalised(path) for path in found if not path.startswith(".."))
    return tuple(dict.fromkeys(path for path in paths if path.lower() not in _ABBREVIATIONS))


def candidates(expected: str, named: Iterable[str], folder: str = "") -> tuple[str, ...]:
    """Return the paths where a program may have written what is compared with `expected`, best first.

    `named` are the paths that the item names besides its inputs, `folder` where its command runs.
    """
    reference = PurePosixPath(_normalised(expected))
    own_name = _MARK.sub("", reference.name) or reference.name
    alike = [path for path in named if _suffix(path) == _suffix(reference.name)]
    same_name = [path for path in alike if PurePosixPath(path).name == own_name]
    guesses = [f"{where}/{own_name}" for where in _folders(reference, folder)]
    others = alike if len(alike) == 1 else []
    found = [_normalised(path) for path in (*same_name, *guesses, *others)]
    return tuple(dict.fromkeys(path for path in found if path != str(reference)))


def _folders(reference: PurePosixPath, folder: str) -> tuple[str, ...]:
    own = [_MARK.sub("", part) for part in reference.parent.parts]
    without = "/".join(part for part in own if part)
    return (without, str(reference.parent), folder or ".", ".", "src")


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _normalised(path: str) -> str:
    steps = [part for part in path.replace("\\", "/").split("/") if part not in {"", "."}]
    return "/".join(steps)
