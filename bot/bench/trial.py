"""Judges real merges and their spoiled copies, and says what came out."""

from __future__ import annotations

import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.bench.merges import Merge, Spoiling, Workbench
from bot.report.machine import ReportDocument
from bot.text.clipping import clip_line
from bot.values import ABLATED, Conclusion, EvaluationRequest, TestChange, Trigger

MOST_TARGETS = 6
MOST_TEXT = 200
_NOTHING_S = 0.1  # a stage that only looked whether there is anything to do
Judge = Callable[[EvaluationRequest], Awaitable[ReportDocument]]


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason of the gate: its rule, and the requirements that it is about (id and text)."""

    rule: str
    conclusion: Conclusion
    text: str
    requirements: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedCopy:
    """What one judgement came to. `fail_to_pass` counts the tests that show the change.

    `integrity` holds the remarks about honesty, blocking ones first: severity, rule, place, message.
    The conclusion of a run without some parts leaves out that they were off.
    `stages` are the seconds of each stage, `cost` the models' in US dollars. `problem` says why Assay
    could not finish; empty where it did.
    """

    conclusion: Conclusion
    said: str
    fail_to_pass: int
    broken_tests: int
    seconds: float
    integrity: tuple[str, ...] = ()
    stages: tuple[tuple[str, float], ...] = ()
    reasons: tuple[Reason, ...] = ()
    cost: float | None = None
    problem: str = ""

    @property
    def extra_share(self) -> float | None:
        """What damage and second looks took, as a share of the observing time; None where none ran."""
        took = dict(self.stages)
        extra = took.get("damage", 0.0) + took.get("elsewhere", 0.0)
        return extra / took["observe"] if extra > _NOTHING_S and took.get("observe") else None


@dataclass(frozen=True, slots=True)
class JudgedMerge:
    """One judged commit of a merge."""

    repository: str
    merge: str
    title: str
    spoiling: Spoiling
    judged: JudgedCopy
    spoiled: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether a spoiled copy passed, or a real merge with evidence did not."""
        if self.spoiling is not Spoiling.NONE:
            return self.judged.conclusion is Conclusion.SUCCESS
        return self.judged.fail_to_pass > 0 and self.judged.conclusion is not Conclusion.SUCCESS


@dataclass(frozen=True, slots=True)
class Trial:
    """One repository's merges, judged by `judge`."""

    name: str
    bench: Workbench
    judge: Judge

    async def as_merged(self, merge: Merge, tell: Callable[[JudgedMerge], None]) -> None:
        """Judge a merge as it was."""
        await self._judged(merge, Spoiling.NONE, merge.head, tell)

    async def run(self, merge: Merge, tell: Callable[[JudgedMerge], None]) -> None:
        """Judge a merge as it was and spoiled thrice; `tell` hears every row."""
        await self.as_merged(merge, tell)
        await self._judged(merge, Spoiling.REVERTED, self.bench.reverted(merge), tell)
        # Broken is the least known function that a passing test of base notices.
        for target in self.bench.targets(merge)[:MOST_TARGETS]:
            commit = self.bench.broken(merge, target)
            name = f"{target.path}: {target.name}"
            document, row = await self._judge(merge, Spoiling.BROKEN, commit, name)
            if not (tests := document.tests):
                continue
            failing = (*tests.pass_to_fail, *tests.other.get(TestChange.NEW_FAILING, ()))
            if failing:
                tell(row)
                weakened = self.bench.weakened(commit, failing)
                await self._judged(merge, Spoiling.WEAKENED, weakened, tell, name)
                return

    async def _judged(
        self,
        merge: Merge,
        spoiling: Spoiling,
        commit: str,
        tell: Callable[[JudgedMerge], None],
        spoiled: str = "",
    ) -> None:
        tell((await self._judge(merge, spoiling, commit, spoiled))[1])

    async def _judge(
        self, merge: Merge, spoiling: Spoiling, commit: str, spoiled: str = ""
    ) -> tuple[ReportDocument, JudgedMerge]:
        request = asked(self.bench, merge.base, commit, self.bench.words(merge))
        document, judged = await came_to(self.judge, request)
        row = JudgedMerge(self.name, merge.head[:10], merge.title, spoiling, judged, spoiled)
        return document, row


def asked(
    bench: Workbench, base: str, head: str, description: str, task: str = ""
) -> EvaluationRequest:
    """Ask for the judgement of two commits of a workbench."""
    return EvaluationRequest(
        id=f"bench-{secrets.token_hex(8)}",
        repository=str(bench.folder),
        head_sha="",
        base_sha="",
        base_ref=base,
        head_ref=head,
        trigger=Trigger.LOCAL,
        task_text=task,
        description=description,
    )


async def came_to(judge: Judge, request: EvaluationRequest) -> tuple[ReportDocument, JudgedCopy]:
    """Judge one request, and keep of the report what a table needs."""
    started = time.monotonic()
    document = await judge(request)
    # Of a report without some parts the conclusion is what it would be but for just that. The reasons
    # stand in order, the worst first.
    conclusion = document.conclusion
    others = [one.conclusion for one in document.reasons if one.rule != ABLATED]
    if len(others) < len(document.reasons):
        conclusion = others[0] if others else Conclusion.SUCCESS
    texts = {row.id: f"{row.id} {clip_line(row.text, MOST_TEXT)}" for row in document.requirements}
    tests = document.tests
    judged = JudgedCopy(
        conclusion,
        document.title,
        len(tests.fail_to_pass) if tests else 0,
        len(tests.pass_to_fail) if tests else 0,
        round(time.monotonic() - started, 1),
        tuple(
            f"{one.severity.value} {one.rule} {one.path}:{one.line} {one.message}"
            for one in document.integrity
        ),
        tuple(document.seconds.items()),
        tuple(
            Reason(
                one.rule,
                one.conclusion,
                clip_line(one.text, MOST_TEXT),
                tuple(texts.get(id_, id_) for id_ in one.requirement_ids),
            )
            for one in document.reasons
        ),
        document.cost,
        document.problem,
    )
    return document, judged
