"""Calls of the standard library that the project's own Python would refuse when it reaches them.

The interpreter of the built environment is asked (`inside/calls.py`): an argument that only a newer
Python takes is a TypeError here, whether or not a test comes by. So it blocks as a file does that its
compiler refuses; a name that is not there may be another platform's and is advice.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from sandbox.base import Mount
from sandbox.linters.base import Breaks, Call, Job, Linter, Remark, Said, ends
from sandbox.linters.programs import INSIDE
from sandbox.linters.reading import json_lines, tree_path
from sandbox.toolchains.python_project import read_project
from sandbox.toolchains.tree import Tree

_PROGRAMS = Path(__file__).parent / "inside"
_LEAST = re.compile(r"(?:>=?|~=|==)\s*(\d+\.\d+)")
_REFUSED = "refused-call"


def _calls(job: Job) -> tuple[Call, ...]:
    """Isolated and without site: neither the tree nor an installed package speaks in its name."""
    target = f"{INSIDE}/sandbox/linters/inside"  # as the program and what it imports are named
    argv = ("python3", "-I", "-S", f"{target}/calls.py", _least_version(job))
    shown = f"# calls bound by Python's inspect.signature: {shlex.join(job.paths)}"
    mounts = (Mount(str(_PROGRAMS), target),)
    return (Call(argv, shown, mounts, stdin=json.dumps(job.paths).encode()),)


def _least_version(job: Job) -> str:
    """Return "3.12" where head or base asks for no older Python, "" where neither says."""
    wanted = [
        read_project(Tree(tree / job.root)).requires_python for tree in (job.tree, job.policy)
    ]
    found = [match[1] for text in wanted for match in _LEAST.finditer(text[:200])]
    return max(found, key=lambda text: [int(part) for part in text.split(".")], default="")


def _read(said: Said) -> Iterator[Remark]:
    for item in json_lines(said.out):
        if item["path"].text:
            breaks = Breaks.ALWAYS if item["rule"].text == _REFUSED else Breaks.NO
            path = tree_path(item["path"].text)
            yield Remark(
                item["rule"].text, path, item["line"].number, item["message"].text, breaks=breaks
            )


SIGNATURES = Linter(
    name="inspect.signature",
    install="apt-get install python3",
    takes=ends(".py"),
    calls=_calls,
    read=_read,
    ends_with=frozenset({0}),
    program="python3",
)
