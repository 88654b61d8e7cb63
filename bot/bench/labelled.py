"""Labels of verdicts as `assay labels export` writes them, and the cases that they make (README.md).

A label is about a requirement or a whole change; a case is a whole change. Where labels do not say of a
change whether it should have been merged, it is no case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bot.bench.cases import ADDRESSES, Kind, Label, LabelledCase, each_once, read_cases
from bot.bench.rows import begins_with
from bot.errors import UserError
from bot.values import LabelKind, VerdictLabel, that_count

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


def holds_labels(file: Path) -> bool:
    """Whether a file is an export, by its beginning."""
    return begins_with(file, _BEGIN)


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
    exports = [file for file in sorted(place.glob("*.jsonl")) if holds_labels(file)]
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
        known = next((one for one in reversed(said) if _is_whole(one)), None)
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
                    kind=Kind.LABELLED,
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


def _is_whole(label: VerdictLabel) -> bool:
    """Whether a label has all that it takes to judge the change again."""
    commits = _COMMIT.match(label.base_sha) and _COMMIT.match(label.head_sha)
    is_address = label.address.startswith(ADDRESSES)
    return bool(commits and is_address and (label.task or label.description))
