"""What a comparison says of two files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Compared:
    """`outcome` is a word of `sandbox.values.FileOutcome`; `detail` the first difference, in words."""

    outcome: str
    detail: str = ""
