"""The gate's answer in one line for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.task.requirements import BUILDS, NOTHING_REGRESSES, PAGES_WORK, TESTS_NOT_WEAKENED
from bot.text.clipping import clip, clip_line
from bot.values import ABLATED, Conclusion, GateReason, rules
from bot.values.verdicts import MetCount

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
    if finding_rule in rules.IN_WORDS and (reason.rule == "integrity" or requirement):
        return rules.IN_WORDS[finding_rule]
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
    "revert": "the revert needs approval",
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
