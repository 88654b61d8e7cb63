"""Judges demands of behaviour by the tests that are tied to them."""

from __future__ import annotations

from dataclasses import replace

from bot.evidence.case import Case
from bot.evidence.damage import (
    NO_END,
    Why,
    blindness,
    called_in,
    differing_call,
    is_beside,
    noticed_by,
    value_needed_by,
    with_counted,
)
from bot.evidence.examples.weigh import by_examples
from bot.evidence.made_for import MadeFor, in_words, made_for
from bot.evidence.oracle import satisfied, unsatisfied, unverified, way_out
from bot.evidence.tests.results import never_run, pass_rate, test_ids, told_of
from bot.task.code_names import asked_code, code_named, named_code
from bot.task.permissions import removed_names
from bot.task.refusals import leaves_error_unasked
from bot.task.ties import Tie, speaks_of
from bot.values import ActionKind, Decider, Requirement, TestComparison, Trust, Verdict
from bot.values.rules import ASSERTION_LOOSENED
from bot.verdict.claims import Claim
from bot.verdict.unshown import in_numbers, left_unshown
from sandbox.damage.values import KEY, OneValue
from sandbox.elsewhere.values import Difference

_SOLE = "it is the only requirement of the task"


def judge_behaviour(requirement: Requirement, case: Case) -> Verdict:
    """Satisfied by a tied fail-to-pass test or an example, unsatisfied by a failing one, else unverified."""
    could_prove = case.is_untested and case.suite is not None  # the first tests of a repository
    if case.observed.tests.problem and not could_prove:
        is_built = False not in (case.observed.built_base, case.observed.built_head)
        see = f"See {'the regressions (B2)' if is_built else 'the build (B1)'} first."
        step = way_out(case) if case.is_untested else see
        return unverified(requirement, case.observed.tests.problem, step)
    ties = case.tied(requirement)
    if refuted := _refuted(requirement, case, ties):
        return refuted
    proofs = proofs_of(requirement, case, ties)
    for test in proofs:
        # What expects something else than the task shows is no proof of what the task asks.
        if shown := case.contradiction(test):
            return unverified(
                requirement,
                f"{test_ids([test])} expects something else of `{shown.said_call}` than {shown.origin} shows "
                f"(`{shown.said_result}`).",
                "Make the code and the test give what the task shows, or correct the example, then comment "
                "`/judge`.",
            )
    if proofs:
        return _by_proofs(requirement, proofs, case, ties)
    seen = by_examples(requirement, case) or _by_removal(requirement, case)
    return seen or _unproven(requirement, case, ties)


def _by_removal(requirement: Requirement, case: Case) -> Verdict | None:
    """A demand that something goes, and no more, is met where no code of head speaks of it."""
    names = removed_names(requirement)
    if not names or not names.issubset(case.observed.gone):
        return None
    told = ", ".join(f"`{name}`" for name in sorted(names))
    reason = f"Base's code has {told}, and no code of head mentions it any more."
    return replace(satisfied(requirement, reason, case), evidence_ids=case.proof_ids)


def _by_proofs(
    requirement: Requirement,
    proofs: tuple[TestComparison, ...],
    case: Case,
    ties: dict[str, Tie],
) -> Verdict:
    """What the tests show that pass only with this change."""
    sound = tuple(test for test in proofs if not case.is_doubted(test))
    if different := differing_call(sound, case.observed.second_look):
        return _only_under_test(requirement, different, case)
    seeing = tuple(test for test in sound if blindness(test, case.observed.damage) is None)
    # A title names what fails; what has to hold may name the functions to mend, which tests call.
    said, asked = code_named(requirement.wording), asked_code(requirement)
    unsaid = (test for test in seeing if not said & called_in(test))
    beside = {
        test.id: names for test in unsaid if (names := is_beside(test, asked, case.observed.damage))
    }
    if seeing and len(beside) == len(seeing):
        return _runs_something_else(Claim(requirement, seeing, case), beside[seeing[0].id])
    seeing = tuple(test for test in seeing if test.id not in beside)
    narrow = {test.id: why for test in seeing if (why := _made_for(requirement, test, case))}
    if general := tuple(test for test in seeing if test.id not in narrow):
        claim = Claim(requirement, general, case)
        return left_unshown(claim) or _proven(claim, ties)
    if seeing:
        return _made_for_tests(Claim(requirement, seeing, case), narrow[seeing[0].id])
    if sound:
        return _sees_nothing(Claim(requirement, sound, case))
    return _doubted(requirement, proofs, case)


def _doubted(requirement: Requirement, proofs: tuple[TestComparison, ...], case: Case) -> Verdict:
    """Tests whose results are made up, or that cannot be seen to fail."""
    if any(one.rule == ASSERTION_LOOSENED and one.tests for one in case.observed.integrity):
        return unverified(
            requirement,
            f"{told_of(proofs, 'hides', 'hide')} that an assertion failed, so nothing shows that this works.",
            "Read the integrity finding. Let each assertion of the test be seen to fail, then push.",
        )
    return unverified(
        requirement,
        f"The source contains the very inputs that {told_of(proofs, 'checks', 'check')}.",
        "Read the integrity finding. Compute the result, or add a test with other inputs.",
    )


def _runs_something_else(claim: Claim, names: str) -> Verdict:
    """Tests of the change that show nothing of what the demand names."""
    unseen = "it was not" if len(claim.tests) == 1 else "none of them was"
    reason = (
        f"{told_of(claim.tests, 'passes', 'pass')} on head. But with {names}, which the requirement names, "
        f"emptied, {unseen} seen to fail. So nothing shows that this works."
    )
    step = f"Let a test call {names} and check what it returns or does, then push."
    return claim.left_open(reason, step, claim.case.damage_ids)


def _sees_nothing(claim: Claim) -> Verdict:
    """Tests that pass on damaged copies of head too; they may not even call what changed."""
    tests, seen = claim.tests, claim.case.observed.damage
    counted = noticed_by(tests, seen)
    blind = blindness(tests[0], seen)
    name = blind.function if blind else ""
    if blind and blind.why is Why.RESULT:
        reason = (
            f"{told_of(tests, 'notices', 'notice')} when `{name}` returns nothing, but not when it returns "
            "something else. So nothing shows that the change works."
        )
        step = f"Let the test compare what `{name}` returns with the expected value, then push."
    elif blind and blind.why is Why.STAND_IN:
        reason = (
            f"{told_of(tests, 'replaces', 'replace')} `{name}`, which this change adds, and no test notices "
            f"damage to `{name}` itself. So nothing shows that the change works."
        )
        step = f"Add a test that calls `{name}` itself, then push."
    elif blind and blind.why is Why.TEXT:
        reason = (
            f"{told_of(tests, 'fails', 'fail')} when the same code is only written differently, so what is "
            "looked at is the text of the code, not what it does. So nothing shows that the change works."
        )
        step = "Let the test call what changed and check what it returns or does, then push."
    elif blind and blind.why is Why.OPEN:
        reason = (
            f"{told_of(tests, 'passes', 'pass')} on head. But whether damage is noticed could not be "
            f"measured: {(seen.problem if seen else '') or NO_END} So nothing shows that the change works."
        )
        step = "Read D1 in the evidence. If the change is right, a person can accept it."
    else:
        also = f"; {counted}" if counted else ""
        missed = blind.damage if blind else None
        where = f"{missed.what} ({missed.path}:{missed.line}{also})" if missed else "it is damaged"
        reason = (
            f"{told_of(tests, 'passes', 'pass')} on head, and on a copy of head where {where}. "
            "So nothing shows that the change works."
        )
        step = "Let the test call what changed and check what it returns or does, then push."
    return with_counted(claim.left_open(reason, step, claim.case.damage_ids), counted)


def _only_under_test(requirement: Requirement, call: Difference, case: Case) -> Verdict:
    """A call that gives something else where no test runs; what the test saw is not what users get."""
    after = f", {call.when}" if call.when else ""
    seen = (
        f"`{call.call}` {call.under_test} under `{call.test}`, but {call.elsewhere} in a plain program in "
        f"another folder{after}. So the test does not show what the code does elsewhere."
    )
    if call.is_whole:
        seen = (
            f"`{call.call}` passes in the sandbox's folder and fails in another one, where variables and "
            "names differ too. So it does not show what the code does elsewhere."
        )
    if call.is_unseen:
        seen = (
            f"While `{call.test}` ran, something took away what records its calls (`sys.setprofile`). So "
            "nobody can tell what they give elsewhere."
        )
    step = "Let the result not depend on the test runner, its folder or its machine, then push."
    looks = case.ids_of(ActionKind.SECOND_LOOK)
    return unverified(requirement, seen, step, (*case.proof_ids, *looks))


def _made_for(
    requirement: Requirement, test: TestComparison, case: Case
) -> MadeFor | OneValue | None:
    """Why an author's test may be all that the change is made for; base's own tests are beyond that."""
    if not test.written_by_author:
        return None
    named = named_code(requirement)
    by_calls = made_for(test, case.observed.second_look, case.requirements, named)
    return by_calls or value_needed_by(test, case.observed.damage)


def _made_for_tests(claim: Claim, why: MadeFor | OneValue) -> Verdict:
    """The change is seen at the tested inputs and hardly anywhere near them: for a person to say."""
    if isinstance(why, OneValue):
        return _made_for_one_value(claim, why)
    one = why.first.tested
    on_base = f"{one.on_base} on base and " if one.on_base else ""
    on_head = one.on_head.removeprefix("returned ") if one.on_base else one.on_head
    seen = f"`{one.call}`, which `{why.first.test}` checks, {on_base}{on_head} on head."
    if why.is_constant:
        step = (
            "Add a test with an input that gives another result; if every input is meant to give this one, "
            "say so in the task, then comment `/judge`."
        )
    else:
        step = (
            "Look at the table of inputs in the report. If the change is right for other inputs too, add a "
            "test with some of them; if it is for these only, say so in the task, then comment `/judge`."
        )
    return claim.left_open(f"{seen} {in_words(why, 'the tested ones')}", step, claim.nearby)


def _refuted(requirement: Requirement, case: Case, ties: dict[str, Tie]) -> Verdict | None:
    """Failing tests bind, but for new ones that may fail for the machine that Assay runs on.

    They are new tests that fail on head, and failing tests that the requirement names itself.
    """
    sole = case.is_sole(requirement)
    new = [
        t
        for t in case.groups.failures
        if t.id in ties or (sole and not case.is_for_another(requirement, t))
    ]
    failing = (*case.groups.still_failing, *case.regressions)
    against = (*new, *(t for t in failing if t.id in ties and ties[t.id].explicit))
    if not against:
        return None
    one = len(against) == 1
    said = (
        f"{'1 test' if one else f'{len(against)} tests'} for it fail{'s' if one else ''} on head."
    )
    if excuse := case.excuse(against):
        return unverified(requirement, f"{said} {excuse[0]}", excuse[1])
    return unsatisfied(requirement, said, case, tuple(test.id for test in against))


def proofs_of(
    requirement: Requirement, case: Case, ties: dict[str, Tie]
) -> tuple[TestComparison, ...]:
    """The tests that fail on base and pass on head, and that speak for a demand.

    Of a sole demand also those that call what it names, whatever the words of their titles are.
    """
    could = [t for t in case.groups.proofs if not leaves_error_unasked(requirement, t)]
    tied = tuple(test for test in could if test.id in ties)
    if not case.is_sole(requirement):
        return tied
    if tied:
        named = asked_code(requirement)
        return tuple(t for t in could if t.id in ties or named & called_in(t))
    if requirement.trust is Trust.AUTHOR:
        return tuple(could)
    free = (test for test in could if not case.is_for_another(requirement, test))
    return tuple(test for test in free if speaks_of(requirement, test))


def _proven(claim: Claim, ties: dict[str, Tie]) -> Verdict:
    proofs, ids, case = claim.tests, claim.ids, claim.case
    best = max(
        proofs, key=lambda t: (not t.written_by_author, ties[t.id].score if t.id in ties else 0)
    )
    why = ties[best.id].why if best.id in ties else _SOLE
    seen = case.observed.damage
    counted = noticed_by(proofs, seen)
    told = f" · {counted}" if counted else " · damage was not measured" if seen else ""
    if best.written_by_author:
        rate = pass_rate(best)
        again = f" · {rate}" if rate else ""
        own = ("its file", "what it reads") if len(ids) == 1 else ("their files", "what they read")
        edited = own[best.path not in case.observed.changed_paths]
        reason = (
            f"{in_numbers(claim)} ({why}{again}{told}). The pull request adds or edits {edited}."
        )
        decider = Decider.AUTHORS_TEST
    else:
        reason = (
            f"{test_ids([best])} of the base branch fails on base and passes on head ({why}{told})."
        )
        decider = Decider.ORACLE
    evidence = (*case.proof_ids, *case.damage_ids)
    given = satisfied(claim.requirement, reason, case, ids)
    return with_counted(replace(given, decided_by=decider, evidence_ids=evidence), counted)


def _unproven(requirement: Requirement, case: Case, ties: dict[str, Tie]) -> Verdict:
    unsteady = [
        t
        for t in case.groups.unsteady
        if t.written_by_author and (t.id in ties or case.is_sole(requirement))
    ]
    if unsteady:
        where = f"head ({pass_rate(unsteady[0])})"
        if unsteady[0].flakes_on_base:
            where = "base (it passed there at first, and failed when it was run again)"
        return unverified(
            requirement,
            f"{told_of(unsteady, 'is', 'are')} flaky on {where}. That shows nothing.",
            "Make the test deterministic and push.",
        )
    alone = case.is_sole(requirement) and not case.groups.proofs
    hollow = [t for t in case.groups.hollow if t.id in ties or alone]
    if hollow:
        return unverified(
            requirement,
            f"Base's code passes {test_ids(hollow)} too, so nothing shows that anything changed.",
            "Add a test that fails without this change.",
        )
    unrun = [t for t in case.groups.unrun if t.id in ties or case.is_sole(requirement)]
    if unrun and not case.groups.proofs:
        return unverified(
            requirement,
            f"{told_of(unrun, 'has', 'have')} no result on base's code, so nothing shows that anything "
            f"changed. {case.observed.tests.ended_on_base}",
            "Let the test itself fail where the change is missing, before the run ends: with a limit of its "
            "own on time or memory. If the change is right, a person can accept it.",
        )
    if case.is_inert and not case.groups.proofs:
        return unverified(
            requirement,
            "It asks for behavior, and the change leaves the program as it was: only words, layout or types "
            "differ.",
            "Change the code that it is about.",
        )
    if case.groups.idle and case.is_sole(requirement) and not case.groups.proofs:
        return unverified(
            requirement,
            f"{told_of(case.groups.idle, 'is', 'are')} skipped here, so nothing shows that anything changed.",
            "Add a test that fails without this change and is not skipped here. If the change is right, a "
            "person can accept it.",
        )
    return unverified(requirement, *_nothing_fails(case))


def _nothing_fails(case: Case) -> tuple[str, str]:
    """Say that no test that fails without the change speaks for a demand, and what to do."""
    reason = "No test fails on base and passes on head."
    step = (
        "Add a test that fails without this change, and name this requirement in its name or docstring. If "
        "none can fail here, as for code of another system or a newer version of the language, a person can "
        "accept it."
    )
    if count := len(case.groups.proofs):
        reason = "1 test fails on base and passes on head, but nothing ties it to this."
        step = "If it covers this, name this requirement in its name or docstring, then push; else add one."
        if count > 1:
            reason = f"{count} tests fail on base and pass on head, but nothing ties any of them to this."
            step = step.replace("it covers", "one covers")
    elif case.only_tests_changed:
        reason = "Only tests changed, and no run of them shows whether this is met."
        step = "Read these tests. If they do what is asked for, a person can accept it."
    elif unseen := never_run(case.observed):
        reason += f" No test of `{unseen[0]}`, which this change touches, was run."
        step += (
            f" Or set `setup.test` in `.github/assay.yml` to a command that runs `{unseen[0]}` too."
        )
    return reason, step


def _made_for_one_value(claim: Claim, why: OneValue) -> Verdict:
    """The change asks for a value of which the task does not speak, and is not seen without it."""
    tests, one = claim.tests, why.damage
    values = ", ".join(f"`{value}`" for value in one.names)
    asks = f"asks for {values} ({one.what.rpartition(' is always ')[0]})"
    if one.kind == KEY:
        asks = f"has the key {values}"
    reason = (
        f"{told_of(tests, 'passes', 'pass')} on head. But {one.path}:{one.line} {asks}, of which the task "
        f"does not speak, and with another value in its place (tried {why.times} times) the "
        f"{'test fails' if len(tests) == 1 else 'tests fail'} on head just as on base. So the change may be "
        "made for this value only."
    )
    step = (
        "Let the change work for every value of this kind; if this one is special, say so in the task, then "
        "comment `/judge`."
    )
    return claim.left_open(reason, step, claim.case.damage_ids)
