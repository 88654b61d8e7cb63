"""Reads a set of labelled pull requests: a folder of YAML files, one a repository (README.md)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from bot.configuration.reading import dotted, plain_message
from bot.errors import UserError
from bot.text.plain_yaml import PlainYamlError, read_plain_yaml

MOST_PROBLEMS = 10
ADDRESSES = ("https://", "http://")
_WAY_OUT = "bot/bench/README.md describes the format."


class Label(StrEnum):
    """Whether a person who knows the project should merge the change."""

    RIGHT = "right"
    WRONG = "wrong"


class Kind(StrEnum):
    """What a change is, or what is wrong with it."""

    MERGE = "merge"
    DOCS = "docs"
    REFACTORING = "refactoring"
    MONOREPO = "monorepo"
    CHANGED_EXPECTATION = "changed-expectation"
    SPECIAL_CASED = "special-cased"
    HALF = "half"
    SILENT_REGRESSION = "silent-regression"
    WEAKENED = "weakened"
    HOLLOW_TESTS = "hollow-tests"
    ORDERS = "orders"
    OUT_OF_SCOPE = "out-of-scope"
    LABELLED = "labelled"  # of an export: what people said of Assay's own verdicts


_Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,99}$")]
_Commit = Annotated[str, StringConstraints(pattern=r"^(?:[0-9a-f]{40}|[0-9a-f]{64})$")]
_Text = Annotated[str, StringConstraints(min_length=1)]


class CaseEntry(BaseModel):
    """One case as it is written down. What it does not say, the case named by `of` does."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    id: _Name
    label: Label = Field(strict=False)
    kind: Kind = Field(strict=False)
    of: _Name | None = None
    base: _Commit | None = None
    head: _Commit | None = None
    delta: _Text | None = None
    task: _Text | None = None
    issue: int | None = Field(default=None, ge=1)
    description: _Text | None = None
    held_out: bool | None = None


class CaseFile(BaseModel):
    """One file: a repository, and cases of it."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    repository: _Text
    cases: list[CaseEntry] = Field(min_length=1)

    @model_validator(mode="after")
    def _of_names_a_case(self) -> Self:
        whole = {case.id for case in self.cases if case.of is None}
        for case in self.cases:
            if case.of is not None and case.of not in whole:
                raise ValueError(
                    f"`of` of the case {case.id} must name a case of this file that has no `of`"
                )
        return self


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """One pull request with its label. Head is `head`, or base without one, and `delta` on top of it.

    `repository` is a folder, or an address as it is written in the file. `description` is empty where
    the commits' own messages speak. `issue` is the one that the task is the text of, 0 for none: a
    rubric of the repository is found by it.
    """

    id: str
    repository: str
    label: Label
    kind: Kind
    base: str
    head: str
    delta: Path | None
    task: str
    description: str
    held_out: bool
    issue: int = 0

    def inputs(self) -> str:
        """Return a digest of all that can change what a judge says of it."""
        delta = self.delta.read_bytes().hex() if self.delta else ""
        issue = (str(self.issue),) if self.issue else ()
        given = (self.base, self.head, delta, self.task, self.description, *issue)
        return hashlib.sha256(json.dumps(given).encode()).hexdigest()[:16]


def read_cases(folder: Path) -> tuple[LabelledCase, ...]:
    """Read every `*.yml` of a set, by name. Raises UserError naming file, line and key of what is wrong."""
    files = sorted(folder.glob("*.yml"))
    if not files:
        raise UserError(f"{folder} has no case: there is no *.yml in it.", _WAY_OUT)
    return each_once(folder, tuple(case for file in files for case in _read_file(file)))


def each_once(folder: Path, cases: tuple[LabelledCase, ...]) -> tuple[LabelledCase, ...]:
    """Return the cases of a set. Raises UserError where an id stands for two of them."""
    seen: dict[str, LabelledCase] = {}
    for case in cases:
        if case.id in seen:
            raise UserError(f"{folder}: the id {case.id} stands for two cases.", _WAY_OUT)
        seen[case.id] = case
    return cases


def _read_file(file: Path) -> Iterator[LabelledCase]:
    try:
        document = read_plain_yaml(file.read_text(encoding="utf-8"))
        read = CaseFile.model_validate(document.data)
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: it is not UTF-8 text.", _WAY_OUT) from error
    except PlainYamlError as error:
        raise UserError(f"{file}, line {error.line}: {error.problem}.", _WAY_OUT) from error
    except ValidationError as error:
        problems = [
            f"{file}, line {document.line(one['loc'])}: "
            f"{dotted(one['loc']) or 'the file'}: {plain_message(one)}."
            for one in error.errors(include_url=False)[:MOST_PROBLEMS]
        ]
        raise UserError("\n       ".join(problems), _WAY_OUT) from error
    named = read.repository
    repository = named if named.startswith(ADDRESSES) else str((file.parent / named).resolve())
    whole = {case.id: case for case in read.cases}
    for number, case in enumerate(read.cases):
        line = document.line(("cases", number))
        yield _case(file, line, repository, (case, whole[case.of or case.id]))


def _case(
    file: Path, line: int, repository: str, entries: tuple[CaseEntry, CaseEntry]
) -> LabelledCase:
    entry, other = entries
    base = entry.base or other.base
    head = entry.head or other.head or ""
    description = entry.description or other.description or ""
    wrong = ""
    if base is None:
        wrong = "`base` is required"
    elif not head and not entry.delta:
        wrong = "it needs `head`, `delta`, or both"
    elif not head and not description:
        wrong = "without `head` there are no commit messages: it needs a `description`"
    if wrong or base is None:
        raise UserError(f"{file}, line {line}: the case {entry.id}: {wrong}.", _WAY_OUT)
    held_out = other.held_out if entry.held_out is None else entry.held_out
    delta = None
    if entry.delta is not None:
        delta = (file.parent / entry.delta).resolve()
        if not delta.is_relative_to(file.parent.resolve()) or not delta.is_file():
            raise UserError(
                f"{file}, line {line}: the case {entry.id}: `delta` names no file of the set: "
                f"{entry.delta}.",
                _WAY_OUT,
            )
    return LabelledCase(
        id=entry.id,
        repository=repository,
        label=entry.label,
        kind=entry.kind,
        base=base,
        head=head,
        delta=delta,
        task=entry.task or other.task or "",
        description=description,
        held_out=bool(held_out),
        issue=entry.issue or other.issue or 0,
    )
