"""What a task names, or a change asks for, and the tests that fail without the change do not show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import TypeVar

from bot.evidence.tests.results import code_of
from bot.task.code_names import named_code
from bot.task.refusals import (
    asks_for_error,
    expects_error,
    other_error,
    refused_beyond,
    untested_side,
)
from bot.text.words import whole_name
from bot.values import TestComparison, Verdict
from bot.verdict.claims import Claim, Gap
from bot.verdict.damaged_copies import asks_unseen, checks_loosely
from bot.verdict.left_out import (
    changes_what_stays,
    gives_broken_text,
    leaves_error_out,
    leaves_nothing_out,
    leaves_one_untouched,
    leaves_to_another,
    left_as_it_was,
    passes_over_the_rest,
    shows_part,
)
from bot.verdict.other_results import (
    answers_what_stays_refused,
    cannot_be_tried,
    changes_arguments,
    comes_otherwise,
    depends_on_calls_before,
    ends_badly_near,
    gives_other_results,
    takes_other_for_nothing,
)
from sandbox.damage.values import SAME
from sandbox.elsewhere.values import (
    BothSides,
    Misfit,
    Replaced,
    TestedInput,
    Unmeasured,
    calls_near,
)

_InTest = TypeVar("_InTest", Misfit, Replaced)

_MANY, _SEVERAL = 5, 2
_OF_MESSAGES = re.compile(r"(?i)\b(?:messag|say|said|name|naming|mention|clear|better|helpful)")
"""A demand that an error says something else: base may raise it already."""


def left_unshown(claim: Claim) -> Verdict | None:
    """Return why these tests, which prove something, do not prove all of a demand; None where they may."""
    gap = next((found for look in _LOOKS if (found := look(claim))), None)
    if gap is None:
        return None
    reason, step = f"{in_numbers(claim)}. But {gap.but}", f"{gap.next_step}, then push."
    return claim.left_open(reason, step, gap.evidence)


def in_numbers(claim: Claim) -> str:
    """Say how many tests prove something, and of how many that fail without the change."""
    count, of_all = len(claim.ids), len(claim.case.groups.proofs)
    if count < of_all:
        was = "was" if count == 1 else "were"
        of_these = "tests that fail on base's code and pass on head's"
        return f"{count} of the {of_all} {of_these} {was} matched to this"
    if count == 1:
        return "1 test fails on base's code and passes on head's"
    return f"{count} tests fail on base's code and pass on head's"


def _refuses_half(claim: Claim) -> Gap | None:
    """Calls are to be refused, and the tests show it on one side only, or with another error."""
    refused = claim.refused
    if not refused:
        return None
    call = refused[0].call
    name = call.partition("(")[0].rpartition(".")[2]
    around = code_of(o for o in claim.case.observed.tests.comparisons if name in o.source)
    raised, before = [o.error_on_head for o in refused], {o.error_on_base for o in refused}
    if side := untested_side(claim.requirement, [one.call for one in refused], around):
        but = f"the task names what is {side}, too, and no test has it: it has `{call}`."
        step = f"Add a test for what is {side}"
    elif other := other_error(claim.requirement, raised, before, code_of(claim.tests)):
        but = f"`{call}` raised {other[1]}, the task names {other[0]}, and no test asks for it."
        step = f"Raise {other[0]} and let a test ask for it"
    else:
        return None
    return Gap(but, step, claim.nearby)


def _refuses_more(claim: Claim) -> Gap | None:
    """What is negative is to be refused, say, and the change refuses 0, which base answers."""
    for one in claim.inputs:
        if not one.tested.is_refused:
            continue
        for near in _newly_refused(one):
            if wanted := refused_beyond(claim.requirement, one.tested.call, near.call):
                return Gap(
                    f"the task wants what is {wanted} refused: `{near.call}`, which is not, "
                    f"{near.on_base} on base and {near.on_head} on head.",
                    "Answer such a call as before, or let the task ask for its refusal",
                    claim.nearby,
                )
    return None


def _refuses_still(claim: Claim) -> Gap | None:
    """The very call that the change is for raises, as on base, with an object that holds something else."""
    if asks_for_error(claim.requirement):
        return None
    for one in claim.plain_inputs:
        near = next((near for near in one.still if near.call == one.tested.call), None)
        was = one.tested.error_on_base
        if near is not None and was in one.errors and not one.tested.is_refused:
            return Gap(
                f"`{near.call}` {near.on_base} on base and {one.tested.on_head} on head, but with an object "
                f"that holds something else it {near.on_head} on both.",
                "Mend it for every object of this kind, or add a test that shows when it is to raise",
                claim.nearby,
            )
    return None


def _is_in_another_place(claim: Claim) -> Gap | None:
    """The tests call a new function of the demanded name, and notice nothing of the one that was there."""
    observed = claim.case.observed
    old = {_bare(one) for one in claim.inputs if one.problem is not Unmeasured.NEW}
    new = {_bare(one) for one in claim.inputs} - old
    symbols = observed.symbols
    touched = {(one.place.path, one.place.name) for one in symbols}
    added = {one.place.name: one.place for one in symbols if one.how == "added"}
    callers = {caller.path for one in symbols if one.how == "added" for caller in one.callers}
    places = (
        *(
            one.place
            for one in symbols
            if one.how == "changed" and one.place.path not in callers
            if not _is_noticed(one.place.path, claim)
        ),
        *(
            one.place
            for located in observed.located
            if located.requirement_id == claim.requirement.id
            for one in located.places
            if (one.place.path, one.place.name) not in touched
        ),
    )
    left = next((one for one in places if one.name in new), None)
    if left is None or left.name not in named_code(claim.requirement) or left.name not in added:
        return None
    place = added[left.name]
    if PurePosixPath(place.path).name.partition(".")[0].lower() in claim.asked.lower():
        return None
    is_touched = (left.path, left.name) in touched
    stands = (
        f"they notice nothing of `{left.words}`" if is_touched else f"`{left.words}` is as on base"
    )
    return Gap(
        f"what is called there is new, `{place.words}`, and {stands}.",
        f"Change `{left.words}` and test it, or let the task name {place.path}",
    )


def _is_noticed(path: str, claim: Claim) -> bool:
    """Whether one of these tests noticed damage to a file, or what is as on base; or nobody knows."""
    seen = claim.case.observed.damage
    tried = (*seen.trials, *seen.of_hunks) if seen else ()
    of_file = [o for o in tried if o.ran and o.damage.kind != SAME and o.damage.path == path]
    return not of_file or any(not {*claim.ids}.isdisjoint(one.noticed) for one in of_file)


def _bare(one: TestedInput) -> str:
    """The function's name; that of a whole module of CommonJS is no part of it."""
    return one.function.removeprefix("default.")


def _refuses_unshown(claim: Claim) -> Gap | None:
    """Near the tested inputs base answers and the change raises, and no tested input shows a refusal."""
    shown = {one.function for one in claim.inputs if one.tested.is_refused}
    unshown = (one for one in claim.plain_inputs if one.function not in shown)
    asked = _asked_errors(claim)
    newly = (near for one in unshown for near in _newly_refused(one))
    first = next(
        (o for o in newly if o.error_on_head not in asked and not _is_tested(o, claim)), None
    )
    if first is None:
        return None
    return Gap(
        f"`{first.call}`, near a tested input, {first.on_base} on base and {first.on_head} on head, and no "
        "test shows that such a call is to be refused.",
        "If it is meant to be refused, add a test that shows it; else answer it as before",
        claim.nearby,
    )


def _is_tested(near: BothSides, claim: Claim) -> bool:
    """Whether a test that fails on base expects of this function the error that such a call has."""
    function, error = (whole_name(o) for o in (near.call.partition("(")[0], near.error_on_head))
    sources = (one.source for one in claim.case.groups.proofs if expects_error(one.source))
    return any(function.search(one) and error.search(one) for one in sources)


def _asked_errors(claim: Claim) -> set[str]:
    """The errors that the tests show a new function to raise, and that the task asks for by their names.

    What calls that function may raise them, too.
    """
    said = "\n".join(claim.case.requirements.said if claim.requirement.trust.is_asked else ())
    errors = {one.tested.error_on_head for one in claim.inputs if one.problem is Unmeasured.NEW}
    return {one for one in errors if one and whole_name(one).search(said)}


def _answers_otherwise(claim: Claim) -> Gap | None:
    """Each call that the tests show raises on base or on head, and near them many are answered otherwise.

    A few may be: who no longer crashes at two blanks will take a tab for a blank, too. Who only refuses
    has less reason.
    """
    groups: dict[str, list[TestedInput]] = {}
    asked = _asked_errors(claim)
    for one in claim.plain_inputs:
        groups.setdefault(one.function, []).append(one)
    for group in groups.values():
        shown = [one.tested for one in group]
        if not all(one.was_refused or one.is_refused for one in shown):
            continue
        is_mended = not any(one.is_refused for one in shown)
        near = (one for one in calls_near(group) if one.error_on_head not in asked)
        changed = [one for one in near if one.differs and not one.was_refused]
        others = [one for one in changed if is_mended or not one.is_refused]
        if len(others) >= (_MANY if is_mended else _SEVERAL):
            side = "base" if shown[0].was_refused else "head"
            return Gap(
                f"every call that they show raises an error on {side} (`{shown[0].call}`), and {len(others)} "
                f"similar calls that work on base give something else on head: `{others[0].call}` "
                f"{others[0].on_base} on base and {others[0].on_head} on head.",
                "Keep what similar calls give, or add a test that shows what they are to give instead",
                claim.nearby,
            )
    return None


def _newly_refused(one: TestedInput) -> Iterator[BothSides]:
    """Calls near a tested input that base answers, and at which head raises what the change's lines raise."""
    for near in one.near:
        if near.is_newly_refused_by(one.errors) and near.call != one.tested.call:
            yield near


def _refuses_nothing(claim: Claim) -> Gap | None:
    """Something must be raised, and every call with which the tests show the change answers on head, too."""
    seen, wanted = claim.seen, claim.requirement
    is_asked = asks_for_error(wanted) and not _OF_MESSAGES.search(wanted.shown)
    if not is_asked or any(test.makes(*one) for one in seen.raising for test in claim.tests):
        return None
    groups = [
        [one for one in seen.inputs if test.makes(one.path, one.test)] for test in claim.tests
    ]
    shown = [one for group in groups for one in group]
    is_known = all(groups) and all(one.problem in (None, Unmeasured.NEW) for one in shown)
    if not is_known or any(one.tested.is_refused for one in shown):
        return None
    first = shown[0].tested
    return Gap(
        "an error is asked for, and no call with which they show the change raises one on head: "
        f"`{first.call}` {first.on_head}.",
        "Add a test with an input that raises the error on head and not on base",
        claim.nearby,
    )


def _calls_otherwise(claim: Claim) -> Gap | None:
    """In each of the tests a mock is called as the function that it stands for cannot be."""
    first = _first_in_each(claim.seen.misfits, claim.tests)
    if first is None:
        return None
    return Gap(
        f"`{first.test}` replaces `{first.function}`, and the code calls it with what `{first.function}` "
        f"itself does not take ({first.why}).",
        f"Call `{first.function}` as it is defined, or replace it with `autospec=True`",
    )


def _runs_another(claim: Claim) -> Gap | None:
    """Before each of the tests begins, a file of theirs has put another function in the named one's place."""
    names = named_code(claim.requirement)
    named = (one for one in claim.seen.replaced if one.function in names)
    first = _first_in_each(named, claim.tests)
    if first is None:
        return None
    return Gap(
        f"`{first.file}` puts another `{first.function}` in the place of the one that the task names, before "
        f"`{first.test}` begins.",
        f"Test `{first.function}` as it is",
    )


def _makes_a_module_up(claim: Claim) -> Gap | None:
    """The file of each of the tests puts in a module's place what the module itself does not have."""
    known = claim.seen.made_up
    found = [next((one for one in known if one.path == test.path), None) for test in claim.tests]
    first = found[0] if found and all(found) else None
    if first is None:
        return None
    if not first.member:
        return Gap(
            f"`{first.path}` puts another module in the place of `{first.module}`, which the change adds or "
            "edits, so they show nothing of it.",
            f"Test `{first.module}` as it is",
        )
    return Gap(
        f"`{first.path}` gives `{first.module}` a `{first.member}` that it does not have, and the changed "
        "code uses it.",
        f"Add `{first.member}` to `{first.module}`, or use what it has, and test it as it is",
    )


def _first_in_each(seen: Iterable[_InTest], tests: tuple[TestComparison, ...]) -> _InTest | None:
    """Return the first test's first of what was seen; None where one of the tests has none."""
    known = tuple(seen)
    found = [next((o for o in known if t.makes(o.path, o.test)), None) for t in tests]
    return found[0] if found and all(found) else None


_LOOKS = (  # in the order in which a reader would want to be told
    shows_part,
    leaves_one_untouched,
    left_as_it_was,
    changes_what_stays,
    _refuses_half,
    leaves_error_out,
    leaves_nothing_out,
    leaves_to_another,
    _refuses_more,
    _refuses_still,
    gives_broken_text,
    comes_otherwise,
    checks_loosely,
    changes_arguments,
    depends_on_calls_before,
    gives_other_results,
    _is_in_another_place,
    _refuses_unshown,
    ends_badly_near,
    answers_what_stays_refused,
    passes_over_the_rest,
    takes_other_for_nothing,
    _answers_otherwise,
    _refuses_nothing,
    _calls_otherwise,
    _runs_another,
    _makes_a_module_up,
    cannot_be_tried,
    asks_unseen,
)
