"""What of an agent's log is about a requirement, and which of its claims the evidence contradicts."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.text import scrub
from bot.text.clipping import clip, clip_middle, listed
from bot.trajectory.reading import read_trajectory
from bot.values import (
    ClaimedStep,
    Claims,
    Observed,
    Requirements,
    TestChange,
    Trajectory,
    TrajectoryStep,
)
from bot.values.rules import CLAIM_CONTRADICTED, CONFIGURATION
from sandbox.values import Finding, Severity

STEPS_A_REQUIREMENT = 6
MOST_STEPS = 24
THOUGHT_CHARACTERS = 600
ACTION_CHARACTERS = 1_000
OBSERVATION_CHARACTERS = 800
_SCRUBBED_CHARACTERS = 20_000
"""Kept of a text before it is scrubbed; far more than is shown, so that no cut halves a secret there."""
_MOST_SAID = 200_000


@dataclass(frozen=True, slots=True)
class SeenFacts:
    """What a log is held against: the files of each requirement, and what was seen on head.

    `failing` are tests that fail on head and not on base, `remarks` linter findings that are new there.
    """

    files: tuple[tuple[str, tuple[str, ...]], ...]
    failing: tuple[str, ...] = ()
    remarks: int = 0
    is_broken: bool = False  # it builds on base, and on head no longer


@dataclass(frozen=True, slots=True)
class Held:
    """A log held against the facts."""

    claims: Claims
    findings: tuple[Finding, ...] = ()


def facts_of(requirements: Requirements, observed: Observed) -> SeenFacts:
    """Return the facts; where nobody knows the files of a requirement they are all that changed."""
    located = {
        one.requirement_id: tuple(dict.fromkeys(place.place.path for place in one.places))
        for one in observed.located
    }
    failing = (TestChange.PASS_TO_FAIL, TestChange.NEW_FAILING)
    return SeenFacts(
        files=tuple(
            (one.id, located.get(one.id) or observed.changed_paths)
            for one in requirements.items
            if not one.category.is_of_project
        ),
        failing=tuple(one.id for one in observed.tests.comparisons if one.change in failing),
        remarks=sum(one.rule != CONFIGURATION for one in observed.findings),
        is_broken=bool(observed.built_base) and observed.built_head is False,
    )


# --- which steps ----------------------------------------------------------------------------


def _chosen(log: Trajectory, facts: SeenFacts) -> tuple[ClaimedStep, ...]:
    """The newest steps whose action names a file of a requirement."""
    # the requirements of each path, and of a name alone where no other file of theirs has it
    index: dict[str, set[str]] = defaultdict(set)
    for of, paths in facts.files:
        alone = Counter(PurePosixPath(path).name for path in paths)
        for known in (*paths, *(name for name, count in alone.items() if count == 1)):
            index[known].add(of)
    counts: Counter[str] = Counter()
    chosen: list[ClaimedStep] = []
    for step in reversed(log.steps):
        # every word of an action that can be a path, and every end of it that can be one
        words = (word.split("/") for word in _WORD.findall(step.action))
        named = ("/".join(parts[at:]) for parts in words for at in range(len(parts)))
        touched = frozenset(id_ for name in named for id_ in index.get(name, ()))
        about = tuple(
            id_ for id_, _ in facts.files if id_ in touched and counts[id_] < STEPS_A_REQUIREMENT
        )
        if about:
            counts.update(about)
            shown = TrajectoryStep(
                step.number,
                _part(step.thought, THOUGHT_CHARACTERS),
                _part(step.action, ACTION_CHARACTERS),
                _part(step.observation, OBSERVATION_CHARACTERS),
            )
            chosen.append(ClaimedStep(shown, about))
        if len(chosen) == MOST_STEPS:
            break
    return tuple(chosen)


_WORD = re.compile(r"[\w.@+/-]{1,400}")
"""What can be a path in a command or in JSON."""


def _part(text: str, most: int) -> str:
    return clip_middle(scrub(clip_middle(text, _SCRUBBED_CHARACTERS)), most)


# --- which claims are not so ----------------------------------------------------------------

_TESTS = re.compile(
    r"(?i)\b(?:all|every|\d{1,6})(?: of)?(?: the| our| its)?(?: [\w-]{1,20}){0,2} tests?(?: suites?)?"
    r"(?: (?:are|is|have|has|now|still|all|successfully)){0,3} "
    r"(?:pass|passes|passed|passing|green|succeed|succeeded)\b"
    r"|\btests? (?:are|is) (?:all|now) (?:passing|green)\b"
    r"|\btest suite (?:now |still )?(?:pass|passes|passed|is green)\b"
)
_BUILD = re.compile(
    r"(?i)\b(?:the )?(?:build|project|code|it) (?:now |still )?"
    r"(?:builds|compiles|succeeds|succeeded|is green)(?: (?:cleanly|fine|successfully|without errors))?"
)
_LINT = re.compile(
    r"(?i)\bno (?:new )?(?:lint|linter|linting|ruff|eslint|mypy|type) (?:errors|findings|warnings|issues)\b"
    r"|\b(?:linters?|ruff|eslint|lint) (?:is|are|now )? ?(?:clean|happy|passes|pass|passed)\b"
)
_DOUBT = re.compile(
    r"(?i)\b(?:not|if|once|until|unless|ensure|make sure|verify|check|confirm|should|would|will|whether|when|"
    r"before|so that|let|see|want|need|must|expect|hope|except|but|almost|nearly)\b|n't\b|n\u2019t\b|\?"
)
_SENTENCE = re.compile(r"[.!\n;]")


def hold(text: str, facts: SeenFacts) -> Held:
    """Read a log, choose its steps, and find the last claims that the facts contradict."""
    log = read_trajectory(text)
    tests = facts.failing
    named = listed(f"`{clip(one, 160)}`" for one in tests)
    fail = "fails" if len(tests) == 1 else "fail"
    findings: list[Finding] = []
    for pattern, is_so, seen in (
        (_TESTS, not tests, f"{named} {fail} on head"),
        (_BUILD, not facts.is_broken, "head does not build, and base does"),
        (_LINT, not facts.remarks, f"{facts.remarks} linter finding(s) are new on head"),
    ):
        # the last claim of each kind alone: earlier ones may have been right then
        claim = None if is_so else next(_claimed(log, pattern), None)
        if claim:
            step, said = claim
            message = f"The agent's log says “{clip(said, 160)}” (step {step.number}), but {seen}."
            findings.append(
                Finding(CLAIM_CONTRADICTED, Severity.ADVISE, "", 0, message, tool="integrity")
            )
    claims = Claims(log.format, len(log.steps), _chosen(log, facts), log.problem)
    return Held(claims, tuple(findings))


def _claimed(log: Trajectory, pattern: re.Pattern[str]) -> Iterator[tuple[TrajectoryStep, str]]:
    """Sentences of the agent's own that claim it without a doubt, the newest first."""
    left = _MOST_SAID
    for step in reversed(log.steps):
        said = step.thought[-left:]
        for sentence in reversed(_SENTENCE.split(said)):
            words = " ".join(scrub(sentence[:1_000]).split())
            if pattern.search(words) and not _DOUBT.search(words):
                yield step, words
        left -= len(said)
        if left <= 0:
            return
