"""What an agent is told to repair: PRDBench's rows, each with the command that shows the failure.

The rows leave out what only maintainers may see: the words of rubrics, the steps that judges wrote, and what
people decided. They are made of `report.json`, so they say what the report says.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

from bot.report.machine import EvidenceDocument, ReportDocument, RequirementDocument, TestDocument
from bot.report.tests_views import run_alone
from bot.text.clipping import clip_middle
from bot.values import ActionKind, Conclusion, Decider, VerdictOutcome

MOST_EXPLANATION = 4_000
MOST_TESTS = 10
_MOST_MESSAGE = 1_500
_POINTS = {VerdictOutcome.SATISFIED: 2, VerdictOutcome.UNSATISFIED: 0, VerdictOutcome.UNVERIFIED: 0}
_BY_JUDGES = (Decider.STEP, Decider.PANEL)
_RUNNABLE = (ActionKind.UNIT_TESTS, ActionKind.BASH, ActionKind.EXAMPLES)
_STOPS = (Conclusion.FAILURE, Conclusion.ACTION_REQUIRED)
_WEAKENED = "B3"
_WHOLE_PATCH = "patch"
_SENTENCE = re.compile(r"(?<=[.!?]) ")
_FOR_PEOPLE = re.compile(r"/judge|\bRe-run\b|write access")


@dataclass(frozen=True, slots=True)
class RepairRow:
    """One row: `score` is 2, 1 or 0 as PRDBench counts. What nobody could decide scores 0 and says so.

    `command` repeats the failure in a clone with the patch applied, a shell line each; empty where nothing
    failed, or nothing can be repeated.
    """

    metric: str
    description: str
    score: int
    explanation: str
    command: str


def repair_rows(report: ReportDocument) -> tuple[RepairRow, ...]:
    """Return a row for each requirement, and for each other rule that stops the patch."""
    return _Rows(report).all() if report.judged else ()


def shown_title(report: ReportDocument) -> str:
    """The report's title, which can quote a requirement; where there are rubrics, only how many are met."""
    if not report.rubrics:
        return report.title
    score = report.score
    return f"{score.met_independently} of {score.total} requirements met"


class _Rows:
    """Makes the rows of one report."""

    def __init__(self, report: ReportDocument) -> None:
        self._report = report
        self._rubrics = {rubric.name for rubric in report.rubrics}
        self._compared = {t.id: t for t in report.tests.compared} if report.tests else {}
        planned = report.planned.steps if report.planned else ()
        self._by_rules = {step.id for step in planned if not step.is_proposed}

    def all(self) -> tuple[RepairRow, ...]:
        rows = [self._of_requirement(asked) for asked in self._report.requirements]
        for reason in self._report.reasons:
            if reason.requirement_ids or reason.conclusion not in _STOPS:
                continue
            if self._rubrics and reason.rule == _WHOLE_PATCH:  # its words are about the rubric
                command = ""
                text = "The patch as a whole does not meet the maintainers' rubric, which is not shown."
            else:
                told, command = self._failures(reason.tests)
                text = _joined("", [reason.text, *told, _for_agents(reason.next_step)])
            rows.append(RepairRow(reason.rule, _RULE, 0, text, command))
        return tuple(rows)

    def _of_requirement(self, asked: RequirementDocument) -> RepairRow:
        verdict = asked.verdict
        if asked.origin in self._rubrics:
            text = "A requirement of the maintainers' rubric, which is not shown."
            return RepairRow(asked.id, text, _POINTS[verdict], f"It is {verdict.value}.", "")
        if verdict is VerdictOutcome.SATISFIED:
            return RepairRow(asked.id, asked.wording or asked.text, 2, asked.reason, "")
        told, command = self._failures(asked.tests, asked)
        # Where tests were weakened, for the requirement that says so.
        found = self._report.integrity if asked.id == _WEAKENED else ()
        told += [f"{one.path}:{one.line}: {one.message}" for one in found[:MOST_TESTS]]
        parts = [asked.reason, *told, _for_agents(asked.next_step)]
        doubt = "Undecided: " if verdict is VerdictOutcome.UNVERIFIED else ""
        # A test plan's own points, which know a half; else all or nothing.
        items = self._report.plan.items if self._report.plan else ()
        own = next((item.points for item in items if item.requirement_id == asked.id), None)
        return RepairRow(
            metric=asked.id,
            description=asked.wording or asked.text,
            score=_POINTS[asked.verdict] if own is None else own,
            explanation=_joined(doubt, parts),
            command=command,
        )

    def _failures(
        self, tests: tuple[str, ...], asked: RequirementDocument | None = None
    ) -> tuple[list[str], str]:
        """What failed, in the words of the tests or of the step, and the lines that show it."""
        failing = [self._compared[name] for name in tests if name in self._compared][:MOST_TESTS]
        told = [_told(test.id, test.message) for test in failing]
        lines = [line for test in failing if (line := self._single(test))]
        steps: list[EvidenceDocument] = []
        needs_steps = not failing or len(lines) < len(failing)
        if asked is not None and needs_steps and asked.decided_by not in _BY_JUDGES:
            # Those that anybody can repeat: none that a judge wrote, and none that he alone weighed.
            steps = [
                one
                for one in self._report.evidence
                if one.id in asked.evidence
                and one.action in _RUNNABLE
                and one.command
                and one.id in self._by_rules
            ]
        lines += [step.command for step in steps]
        if not failing:
            told = [_told(step.goal, step.head.output) for step in steps if step.head]
        return told, "\n".join(dict.fromkeys(lines))

    def _single(self, test: TestDocument) -> str:
        """The line that runs one test alone; with base's version of it, where only that one fails."""
        run, base = run_alone(test.id), self._report.subject.base_sha[:12]
        if not run or "git restore -s" not in test.command or not base:
            return run
        return f"git restore -s {base} -W -- {shlex.quote(test.path)} && {run}"


def _told(name: str, output: str) -> str:
    return f"{name}:\n{clip_middle(output.strip(), _MOST_MESSAGE)}" if output.strip() else name


def _for_agents(next_step: str) -> str:
    """The advice, sentence by sentence, without what only people can do."""
    return " ".join(one for one in _SENTENCE.split(next_step) if not _FOR_PEOPLE.search(one))


def _joined(doubt: str, parts: Iterable[str]) -> str:
    return clip_middle(doubt + "\n\n".join(part for part in parts if part), MOST_EXPLANATION)


_RULE = "A rule that every patch has to meet."
