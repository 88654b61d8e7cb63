"""What a task names and the tests of a change lack, and what a tested call gives with it in its place."""

from __future__ import annotations

import re

from bot.evidence.tests.results import code_of
from bot.task.alternatives import (
    asked_subjects,
    named_together,
    prose_of,
    side_by_side,
    untested_alternatives,
)
from bot.task.inputs import alike, has_alike, kept_inputs, like_shown, untested_input
from bot.task.refusals import demanded_error, expects_error, untested_nothing
from bot.task.ties import test_name
from bot.text.words import whole_name, words_of
from bot.verdict.claims import Claim, Gap
from sandbox.elsewhere.values import CRASHES, stands_alone
from sandbox.test_runs.four_runs import passed

_SEVERAL = 2  # words that a name does not have by chance
_FEW = 3
_TAKES_ANY = re.compile(
    r"(?i)\b(?:any(?:thing)?|arbitrary|whatever|regardless|lenient\w*|toler\w+|ignor\w+|skip\w*|unknown|"
    r"no longer|never|free[- ]form|(?:not|n't) (?:be )?(?:rais|refus|reject|fail|throw|validat)\w*)\b"
)


def shows_part(claim: Claim) -> Gap | None:
    """The task names several things side by side, or shows an input, and the tests have only some of it."""
    code, symbols = claim.proving_code, claim.case.observed.symbols
    added = {one.place.name for one in symbols if one.how == "added"}
    untested = untested_alternatives(claim.requirement, code, added)
    if untested and not has_alike(untested[0], code):
        missing, said = untested[0], f"names `{untested[0]}` beside `{untested[1]}`"
    elif missing := untested_input(claim.requirement, code):
        said = f"shows `{missing}`"
    else:
        return None
    return Gap(
        f"the task {said}, and no test that fails without this change has `{missing}`.",
        f"Add a test with `{missing}` that fails without this change",
    )


def leaves_one_untouched(claim: Claim) -> Gap | None:
    """The task names several functions side by side, and one of them has nothing of the change."""
    seen = claim.case.observed.impact
    if seen is None or not seen.untouched:
        return None
    together, shown = [*named_together(claim.requirement)], claim.proving_code
    for left, other in seen.untouched:
        if not other and left in asked_subjects(claim.requirement):
            said = f"says what `{left}` has to do"
        elif any({left, other}.issubset(names) for names in together):
            said = f"names `{left}` beside `{other}`"
        else:
            continue
        if not whole_name(left).search(shown):
            return Gap(
                f"the task {said}, and `{left}` neither changed nor uses, as far as its code tells, anything "
                "that did.",
                f"Let the change reach `{left}`, too, or add a test of it that fails without this change",
            )
    return None


def leaves_error_out(claim: Claim) -> Gap | None:
    """A sentence asks for an error, and no test of the change expects any.

    Where a new test for the demand does and passes on base, too, base raises already what is asked for.
    """
    error, ties = demanded_error(claim.requirement), claim.case.tied(claim.requirement)
    held = code_of(one for one in claim.case.groups.hollow if one.id in ties)
    if not error or expects_error(f"{claim.proving_code}\n{held}"):
        return None
    return Gap(
        f"the task asks for `{error}`, and no test that fails without this change expects an error.",
        f"Add a test that expects `{error}` and fails without this change",
    )


def leaves_nothing_out(claim: Claim) -> Gap | None:
    """A sentence speaks of a value that is missing, and no test that the change brings has any such."""
    tests = claim.case.observed.tests.comparisons
    own = [
        one
        for one in tests
        if one.written_by_author and passed(one.head_on_head)
        # what the file has had on base shows nothing of the change
        if one.base_on_base is None or one.is_edited or one in claim.tests
    ]
    code = f"{code_of(own or claim.tests)}\n{claim.case.observed.read_by_tests}"
    value = untested_nothing(claim.requirement, code)
    if not value:
        return None
    return Gap(
        f"the task speaks of `{value}`, and no test of this change has it.",
        f"Add a test with `{value}` that fails without this change",
    )


def leaves_to_another(claim: Claim) -> Gap | None:
    """A new test says in its name what the demand asks for and shows nothing, and no proof's name says it.

    It is skipped here, or it may pass whatever its assertions come to.
    """
    groups, is_doubted = claim.case.groups, claim.case.is_doubted
    wanted = words_of(prose_of(claim.requirement))
    sound = (test_name(one.id) for one in groups.proofs if not is_doubted(one))
    shown = frozenset[str]().union(*map(words_of, sound))
    for test in (*groups.idle, *filter(is_doubted, groups.proofs)):
        own = words_of(test_name(test.id)) & wanted - shown
        if len(own) >= _SEVERAL:
            why = "proves nothing, as the integrity finding says"
            step = "Let each assertion of this test be made"
            if test in groups.idle:
                why = (
                    "is skipped here, where tests run on Linux. If it needs another system, a person who saw "
                    "it pass there can accept this"
                )
                step = "Let this test run here if it can"
            return Gap(
                f"{test.shown}, which is about a part of it that no other one is about, {why}.",
                f"{step}, or show the same by another one",
            )
    return None


_TEXT = re.compile(r"\"(?:[^\"\\]|\\.)*+(?:\"|\Z)|'(?:[^'\\]|\\.)*+(?:'|\Z)")
_BROKEN = tuple(
    re.compile(one)
    for one in (
        r"\\ud[89a-f][\da-f]{2}",
        r"\\ufffd|\ufffd",
        r"\\u0000|\\x00",
        r"\bNaN\b",
        r"\bundefined\b",
        r"\[object Object\]",
        r"\bNone\b",
    )
)
"""What stands in a text only where something went wrong: half a character, or a value that is none."""
_NOTHING_GIVEN = re.compile(r"\{\}|\[\]|''|\"\"|\bnull\b|\b(?:None|NaN|undefined)\b")


def left_as_it_was(claim: Claim) -> Gap | None:
    """The task names two things side by side, and the change is seen with one of them only."""
    paths = {test.path for test in claim.tests}
    groups, pairs = side_by_side(claim.requirement), alike(claim.requirement)
    like = like_shown(claim.requirement)
    code = code_of(claim.case.observed.tests.comparisons) if pairs or like else ""
    code = "".join(code.split('"""')[::2])  # what a test says of itself is no input
    seen = [one for one in claim.seen.swapped if one.path in paths]
    swaps = [
        one
        for one in seen
        if not one.is_alike
        and (
            any({one.name, one.other} <= {*group} for group in groups)
            or (one.other not in code and any({one.name, one.other} == {*pair} for pair in pairs))
        )
    ]
    changed = {one.other for one in swaps if one.swapped.differs}
    # What is named beside a call that is shown may need another call: one such input tells enough.
    untested = [o for o in seen if (o.name, o.other) in like and not stands_alone(o.other, code)]
    works = {one.other for one in untested if one.is_alike or one.swapped.differs}
    told = {one.name for one in untested if one.other in works}
    swaps += [one for one in untested if one.name not in told]
    left = next((one for one in swaps if one.other not in changed), None)
    if left is None:
        return None
    same = left.swapped
    return Gap(
        f"the task names `{left.other}` beside `{left.name}`: `{left.tested.call}` gives something else on "
        f"head than on base, `{same.call}` {same.on_head} on both, and no test shows the change with "
        f"`{left.other}`.",
        f"Make it work with `{left.other}` too, or add a test with it that fails without this change",
        claim.nearby,
    )


def changes_what_stays(claim: Claim) -> Gap | None:
    """A tested call comes otherwise, too, with an input in it that the task wants to stay as it is."""
    kept = kept_inputs(claim.case.requirements.items)
    code = code_of(claim.case.observed.tests.comparisons) if kept else ""
    for one in claim.seen.swapped if kept else ():
        is_tested = re.search(rf"(?<![\w.-]){re.escape(one.other)}(?![\w.-])", code)
        is_kept = one.is_alike or not one.swapped.differs
        if one.other in kept and not is_kept and not is_tested:
            return Gap(
                f"the task wants `{one.other}` to stay as it is: `{one.swapped.call}` "
                f"{one.swapped.on_base} on base and {one.swapped.on_head} on head.",
                "Answer such a call as before, or add a test that shows what it is to give",
                claim.nearby,
            )
    return None


def gives_broken_text(claim: Claim) -> Gap | None:
    """A call near a tested one gives half a character, say: still, as the tested one did, or newly."""
    shown = [(one.function, one.tested.on_head) for one in claim.inputs]
    for one in claim.inputs:
        tested = "\n".join(told for function, told in shown if function == one.function)
        gone = [
            each
            for each in _BROKEN
            if each.search(_texts(one.tested.on_base)) and not each.search(one.tested.on_head)
        ]
        for near in (o for o in one.near if not _NOTHING_GIVEN.search(o.call)):
            told = _texts(near.on_head)
            broken = [each for each in _BROKEN if each.search(told) and not each.search(near.call)]
            if not near.differs and any(each in gone for each in broken):
                return Gap(
                    f"`{one.tested.call}` {one.tested.on_base} on base and {one.tested.on_head} on head, "
                    f"but `{near.call}` {near.on_head} on both.",
                    "Mend it for every input, or add a test that shows what such a call is to give",
                    claim.nearby,
                )
            before = f"{near.on_base}\n{tested}"
            if not near.was_refused and any(not each.search(before) for each in broken):
                return Gap(
                    f"`{near.call}`, near a tested input, {near.on_base} on base and {near.on_head} on head, "
                    "and no test shows that it is to give such a text.",
                    "Give a whole text, or add a test that shows what such a call is to give",
                    claim.nearby,
                )
    return None


def passes_over_the_rest(claim: Claim) -> Gap | None:
    """A text is answered that base refuses, and just so is the same text with other signs around it.

    Base refuses these, too, and a test shows that some texts are to be refused.
    """
    if _TAKES_ANY.search(claim.asked):
        return None
    for one in claim.plain_inputs:
        same, error = one.tested, one.tested.error_on_base
        if not error or error in CRASHES or same.is_refused:
            continue
        near = [
            o
            for o in one.near
            if o.error_on_base == error and not o.is_refused and o.call != same.call
        ]
        alike = [near for near in near if near.on_head == same.on_head]
        around = [o for o in alike if _is_around(o.call, same.call, one.value_at(o.place))]
        # what other texts give, too, does not come of the text
        if len(alike) > len(around) or len(near) < len(alike) + _FEW:
            continue
        if len(around) >= _FEW and _is_to_refuse(one.function, claim):
            return Gap(
                f"`{around[0].call}` {around[0].on_base} on base and {around[0].on_head} on head, as "
                f"`{same.call}` does: what else stands in the text is passed over, and no test shows that "
                "it may be.",
                "Refuse such a text as before, or add a test that shows that it is to be answered",
                claim.nearby,
            )
    return None


def _is_around(near: str, tested: str, value: str) -> bool:
    """Whether a call has signs around a text of another one, the value of an argument."""
    text = value[1:-1]
    return value[:1] in "'\"" and bool(text) and text in near and near != tested


def _is_to_refuse(function: str, claim: Claim) -> bool:
    """Whether a test that passes on head expects an error of a function."""
    name = whole_name(function.rpartition(".")[2])
    return any(
        name.search(one.source) and expects_error(one.source) and passed(one.head_on_head)
        for one in claim.case.observed.tests.comparisons
    )


def _texts(told: str) -> str:
    """Return the texts in what a call gives."""
    return "\n".join(_TEXT.findall(told))
