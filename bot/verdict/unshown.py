"""What a task names, or a change asks for, and the tests that fail without the change do not show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TypeVar

from bot.evidence.case import Case
from bot.evidence.conditions import unneeded
from bot.evidence.oracle import unverified
from bot.evidence.tests.results import code_of
from bot.task.alternatives import other_error, side_by_side, untested_alternatives, untested_side
from bot.task.inputs import untested_input
from bot.task.ties import asks_for_error, named_code
from bot.values import ActionKind, Requirement, TestComparison, Verdict
from sandbox.elsewhere.values import BothSides, Misfit, Replaced, TestedInput, Unmeasured

_InTest = TypeVar("_InTest", Misfit, Replaced)

_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?"
_A_NUMBER = re.compile(rf"returned {_NUMBER}")
_LIKE_A_NUMBER = re.compile(
    rf"returned (?:[\"']{_NUMBER}[\"']|{_NUMBER}n|\[(?:Number|String)\b.*)", re.DOTALL
)
"""What `==` of JavaScript takes for a number, written as a number is: with zeros around it, it is a form."""
_A_VALUE = re.compile(r"returned (?!undefined|null)")
_SPEAKS_OF_TEXT = re.compile(r"\b(?:strings?|texts?|str|big ?ints?|quoted)\b", re.I)
_SPEAKS_OF_LATER = re.compile(r"\b(?:a?sync\w*|promis\w*|await\w*|block\w*|resolv\w*)\b", re.I)
_OF_MESSAGES = re.compile(r"(?i)\b(?:messag|say|said|name|naming|mention|clear|better|helpful)")
"""A demand that an error says something else: base may raise it already."""


def left_unshown(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """Return why these tests, which prove something, do not prove all of a demand; None where they may."""
    return (
        _shows_part(requirement, tests, case)
        or _left_as_it_was(requirement, tests, case)
        or _refuses_half(requirement, tests, case)
        or _comes_otherwise(requirement, tests, case)
        or _is_in_another_place(requirement, tests, case)
        or _refuses_unshown(requirement, tests, case)
        or _refuses_nothing(requirement, tests, case)
        or _calls_otherwise(requirement, tests, case)
        or _runs_another(requirement, tests, case)
        or _asks_unseen(requirement, tests, case)
    )


def in_numbers(ids: tuple[str, ...]) -> str:
    """Say how many tests prove something."""
    if len(ids) == 1:
        return "1 test fails on base's code and passes on head's"
    return f"{len(ids)} tests fail on base's code and pass on head's"


def _nearby(case: Case) -> Iterator[str]:
    """The ids of the evidence that shows calls near the tested ones."""
    evidence = case.observed.evidence
    return (one.id for one in evidence if one.step.action is ActionKind.NEARBY_INPUTS)


def _inputs(tests: tuple[TestComparison, ...], case: Case) -> list[TestedInput]:
    """What was measured of the calls in the files of these tests."""
    seen, paths = case.observed.second_look, {test.path for test in tests}
    return [one for one in (seen.inputs if seen else ()) if one.path in paths]


def _shows_part(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """The task names several things side by side, or shows an input, and the tests have only some of it."""
    code, ids = code_of(case.witnesses.proofs), tuple(test.id for test in tests)
    if untested := untested_alternatives(requirement, code):
        missing, said = untested[0], f"names `{untested[0]}` beside `{untested[1]}`"
    elif missing := untested_input(requirement, code):
        said = f"shows `{missing}`"
    else:
        return None
    verdict = unverified(
        requirement,
        f"{in_numbers(ids)}. But the task {said}, and no test that fails without this change has "
        f"`{missing}`.",
        f"Add a test with `{missing}` that fails without this change, then push.",
    )
    return replace(verdict, evidence_ids=case.proof_ids, tests=ids)


def _left_as_it_was(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """The task names two things side by side, and the change is seen with one of them only."""
    seen, paths = case.observed.second_look, {test.path for test in tests}
    groups = side_by_side(requirement)
    swaps = [
        one
        for one in (seen.swapped if seen else ())
        if one.path in paths and any({one.name, one.other} <= {*group} for group in groups)
    ]
    changed = {one.other for one in swaps if one.swapped.differs}
    left = next((one for one in swaps if one.other not in changed), None)
    if left is None:
        return None
    same = left.swapped
    verdict = unverified(
        requirement,
        f"`{left.tested.call}` gives something else on head than on base. But the task names `{left.other}` "
        f"beside `{left.name}`, and `{same.call}` {same.on_head} on both. No test shows the change with "
        f"`{left.other}`.",
        f"Make it work with `{left.other}` too, or add a test with it that fails without this change, "
        "then push.",
    )
    ids = tuple(test.id for test in tests)
    return replace(verdict, evidence_ids=(*case.proof_ids, *_nearby(case)), tests=ids)


def _refuses_half(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """Calls are to be refused, and the tests show it on one side only, or with another error."""
    refused, ids = _refused(requirement, tests, case), tuple(test.id for test in tests)
    if not refused:
        return None
    call = refused[0].call
    name = call.partition("(")[0].rpartition(".")[2]
    around = code_of(one for one in case.observed.tests.comparisons if name in one.source)
    raised = [one.on_head.partition("raised ")[2].partition(" ")[0] for one in refused]
    if side := untested_side(requirement, [one.call for one in refused], around):
        said = f"the task names what is {side}, too, and no test has it: it has `{call}`"
        step = f"Add a test for what is {side}, then push."
    elif other := other_error(requirement, raised, code_of(tests)):
        said = f"`{call}` raised {other[1]}, the task names {other[0]}, and no test asks for it"
        step = f"Raise {other[0]} and let a test ask for it, then push."
    else:
        return None
    verdict = unverified(requirement, f"{in_numbers(ids)}. But {said}.", step)
    return replace(verdict, evidence_ids=(*case.proof_ids, *_nearby(case)), tests=ids)


def _refused(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> list[BothSides]:
    """The calls of these tests that head refuses; where the demand names their functions, only of these."""
    inputs = _inputs(tests, case)
    named = named_code(requirement)
    own = [one for one in inputs if one.function.rpartition(".")[2] in named]
    return [one.tested for one in own or inputs if one.tested.is_refused]


def _comes_otherwise(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """A number comes as text, or a value as a promise, and no demand speaks of that."""
    inputs = [one.tested for one in _inputs(tests, case)]
    asked = "\n".join(f"{one.text}\n{one.detail}" for one in case.requirements.items)
    one = next((one for one in inputs if _is_another_kind(one, asked)), None)
    if one is None:
        return None
    verdict = unverified(
        requirement,
        f"{in_numbers(tuple(test.id for test in tests))}. But `{one.call}` {one.on_base} on base and "
        f"{one.on_head} on head, and the task does not ask for another kind of result.",
        "Return what callers of this function know, or let the task ask for it, then push.",
    )
    ids = tuple(test.id for test in tests)
    return replace(verdict, evidence_ids=(*case.proof_ids, *_nearby(case)), tests=ids)


def _is_in_another_place(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """The tests call a new function of the demanded name, and the one that was there is as it was."""
    inputs = _inputs(tests, case)
    old = {_bare(one) for one in inputs if one.problem is not Unmeasured.NEW}
    new = {_bare(one) for one in inputs} - old
    symbols = case.observed.impact.symbols if case.observed.impact else ()
    touched = {(one.place.path, one.place.name) for one in symbols}
    added = {one.place.name: one.place for one in symbols if one.how == "added"}
    places = [
        one.place
        for located in case.observed.located
        if located.requirement_id == requirement.id
        for one in located.places
    ]
    left = next(
        (one for one in places if one.name in new and (one.path, one.name) not in touched), None
    )
    if left is None or left.name not in named_code(requirement) or left.name not in added:
        return None
    place = added[left.name]
    asked = "\n".join(f"{one.text}\n{one.detail}" for one in case.requirements.items).lower()
    if PurePosixPath(place.path).name.partition(".")[0].lower() in asked:
        return None
    verdict = unverified(
        requirement,
        f"{in_numbers(tuple(test.id for test in tests))}. But what is called there is new, "
        f"`{place.words}`, and `{left.words}` is as on base.",
        f"Change `{left.words}` and test it, or let the task name {place.path}, then push.",
    )
    return replace(verdict, evidence_ids=case.proof_ids, tests=tuple(test.id for test in tests))


def _bare(one: TestedInput) -> str:
    """The function's name; that of a whole module of CommonJS is no part of it."""
    return one.function.removeprefix("default.")


def _is_another_kind(one: BothSides, asked: str) -> bool:
    is_text = _A_NUMBER.fullmatch(one.on_base) and _LIKE_A_NUMBER.fullmatch(one.on_head)
    if is_text and not _SPEAKS_OF_TEXT.search(asked):
        return one.on_head.removeprefix("returned ") not in asked
    is_later = _A_VALUE.match(one.on_base) and one.on_head.startswith("resolved ")
    return bool(is_later) and not _SPEAKS_OF_LATER.search(asked)


def _refuses_unshown(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """Near the tested inputs base answers and the change raises, and no tested input shows a refusal."""
    inputs = _inputs(tests, case)
    shown = {one.function for one in inputs if one.tested.is_refused}
    found = [near for one in inputs if one.function not in shown for near in _newly_refused(one)]
    if not found:
        return None
    first = found[0]
    verdict = unverified(
        requirement,
        f"{in_numbers(tuple(test.id for test in tests))}. But `{first.call}`, near a tested input, "
        f"{first.on_base} on base and {first.on_head} on head, and no test shows that such a call is to be "
        "refused.",
        "If it is meant to be refused, add a test that shows it; else answer it as before, then push.",
    )
    return replace(
        verdict,
        evidence_ids=(*case.proof_ids, *_nearby(case)),
        tests=tuple(test.id for test in tests),
    )


def _refuses_nothing(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """Something must be raised, and every call with which the tests show the change answers on head, too."""
    seen = case.observed.second_look
    is_asked = asks_for_error(requirement) and not _OF_MESSAGES.search(requirement.shown)
    if seen is None or not is_asked or any(_is_of(one, tests) for one in seen.raising):
        return None
    groups = [
        [one for one in seen.inputs if _is_of((one.path, one.test), (test,))] for test in tests
    ]
    shown = [one for group in groups for one in group]
    is_known = all(groups) and all(one.problem in (None, Unmeasured.NEW) for one in shown)
    if not is_known or any(one.tested.is_refused for one in shown):
        return None
    ids, first = tuple(test.id for test in tests), shown[0].tested
    verdict = unverified(
        requirement,
        f"{in_numbers(ids)}. But an error is asked for, and no call with which they show the change raises "
        f"one on head: `{first.call}` {first.on_head}.",
        "Add a test with an input that raises the error on head and not on base, then push.",
    )
    return replace(verdict, evidence_ids=(*case.proof_ids, *_nearby(case)), tests=ids)


def _calls_otherwise(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """In each of the tests a mock is called as the function that it stands for cannot be."""
    seen = case.observed.second_look
    first = _first_in_each(seen.misfits if seen else (), tests)
    if first is None:
        return None
    ids = tuple(test.id for test in tests)
    verdict = unverified(
        requirement,
        f"{in_numbers(ids)}. But `{first.test}` replaces `{first.function}`, and the code calls it with what "
        f"`{first.function}` itself does not take ({first.why}).",
        f"Call `{first.function}` as it is defined, or replace it with `autospec=True`, then push.",
    )
    return replace(verdict, evidence_ids=case.proof_ids, tests=ids)


def _runs_another(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """Before each of the tests begins, a file of theirs has put another function in the named one's place."""
    seen, names = case.observed.second_look, named_code(requirement)
    own = [one for one in (seen.replaced if seen else ()) if one.function in names]
    first = _first_in_each(own, tests)
    if first is None:
        return None
    ids = tuple(test.id for test in tests)
    verdict = unverified(
        requirement,
        f"{in_numbers(ids)}. But `{first.file}` puts another `{first.function}` in the place of the one that "
        f"the task names, before `{first.test}` begins.",
        f"Test `{first.function}` as it is, then push.",
    )
    return replace(verdict, evidence_ids=case.proof_ids, tests=ids)


def _first_in_each(seen: Iterable[_InTest], tests: tuple[TestComparison, ...]) -> _InTest | None:
    """Return the first test's first of what was seen; None where one of the tests has none."""
    known = tuple(seen)
    found = [
        next((one for one in known if _is_of((one.path, one.test), (test,))), None)
        for test in tests
    ]
    return found[0] if found and all(found) else None


def _is_of(call: tuple[str, str], tests: Iterable[TestComparison]) -> bool:
    """Whether a call, of which the path and the test's name are known, is one of these tests'."""
    return any(call[0] == test.path and call[1] in test.id for test in tests)


def _newly_refused(one: TestedInput) -> Iterator[BothSides]:
    """Calls near a tested input that base answers, and at which head raises what the change's lines raise."""
    for near in one.near:
        if near.is_newly_refused_by(one.errors) and near.call != one.tested.call:
            yield near


def _asks_unseen(
    requirement: Requirement, tests: tuple[TestComparison, ...], case: Case
) -> Verdict | None:
    """The change asks for a value of which the task does not speak, and no test tells the two sides apart."""
    seen = case.observed.damage
    found = unneeded(tests, seen)
    if found is None or seen is None:
        return None
    ids, damage = tuple(test.id for test in tests), found.damage
    verdict = unverified(
        requirement,
        f"{in_numbers(ids)}. But {_all(len(found.unnoticed))}, too, where {damage.what} "
        f"({damage.path}:{damage.line}), and the task does not speak of this value. So nothing shows what "
        "the condition is for.",
        f"Add a test that fails where {damage.what}, or take this condition out, then push.",
    )
    return replace(verdict, evidence_ids=(*case.proof_ids, seen.evidence_id), tests=ids)


def _all(count: int) -> str:
    return f"all {count} tests pass" if count != 1 else "the only test passes"
