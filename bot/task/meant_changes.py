"""Says why a task means an edited test to expect something else: it shows, allows or says that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from bot.task.examples.results import Sentence, asked_in, newly_asked
from bot.task.permissions import NEGATION, permission_for
from bot.task.said_edits import asked_in_words
from bot.task.ties import Tie
from bot.text.clipping import clip_line
from bot.text.words import sentences
from bot.values import (
    Category,
    PermittedChange,
    Requirement,
    Requirements,
    ShownResult,
    TestChange,
    TestComparison,
)
from bot.values.rules import WEAKENED
from sandbox.values import Finding

_TEXT = re.compile(r"([\"'`])((?:\\.|(?!\1)[^\\\n]){1,200})\1")
_CALL_BEFORE = re.compile(r"[\w.$]{1,80}\([^()\n]{0,200}\Z")
_CALL_AFTER = re.compile(r"[^()\n]{0,200}\)")


def why_meant(
    wanted: Requirements,
    integrity: Sequence[Finding],
    test: TestComparison,
    held: Sequence[TestComparison] = (),
) -> str:
    """Why the task accepts a changed expectation, as a sentence; "" where it does not.

    `held` are new tests that hold on base's code, too.
    """
    if contradiction(wanted.shown, test):
        return ""
    # The edit may have turned expectations into these examples, and changed nothing else.
    known = _by_result(wanted.shown)
    asked = newly_asked(test.source_before, test.source) if known and test.source_before else ()
    found = [known.get((one.call, one.result)) for one in asked]
    shown = list(dict.fromkeys(one for one in found if one))
    if shown and all(found):
        given = ", ".join(f"`{one.said_call}` gives `{one.said_result}`" for one in shown)
        return f"{test.shown} expects now what {shown[0].origin} shows: {given}."
    if any(one.path == test.path and one.rule in WEAKENED for one in integrity):
        return ""
    if permitted := permission_for(wanted.permitted, test):
        return said_to_change(permitted, test)
    return asked_in_words(wanted, test) or _other_default(wanted, test, held)


_DEFAULT = re.compile(r"(?i)\bdefaults?\b")
_OPENS = re.compile(r"(?:async\s+)?def\s|(?:test|it)(?:\.\w+)?\(")


def _other_default(
    wanted: Requirements, test: TestComparison, held: Sequence[TestComparison]
) -> str:
    """Say that a task asks for another default, where a new test still expects what this one did.

    It is the same but for one call that is given more: the value that was the default, so it holds on base.
    """
    asked = (one for one in wanted.items if one.trust.is_asked)
    asking = next((one for one in asked if _DEFAULT.search(one.with_detail)), None)
    before = _steps(test.source_before)
    for twin in held if asking and before else ():
        after = _steps(twin.source)
        gone, came = [o for o in before if o not in after], [o for o in after if o not in before]
        is_given = len(gone) == len(came) == 1 and came[0].startswith(gone[0].partition(")")[0])
        if asking and twin.path == test.path and is_given and before[-1] == after[-1]:
            kept = f"{twin.shown} still expects what {test.shown} did"
            return f"{asking.origin} asks for another default, and {kept}."
    return ""


def _steps(source: str) -> list[str]:
    """Return the lines of a test's code that say something, behind its name or titles."""
    lines = [line.strip() for line in source.splitlines() if re.search(r"\w", line)]
    begin = next((at for at, line in enumerate(lines) if _OPENS.match(line)), -1)
    return lines[begin + 1 :]


def said_to_change(permitted: PermittedChange, test: TestComparison) -> str:
    """Say which words let a test change."""
    said = clip_line(permitted.sentence, 160)
    return f"What {test.shown} expects was changed, and {permitted.origin} allows it: “{said}”"


def allows(
    wanted: Requirements, test: TestComparison, tests: Iterable[TestComparison]
) -> PermittedChange | None:
    """Return the words that let a test change which passes on base's code, too, since it was edited."""
    return permission_for(wanted.permitted, test) or _input_made_valid(wanted, test, tests)


def _input_made_valid(
    wanted: Requirements, test: TestComparison, tests: Iterable[TestComparison]
) -> PermittedChange | None:
    """Return the words that ask for an input with which base's version of a test cannot hold any more.

    Head's version asks the same of another input, and nothing else differs in it. What comes of the old one
    now is shown by a test that makes the very call and fails without the change.
    """
    before, after = test.source_before, test.source
    if not before or _TEXT.sub("''", before) != _TEXT.sub("''", after):
        return None
    texts = zip(_TEXT.finditer(before), _TEXT.finditer(after), strict=True)
    edited = [(old, new) for old, new in texts if old[2] != new[2]]
    if len({(old[2], new[2]) for old, new in edited}) != 1:
        return None
    proofs = [o for o in tests if o.change is TestChange.FAIL_TO_PASS and o.id != test.id]
    for old, _ in edited:
        start = _CALL_BEFORE.search(before[: old.start()])
        end = _CALL_AFTER.match(before, old.end())
        call = f"{start[0]}{old[0]}{end[0]}" if start and end else None
        if call is None or not any(call in one.source for one in proofs):
            return None
    asked = (
        one for one in wanted.items if one.trust.is_asked and one.category is Category.BEHAVIOUR
    )
    for one in asked:
        for said in sentences(one.with_detail):
            if edited[0][0][2] in Sentence(said).codes and not NEGATION.search(said):
                return PermittedChange(said.strip(), one.origin)
    return None


def contradiction(shown: Sequence[ShownResult], test: TestComparison) -> ShownResult | None:
    """What the task shows by example, and a test of head expects to be something else."""
    for asked in asked_in(test.source) if shown else ():
        of_call = [one for one in shown if one.call == asked.call]
        if of_call and not any(asked.result in one.results for one in of_call):
            return of_call[0]
    return None


def ties_by_example(
    asked: Sequence[Requirement], tests: Sequence[TestComparison], shown: Sequence[ShownResult]
) -> Iterator[Tie]:
    """A test that expects just what the task shows by example speaks for what stands round the example."""
    known = _by_result(shown)
    for test in tests if known else ():
        for one in asked_in(test.source):
            if example := known.get((one.call, one.result)):
                why = f"the task shows `{example.said_call}` as `{example.said_result}`"
                for requirement in asked:
                    is_around = example.said_call in requirement.with_detail
                    if requirement.origin == example.origin and is_around:
                        yield Tie(requirement.id, test.id, 1.0, why, explicit=True, by_example=True)


def _by_result(shown: Sequence[ShownResult]) -> dict[tuple[str, str], ShownResult]:
    return {(one.call, result): one for one in shown for result in one.results}
