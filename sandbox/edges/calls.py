"""A call with an empty input, as a step of the plan writes it: `src/stats.py::average(values=[])`."""

from __future__ import annotations

import re
from dataclasses import dataclass

DIVIDES_BY_ZERO = "divides-by-zero"
ANSWERS = "answers"
"""It returned, or refused with an error of another kind."""
NOT_TRIED = "not-tried"

_SHOWN = re.compile(
    r"(?P<path>.+)::(?P<name>[\w.]+)\((?P<arguments>[^()]*(?:\(\)[^()]*)*)\)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class EmptyCall:
    """What is called, `name` as in `Grades.average`, and the empty literal of each argument."""

    path: str
    name: str
    arguments: tuple[tuple[str, str], ...] = ()

    @property
    def call(self) -> str:
        """The call as code; a method's object is made without arguments."""
        owner, _, method = self.name.rpartition(".")
        given = ", ".join(f"{name}={literal}" for name, literal in self.arguments)
        return f"{owner}().{method}({given})" if owner else f"{method}({given})"

    def __str__(self) -> str:
        given = ", ".join(f"{name}={literal}" for name, literal in self.arguments)
        return f"{self.path}::{self.name}({given})"


def read_call(text: str) -> EmptyCall | None:
    """Read what `str` wrote; None for anything else."""
    found = _SHOWN.fullmatch(text)
    if found is None:
        return None
    given = (pair.partition("=") for pair in found["arguments"].split(", ") if pair)
    return EmptyCall(
        found["path"], found["name"], tuple((name, literal) for name, _, literal in given)
    )
