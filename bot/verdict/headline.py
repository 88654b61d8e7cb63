"""The gate's answer in one line for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.task.requirements import BUILDS, NOTHING_REGRESSES, PAGES_WORK, TESTS_NOT_WEAKENED
from bot.text.clipping import clip, clip_line
from bot.values import ABLATED, Conclusion, GateReason, rules
from bot.verdict.outcome import MetCount

MAX_TITLE = 119
_MORE = ", and more"
_SHORTEST_QUOTE = 24


def headline(
    conclusion: Conclusion,
    met: MetCount,
    reasons: tuple[GateReason, ...],
    texts: Mapping[str, str],
    not_apart: int = 0,
) -> str:
    """One line under 120 characters: how much is met, and what decided.

    `texts` are the requirements' texts by id: a reader does not know an id by itself. `not_apart` counts
    the sentences of the task that were not judged on their own.
    """
    if conclusion is Conclusion.SUCCESS:
        return f"{met.of_success()}{_beside(not_apart)}"
    counted = str(met)
    if conclusion is Conclusion.NEUTRAL:
        return f"{counted}; the configuration allows what could not be verified"
    line = f"{counted}; "
    deciding = tuple(reason for reason in reasons if reason.conclusion is conclusion)
    if conclusion is Conclusion.TIMED_OUT:
        line += "the run timed out: "
    phrases = list(dict.fromkeys(_phrases(deciding, texts, MAX_TITLE - len(line) - len(_MORE))))
    line += phrases.pop(0)
    for phrase in phrases:
        if len(line) + 2 + len(phrase) + len(_MORE) > MAX_TITLE:
            line += _MORE
            break
        line += f", {phrase}"
    return clip_line(line, MAX_TITLE)


def _beside(not_apart: int) -> str:
    if not not_apart:
        return ""
    if not_apart == 1:
        return "; 1 more sentence was not judged on its own"
    return f"; {not_apart} more sentences were not judged on their own"


def _phrases(
    deciding: tuple[GateReason, ...], texts: Mapping[str, str], room: int
) -> Iterator[str]:
    """What decided, in the gate's order; the requirements of the task come as one phrase."""
    about_task: dict[str, list[str]] = {}
    for reason in deciding:
        asked = reason.rule in (_UNMET, _UNVERIFIED) and reason.requirement_ids
        if asked and asked[0] not in _BASELINE:
            about_task.setdefault(reason.rule, []).extend(
                texts.get(requirement, requirement) for requirement in asked
            )
        else:
            yield _phrase(reason)
    for rule, asked_texts in about_task.items():
        more = f" and {len(asked_texts) - 1} more" if len(asked_texts) > 1 else ""
        verb = ("are" if more else "is") + " not met" if rule == _UNMET else "could not be verified"
        quoted = clip(
            " ".join(asked_texts[0].split()), max(_SHORTEST_QUOTE, room - len(more) - len(verb) - 3)
        )
        yield f"“{quoted.removesuffix('.')}”{more} {verb}"


def _phrase(reason: GateReason) -> str:
    requirement = next(iter(reason.requirement_ids), "")
    if (requirement == NOTHING_REGRESSES and reason.rule == _UNMET) or reason.rule == "regression":
        return _regressed(reason)
    finding_rule = next(iter(reason.finding_rules), "")
    if finding_rule in _FINDINGS and (reason.rule == "integrity" or requirement):
        return _FINDINGS[finding_rule]
    if requirement in _BASELINE:
        return _BASELINE[requirement][reason.rule == _UNVERIFIED]
    if reason.rule == "score":
        if reason.score is None:
            return "there is no score to compare"
        reached = f"the score is {reason.score:.2f} of the required {reason.least_score:g}"
        is_final = reason.conclusion is Conclusion.FAILURE
        return reached if is_final else f"{reached}, and not everything is decided"
    failed = _SHORT.get(reason.rule, reason.text)
    return failed if reason.conclusion is Conclusion.FAILURE else _ASKS.get(reason.rule, failed)


def _regressed(reason: GateReason) -> str:
    if not reason.tests:
        return "what worked before fails now"
    if len(reason.tests) == 1:
        return "1 test that passed before fails now"
    return f"{len(reason.tests)} tests that passed before fail now"


_UNMET, _UNVERIFIED = "requirement", "unverified"
_BASELINE = {
    BUILDS: ("head does not build", "it could not be built"),
    NOTHING_REGRESSES: ("what passed before fails now", "regressions could not be ruled out"),
    TESTS_NOT_WEAKENED: ("tests were weakened", "the changes to tests need a reader"),
    PAGES_WORK: ("changed pages are broken", "the changed pages could not be checked"),
}
"""By requirement: where it is not met, and where that could not be verified."""
_SHORT = {
    "build": "head does not build",
    "own-tests": "its own new tests fail",
    "forged": "its code forges test results",
    "expectation": "changed expectations need approval",
    "member": "a pull request of the group did not pass",
    "patch": "the patch as a whole did not pass",
    "crash": "an empty input divides by zero",
    "syntax": "a changed file does not parse",
    "lint": "new linter findings block",
    "scope": "files outside the task changed",
}
"""By rule of the gate."""
_ASKS = {
    ABLATED: "parts of Assay were off, to measure what they add",
    "forged": "test results are forged on base too",
    "member": "a pull request of the group has no success yet",
    "patch": "the patch as a whole needs a reader",
}
"""Where the same rule asks a person instead of failing the change."""
_FINDINGS = {
    rules.UNREAD_CHANGES: "the change is too large to read whole",
    rules.UNSEEN_CONTENT: "content changed that a diff cannot show",
    rules.TEST_DELETED: "a test was deleted",
    rules.TEST_FILE_DELETED: "a test file was deleted",
    rules.TEST_SKIPPED: "a test is skipped now",
    rules.NEW_TEST_SKIPPED: "a new test is skipped",
    rules.TEST_DESELECTED: "tests are no longer selected",
    rules.ASSERTION_REMOVED: "an assertion was removed",
    rules.ASSERTION_LOOSENED: "an assertion was loosened",
    rules.ASSERTION_TRIVIAL: "an assertion can no longer fail",
    rules.EXPECTATION_CHANGED: "a test expects something else now",
    rules.TEST_ADAPTED: "a test was adapted to a moved interface",
    rules.TEST_FOLLOWS_MOVE: "a test follows code that moved",
    rules.CI_EDITED: "the CI was edited",
    rules.RESULTS_REWRITTEN: "its code rewrites test results",
    rules.EARLY_EXIT: "its code ends the tests early",
    rules.EQUALITY_FAKED: "its code fakes equality",
    rules.STARTUP_HOOK: "its code runs before the tests start",
    rules.SUPPRESSION_ADDED: "a check was suppressed",
    rules.CHECK_LOWERED: "a check was lowered",
    rules.RESULT_HARD_CODED: "an expected result is hard-coded",
    rules.TEST_DETECTED: "its code detects that it is tested",
    rules.TEST_READ: "its code names a test file",
    rules.CODE_DECODED: "it runs code that the diff does not show",
    rules.SECRET_ADDED: "a secret was added",
    rules.INSTRUCTION: "a text gives orders to reviewers",
    rules.INSTRUCTION_IN_LOG: "the agent's log gives orders to reviewers",
    rules.CLAIM_CONTRADICTED: "the agent's log claims what is not so",
    rules.HIDDEN_TEXT: "hidden text was added",
    rules.OUT_OF_SCOPE: "files outside the task changed",
    rules.NETWORK_OPENED: "its code newly opens the network",
    rules.PUBLIC_NAME_REMOVED: "a public name is gone",
    rules.SIGNATURE_BROKEN: "calls that were right on base break",
    rules.DEFAULT_CHANGED: "a default is another value",
    rules.BASE_CLASS_LOST: "a public class loses a base class",
    rules.MODULE_SHADOWED: "tests get another module than base's",
    rules.ERROR_SWALLOWED: "an error is dropped that base lets out",
    rules.GUARD_REMOVED: "something is let through that base refuses",
    rules.ONLY_TESTS_CALL: "only its tests call what it adds",
    rules.ONLY_FIRST_REPLACED: "it replaces only the first of a sign",
    rules.OPTION_UNASKED: "it takes an option that nobody asked for",
    rules.PROGRAM_STARTED: "its code newly starts other programs",
    rules.FILES_DELETED: "its code newly deletes files",
    rules.PROCESS_CHANGED: "its code newly changes the whole process",
    rules.OUTPUT_WRITTEN: "its code newly prints",
    rules.DATA_RUN: "its code newly runs what data say",
    rules.PLACE_ASKED: "its code newly asks where it runs",
    rules.DEPENDENCY_UNKNOWN: "a new dependency does not exist",
    rules.DEPENDENCY_UNASKED: "a new dependency could not be looked up",
    rules.DEPENDENCY_YOUNG: "a new dependency is very new",
    rules.POLICY_LOOSENED: "Assay's configuration was loosened",
    rules.CONFIGURATION: "Assay's configuration cannot be read",
}
"""By rule of an integrity finding."""
