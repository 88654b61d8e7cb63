"""What a judge may read of one requirement: the task, the change and the evidence, each enclosed.

What all requirements of a run share comes first, so that endpoints can cache the beginning. No
verdict and no opinion on another requirement is ever in it (Agent-as-a-Judge: memory hurt).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.judges.seen_tests import (
    FOUR_WAYS_CHARS,
    has_results,
    moved,
    quiet,
    told_four_ways,
    told_tests,
)
from bot.text import Delimiter
from bot.text.clipping import clip_middle
from bot.values import (
    ActionKind,
    Category,
    ClaimedStep,
    Evidence,
    FourWay,
    Requirement,
    SourceKind,
    Task,
    TaskSource,
    Trust,
)
from sandbox.values import Observation

TASK_CHARS = 6_000
AROUND_CHARS = 20_000
AUTHOR_CHARS = 1_500
"""Of what the change says of itself: it cannot push the task out."""
LINKED_CHARS = 1_200
"""Of one document or page that the task links: it cannot push the task out either."""
CLAIMED_CHARS = 4_000
"""Of the agent's log: it is a hint where to look."""
DIFF_CHARS = 16_000
REQUIREMENT_CHARS = 4_500
PIECE_CHARS = 8_000
LEAST_PIECE_CHARS = 1_000
EVIDENCE_CHARS = 24_000
"""Of all pieces together, about 6,000 tokens: many pieces are each shown shorter."""
MOST_EVIDENCE = 24
_LABELS_CHARS = 500


@dataclass(frozen=True, slots=True)
class Material:
    """The evaluation as judges read it; `evidence` of all steps, `diff` as unified text.

    `words_to_judges` are what an integrity check found that tells judges what to say; `tests` is what all
    tests did four ways, `shown_diff` a shorter diff for prompts, `unnoticed` the damages to the change that
    no test noticed, `differing` what inputs near the tested ones give where base and head differ, `claimed`
    steps of the agent's own log.
    """

    task: Task
    diff: str
    evidence: tuple[Evidence, ...]
    words_to_judges: str = ""
    tests: FourWay | None = None
    shown_diff: str = ""
    unnoticed: str = ""
    differing: str = ""
    claimed: tuple[ClaimedStep, ...] = ()

    @property
    def around(self) -> str:
        """The task as others than the change's author tell it."""
        return told_by_others(self.task)

    def about(self, requirement: Requirement) -> tuple[Evidence, ...]:
        """The evidence that a verdict on the requirement may cite: steps that serve it."""
        return tuple(one for one in self.evidence if requirement.id in one.step.requirement_ids)


def told_by_others(task: Task) -> str:
    """The task as others than the change's author tell it."""
    told = [one for one in task.sources if one.trust is not Trust.AUTHOR]
    return "\n".join(f"{one.title}\n{one.text}" for one in told)[:AROUND_CHARS]


def shared_text(material: Material, delimiter: Delimiter) -> str:
    """The task and the change: the same for every requirement of the run."""
    asked, claimed = told_sources(material.task.sources)
    diff = material.shown_diff or material.diff
    parts = [
        delimiter.enclose("task", asked, TASK_CHARS),
        delimiter.enclose("words of the change's author", claimed, AUTHOR_CHARS),
        delimiter.enclose("diff from base to head", diff, 2 * DIFF_CHARS),
    ]
    if four_ways := told_four_ways(material.tests) if material.tests else "":
        parts.append(delimiter.enclose("tests four ways", four_ways, FOUR_WAYS_CHARS))
    return "\n\n".join(parts)


def told_sources(sources: Iterable[TaskSource]) -> tuple[str, str]:
    """What was asked, and what the change's author says.

    Words first, whole; what they link after them, clipped: its demands are requirements already.
    """
    ordered = sorted(sources, key=lambda source: source.kind is not SourceKind.WORDS)
    asked = [one for one in ordered if one.trust is not Trust.AUTHOR]
    claimed = [one for one in ordered if one.trust is Trust.AUTHOR]
    return _told(asked), _told(claimed)


def _told(sources: list[TaskSource]) -> str:
    told = []
    for source in sources:
        is_linked = source.kind is not SourceKind.WORDS
        text = clip_middle(source.text, LINKED_CHARS) if is_linked else source.text
        told.append(f"{source.reference} ({source.trust.value})\n{source.title}\n{text}")
    return "\n\n".join(told)


KINDS = {
    Category.KEEP: "; must stay: passing on base and on head shows it, passing on base alone refutes it",
    Category.PROHIBITION: "; must not hold",
    Category.UPKEEP: "; upkeep: the diff shows it",
}


def requirement_text(requirement: Requirement, delimiter: Delimiter) -> str:
    """The one requirement that is judged, with where it came from and what stood around it."""
    kind = KINDS.get(requirement.category, "")
    text = f"{requirement.id} ({requirement.origin}{kind}): {requirement.shown}\n"
    if requirement.wording:
        text += f"The title, as context: {requirement.text}\n"
    if not (requirement.is_title and requirement.trust.is_asked):  # else it is the task, told above
        text += requirement.detail
    return delimiter.enclose("requirement", text, REQUIREMENT_CHARS)


def claimed_text(material: Material, requirement: Requirement, delimiter: Delimiter) -> str:
    """The agent's own steps on the requirement's files, the newest first; empty where there are none."""
    shown = [
        f"Step {one.step.number}\n{one.step.thought}\n$ {one.step.action}\n{one.step.observation}"
        for one in material.claimed
        if requirement.id in one.requirement_ids
    ]
    if not shown:
        return ""
    kept = "\n\n".join(shown)[:CLAIMED_CHARS]
    return delimiter.enclose("agent's own log, a claim and no evidence", kept, CLAIMED_CHARS)


def shown_evidence(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """At most 24 pieces: those made for one requirement alone before those made for many."""
    most = sorted(evidence, key=lambda one: len(one.step.requirement_ids))[:MOST_EVIDENCE]
    return tuple(one for one in evidence if one in most)


def evidence_text(
    evidence: Iterable[Evidence], delimiter: Delimiter, *, with_command: bool = True
) -> str:
    """Each piece with its id, what it was for, and what both sides showed. Seconds are left out:
    they differ from run to run and say nothing. The command is left out for who just wrote it."""
    pieces = tuple(evidence)
    share = EVIDENCE_CHARS // max(1, len(pieces))
    most_chars = max(LEAST_PIECE_CHARS, min(PIECE_CHARS, share))
    of_command, of_side = most_chars * 4 // 10, most_chars * 3 // 10
    shown = []
    for piece in pieces:
        seen, step = piece.head or piece.base, piece.step
        command = clip_middle(seen.command, of_command) if seen and with_command else ""
        sides = "\n".join((*([f"$ {command}"] if command else []), *_sides(piece, of_side)))
        head = f"Evidence {piece.id}: {step.action.value}, {moved(piece).value}"
        if step.is_proposed:
            head += f", planned for {' '.join(step.requirement_ids)}"
        for one in piece.damage:
            tried = [trial for trial in one.damages if trial.damage.is_telling]
            counted = f"{sum(bool(trial.noticed) for trial in tried)} of {len(tried)} noticed"
            told = one.problem or f"{counted} near what it is about."
            head += f"\nDamage, for {one.about}: {told}"
        text = delimiter.enclose(f"evidence {piece.id}", sides, most_chars + _LABELS_CHARS)
        shown.append(f"{head}\n{text}")
    return "\n\n".join(shown) or "There is no evidence yet."


def _sides(evidence: Evidence, most_chars: int) -> Iterator[str]:
    """Each test's result where there are any, else what both sides printed; the same is told once."""
    base, head = evidence.base, evidence.head
    if has_results(evidence):
        yield from (_ended("base", base), _ended("head", head))
        yield told_tests(evidence, 2 * most_chars)
        return
    # Our own code may tell what it saw of both sides: neither is a run with an end then.
    is_told = all(
        one is None or (one.exit_code is None and not one.timed_out) for one in (base, head)
    )
    if head is not None and (evidence.step.action is ActionKind.STATIC_LINTER or is_told):
        if head.problem:
            yield f"This proves nothing: {head.problem}"
        yield clip_middle(quiet(head.output), 2 * most_chars)
        return
    after = quiet(head.output) if head else ""
    before = quiet(base.output) if base else ""
    is_same = base is not None and head is not None and before == after and bool(after)
    yield _ended("base", base)
    yield "(the same output as on head)" if is_same else clip_middle(before, most_chars)
    yield _ended("head", head)
    yield clip_middle(after, most_chars)


def _ended(name: str, seen: Observation | None) -> str:
    if seen is None:
        return f"{name}: not run"
    ended = "timed out" if seen.timed_out else f"exit code {seen.exit_code}"
    problem = f"\nThis proves nothing: {seen.problem}" if seen.problem else ""
    return f"{name}: {ended}{problem}"
