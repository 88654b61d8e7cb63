"""What the words of a task name, and the tests of a change do not have in their code."""

from __future__ import annotations

from bot.evidence.tests.results import code_of
from bot.task.alternatives import (
    asked_subjects,
    demanded_error,
    named_together,
    prose_of,
    untested_alternatives,
    untested_nothing,
)
from bot.task.inputs import untested_input
from bot.task.ties import expects_error, test_name
from bot.text.words import whole_name, words_of
from bot.verdict.claims import Claim, Gap
from sandbox.test_runs.four_runs import passed

_SEVERAL = 2  # words that a name does not have by chance


def shows_part(claim: Claim) -> Gap | None:
    """The task names several things side by side, or shows an input, and the tests have only some of it."""
    code = code_of(claim.case.groups.proofs)
    if untested := untested_alternatives(claim.requirement, code):
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
    together, shown = [*named_together(claim.requirement)], code_of(claim.case.groups.proofs)
    for left, other in seen.untouched:
        if not other and left in asked_subjects(claim.requirement):
            if not whole_name(left).search(shown):
                return Gap(
                    f"the task says what `{left}` has to do, and `{left}` neither changed nor uses, as far "
                    "as its code tells, anything that did.",
                    f"Let the change reach `{left}`, too, or add a test of it that fails without this change",
                )
            continue
        is_asked = any({left, other}.issubset(names) for names in together)
        if is_asked and not whole_name(left).search(shown):
            return Gap(
                f"the task names `{left}` beside `{other}`, and `{left}` neither changed nor uses, as far as "
                "its code tells, anything that did.",
                f"Let the change reach `{left}`, too, or add a test of it that fails without this change",
            )
    return None


def leaves_error_out(claim: Claim) -> Gap | None:
    """A sentence asks for an error, and no test of the change expects any."""
    error = demanded_error(claim.requirement)
    if not error or expects_error(code_of(claim.case.groups.proofs)):
        return None
    return Gap(
        f"the task asks for `{error}`, and no test that fails without this change expects an error.",
        f"Add a test that expects `{error}` and fails without this change",
    )


def leaves_nothing_out(claim: Claim) -> Gap | None:
    """A sentence speaks of a value that is missing, and no test that the change brings has any such."""
    tests = claim.case.observed.tests.comparisons
    own = [one for one in tests if one.written_by_author and passed(one.head_on_head)]
    value = untested_nothing(claim.requirement, code_of(own or claim.tests))
    if not value:
        return None
    return Gap(
        f"the task speaks of `{value}`, and no test of this change has it.",
        f"Add a test with `{value}` that fails without this change",
    )


def leaves_skipped_out(claim: Claim) -> Gap | None:
    """A new test says in its name what the demand asks for, is skipped here, and no proof's name says it."""
    wanted = words_of(prose_of(claim.requirement))
    shown = frozenset[str]().union(*(words_of(test_name(o.id)) for o in claim.case.groups.proofs))
    for test in claim.case.groups.idle:
        own = words_of(test_name(test.id)) & wanted - shown
        if len(own) >= _SEVERAL:
            return Gap(
                f"`{test.id}`, which is about a part of it that no other one is about, is skipped here.",
                "Let this test run here, or show the same by another one",
            )
    return None
