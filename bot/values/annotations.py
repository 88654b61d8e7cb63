"""One remark on lines of head, as the report makes it and GitHub shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnnotationLevel(StrEnum):
    """How loud a remark on a line is, as GitHub spells it."""

    NOTICE = "notice"
    WARNING = "warning"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """One remark on lines of the head tree (from 1, inclusive). Plain text, shown as such."""

    path: str
    start_line: int
    end_line: int
    level: AnnotationLevel
    message: str
    title: str = ""
