"""What will be checked: the steps of a plan, fixed before the first verdict."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Self


class ActionKind(StrEnum):
    """The kinds of action of this release."""

    UNIT_TESTS = "unit_tests"
    STATIC_LINTER = "static_linter"
    BASH = "bash"
    SHELL_INTERACTION = "shell_interaction"
    FILE_COMPARISON = "file_comparison"
    DYNAMIC_EXECUTION = "dynamic_execution"
    SCREENSHOT = "screenshot"
    INTERACTION = "interaction"
    LOCATE = "locate"
    READ = "read"
    SEARCH = "search"
    WEB_BROWSING = "web_browsing"
    DAMAGE = "damage"
    SECOND_LOOK = "second_look"
    NEARBY_INPUTS = "nearby_inputs"
    EXAMPLES = "examples"
    DOCTESTS = "doctests"
    INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to observe on both sides. `arguments` belong to the action (a shell line, paths).

    `is_proposed` says that a model thought of it.
    """

    id: str
    goal: str
    guidance: str
    requirement_ids: tuple[str, ...]
    action: ActionKind
    arguments: tuple[str, ...] = ()
    is_proposed: bool = False


@dataclass(frozen=True, slots=True)
class PlanExtension:
    """A step that was added while the plan ran, and why."""

    step: Step
    reason: str


class PlanBroken(ValueError):
    """A frozen plan was changed in a way that it may not be: a bug, never data."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What will be checked, fixed before the first verdict: `steps` never change after that.

    A run may add `extensions`, each with its reason; nothing can take a step away.
    """

    steps: tuple[Step, ...]
    extensions: tuple[PlanExtension, ...] = ()

    @property
    def digest(self) -> str:
        """The SHA-256 of the fixed steps: what was frozen."""
        told = json.dumps([asdict(step) for step in self.steps], sort_keys=True)
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def extended(self, *added: PlanExtension) -> Self:
        """The same plan with more steps. Raises PlanBroken for a missing reason or a taken id."""
        taken = {step.id for step in self.steps} | {one.step.id for one in self.extensions}
        for one in added:
            if not one.reason.strip():
                raise PlanBroken(f"step {one.step.id} extends the plan without a reason")
            if one.step.id in taken:
                raise PlanBroken(f"step {one.step.id} would replace a planned one")
            taken.add(one.step.id)
        return replace(self, extensions=(*self.extensions, *added))

    def held_to(self, frozen: str) -> Self:
        """The plan itself, when its steps are those that were frozen. Raises PlanBroken."""
        if self.digest != frozen:
            raise PlanBroken("the plan is not the one that was frozen before the first verdict")
        return self
