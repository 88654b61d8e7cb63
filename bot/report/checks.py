"""What a check run shows: the same words as the comment, and annotations on changed lines."""

from __future__ import annotations

from dataclasses import dataclass

from bot.report.markdown import CHECK_LIMIT, EarlierVerdicts, fitted
from bot.report.model import ReportView
from bot.report.tests_views import FAILING_CHANGES
from bot.templates import check_words
from bot.values import CodePlace, Conclusion, TestComparison, VerdictOutcome
from bot.values.conclusions import (
    MOST_REQUIREMENT_CHECKS,
    Annotation,
    AnnotationLevel,
    requirement_check_name,
)
from sandbox.values import Diff, Finding, Severity, Side

MESSAGE_BYTES = 64 * 1024
TITLE_CHARACTERS = 255
MOST_SYMBOLS, MOST_TESTS = 20, 10
REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class CheckText:
    """Title and summary of a check run."""

    title: str
    summary: str


def check_summary(view: ReportView, link: str, memory: EarlierVerdicts | None = None) -> CheckText:
    """The conclusion for the check run, in the words of the comment, within GitHub's limits."""
    summary = fitted(view, link, CHECK_LIMIT, memory)
    # GitHub shows the title as it stands: backticks would, too.
    return CheckText(view.title.replace("`", "")[:TITLE_CHARACTERS], summary)


@dataclass(frozen=True, slots=True)
class RequirementCheck:
    """The check run of one requirement, by its own verdict or what a person decided about it."""

    name: str
    conclusion: Conclusion
    text: CheckText


_CONCLUSIONS = {
    VerdictOutcome.SATISFIED: Conclusion.SUCCESS,
    VerdictOutcome.UNSATISFIED: Conclusion.FAILURE,
    VerdictOutcome.UNVERIFIED: Conclusion.ACTION_REQUIRED,
}


def requirement_checks(view: ReportView, link: str) -> tuple[RequirementCheck, ...]:
    """A check run for each requirement; of a longer list the first fifty, each name once."""
    found: dict[str, RequirementCheck] = {}
    for row in view.requirements[:MOST_REQUIREMENT_CHECKS]:
        text = CheckText(*check_words("requirement", row=row, view=view, link=link))
        name = requirement_check_name(row.requirement.id)
        conclusion = Conclusion.SUCCESS if row.accepted else _CONCLUSIONS[row.verdict.outcome]
        found.setdefault(name, RequirementCheck(name, conclusion, text))
    return tuple(found.values())


def annotate(view: ReportView, diff: Diff) -> tuple[Annotation, ...]:
    """Findings and failing tests that stand on lines which head added or changed, worst first.

    What cannot be read at all is shown where that was noticed: often that line is an old one.
    """
    changed = diff.added_lines()
    unreadable = [f for f in view.findings if f.severity is Severity.BLOCK and f.path in changed]
    others = (f for f in view.findings if f.severity is not Severity.BLOCK)
    found = [*map(_from_finding, (*view.integrity, *others)), *_failing_tests(view)]
    shown = [item for item in map(_from_finding, unreadable) if item]
    for item in filter(None, found):
        lines = changed.get(item.path, set())
        if any(number in lines for number in range(item.start_line, item.end_line + 1)):
            shown.append(item)
    shown += _broken_symbols(view, changed)
    shown += [
        Annotation(
            path=hunk.path,
            start_line=hunk.first,
            end_line=min(hunk.last, hunk.first + 500),
            level=AnnotationLevel.NOTICE,
            title="Nothing that ran without this change alone failed",
            message="What was run to show the requirements passes without it, too. Does it belong to the "
            "task? This never blocks.",
        )
        for hunk in view.unneeded_hunks[:MOST_SYMBOLS]
        # of several of which none alone is needed, each may stand for the others
        if view.needed_hunks or len(view.unneeded_hunks) == 1
    ]
    return tuple(sorted(shown, key=lambda item: item.level is not AnnotationLevel.FAILURE))


def _from_finding(finding: Finding) -> Annotation | None:
    if finding.side is not Side.HEAD or finding.line < 1:
        return None
    blocks = finding.severity is Severity.BLOCK
    return Annotation(
        path=finding.path,
        start_line=finding.line,
        end_line=max(finding.line, min(finding.end_line, finding.line + 500)),
        level=AnnotationLevel.FAILURE if blocks else AnnotationLevel.WARNING,
        title=f"{finding.tool} {finding.rule}".strip()[:TITLE_CHARACTERS],
        message=_fitted(finding.message or finding.rule),
    )


def _failing_tests(view: ReportView) -> list[Annotation]:
    groups = view.tests.shown if view.tests else ()
    failing = [t.comparison for g in groups if g.change in FAILING_CHANGES for t in g.tests]
    return [
        Annotation(
            path=test.path,
            start_line=test.line,
            end_line=test.line,
            level=AnnotationLevel.FAILURE,
            title=f"fails on head: {test.id}"[:TITLE_CHARACTERS],
            message=_fitted(test.message or "This test fails on head."),
        )
        for test in failing
        if test.path and test.line > 0
    ]


def _broken_symbols(view: ReportView, changed: dict[str, set[int]]) -> list[Annotation]:
    """On the first changed line of each symbol that failing tests reach: a hint where the cause is."""
    reaching: dict[CodePlace, list[TestComparison]] = {}
    for group in view.tests.shown if view.tests else ():
        for test in group.tests:
            for place in test.reaches if test.fails else ():
                reaching.setdefault(place, []).append(test.comparison)
    gone = (
        {one.place for one in view.impact.symbols if one.how == REMOVED} if view.impact else set()
    )
    shown = [place for place in reaching if place not in gone and place.path in changed]
    found = []
    for place in shown[:MOST_SYMBOLS]:
        tests = reaching[place]
        line = min((n for n in changed[place.path] if n >= place.line), default=place.line)
        count = "1 failing test reaches" if len(tests) == 1 else f"{len(tests)} failing tests reach"
        listed = [f"{test.id}: {test.assertion}".removesuffix(": ") for test in tests[:MOST_TESTS]]
        more = [f"and {len(tests) - MOST_TESTS} more"] if len(tests) > MOST_TESTS else []
        annotation = Annotation(
            path=place.path,
            start_line=line,
            end_line=line,
            level=AnnotationLevel.WARNING,
            title=f"{count} {place.name or 'this'}"[:TITLE_CHARACTERS],
            message=_fitted("\n".join((*listed, *more))),
        )
        found.append(annotation)
    return found


def _fitted(message: str) -> str:
    return message.encode()[: MESSAGE_BYTES - 1].decode(errors="ignore")
