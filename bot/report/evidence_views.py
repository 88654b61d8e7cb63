"""The evidence as a report shows it: what a step showed on each side, its outputs capped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from bot.report.pictures import PictureRow, picture_rows
from bot.text.clipping import clip_middle
from bot.values import ActionKind, Evidence, Transition
from sandbox.values import Observation, Outcome

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

OUTPUT_CHARACTERS = 20_000
"""Head and tail of an output that a report keeps."""
_LOOKS = (ActionKind.READ, ActionKind.SEARCH)
_CALLS = (ActionKind.BASH, ActionKind.SHELL_INTERACTION)
Shown = TypeVar("Shown", bound="DataclassInstance")


def shown_as(kind: type[Shown], *sources: object, **own: object) -> Shown:
    """Make a value of what its sources have under the names of its fields, and of its `own` values."""
    for name in (field.name for field in fields(kind) if field.name not in own):
        source = next(one for one in sources if hasattr(one, name))
        own[name] = getattr(source, name)
    return kind(**own)


@dataclass(frozen=True, slots=True)
class ObservationView:
    """What one action showed on one side; `tests` is a sentence ("12 passed, 1 failed")."""

    command: str
    result: str  # "exit code 1", "timed out", "not run"
    failed: bool
    output: str
    seconds: float
    truncated: bool
    problem: str
    tests: str


_COMPARES_ITSELF = (ActionKind.DAMAGE, ActionKind.SECOND_LOOK, ActionKind.NEARBY_INPUTS)


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """One step on both sides, and how many damages a judge's own noticed, of how many it was run on."""

    id: str
    goal: str
    guidance: str
    action: ActionKind
    requirement_ids: tuple[str, ...]
    transition: Transition
    base: ObservationView | None
    head: ObservationView | None
    pictures: tuple[PictureRow, ...] = ()
    is_asserted: bool = True
    damages_noticed: int = 0
    damages_tried: int = 0

    @property
    def is_one_run(self) -> bool:
        """Whether the step compares by itself, so that there is no base's run beside head's."""
        return self.action in _COMPARES_ITSELF and self.base is None

    @property
    def differs(self) -> bool:
        """Whether a step that asserts nothing says something else on head than on base."""
        if self.is_asserted or self.base is None or self.head is None:
            return False
        return self.base.output != self.head.output


def evidence_view(item: Evidence) -> EvidenceView:
    """One piece of evidence as it is shown."""
    # What a model only looks at, or only calls, asserts nothing: its exit code means nothing.
    is_a_models = item.step.is_proposed or item.id.startswith("A-")
    is_silent = item.step.action in _LOOKS or (is_a_models and item.step.action in _CALLS)
    told = [trial for one in item.damage for trial in one.damages if trial.damage.is_telling]
    return shown_as(
        EvidenceView,
        item,
        item.step,
        is_asserted=not is_silent,
        base=_observation(item.base, item.step.action) if item.base else None,
        head=_observation(item.head, item.step.action) if item.head else None,
        pictures=picture_rows(item.base, item.head),
        damages_noticed=sum(bool(one.noticed) for one in told),
        damages_tried=len(told),
    )


_RAN = {
    ActionKind.DAMAGE: "ran on damaged copies of head",
    ActionKind.SECOND_LOOK: "called again elsewhere",
    ActionKind.NEARBY_INPUTS: "called on both sides",
    ActionKind.EXAMPLES: "called as the task shows",
}


def _observation(seen: Observation, action: ActionKind) -> ObservationView:
    ran = _RAN.get(action)  # it has no exit code of its own
    ended = "did not finish" if seen.exit_code is None else f"exit code {seen.exit_code}"
    ended = ended if seen.command or seen.seconds or not seen.problem else "nothing ran"
    tests = ""
    if seen.tests:
        counts = Counter(result.outcome for result in seen.tests.results)
        words = ", ".join(f"{counts[one]} {one.value}" for one in Outcome if counts[one])
        why = seen.tests.problem or "results are missing"
        doubts = "" if seen.tests.complete else f" (incomplete: {why})"
        forged = "; somebody else wrote into the result channel" if seen.tests.forged else ""
        tests = f"{words or 'no test ran'}{doubts}{forged}"
    return ObservationView(
        command=seen.command,
        result=ran or ("timed out" if seen.timed_out else ended),
        failed=(seen.exit_code != 0 and not ran) or seen.timed_out or bool(seen.problem),
        output=clip_middle(seen.output, OUTPUT_CHARACTERS),
        seconds=seen.seconds,
        truncated=seen.truncated or len(seen.output) > OUTPUT_CHARACTERS,
        problem=seen.problem,
        tests=tests,
    )
