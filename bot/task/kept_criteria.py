"""Kept criteria as a JSON file that people review: written by `assay criteria`, read from the base branch."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from bot.errors import UserError
from bot.values import Criterion

FOLDER = ".github/assay/criteria"
MAX_BYTES = 64 * 1024
MOST_KEPT = 40
Short = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
Points = Annotated[float, Field(ge=0, le=4)]


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class KeptCriterion(_Closed):
    """One criterion; `accepted_values` from worst to best. The figures say how it did when it was tried."""

    name: Short
    description: Annotated[str, StringConstraints(strip_whitespace=True, max_length=400)]
    accepted_values: Annotated[tuple[Short, ...], Field(min_length=2, max_length=6)]
    variation: float | None = None
    good: Points | None = None
    bad: Points | None = None
    damaged: Points | None = None

    def criterion(self) -> Criterion:
        """Return it as a value of ours."""
        return Criterion(self.name, self.description, self.accepted_values)


class KeptCriteria(_Closed):
    """The whole file."""

    version: Literal[1] = 1
    task: str = ""
    criteria: Annotated[tuple[KeptCriterion, ...], Field(max_length=MOST_KEPT)]


def read_kept(data: bytes, path: str) -> tuple[Criterion, ...]:
    """Read one file. Raises UserError that names the first wrong place and repeats no value."""
    try:
        kept = KeptCriteria.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(
            f"{path} on the base branch cannot be used: {place}: {first['msg']}.",
            "Correct it on the base branch, or make it anew with `assay criteria`.",
        ) from error
    found = tuple(one.criterion() for one in kept.criteria)
    if any(len({v.casefold() for v in one.accepted}) < len(one.accepted) for one in found):
        raise UserError(f"{path} on the base branch cannot be used: a value appears twice.")
    return found
