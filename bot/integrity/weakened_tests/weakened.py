"""Tests made weaker: what two versions of a file show, test by test, and what the four ways show beyond."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from rapidfuzz import fuzz, process

from bot.diff.kinds import is_test_file
from bot.diff.lines import is_gone, old_path
from bot.diff.paths import is_test_module
from bot.diff.python_source import parse_python
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.integrity.reading.languages import language_of
from bot.integrity.reading.other_tests import read_other_tests, read_text
from bot.integrity.reading.test_code import (
    Assertion,
    CodeOfTest,
    CodeOfTests,
    Strength,
    is_weaker,
    read_tests,
)
from bot.integrity.weakened_tests.lost_imports import EDITED
from bot.task.meant_changes import allows
from bot.text.clipping import clip_line
from bot.values import TestChange
from bot.values.rules import (
    ASSERTION_LOOSENED,
    ASSERTION_REMOVED,
    ASSERTION_TRIVIAL,
    EXPECTATION_CHANGED,
    NEW_TEST_SKIPPED,
    TEST_ADAPTED,
    TEST_DELETED,
    TEST_FILE_DELETED,
    TEST_FOLLOWS_MOVE,
    TEST_SKIPPED,
)
from sandbox.values import Finding, Outcome, Severity, Side

SAME_NAME_RATIO = 50.0
"""How alike the bodies of two tests of one name must be to be one test: `test_basic` is in many classes."""
SAME_BODY_RATIO = 70.0
SAME_SUBJECT_RATIO = 80.0
MOST_CANDIDATES = 300  # new tests that a vanished one is compared with
MOST_COMPARED = 2000  # of a test's body
MOST_LINES = 400
_FOR_OLDER = re.compile(r"(?i:skip_?if)\(sys\.version_info >= \(3, (\d{1,2})\)[,)]")
_DECLARING = ("pyproject.toml", "setup.cfg", "setup.py")
_LOWEST = re.compile(
    r"(?m)^[ \t]{0,40}(?:requires-python|python_requires|python)[ \t]{0,40}=[ \t]{0,40}[\"']?"
    r"(?:>=|\^|~=?)[ \t]{0,9}3\.(\d{1,2})"
)
_CONDITIONAL = re.compile(r"(?i)skip_?(?:if|unless)\((?!\s*(?:True|1)\b)|importorskip|\brunIf\b")


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
        scored = [
            (fuzz.ratio(vanished.body[:MOST_COMPARED], arrival.test.body[:MOST_COMPARED]), at)
            for at, arrival in enumerate(free)
        ]
        score, at = max(scored, default=(0.0, -1))
        return free.pop(at) if at >= 0 and score >= SAME_NAME_RATIO else None

    def hold(self, before: CodeOfTest, after: CodeOfTest) -> bool:
        """Whether every stretch of lines that a test lost stands, unbroken, in a new test that runs."""
        old, new = before.body.splitlines(), after.body.splitlines()
        if max(len(old), len(new)) > MOST_LINES:
            return False
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        lost = ["\n".join(old[i:j]) for tag, i, j, _, _ in steps if tag in ("delete", "replace")]
        running = (
            one.test
            for one in self._all
            if not (one.test.skips or one.test.swallowed or one.test.returns_early)
        )
        sound = [test.body for test in running]
        return bool(lost) and all(any(part in body for body in sound) for part in lost)


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


@dataclass(frozen=True, slots=True)
class Followed:
    """A test that is gone from its file, and the new test that it is now, which may stand in another file."""

    before: CodeOfTest
    after: CodeOfTest | None
    path: str


def follow_tests(
    base: CodeOfTests | None, head: CodeOfTests | None, path: str, arrivals: Arrivals
) -> Iterator[Followed]:
    """Yield the tests that head's version of a file (at `path`) has not, each with what it is now."""
    known = {test.name for test in base.tests} if base else set()
    new = {test.name: test for test in (head.tests if head else ()) if test.name not in known}
    present = {test.name for test in (head.tests if head else ())}
    for test in base.tests if base else ():
        if test.name in present:
            continue
        moved = arrivals.take(test)
        successor = moved.test if moved else None
        if successor is None:  # else the new test that holds all of it
            whole = (one for one in new.values() if test.assertions and test.body in one.body)
            successor = next(whole, None)
        if successor is None:  # or whose body is most like it
            nearest = list(new.items())[:MOST_CANDIDATES]
            bodies = {name: one.body[:MOST_COMPARED] for name, one in nearest}
            best = process.extractOne(
                test.body[:MOST_COMPARED], bodies, scorer=fuzz.ratio, score_cutoff=SAME_BODY_RATIO
            )
            successor = new[best[2]] if best else None
        if successor is not None:
            new.pop(successor.name, None)
        yield Followed(test, successor, moved.path if moved else path)


def compare_tests(
    base: CodeOfTests | None,
    head: CodeOfTests | None,
    gone: Iterable[Followed],
    earlier: Mapping[str, CodeOfTest],
    arrivals: Arrivals,
) -> Iterator[Weakening]:
    """Remarks on one file: its kept tests, its new ones, and those that are `gone` from it.

    `earlier` are what some new tests were on base, under another name or in another file.
    """
    if head is not None:
        skipped = Counter(base.module_skips) if base else Counter[str]()
        for skip in Counter(head.module_skips) - skipped:
            message = f"Every test of this file is now skipped or left out: `{skip[:80]}`."
            yield Weakening(TEST_SKIPPED, "", 1, message, is_new_test=base is None)
    known = {test.name: test for test in base.tests} if base else {}
    for test in head.tests if head is not None else ():
        if before := known.get(test.name):
            yield from _compared(before, test, arrivals)
        else:
            yield from _as_new(test, earlier.get(test.name))
    for one in gone:
        if one.after is None:
            message = f"The test `{one.before.name}` was deleted."
            yield Weakening(TEST_DELETED, one.before.name, one.before.line, message, Side.BASE)
        else:
            remarks = _compared(one.before, one.after, arrivals)
            yield from (replace(remark, path=one.path) for remark in remarks)


def _as_new(test: CodeOfTest, before: CodeOfTest | None) -> Iterator[Weakening]:
    """Remarks on a test of a new name; what it has from `before` is not new."""
    always = _always(test)
    if len(always) > len(_always(before) if before else ()):
        message = f"The new test `{test.name}` is skipped: `{always[0][:80]}`."
        yield Weakening(NEW_TEST_SKIPPED, test.name, test.line, message, is_new_test=True)
    if before is not None:
        return  # it is compared with that
    for assertion in test.assertions:
        if assertion.strength is Strength.NOTHING:
            yield _trivial(test, assertion)
    if test.swallowed:
        yield _swallowed(test)


def _always(test: CodeOfTest) -> list[str]:
    """What skips a test everywhere: a test may well need a platform or a program."""
    # What a reason says is no condition.
    bare = ((one, read_text(one).bare) for one in test.skips)
    return [one for one, code in bare if not (_CONDITIONAL.search(code) or _is_conditional(one))]


def _is_conditional(skip: str) -> bool:
    """Tell whether a mark expects a failure only where a condition holds that looks at something."""
    tree = parse_python(skip)
    line = tree.body[0] if tree and tree.body else None
    call = line.value if isinstance(line, ast.Expr) else None
    if not isinstance(call, ast.Call) or not ast.unparse(call.func).endswith("mark.xfail"):
        return False
    named = (one.value for one in call.keywords if one.arg == "condition")
    condition = next(iter((*call.args[:1], *named)), None)
    return condition is not None and any(isinstance(one, ast.Name) for one in ast.walk(condition))


def _compared(before: CodeOfTest, after: CodeOfTest, arrivals: Arrivals) -> Iterator[Weakening]:
    if added := Counter(after.skips) - Counter(before.skips):
        skip = next(iter(added))
        if len(after.skips) > len(before.skips):
            message = f"`{after.name}` is now skipped or expected to fail: `{skip[:80]}`."
            yield Weakening(TEST_SKIPPED, before.name, after.line, message)
    if after.swallowed > before.swallowed:
        yield _swallowed(after, before)
    if after.returns_early and not before.returns_early:
        message = f"`{after.name}` now returns before its end."
        yield Weakening(ASSERTION_REMOVED, before.name, after.line, message)
    gone = _without(before.assertions, after.assertions)
    come = _without(after.assertions, before.assertions)
    for assertion in come:
        if assertion.strength is Strength.NOTHING:
            yield _trivial(after, assertion, before)
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
        scored: list[tuple[float, int]] = []
        for index, new in enumerate(free):
            if old.is_raise == new.is_raise:
                ratios = [fuzz.ratio(old.subject, new.subject)]
                ratios += [] if old.is_raise else [fuzz.ratio(old.text, new.text)]
                scored.append((max(ratios), index))
        score, index = max(scored, default=(0.0, -1))
        if score >= SAME_SUBJECT_RATIO:
            pairs.append((old, free.pop(index)))
    return pairs


def _without(assertions: tuple[Assertion, ...], others: tuple[Assertion, ...]) -> list[Assertion]:
    left = Counter(other.text for other in others)
    kept: list[Assertion] = []
    for assertion in assertions:
        if left[assertion.text]:
            left[assertion.text] -= 1
        else:
            kept.append(assertion)
    return kept


def _trivial(test: CodeOfTest, assertion: Assertion, before: CodeOfTest | None = None) -> Weakening:
    message = f"`{_short(assertion)}` in `{test.name}` is true whatever the code does."
    name, line = (before or test).name, assertion.line
    return Weakening(ASSERTION_TRIVIAL, name, line, message, is_new_test=before is None)


def _swallowed(test: CodeOfTest, before: CodeOfTest | None = None) -> Weakening:
    name = (before or test).name
    how = "a handler drops the error, nothing waits for its timer, or it is made only where all is there"
    message = f"`{test.name}` hides that an assertion failed: {how}."
    return Weakening(ASSERTION_LOOSENED, name, test.line, message, is_new_test=before is None)


def _short(assertion: Assertion) -> str:
    return clip_line(assertion.text, 80)


# --- the findings of a change --------------------------------------------------------------------


def weakened_tests(inspection: Inspection) -> Iterator[Finding]:
    """Tests deleted, skipped, loosened or emptied, file by file."""
    collected = {
        test.path for test in inspection.tests
    }  # whatever name a runner is told to look for
    changed = [
        change
        for change in inspection.diff.files
        if any(
            is_test_module(path)
            or path.endswith(".rs")  # Rust's tests stand beside the code
            or (is_test_file(path) and (language_of(path) is not None or path in collected))
            for path in (change.path, old_path(change))
        )
    ]
    files = [
        (c, _read(old_path(c), inspection.before(c)), _read(c.path, inspection.after(c)))
        for c in changed
    ]
    arrived: list[Arrival] = []  # the tests of changed files that their own base versions have not
    for change, base, head in files:
        known = {test.name for test in base.tests} if base else set()
        tests = head.tests if head else ()
        arrived += (Arrival(change.path, test) for test in tests if test.name not in known)
    arrivals = Arrivals(arrived)
    changes = {change.path: change for change in changed}
    declared = (
        inspection.after(one) or "" for one in inspection.diff.files if one.path in _DECLARING
    )
    lowest = max(
        (int(found[1]) for text in declared for found in _LOWEST.finditer(text)), default=0
    )
    gone: dict[str, list[Followed]] = {}
    earlier: dict[str, dict[str, CodeOfTest]] = {}
    for change, base, head in files:
        gone[change.path] = [*follow_tests(base, head, change.path, arrivals)]
        for one in gone[change.path]:
            if one.after is not None:
                earlier.setdefault(one.path, {})[one.after.name] = one.before
    for change, base, head in files:
        if is_gone(change) and base is None:
            message = "This test file was deleted."
            yield make_finding(TEST_FILE_DELETED, change, 0, message, Side.BASE)
            continue
        path, here = old_path(change), earlier.get(change.path, {})
        here_gone = [one for one in gone[change.path] if one.after or not _is_over(one, lowest)]
        for remark in compare_tests(base, head, here_gone, here, arrivals):
            is_new_skip = remark.rule == NEW_TEST_SKIPPED
            if is_new_skip and inspection.runs_on_head(change.path, remark.test):
                continue
            place = changes.get(remark.path, change)
            finding = make_finding(remark.rule, place, remark.line, remark.message, remark.side)
            # the test's results are those of the file on base, wherever the test stands now
            if remark.side is Side.BASE:
                blocks = inspection.deletion_blocks(path, remark.test)
            else:
                blocks = not remark.is_new_test and inspection.base_version_fails(path, remark.test)
            if remark.is_new_test and remark.rule == ASSERTION_LOOSENED:  # it hides failures
                finding = replace(finding, tests=(f"{change.path}::{remark.test}",))
            yield replace(finding, severity=Severity.BLOCK) if blocks else finding


def _is_over(one: Followed, lowest: int) -> bool:
    """Whether a test only ran with releases of Python 3 below the lowest that the change still supports."""
    found = map(_FOR_OLDER.search, one.before.skips)
    return any(skip is not None and int(skip[1]) <= lowest for skip in found)


def _read(path: str, text: str | None) -> CodeOfTests | None:
    """The tests of a file, in whatever language it is."""
    if text is None:
        return None
    language = language_of(path)
    return read_tests(text) if language is None else read_other_tests(text, language)


def changed_expectations(inspection: Inspection) -> Iterator[Finding]:
    """What four ways show and the syntax does not: fixtures, snapshots, values."""
    changes = {change.path: change for change in inspection.diff.files}
    adapted = {one.id: one for one in inspection.four_way.adapted}
    for test in inspection.tests:
        place = test.snapshots[0] if test.snapshots else test
        change = changes.get(place.path)
        loosened = test.change is TestChange.PASS_TO_FAIL
        is_edited = not loosened or test.head_on_head is Outcome.PASSED
        if change is None or not (is_edited and test.change in EDITED):
            continue
        if test.id in inspection.spoken_for or test.only_loads_otherwise:
            continue
        if one := adapted.get(test.id):
            rule = TEST_FOLLOWS_MOVE if one.only_moved else TEST_ADAPTED
            follows = "code that was moved or renamed" if one.only_moved else "a moved interface"
            if one.new_member:
                follows = f"code that needs `{one.new_member}` of a stand-in, too"
            message = f"{test.shown} follows {follows}; what it demands is unchanged."
            yield replace(make_finding(rule, change, test.line, message), about=test.id)
        elif loosened and not allows(inspection.requirements, test, inspection.tests):
            message = (
                f"{test.shown} now passes on base's code, too; its base version fails on head."
            )
            found = make_finding(ASSERTION_LOOSENED, change, test.line, message)
            yield replace(found, severity=Severity.BLOCK)
        else:
            message = f"What {test.shown} expects was changed; its base version fails on head."
            yield make_finding(EXPECTATION_CHANGED, change, place.line, message)
