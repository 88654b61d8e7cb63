"""Says what a test's answer to damage and a second look at its calls show: whether it proves anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from bot.evidence.tests.results import group_tests
from bot.values import DamageSeen, Observed, TestChange, TestComparison, Verdict
from sandbox.damage.values import (
    AS_ON_BASE,
    OF_LINES,
    RESULTS,
    SAME,
    Damage,
    DamageTrial,
    OneValue,
    is_hollow,
)
from sandbox.elsewhere.values import Difference, SecondLook
from sandbox.test_runs.four_runs import failed, passed
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import ChangeStatus, Diff, FileChange

MOST_FILES = 5
NO_END = "no damaged copy of what changed could be loaded and run to its end."
_OF_TESTS = (PathKind.TEST, PathKind.SUPPORT)
_NATIVE = (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx")
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*)\s*\(")
_NAMES = re.compile(r"[A-Za-z_$][\w$]*")
_GIVEN_TO = re.compile(
    r"(?:\bfunction\b\s{0,9}[\w$]{0,80}\s{0,9}|\bdef\s{1,9}\w{1,200})\(([^()]{0,400})\)"
    r"|\(([\w$,\s]{0,400})\)\s{0,9}=>|([A-Za-z_$][\w$]{0,80})\s{0,9}=>"
)
"""What the functions of a test are given."""
_NAMED = r"\s*\(\s*(?:[\w.$]+\s*,\s*)?[\"'](?:[\w./:-]+\.)?(\w+)[\"']"
_REPLACED = re.compile(
    rf"\b(?:patch(?:\.object)?|setattr|stub|replace){_NAMED}|\bmethod{_NAMED}\s*,|"
    rf"\bspyOn{_NAMED}\s*\)\s*\.mock|"
    r"\.(\w+)\s*=\s*(?:lambda\b|async\b|function\b|\(|\w*[mM]ock\b|jest\b|vi\b|sinon\b)"
)
_GIVEN = re.compile(r"\.([A-Za-z_$][\w$]*)\s*[-+*/%|&^@?]{0,2}=(?![=>])")


@dataclass(frozen=True, slots=True)
class Proofs:
    """Tests that speak for one demand, by their ids, and the identifiers that its words write as code.

    Those of them that only stand around it are `shown`: what shows the trouble calls more than has it.
    """

    tests: frozenset[str]
    names: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Noticed:
    """How many damages at least one of some tests noticed, out of how many they were run on."""

    noticed: int
    of: int

    def __str__(self) -> str:
        return f"{self.noticed} of {self.of} damage{'s' if self.of != 1 else ''} noticed"


def with_counted(verdict: Verdict, counted: Noticed | None) -> Verdict:
    """Return a verdict with how many damages its tests noticed, where that was measured."""
    if counted is None:
        return verdict
    return replace(verdict, damages_noticed=counted.noticed, damages_tried=counted.of)


def noticed_by(tests: Iterable[TestComparison], seen: DamageSeen | None) -> Noticed | None:
    """Count over the damages that tell something; None where none was measured."""
    ids = {test.id for test in tests}
    trials = [one for one in _trials(seen) if one.damage.is_telling and ids.intersection(one.ran)]
    if not trials:
        return None
    return Noticed(sum(bool(ids.intersection(one.noticed)) for one in trials), len(trials))


def held_by(tests: Iterable[TestComparison], seen: DamageSeen | None) -> Noticed | None:
    """Count as `noticed_by` for tests that hold on base: what is as there they cannot notice."""
    trials = (one for one in _trials(seen) if one.damage.kind not in AS_ON_BASE)
    return noticed_by(tests, replace(seen, trials=tuple(trials)) if seen else None)


def in_lines(seen: DamageSeen | None) -> DamageSeen | None:
    """Return what damage to the changed lines shows; that a function is called says nothing of them.

    Of a line in which tests notice other damage, what stands in it as on base need not be noticed.
    """
    trials = [one for one in _trials(seen) if one.damage.kind in OF_LINES]
    met = {(one.damage.path, one.damage.line) for one in trials if one.noticed}
    told = (
        one
        for one in trials
        if one.noticed or one.damage.is_changed or (one.damage.path, one.damage.line) not in met
    )
    return replace(seen, trials=tuple(told)) if seen else None


class Why(StrEnum):
    """Why a test shows nothing of a change."""

    DAMAGE = "it passes however the change is damaged"
    RESULT = "it notices that nothing comes back, and nothing else"
    STAND_IN = "it replaces what the change adds"
    TEXT = "it notices code that does the same in other words"
    OPEN = "no damaged copy could be run"


@dataclass(frozen=True, slots=True)
class Blindness:
    """Why a test shows nothing, and where that was seen: a function ("" for all), a damage that it misses."""

    why: Why
    function: str = ""
    damage: Damage | None = None


def blindness(test: TestComparison, seen: DamageSeen | None) -> Blindness | None:
    """Return why a test shows nothing of the change; None where it notices damage, or none could be made.

    Where the change itself may be why no damaged copy ran to its end, the test shows nothing.
    A damage that only takes a name away, or makes a function raise, counts where no other could be
    made; where a test noticed such a one, what stands in other files is nothing that it is about. Of a
    function that the test itself calls, some damage must be noticed: what it notices elsewhere may be what
    keeps it green. That a function does nothing any more counts only where it is not just the missing
    result that is noticed.
    """
    trials = _trials(seen)
    ran = [one for one in trials if test.id in one.ran and one.damage.kind != SAME]
    could_tell = any(one.damage.is_telling for one in trials)
    is_told = not could_tell or any(one.damage.is_telling for one in ran)
    if seen and not seen.is_of_base and (seen.is_open or not is_told):
        return Blindness(Why.OPEN)
    if any(one.damage.kind == SAME and test.id in one.noticed for one in trials):
        return Blindness(Why.TEXT)
    telling = [one for one in ran if one.damage.is_telling] or [
        one for one in ran if one.damage.kind not in RESULTS
    ]
    noticed = [one for one in telling if test.id in one.noticed]
    if not noticed:
        near = {_subject(one.damage.path) for one in ran if test.id in one.noticed}
        missed = (one.damage for one in telling if not near or _subject(one.damage.path) in near)
        first = None if _needs_a_hunk(test, seen) else next(missed, None)
        return Blindness(Why.DAMAGE, damage=first) if first else None
    hollow = [one.damage for one in noticed if is_hollow(one.damage, trials, test.id)]
    # Where one function is hollow, all emptied together are.
    whole = {"emptied"} if hollow else set()
    told = (one for one in noticed if one.damage.symbol or one.damage.kind not in whole)
    met = [one for one in told if one.damage not in hollow]
    called = called_in(test)
    own = [one for one in ran if one.damage.symbol in called and one.damage.kind not in RESULTS]
    seen_here = own if not hollow else [one for one in own if one in met]
    if not met or (own and not any(test.id in one.noticed for one in seen_here)):
        return (
            Blindness(Why.RESULT, hollow[0].symbol)
            if hollow
            else Blindness(Why.DAMAGE, damage=own[0].damage)
        )
    for name in sorted(stand_ins(test)):
        of_it = [one for one in ran if one.damage.symbol == name and one.damage.is_new]
        if of_it and not any(one.noticed for one in trials if one.damage.symbol == name):
            return Blindness(Why.STAND_IN, name)
    return None


def _needs_a_hunk(test: TestComparison, seen: DamageSeen | None) -> bool:
    """Whether a test notices that one of several hunks is taken back, where no name goes with it."""
    hunks = seen.of_hunks if seen and len(seen.of_hunks) > 1 else ()
    return any(one.damage.is_telling and test.id in one.noticed for one in hunks)


def near_what_is_noticed(
    tests: Iterable[TestComparison], proofs: Iterable[TestComparison], seen: DamageSeen
) -> Callable[[Damage], bool]:
    """Return what tells whether these tests notice other damage in the function (else the file) of a damage.

    Where none of all `proofs` notices any there, it stands in everybody's way.
    """
    ids, others = ({one.id for one in some} for some in (tests, proofs))
    noticed = [one for one in seen.trials if one.noticed and one.damage.kind != SAME]

    def is_near(damage: Damage) -> bool:
        there = [o for o in noticed if o.damage.path == damage.path]
        nearest = [o for o in there if o.damage.symbol == damage.symbol] or there
        noticing = {test for o in nearest for test in o.noticed}
        return not noticing & (ids | others) or bool(noticing & ids)

    return is_near


def value_needed_by(test: TestComparison, seen: DamageSeen | None) -> OneValue | None:
    """Return the condition whose value this test needs to see anything of the change; None where none is."""
    return next((one for one in seen.one_value if test.id in one.tests), None) if seen else None


def is_beside(test: TestComparison, names: frozenset[str], seen: DamageSeen | None) -> str:
    """Return the functions that a demand `names` and that this test of the author's does not run; or ""."""
    for one in seen.beside if seen and test.written_by_author else ():
        if test.id in one.tests and names.intersection(one.functions):
            return " and ".join(f"`{name}`" for name in one.functions[:3])
    return ""


def _subject(path: str) -> str:
    """A file's path; of C's headers and sources, which often lie apart, the name that both share."""
    file = PurePosixPath(path)
    return file.stem if file.suffix in _NATIVE else path


def called_in(test: TestComparison) -> set[str]:
    """The names that a test calls, without those that it is given (`done` of `done => …`)."""
    taken = (name for found in _GIVEN_TO.finditer(test.source) for name in found.groups() if name)
    return set(_CALLED.findall(test.source)) - {
        one for name in taken for one in _NAMES.findall(name)
    }


def stand_ins(test: TestComparison) -> frozenset[str]:
    """The names in whose place a test puts something else."""
    return frozenset(
        name for found in _REPLACED.finditer(test.source) for name in found.groups() if name
    )


def kept_that_reach(observed: Observed) -> frozenset[str]:
    """Tests that hold on both sides and that reach, by the code graph, what changed: they ought to notice.

    Of each changed symbol in turn the nearest file that has such tests.
    """
    symbols = observed.impact.symbols if observed.impact else ()
    held = group_tests(observed.tests).held
    known = {test.path for test in held}
    reaching = ([place.path for place in one.tests if place.path in known] for one in symbols)
    nearest = dict.fromkeys(chain.from_iterable(zip_longest(*reaching)))
    paths = [*filter(None, nearest)][:MOST_FILES]
    return frozenset(test.id for test in held if test.path in paths)


def notices_named(
    proofs: Proofs, seen: DamageTrial, files: Iterable[FileChange], changed: Collection[str]
) -> bool:
    """Tell whether tests notice damage to what their demand names, a function or an attribute.

    An attribute is what the change gives a value, where none of the `changed` functions has its name.
    """
    damage = seen.damage
    if proofs.tests.isdisjoint(seen.noticed):
        return False
    if damage.symbol in proofs.names or damage.kind != "reverted":
        return damage.symbol in proofs.names
    added = [
        line
        for file in files
        if file.path == damage.path
        for hunk in file.hunks
        if hunk.new_start <= damage.line <= hunk.new_start + hunk.new_count
        for line in hunk.lines
        if line.startswith("+")
    ]
    return bool(proofs.names.intersection(_GIVEN.findall("\n".join(added))).difference(changed))


def is_seen_needed(hunk: Damage, tried: Iterable[DamageTrial]) -> bool:
    """Tell whether a hunk was tried, or something in it was seen to be needed."""
    (place,) = hunk.places
    return any(
        one.damage.path == place.path
        and one.damage.kind != SAME
        and place.first <= one.damage.line <= place.last
        and (one.needing or one.damage.kind == "reverted")
        for one in tried
    )


def shown_on_base(
    diff: Diff, tests: Sequence[TestComparison], hunks: Sequence[Damage]
) -> tuple[DamageTrial, ...]:
    """Return what taking back the only hunk shows, which head's tests on base's code have shown.

    That is the same tree where nothing but tests changed beside it; of any other change nothing is known.
    It says what the hunk is needed for, and no more: a test can see that it runs on base.
    """
    rest = [one for one in diff.files if classify(one.path) not in _OF_TESTS]
    is_one = len(rest) == len(hunks) == 1 and len(rest[0].hunks) == 1
    if not is_one or rest[0].status is not ChangeStatus.MODIFIED:
        return ()
    fail = tuple(one.id for one in tests if failed(one.head_on_base))
    hold = tuple(one.id for one in tests if passed(one.head_on_base))
    is_clear = all(not one.not_loaded and one.change is not TestChange.FLAKY for one in tests)
    is_whole = len(fail) + len(hold) == len(tests) and rest[0].old_mode == rest[0].new_mode
    return (DamageTrial(hunks[0], fail, hold),) if is_clear and is_whole else ()


def of_base(seen: DamageSeen | None) -> str:
    """What is to be said where base's tests reach the change and notice no damage to it; else ""."""
    if seen is None or not seen.is_of_base:
        return ""
    trials = [one for one in _trials(seen) if one.ran and one.damage.is_telling]
    if not trials or any(one.noticed for one in trials):
        return ""
    count = len({test for one in trials for test in one.unnoticed})
    return (
        f" But the {count} test{'s' if count != 1 else ''} of base that were run on damaged copies of what "
        f"changed noticed none of {len(trials)} damages, so they say little about it."
    )


def told_unnoticed(seen: DamageSeen | None) -> str:
    """The damages that no test noticed, a line each: where the code may be wrong and no test fails."""
    trials = [one for one in _trials(seen) if one.damage.is_telling and one.ran and not one.noticed]
    return "\n".join(f"{o.damage.path}:{o.damage.line}: {o.damage.what}" for o in trials)


def _trials(seen: DamageSeen | None) -> tuple[DamageTrial, ...]:
    return seen.trials if seen and not seen.problem else ()


def differing_call(tests: Iterable[TestComparison], seen: SecondLook | None) -> Difference | None:
    """The first call of these tests that gives something else outside of the test runner.

    A test whose calls nobody could record shows that no more than one that calls nothing, so it counts only
    where there is no other.
    """
    known = tuple(tests)
    found = [
        (one, frozenset(test.id for test in known if test.makes(one.path, one.test)))
        for one in (seen.differences if seen else ())
    ]
    if call := next((one for one, ids in found if ids and not one.is_unseen), None):
        return call
    unseen = frozenset[str]().union(*(ids for one, ids in found if one.is_unseen))
    if known and all(test.id in unseen for test in known):
        return next(one for one, ids in found if ids)
    return None
