"""Compares one test file's two versions, test by test: deleted, skipped, loosened, emptied."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from rapidfuzz import fuzz, process

from bot.integrity.assertions import Assertion, Strength, is_weaker
from bot.integrity.test_code import CodeOfTest, CodeOfTests
from bot.text.clipping import clip_line
from bot.values.rules import (
    ASSERTION_LOOSENED,
    ASSERTION_REMOVED,
    ASSERTION_TRIVIAL,
    TEST_DELETED,
    TEST_SKIPPED,
)
from sandbox.values import Side

SAME_NAME_RATIO = 50.0
"""How alike the bodies of two tests of one name must be to be one test: `test_basic` is in many classes."""
MOST_COMPARED = 2000  # of a test's body
MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Arrival:
    """One new test and the file that it stands in."""

    path: str
    test: CodeOfTest


class Arrivals:
    """The new tests of a change; each is the successor of one vanished test at most."""

    def __init__(self, found: Iterable[Arrival]) -> None:
        self._all = tuple(found)
        self._free: dict[str, list[Arrival]] = {}
        for arrival in self._all:
            self._free.setdefault(arrival.test.bare_name, []).append(arrival)

    def take(self, vanished: CodeOfTest) -> Arrival | None:
        """The new test of the same name whose body is most like the vanished one's."""
        free = self._free.get(vanished.bare_name, [])
        scored = [(_file_likeness(vanished, arrival.test), at) for at, arrival in enumerate(free)]
        score, at = max(scored, default=(0.0, -1))
        return free.pop(at) if at >= 0 and score >= SAME_NAME_RATIO else None

    def hold(self, before: CodeOfTest, after: CodeOfTest) -> bool:
        """Whether every stretch of lines that a test lost stands, unbroken, in a new test that runs."""
        old, new = before.body.splitlines(), after.body.splitlines()
        if max(len(old), len(new)) > MOST_LINES:
            return False
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        lost = ["\n".join(old[i:j]) for tag, i, j, _, _ in steps if tag in ("delete", "replace")]
        sound = [a.test.body for a in self._all if _runs(a.test)]
        return bool(lost) and all(any(part in body for body in sound) for part in lost)


def _runs(test: CodeOfTest) -> bool:
    return not (test.skips or test.swallowed or test.returns_early)


def _file_likeness(one: CodeOfTest, other: CodeOfTest) -> float:
    return fuzz.ratio(one.body[:MOST_COMPARED], other.body[:MOST_COMPARED])


SAME_BODY_RATIO = 70.0
SAME_SUBJECT_RATIO = 80.0
MOST_CANDIDATES = 300  # new tests that a vanished one is compared with
MOST_CHARACTERS = 2000  # of a test's body
_CONDITIONAL = re.compile(r"(?i)skip_?(?:if|unless)\((?!\s*(?:True|1)\b)|importorskip|\brunIf\b")


@dataclass(frozen=True, slots=True)
class TestFileVersion:
    """One side's version of a test file; `code` is None when absent or not Python."""

    path: str
    code: CodeOfTests | None


@dataclass(frozen=True, slots=True)
class Weakening:
    """What was seen in one test. `line` is on `side`, in `path` where the test moved to another file."""

    rule: str
    test: str
    line: int
    message: str
    side: Side = Side.HEAD
    is_new_test: bool = False
    path: str = ""


def compare_tests(
    base: TestFileVersion, head: TestFileVersion, arrivals: Arrivals
) -> Iterator[Weakening]:
    """Remarks on one file; `arrivals` are the tests that head has and base has not, for moved ones."""
    if base.code and head.code is None:
        yield from _deleted(base.code, [], {}, arrivals)
    if head.code is None:
        return
    yield from _module_skips(base.code, head.code)
    known = {test.name: test for test in base.code.tests} if base.code else {}
    new = {test.name: test for test in head.code.tests if test.name not in known}
    for test in head.code.tests:
        before = known.get(test.name)
        yield from _compared(before, test, arrivals) if before else _new_test(test)
    if base.code:
        yield from _deleted(base.code, head.code.tests, new, arrivals)


def _deleted(
    base: CodeOfTests,
    kept: Sequence[CodeOfTest],
    new: dict[str, CodeOfTest],
    arrivals: Arrivals,
) -> Iterator[Weakening]:
    present = {test.name for test in kept}
    for test in base.tests:
        if test.name in present:
            continue
        moved = arrivals.take(test)
        successor = moved.test if moved else _renamed(test, new)
        if successor is None:
            message = f"The test `{test.name}` was deleted."
            yield Weakening(TEST_DELETED, test.name, test.line, message, Side.BASE)
        else:
            new.pop(successor.name, None)
            path = moved.path if moved else ""
            yield from (
                replace(remark, path=path) for remark in _compared(test, successor, arrivals)
            )


def _renamed(test: CodeOfTest, candidates: dict[str, CodeOfTest]) -> CodeOfTest | None:
    """The new test that holds all of a vanished one, or whose body is most like it."""
    whole = (new for new in candidates.values() if test.assertions and test.body in new.body)
    if (successor := next(whole, None)) is not None:
        return successor
    nearest = list(candidates.items())[:MOST_CANDIDATES]
    bodies = {name: candidate.body[:MOST_CHARACTERS] for name, candidate in nearest}
    best = process.extractOne(
        test.body[:MOST_CHARACTERS], bodies, scorer=fuzz.ratio, score_cutoff=SAME_BODY_RATIO
    )
    return candidates[best[2]] if best else None


def _module_skips(base: CodeOfTests | None, head: CodeOfTests) -> Iterator[Weakening]:
    known = Counter(base.module_skips) if base else Counter[str]()
    for skip in Counter(head.module_skips) - known:
        message = f"Every test of this file is now skipped or left out: `{skip[:80]}`."
        yield Weakening(TEST_SKIPPED, "", 1, message, is_new_test=base is None)


def _new_test(test: CodeOfTest) -> Iterator[Weakening]:
    for assertion in test.assertions:
        if assertion.strength is Strength.NOTHING:
            yield _trivial(test, assertion, is_new=True)
    always = [skip for skip in test.skips if not _CONDITIONAL.search(skip)]
    if always:  # a new test may well need a platform or a program
        message = f"The new test `{test.name}` is skipped: `{always[0][:80]}`."
        yield Weakening(TEST_SKIPPED, test.name, test.line, message, is_new_test=True)
    if test.swallowed:
        yield _swallowed(test, is_new=True)


def _compared(before: CodeOfTest, after: CodeOfTest, arrivals: Arrivals) -> Iterator[Weakening]:
    if added := Counter(after.skips) - Counter(before.skips):
        skip = next(iter(added))
        if len(after.skips) > len(before.skips):
            message = f"`{after.name}` is now skipped or expected to fail: `{skip[:80]}`."
            yield Weakening(TEST_SKIPPED, before.name, after.line, message)
    if after.swallowed > before.swallowed:
        yield _swallowed(after, is_new=False, test_name=before.name)
    if after.returns_early and not before.returns_early:
        message = f"`{after.name}` now returns before its end."
        yield Weakening(ASSERTION_REMOVED, before.name, after.line, message)
    yield from _assertions(before, after, arrivals)


def _assertions(before: CodeOfTest, after: CodeOfTest, arrivals: Arrivals) -> Iterator[Weakening]:
    gone = _without(before.assertions, after.assertions)
    come = _without(after.assertions, before.assertions)
    for assertion in come:
        if assertion.strength is Strength.NOTHING:
            yield _trivial(after, assertion, is_new=False, test_name=before.name)
    pairs = _paired(gone, come)
    for old, new in pairs:
        if is_weaker(old, new) and new.strength is not Strength.NOTHING:
            message = f"`{_short(old)}` became the weaker `{_short(new)}` in `{after.name}`."
            yield Weakening(ASSERTION_LOOSENED, before.name, new.line, message)
    left = [a for a in gone if all(a is not old for old, _ in pairs)]
    missing = len(gone) - len(come)
    if missing > 0 and left and not arrivals.hold(before, after):
        message = f"`{after.name}` asserts less: `{_short(left[0])}` is gone."
        yield Weakening(ASSERTION_REMOVED, before.name, after.line, message)


def _paired(gone: list[Assertion], come: list[Assertion]) -> list[tuple[Assertion, Assertion]]:
    """Each vanished assertion with the new one on (nearly) the same subject."""
    pairs: list[tuple[Assertion, Assertion]] = []
    free = list(come)
    for old in gone:
        scored = [(_likeness(old, new), index) for index, new in enumerate(free)]
        score, index = max(scored, default=(0.0, -1))
        if score >= SAME_SUBJECT_RATIO:
            pairs.append((old, free.pop(index)))
    return pairs


def _likeness(old: Assertion, new: Assertion) -> float:
    if old.is_raise != new.is_raise:
        return 0.0
    same_subject = fuzz.ratio(old.subject, new.subject)
    return same_subject if old.is_raise else max(same_subject, fuzz.ratio(old.text, new.text))


def _without(assertions: tuple[Assertion, ...], others: tuple[Assertion, ...]) -> list[Assertion]:
    left = Counter(other.text for other in others)
    kept: list[Assertion] = []
    for assertion in assertions:
        if left[assertion.text]:
            left[assertion.text] -= 1
        else:
            kept.append(assertion)
    return kept


def _trivial(
    test: CodeOfTest, assertion: Assertion, *, is_new: bool, test_name: str = ""
) -> Weakening:
    message = f"`{_short(assertion)}` in `{test.name}` is true whatever the code does."
    return Weakening(
        ASSERTION_TRIVIAL, test_name or test.name, assertion.line, message, is_new_test=is_new
    )


def _swallowed(test: CodeOfTest, *, is_new: bool, test_name: str = "") -> Weakening:
    message = f"An `except` in `{test.name}` hides that an assertion failed."
    return Weakening(
        ASSERTION_LOOSENED, test_name or test.name, test.line, message, is_new_test=is_new
    )


def _short(assertion: Assertion) -> str:
    return clip_line(assertion.text, 80)
