"""Reads a set of labelled pull requests: YAML files, one a repository, and exported labels (README.md).

A label is about a requirement or a whole change; a case is a whole change. Where labels do not say of a
change whether it should have been merged, it is no case.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from bot.bench.rows import begins_with
from bot.configuration.reading import dotted, plain_message
from bot.errors import UserError
from bot.text.plain_yaml import PlainYamlError, read_plain_yaml
from bot.values import LabelKind, VerdictLabel, that_count

MOST_PROBLEMS = 10
ADDRESSES = ("https://", "http://")
_WAY_OUT = "bot/bench/README.md describes the format."


class Label(StrEnum):
    """Whether a person who knows the project should merge the change."""

    RIGHT = "right"
    WRONG = "wrong"


class CaseKind(StrEnum):
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
    kind: CaseKind = Field(strict=False)
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
    kind: CaseKind
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
    cases: list[LabelledCase] = []
    for file in files:
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
        is_address = named.startswith(ADDRESSES)
        repository = named if is_address else str((file.parent / named).resolve())
        whole = {case.id: case for case in read.cases}
        for number, case in enumerate(read.cases):
            line = document.line(("cases", number))
            cases.append(_case(file, line, repository, (case, whole[case.of or case.id])))
    return each_once(folder, tuple(cases))


def each_once(folder: Path, cases: tuple[LabelledCase, ...]) -> tuple[LabelledCase, ...]:
    """Return the cases of a set. Raises UserError where an id stands for two of them."""
    seen: dict[str, LabelledCase] = {}
    for case in cases:
        if case.id in seen:
            raise UserError(f"{folder}: the id {case.id} stands for two cases.", _WAY_OUT)
        seen[case.id] = case
    return cases


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


# --- labels as `assay labels export` writes them, and the cases that they make ---------------

SCHEMA = 2
_LABEL = TypeAdapter(VerdictLabel)
_BEGIN = b'{"schema":'
_COMMIT = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\Z")
_ODD = re.compile(r"[^a-z0-9]+")


class NoCase(StrEnum):
    """Why labels of a change make no case."""

    UNSAID = "people do not say whether it should have been merged"
    CONTESTED = "people contradict each other"
    UNKNOWN = "its commits, address or task were not kept"


@dataclass(frozen=True, slots=True)
class UnusedLabels:
    """A change whose labels make no case."""

    repository: str
    number: int
    head_sha: str
    why: NoCase


def line_of(label: VerdictLabel) -> str:
    """Return a label as a line of an export, without the line's end."""
    row = {"schema": SCHEMA, **_LABEL.dump_python(label, mode="json")}
    return json.dumps(row, ensure_ascii=False)


def read_labels(file: Path) -> Iterator[VerdictLabel]:
    """Read an export. Raises UserError that names the line of what is none, or of another schema."""
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        try:
            row = json.loads(line)
            schema = row.pop("schema")
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            what = f"{file}, line {number}, is no label of `assay labels export`."
            raise UserError(what, "Name another file.") from error
        if schema != SCHEMA:
            what = (
                f"{file}, line {number}: these labels are of schema {schema!r:.20}, not {SCHEMA}."
            )
            raise UserError(what, "Export them again, with this version of Assay.")
        try:
            yield _LABEL.validate_python(row)
        except ValidationError as error:
            what = f"{file}, line {number}, is no label of `assay labels export`."
            raise UserError(what, "Export them again.") from error


def read_set(place: Path) -> tuple[tuple[LabelledCase, ...], tuple[UnusedLabels, ...]]:
    """Read an export, or a folder of exports (`*.jsonl`) and case files (`*.yml`).

    Raises UserError for what is wrong with one, and where there is none. Other files of JSON lines in a
    folder, such as rows of a run, are passed over.
    """
    if place.is_file():
        return cases_of(read_labels(place))
    exports = [file for file in sorted(place.glob("*.jsonl")) if begins_with(file, _BEGIN)]
    is_written = any(place.glob("*.yml")) or not exports
    written = read_cases(place) if is_written else ()
    cases, left_out = cases_of(label for file in exports for label in read_labels(file))
    return each_once(place, (*written, *cases)), left_out


def cases_of(
    labels: Iterable[VerdictLabel],
) -> tuple[tuple[LabelledCase, ...], tuple[UnusedLabels, ...]]:
    """Return the cases that labels make, and the changes that are none, in order of the first label."""
    changes: dict[tuple[str, int, str], list[VerdictLabel]] = {}
    for one in that_count(labels):
        changes.setdefault((one.repository, one.number, one.head_sha), []).append(one)
    cases, left_out = [], []
    for change, said in changes.items():
        # The newest label that has all that it takes to judge the change again.
        whole = (
            one
            for one in reversed(said)
            if _COMMIT.match(one.base_sha)
            and _COMMIT.match(one.head_sha)
            and one.address.startswith(ADDRESSES)
            and (one.task or one.description)
        )
        known = next(whole, None)
        label = should_be_merged(said)
        if isinstance(label, NoCase):
            left_out.append(UnusedLabels(*change, label))
        elif known is None:
            left_out.append(UnusedLabels(*change, NoCase.UNKNOWN))
        else:
            name = _ODD.sub("-", known.repository.lower()).strip("-")[:60].strip("-") or "change"
            cases.append(
                LabelledCase(
                    id=f"{name}-{known.number}-{known.head_sha[:10]}",
                    repository=known.address,
                    label=label,
                    kind=CaseKind.LABELLED,
                    base=known.base_sha,
                    head=known.head_sha,
                    delta=None,
                    task=known.task,
                    description=known.description,
                    held_out=False,
                )
            )
    return tuple(cases), tuple(left_out)


def should_be_merged(labels: Sequence[VerdictLabel]) -> Label | NoCase:
    """Return what people say of a change by its labels that count, or why they do not say it.

    Wrong: it was reverted, or somebody says that a mandatory requirement is not met. Right: it was merged
    against the verdict, or somebody says of each point that kept it from success that it is fine.
    """
    fine = {one.subject for one in labels if one.subject and one.is_met}
    unmet = {one.subject for one in labels if one.subject and one.is_met is False and one.mandatory}
    blocking = {subject for one in labels for subject in one.blocking}
    kinds = {one.kind for one in labels if not one.subject}
    is_wrong = bool(unmet) or LabelKind.REVERTED in kinds
    is_right = LabelKind.MERGED in kinds or bool(blocking and blocking <= fine)
    if fine & unmet or (is_wrong and is_right):
        return NoCase.CONTESTED
    if is_wrong:
        return Label.WRONG
    return Label.RIGHT if is_right else NoCase.UNSAID
