"""Gives an item of a test plan its points (PRDBench: 2, 1 or 0) and its verdict, without a model.

2  every command ended with exit code 0, every expected file is equal, and the prose demands nothing
   that could not be looked for: satisfied.
1  it runs, and a part of what is demanded is there: with something missing or different, unsatisfied;
   with everything there in another order or layout, unverified: a person says whether that matters.
0  a command failed (its exit code binds), crashed or did not end, or nothing that was demanded is
   there: unsatisfied.
Undecided (no points): only prose is left, or the plan lacks something. It counts as not met.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.evidence.test_plan.ended import (
    ProgramEnding,
    confirms_nothing,
    ending,
    has_crashed,
    is_out_of_input,
    last,
    may_fail,
    screens,
    short,
)
from bot.evidence.test_plan.quotations import (
    HowPrinted,
    is_printed_whole,
    left_out,
    made_files,
    printed,
    quotations,
)
from bot.values import Decider, Evidence, ItemKind, PlanItem, Requirement, Verdict, VerdictOutcome
from bot.values.four_way import passed
from sandbox.terminal.values import FileCheck, FileOutcome, ItemRun
from sandbox.values import NOT_RUNNABLE, Observation

_COMMAND_NOT_FOUND = re.compile(r"(?:^|: )([\w.+-]+): command not found\s*$", re.MULTILINE)
_NO_MODULE = re.compile(r"No module named '?(pytest|unittest2|nose)'?\s*$", re.MULTILINE)
_NO_SUCH_TEST = re.compile(r"(?m)^ERROR: not found: (\S+)|(?m:^)ERROR: file or directory not found")
# Not a missing module: that may be the environment's, not the code's.
_CANNOT_LOAD = re.compile(
    r"(?m)^E\s+(SyntaxError|IndentationError|NameError|AttributeError|TypeError|"
    r"ImportError: cannot import name)\b"
)
_DOCUMENTS = (".md", ".rst", ".txt", ".docx", ".pdf")
_PERSON = "Read its output in the evidence, or set up a model."


@dataclass(frozen=True, slots=True)
class Marked:
    """An item's points (None: undecided), and the verdict's parts."""

    points: int | None
    outcome: VerdictOutcome
    reason: str
    next_step: str = ""
    decider: Decider = Decider.ORACLE


@dataclass(frozen=True, slots=True)
class _ItemSeen:
    item: PlanItem
    folder: str  # where the plan stands
    base: Observation | None
    head: Observation
    run: ItemRun
    plain_endings: frozenset[ProgramEnding]

    @property
    def output(self) -> str:
        """What all its commands printed on head."""
        return "\n".join(case.output for case in self.run.cases)


Rule = Callable[[_ItemSeen], Iterator[Marked]]


def judge_criterion(
    requirement: Requirement, evidence: Evidence | None, plain: frozenset[ProgramEnding]
) -> Verdict:
    """The verdict of one item; the marks that it rests on are `marked`'s."""
    mark = marked(requirement, evidence, plain)
    is_undecided = mark.outcome is VerdictOutcome.UNVERIFIED
    return Verdict(
        requirement_id=requirement.id,
        outcome=mark.outcome,
        decided_by=Decider.NOBODY if is_undecided else mark.decider,
        reason=mark.reason,
        evidence_ids=(evidence.id,) if evidence else (),
        next_step=mark.next_step,
    )


def marked(
    requirement: Requirement,
    evidence: Evidence | None,
    plain: frozenset[ProgramEnding] = frozenset(),
) -> Marked:
    """The points of one item: the first rule that speaks decides.

    `plain` are the exit codes that its program ends with in other items, where nothing was wrong.
    """
    item, head = requirement.item, evidence.head if evidence else None
    if item is None or evidence is None or head is None:
        return _undecided("It was not run.", "Comment `/judge` to try again.")
    folder = PurePosixPath(requirement.origin).parent.as_posix()
    seen = _ItemSeen(item, folder, evidence.base, head, head.item or ItemRun(), plain)
    return next(mark for rule in _RULES for mark in rule(seen))


def _undecided(reason: str, next_step: str = _PERSON, points: int | None = None) -> Marked:
    return Marked(points, VerdictOutcome.UNVERIFIED, reason, next_step)


def _failed(reason: str, points: int = 0) -> Marked:
    step = "Fix what the failing step shows, and push."
    return Marked(points, VerdictOutcome.UNSATISFIED, reason, step)


# --- what stands in the way ---------------------------------------------------------------------


def _it_cannot_be_carried_out(seen: _ItemSeen) -> Iterator[Marked]:
    if seen.item.problem:
        yield _undecided(seen.item.problem, "Correct the item in the test plan on the base branch.")
    wanted = [path for path in seen.run.lacks if not _is_the_authors_to_write(path, seen)]
    if wanted:
        yield _undecided(
            f"The plan names {', '.join(wanted[:3])}, which exists neither on base nor on head.",
            "Add what is missing beside the plan on the base branch.",
        )


def _is_the_authors_to_write(path: str, seen: _ItemSeen) -> bool:
    """A test that the plan does not bring itself: the author was asked for it."""
    is_test = seen.item.kind is ItemKind.UNIT_TEST and path.endswith(".py")
    return is_test and PurePosixPath(seen.folder) not in PurePosixPath(path).parents


def _a_tool_is_missing(seen: _ItemSeen) -> Iterator[Marked]:
    for case in seen.run.cases:
        found = _COMMAND_NOT_FOUND.search(case.output) or _NO_MODULE.search(case.output)
        if case.exit_code and found and case.exit_code in (*NOT_RUNNABLE, 1):
            yield _undecided(
                f"It needs {found[1]}, which is missing.",
                "Install it for the sandbox, or add it to the project's dependencies.",
            )


def _the_run_proves_nothing(seen: _ItemSeen) -> Iterator[Marked]:
    absent = [path for path in seen.run.lacks if _is_the_authors_to_write(path, seen)]
    if absent:
        yield _failed(f"The plan names tests that do not exist: {', '.join(absent[:3])}.")
    if seen.head.problem and _NO_SUCH_TEST.search(seen.head.output):
        if seen.run.authors:
            yield _failed("The author's test file lacks the test that the plan names.")
        yield _undecided("Base's test file lacks the test that the plan names.")
    if seen.head.problem and _CANNOT_LOAD.search(seen.head.output):
        yield _failed("The tests that the plan names cannot be loaded with head's code.")
    if seen.head.problem:
        yield _undecided(
            seen.head.problem, "Read the evidence, then comment `/judge` to try again."
        )


# --- how the commands ended ---------------------------------------------------------------------


def _a_command_failed(seen: _ItemSeen) -> Iterator[Marked]:
    for case in seen.run.cases:
        if case.exit_code is None:
            yield _failed(f"`{short(case)}` timed out, with no input left to read.")
        elif has_crashed(case):
            yield _failed(f"`{short(case)}` crashed (exit code {case.exit_code}). {last(case)}")
        elif case.exit_code and not may_fail(case, seen.item):
            yield _failed(f"`{short(case)}` ended with exit code {case.exit_code}. {last(case)}")
        elif ending(case) in seen.plain_endings and not is_out_of_input(case):
            said = "it ends the same way with valid input"
            yield _failed(f"`{short(case)}` ended with exit code {case.exit_code}; {said}.")
        elif is_out_of_input(case) and confirms_nothing(case, seen.item):
            said = "its input was misread, and nothing expected was shown"
            yield _failed(f"`{short(case)}` ended with a traceback: {said}. {last(case)}")


# --- what it left and printed -------------------------------------------------------------------


def _a_file_is_wrong(seen: _ItemSeen) -> Iterator[Marked]:
    files = seen.run.files
    wrong_outcomes = {FileOutcome.MISSING, FileOutcome.DIFFERS, FileOutcome.UNREADABLE}
    wrong: list[FileCheck] = []
    for file in files:
        is_wrong = file.outcome in wrong_outcomes
        if file.outcome is FileOutcome.DIFFERS and not seen.run.cases:
            is_wrong = not file.name.lower().endswith(_DOCUMENTS)  # a reference text is an example
        wrong += [file] if is_wrong else []
    equal = [file for file in files if file.outcome is FileOutcome.EQUAL]
    if wrong:
        yield _failed(_told(wrong[0]), points=1 if equal else 0)


def _told(file: FileCheck) -> str:
    what = {
        FileOutcome.MISSING: "was not written",
        FileOutcome.DIFFERS: "differs",
        FileOutcome.UNREADABLE: "cannot be read",
        FileOutcome.SIMILAR: "has every value, in another form",
    }.get(file.outcome, "could not be compared")
    where = f"{file.actual or 'The file'} {what}, against {file.name}"
    return f"{where}: {file.detail}."


def _a_file_was_not_made(seen: _ItemSeen) -> Iterator[Marked]:
    if seen.item.kind is ItemKind.UNIT_TEST or not seen.run.cases:
        return
    made = {PurePosixPath(path).name for path in seen.run.made}
    for path in made_files(seen.item):
        if PurePosixPath(path).name not in made:
            yield _failed(f"{path} was not written, though the plan expects it.")


def _a_text_is_missing(seen: _ItemSeen) -> Iterator[Marked]:
    if seen.head.truncated or not seen.run.cases or seen.item.kind is ItemKind.UNIT_TEST:
        return
    found = quotations(seen.item, _typed(seen))
    for demand in found.demands:
        how = printed(demand, seen.output)
        if how in {HowPrinted.NOT, HowPrinted.PARTLY}:
            texts = ", ".join(f"“{text}”" for text in demand.texts[:6])
            points = 1 if how is HowPrinted.PARTLY else 0
            some = "Not all" if points else "Nothing"
            yield _failed(f"{some} of what the plan expects was printed: {texts}.", points)
        shown = (screen for case in seen.run.cases for screen in screens(case))
        missing = left_out(demand, shown) if how is HowPrinted.APART else ()
        if missing:
            texts = ", ".join(f"“{text}”" for text in missing)
            yield _failed(f"{texts} is not shown with the other options.", points=1)


def _typed(seen: _ItemSeen) -> str:
    return "\n".join(case.typed for case in seen.run.cases)


# --- what can be said for it --------------------------------------------------------------------


def _tests_passed(seen: _ItemSeen) -> Iterator[Marked]:
    if seen.item.kind is not ItemKind.UNIT_TEST:
        return
    # Of tests that nobody but the command itself can see, its exit code is all there is.
    lines = [case.command for case in seen.item.cases]
    said = all(re.search(r"\b\d+ passed\b", c.output) for c in seen.run.cases)
    is_no_pytest = bool(lines) and (said or not any("pytest" in line for line in lines))
    if seen.head.exit_code != 0 or not (seen.run.tests or is_no_pytest):
        yield _undecided(
            "No test was seen to pass.", "Read the evidence, then comment `/judge` to try again."
        )
    elif not seen.run.authors and seen.run.tests:
        reason = f"{seen.run.tests} test(s) of the plan passed on head."
        yield Marked(2, VerdictOutcome.SATISFIED, reason)
    elif not seen.run.authors:
        # Nobody but the command itself saw the tests, and what it runs may be the author's.
        reason = "The plan's command succeeded on head. Only its exit code is known."
        yield Marked(2, VerdictOutcome.SATISFIED, reason, decider=Decider.AUTHORS_TEST)
    elif passed(seen.base):
        reason = "The author's tests pass on base's code too, so they show nothing."
        yield _undecided(reason, "Make the tests fail without the change.")
    else:
        yield Marked(
            2,
            VerdictOutcome.SATISFIED,
            f"{seen.run.tests} test(s) that the author wrote for it passed on head.",
            decider=Decider.AUTHORS_TEST,
        )


def _files_are_equal(seen: _ItemSeen) -> Iterator[Marked]:
    files = seen.run.files
    if not files:
        return
    loose = [file for file in files if file.outcome is not FileOutcome.EQUAL]
    if loose:
        points = 1 if loose[0].outcome is FileOutcome.SIMILAR else None
        yield _undecided(_told(loose[0]), "Compare the two files.", points)
    elif seen.head.exit_code != 0 and seen.run.cases:
        yield _undecided("The file is right, but the run failed.", points=1)
    else:
        names = ", ".join(file.actual for file in files[:3])
        yield Marked(2, VerdictOutcome.SATISFIED, f"{names}: as the plan expects.")


def _it_says_what_is_quoted(seen: _ItemSeen) -> Iterator[Marked]:
    if seen.head.exit_code != 0 or seen.head.truncated:
        return
    if is_printed_whole(seen.item, seen.output, _typed(seen)):
        yield Marked(2, VerdictOutcome.SATISFIED, "The expected output was printed word for word.")
    found = quotations(seen.item, _typed(seen))
    if found.is_all and all(printed(d, seen.output) is HowPrinted.WHOLLY for d in found.demands):
        texts = ", ".join(f"“{text}”" for demand in found.demands for text in demand.texts)
        yield Marked(
            2, VerdictOutcome.SATISFIED, f"Everything that the plan names was shown: {texts}."
        )


def _only_prose_is_left(seen: _ItemSeen) -> Iterator[Marked]:
    asked = any(is_out_of_input(case) for case in seen.run.cases)
    codes = (
        "it reads on after the end of its input" if asked else f"exit code {seen.head.exit_code}"
    )
    yield _undecided(f"It ran ({codes}); its expected output is prose, which a person must read.")


_RULES: tuple[Rule, ...] = (
    _it_cannot_be_carried_out,
    _a_tool_is_missing,
    _the_run_proves_nothing,
    _a_command_failed,
    _a_file_is_wrong,
    _a_file_was_not_made,
    _a_text_is_missing,
    _tests_passed,
    _files_are_equal,
    _it_says_what_is_quoted,
    _only_prose_is_left,
)
