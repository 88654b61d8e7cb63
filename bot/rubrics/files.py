"""Reads a rubric that stands on the base branch: `.github/assay/rubrics/<issue>.yml`, or `.json`.

It is golden by being there: whoever may merge it approved it. The schema is closed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.errors import UserError
from bot.models import Rubric
from bot.plain_yaml import PlainYamlError, load_plain_yaml
from bot.rubrics.form import RubricProblem, checked
from bot.safety import visible

FOLDER = ".github/assay/rubrics"
ENDINGS = ("yml", "yaml", "json")
MOST_BYTES = 64 * 1024
MOST_FILES = 500
_NAME = re.compile(rf"{re.escape(FOLDER)}/[1-9]\d{{0,9}}\.(?:yml|yaml|json)")


@dataclass(frozen=True, slots=True)
class CommittedRubric:
    """A rubric's file as it stands on the target branch, not looked at yet."""

    path: str
    text: str


def is_rubric_path(path: str) -> bool:
    """Whether a file of the folder is an issue's rubric by its name."""
    return _NAME.fullmatch(path) is not None


def committed_rubric(path: str, data: bytes | None) -> CommittedRubric:
    """The file's text. Raises UserError for what is no regular file or no text."""
    if data is None:
        raise _refused(path, "it is no regular file")
    try:
        return CommittedRubric(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _refused(path, "it is no UTF-8 text") from None


class RubricFile(BaseModel):
    """The keys of a rubric's file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    root_cause: str
    requirements: list[str]
    acceptable: list[str] = Field(default_factory=list)
    unacceptable: list[str] = Field(default_factory=list)


def paths_for(issue: int) -> tuple[str, ...]:
    """Where the rubric of an issue may stand, the first that is there counts."""
    return tuple(f"{FOLDER}/{issue:d}.{ending}" for ending in ENDINGS)


def read_rubric_file(file: CommittedRubric) -> Rubric:
    """Read a rubric's file (JSON is YAML). Raises UserError that names the file."""
    path = file.path
    try:
        value = RubricFile.model_validate(load_plain_yaml(file.text))
        return checked(
            Rubric(
                _line(value.root_cause),
                *(
                    tuple(map(_line, entries))
                    for entries in (value.requirements, value.acceptable, value.unacceptable)
                ),
            )
        )
    except ValidationError as error:
        raise _refused(path, _first_problem(error)) from None
    except (PlainYamlError, RubricProblem) as error:
        raise _refused(path, str(error)) from None


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:60]
    return f"`{where}`: {first['msg']}" if where else first["msg"]


def _refused(path: str, why: str) -> UserError:
    return UserError(
        f"The rubric {path} on the base branch cannot be used: {why}.",
        "Correct it on the base branch, then ask again with /judge.",
    )
