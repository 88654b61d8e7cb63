"""An agent's own log of how it made the change: a hint, never proof."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """One turn: what the agent said, what it did, and what it says that it saw. Numbers count from 1."""

    number: int
    thought: str
    action: str
    observation: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A log as it was read. `problem` says, as a sentence, why there are no steps."""

    format: str
    steps: tuple[TrajectoryStep, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ClaimedStep:
    """A step that touches files of these requirements; its texts are scrubbed, their middles dropped."""

    step: TrajectoryStep
    requirement_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """What an agent's log claims. `count` is of all its steps, `steps` are the newest that matter.

    `problem` says why the log was left out. `for_judges` is False where it tells judges what to say.
    """

    format: str
    count: int = 0
    steps: tuple[ClaimedStep, ...] = ()
    problem: str = ""
    for_judges: bool = True
