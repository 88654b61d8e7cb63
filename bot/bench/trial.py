"""Judges real merges and their spoiled copies, and says what came out."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.bench.merges import Merge, Spoiling, Workbench
from bot.report.machine import ReportDocument
from bot.values import Conclusion, EvaluationRequest, TestChange, Trigger
from sandbox.values import Finding

MOST_TARGETS = 6
_NOTHING_S = 0.1  # a stage that only looked whether there is anything to do
Judge = Callable[[EvaluationRequest], Awaitable[ReportDocument]]


@dataclass(frozen=True, slots=True)
class Row:
    """One judged commit. `fail_to_pass` counts the tests that show the change.

    `integrity` holds the remarks about honesty, blocking ones first: severity, rule, place, message.
    `stages` are the seconds of each stage.
    """

    repository: str
    merge: str
    title: str
    spoiling: Spoiling
    conclusion: Conclusion
    said: str
    fail_to_pass: int
    broken_tests: int
    seconds: float
    spoiled: str = ""
    integrity: tuple[str, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()

    @property
    def extra_share(self) -> float | None:
        """What damage and second looks took, as a share of the observing time; None where none ran."""
        took = dict(self.stages)
        extra = took.get("damage", 0.0) + took.get("elsewhere", 0.0)
        return extra / took["observe"] if extra > _NOTHING_S and took.get("observe") else None

    @property
    def is_wrong(self) -> bool:
        """Whether a spoiled copy passed, or a real merge with evidence did not."""
        if self.spoiling is not Spoiling.NONE:
            return self.conclusion is Conclusion.SUCCESS
        return self.fail_to_pass > 0 and self.conclusion is not Conclusion.SUCCESS


@dataclass(frozen=True, slots=True)
class Trial:
    """One repository's merges, judged by `judge`."""

    name: str
    bench: Workbench
    judge: Judge

    async def as_merged(self, merge: Merge, tell: Callable[[Row], None]) -> None:
        """Judge a merge as it was."""
        await self._judged(merge, Spoiling.NONE, merge.head, tell)

    async def run(self, merge: Merge, tell: Callable[[Row], None]) -> None:
        """Judge a merge as it was and spoiled thrice; `tell` hears every row."""
        await self.as_merged(merge, tell)
        await self._judged(merge, Spoiling.REVERTED, self.bench.reverted(merge), tell)
        broken = await self._broken(merge, tell)
        if broken:
            commit, failing, name = broken
            weakened = self.bench.weakened(commit, failing)
            await self._judged(merge, Spoiling.WEAKENED, weakened, tell, name)

    async def _broken(
        self, merge: Merge, tell: Callable[[Row], None]
    ) -> tuple[str, tuple[str, ...], str] | None:
        """Break the least known function that a passing test of base notices."""
        for target in self.bench.targets(merge)[:MOST_TARGETS]:
            commit = self.bench.broken(merge, target)
            name = f"{target.path}: {target.name}"
            document, row = await self._judge(merge, Spoiling.BROKEN, commit, name)
            failing = tuple(_failing(document))
            if failing:
                tell(row)
                return commit, failing, name
        return None

    async def _judged(
        self,
        merge: Merge,
        spoiling: Spoiling,
        commit: str,
        tell: Callable[[Row], None],
        spoiled: str = "",
    ) -> None:
        tell((await self._judge(merge, spoiling, commit, spoiled))[1])

    async def _judge(
        self, merge: Merge, spoiling: Spoiling, commit: str, spoiled: str = ""
    ) -> tuple[ReportDocument, Row]:
        started = time.monotonic()
        request = EvaluationRequest(
            id=f"bench-{secrets.token_hex(8)}",
            repository=str(self.bench.folder),
            head_sha="",
            base_sha="",
            base_ref=merge.base,
            head_ref=commit,
            trigger=Trigger.LOCAL,
            description=self.bench.words(merge),
        )
        document = await self.judge(request)
        tests = document.tests
        row = Row(
            self.name,
            merge.head[:10],
            merge.title,
            spoiling,
            document.conclusion,
            document.title,
            len(tests.fail_to_pass) if tests else 0,
            len(tests.pass_to_fail) if tests else 0,
            round(time.monotonic() - started, 1),
            spoiled,
            tuple(map(_remark, document.integrity)),
            tuple(document.seconds.items()),
        )
        return document, row


def _remark(finding: Finding) -> str:
    place = f"{finding.path}:{finding.line}"
    return f"{finding.severity.value} {finding.rule} {place} {finding.message}"


def _failing(document: ReportDocument) -> Iterator[str]:
    if document.tests:
        yield from document.tests.pass_to_fail
        yield from document.tests.other.get(TestChange.NEW_FAILING, ())


def open_trial(name: str, repository: Path, folder: Path, judge: Judge) -> Trial:
    """Clone a repository into `folder` and be ready to judge its merges."""
    return Trial(name, Workbench(repository, folder), judge)
