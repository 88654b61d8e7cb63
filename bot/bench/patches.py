"""Judges labelled pull requests, each a row, counts rows, and compares two runs over the same cases.

Rows are kept as JSON lines, so that a run can go on.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import statistics
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from bot.bench.cases import ADDRESSES, CaseKind, Label, LabelledCase
from bot.bench.measures import cohen_kappa
from bot.bench.merges import Merge, Workbench, run_git
from bot.bench.rows import Rows
from bot.bench.trial import Judge, JudgedCopy, asked, came_to
from bot.errors import UserError
from bot.text.clipping import clip_line
from bot.values import Conclusion, Part

_MERGES = (Conclusion.SUCCESS, Conclusion.NEUTRAL)
_MOST_ERROR = 300


@dataclass(frozen=True, slots=True)
class CaseRow:
    """What came of one case. `judged` is None where it could not be prepared; `error` says why.

    `models` names the models that judged, `code` the version of Assay: a digest of its modules.
    `without` are the parts of Assay that were off.
    """

    case: str
    repository: str
    kind: CaseKind
    label: Label
    held_out: bool
    inputs: str
    models: str
    code: str
    judged: JudgedCopy | None = None
    error: str = ""
    without: tuple[Part, ...] = ()

    @property
    def would_merge(self) -> bool:
        """Whether the check run would let it be merged."""
        return self.judged is not None and self.judged.conclusion in _MERGES

    @property
    def is_wrong_success(self) -> bool:
        """Whether a wrong change would be merged."""
        return self.would_merge and self.label is Label.WRONG

    @property
    def is_stopped(self) -> bool:
        """Whether a right change was stopped."""
        return self.judged is not None and not self.would_merge and self.label is Label.RIGHT

    @property
    def is_settled(self) -> bool:
        """Whether there is a conclusion that judging it again would not change."""
        return self.judged is not None and not self.judged.problem


class NotPrepared(UserError):
    """A case cannot be judged: its repository, a commit, or what its delta wants is not there."""


@dataclass(frozen=True, slots=True)
class Benches:
    """The clones of one run, one a repository, made in `folder` when a case first needs it.

    A repository that is named by its address is looked for in `clones` and else fetched to `fetched`.
    """

    folder: Path
    fetched: Path
    clones: Path | None = None
    opened: dict[str, Workbench] = field(default_factory=dict)

    def head(self, case: LabelledCase) -> tuple[Workbench, str]:
        """Return the clone that has both sides of a case, and its head. Raises NotPrepared."""
        if case.repository not in self.opened:
            source = self._source(case.repository)
            try:
                made = Workbench(source, self.folder / f"{len(self.opened)}")
            except subprocess.CalledProcessError as error:
                what = f"{case.repository} cannot be cloned: {_told(error)}"
                raise NotPrepared(what) from error
            self.opened[case.repository] = made
        bench = self.opened[case.repository]
        for commit in filter(None, (case.base, case.head)):
            is_there = bench.has(commit)
            # What no branch has, as the head of a pull request, is fetched; but a clone that somebody
            # named is not completed from the network.
            if not is_there and self._source(case.repository).is_relative_to(self.fetched):
                with contextlib.suppress(subprocess.CalledProcessError):
                    run_git(bench.folder, "fetch", "--quiet", "--", case.repository, commit)
                is_there = bench.has(commit)
            if not is_there:
                raise NotPrepared(f"{case.repository} has no commit {commit}.")
        if case.delta is None:
            return bench, case.head
        try:
            message = describe(case, bench)
            return bench, bench.applied(case.head or case.base, case.delta, message)
        except subprocess.CalledProcessError as error:
            raise NotPrepared(f"{case.delta.name} does not apply: {_told(error)}") from error

    def _source(self, repository: str) -> Path:
        if not repository.startswith(ADDRESSES):
            return Path(repository)
        path = urlsplit(repository).path.strip("/").removesuffix(".git")
        name = path.replace("/", "+")
        if self.clones:
            clones = self.clones.resolve()
            for folder in (clones / path, clones / name):
                for found in (folder / "repo", folder, folder.with_name(f"{folder.name}.git")):
                    if (found / ".git").exists() or (found / "HEAD").is_file():
                        return found
        here = self.fetched / name
        if not here.exists():
            # Clone from the network, whole or not at all.
            part = here.with_name(f"{here.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            here.parent.mkdir(parents=True, exist_ok=True)
            try:
                run_git(here.parent, "clone", "--quiet", "--bare", "--", repository, str(part))
            except subprocess.CalledProcessError as error:
                raise NotPrepared(f"{repository} cannot be cloned: {_told(error)}") from error
            part.rename(here)
        return here


def describe(case: LabelledCase, bench: Workbench) -> str:
    """Return what the author says: as the case has it, else the messages of the commits."""
    return case.description or bench.words(Merge(case.base, case.head, ""))


def _told(error: subprocess.CalledProcessError) -> str:
    return clip_line(str(error.stderr).strip(), _MOST_ERROR)


@dataclass(frozen=True, slots=True)
class CaseTrial:
    """Judges cases by `judge`; `models`, `code` and `without` say who judged."""

    benches: Benches
    judge: Judge
    models: str
    code: str
    without: tuple[Part, ...] = ()

    async def run(self, case: LabelledCase) -> CaseRow:
        """Judge a case; one that cannot be prepared is a row with an error."""
        try:
            bench, head = self.benches.head(case)
        except NotPrepared as error:
            return self._row(case, None, error.what)
        request = asked(bench, case.base, head, describe(case, bench), case.task)
        request = replace(request, issue=case.issue, without=self.without)
        _, judged = await came_to(self.judge, request)
        return self._row(case, judged)

    def _row(self, case: LabelledCase, judged: JudgedCopy | None, error: str = "") -> CaseRow:
        return CaseRow(
            case=case.id,
            repository=case.repository,
            kind=case.kind,
            label=case.label,
            held_out=case.held_out,
            inputs=case.inputs(),
            models=self.models,
            code=self.code,
            judged=judged,
            error=error,
            without=self.without,
        )


def code_version(packages: Iterable[Path]) -> str:
    """Return a digest of the modules of packages: rows of different code are not one measurement."""
    digest = hashlib.sha256()
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:10]


# --- how rows came out, and two runs over the same cases -------------------------------------


ALL = "all"


@dataclass(frozen=True, slots=True)
class KindCount:
    """How the cases of one kind and label came out; `asked` are those where a person must decide."""

    kind: str
    label: str
    cases: int
    success: int
    failure: int
    asked: int
    error: int


def count_kinds(rows: Sequence[CaseRow]) -> tuple[KindCount, ...]:
    """Count by kind and label, and in all, right ones first."""
    found = {(row.label, row.kind) for row in rows}
    counts = [
        _count(kind, label, [row for row in rows if (row.label, row.kind) == (label, kind)])
        for label, kind in sorted(found)
    ]
    totals = [_count(ALL, label, [row for row in rows if row.label is label]) for label in Label]
    return (*counts, *(total for total in totals if total.cases))


def _count(kind: str, label: Label, rows: Sequence[CaseRow]) -> KindCount:
    ended = [row.judged.conclusion for row in rows if row.judged]
    success = sum(row.would_merge for row in rows)
    failure = ended.count(Conclusion.FAILURE)
    asked = len(ended) - success - failure
    return KindCount(kind, label, len(rows), success, failure, asked, len(rows) - len(ended))


def median_seconds(rows: Iterable[CaseRow]) -> float | None:
    """What a judgement took at the median."""
    return statistics.median([row.judged.seconds for row in rows if row.judged] or [0.0]) or None


def median_cost(rows: Iterable[CaseRow]) -> float | None:
    """What models cost a case at the median, in US dollars; None where none has a price."""
    known = [row.judged.cost for row in rows if row.judged and row.judged.cost is not None]
    return statistics.median(known) if known else None


def kappa(rows: Iterable[CaseRow]) -> float | None:
    """Return Cohen's kappa of "would be merged" with the labels; None where it is not defined.

    Needs the extra `bench`. Rows without a conclusion are left out.
    """
    ended = [row for row in rows if row.judged]
    labels = [row.label is Label.RIGHT for row in ended]
    if len(set(labels)) < len(Label):
        return None
    return cohen_kappa(labels, [row.would_merge for row in ended])


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs over the cases that both concluded, on the same inputs; pairs of before and after.

    `left_out` are ids that only one run has, or with other inputs, or without a conclusion.
    """

    pairs: tuple[tuple[CaseRow, CaseRow], ...]
    left_out: tuple[str, ...]

    @property
    def changed(self) -> tuple[tuple[CaseRow, CaseRow], ...]:
        """The pairs with different conclusions."""
        return tuple(
            (one, other)
            for one, other in self.pairs
            if one.judged and other.judged and one.judged.conclusion != other.judged.conclusion
        )

    @property
    def mended(self) -> int:
        """How many cases only the later run has right."""
        return sum(not is_right(one) and is_right(other) for one, other in self.pairs)

    @property
    def spoiled(self) -> int:
        """How many cases only the earlier run has right."""
        return sum(is_right(one) and not is_right(other) for one, other in self.pairs)


def is_right(row: CaseRow) -> bool:
    """Whether a right change would be merged, or a wrong one not."""
    return row.would_merge is (row.label is Label.RIGHT)


def compare(before: Iterable[CaseRow], after: Iterable[CaseRow]) -> Comparison:
    """Join two runs by case."""
    one, other = ({row.case: row for row in rows} for rows in (before, after))
    joined = ((case, one.get(case), other.get(case)) for case in dict.fromkeys((*one, *other)))
    pairs, left_out = [], []
    for case, first, second in joined:
        if first and second and first.judged and second.judged and first.inputs == second.inputs:
            pairs.append((first, second))
        else:
            left_out.append(case)
    return Comparison(tuple(pairs), tuple(left_out))


# --- rows on disk ----------------------------------------------------------------------------

ROWS = Rows(TypeAdapter(CaseRow), b'{"case":', "assay bench patches")


def read_rows(file: Path) -> tuple[CaseRow, ...]:
    """Read the newest row of every case, inputs and judges. Raises UserError for what is no row."""
    rows: dict[object, CaseRow] = {}
    for row in ROWS.read(file):
        key = (row.case, row.inputs, row.models, row.without)
        rows.pop(key, None)
        rows[key] = row
    return tuple(rows.values())
