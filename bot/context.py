"""What the stages of one evaluation hand on: policy, environments, requirements and plan."""

from __future__ import annotations

from dataclasses import dataclass

from bot.configuration import Configuration, NetworkPolicy
from bot.task.rubrics.files import CommittedRubric
from bot.values import (
    Criterion,
    Dependent,
    EvaluationRequest,
    Plan,
    Requirements,
    RoleUsage,
    TaskRubric,
    TaskSource,
    TestPlan,
)
from sandbox.base import Network
from sandbox.values import Checkout, Environment, Finding


@dataclass(frozen=True, slots=True)
class Policy:
    """What the target branch says: its configuration, templates, kept criteria, and its test plan or,
    as `listed`, its file of typed requirements."""

    configuration: Configuration
    templates: tuple[str, ...] = ()
    test_plan: TestPlan | None = None
    rubrics: tuple[CommittedRubric, ...] = ()
    kept_criteria: tuple[Criterion, ...] = ()
    listed: TaskSource | None = None
    remarks: tuple[str, ...] = ()  # what a report says of it
    proposed: tuple[Finding, ...] = ()  # about the configuration that head would bring
    base_is_trusted: bool = False  # its commit is reachable from the default or a protected branch
    trailers: tuple[str, ...] = ()  # of head's commits, in lower case

    @property
    def network_to_build(self) -> Network:
        """What building may reach."""
        allowed = self.configuration.sandbox.network
        return Network.NONE if allowed is NetworkPolicy.NONE else Network.BUILD

    @property
    def network_to_observe(self) -> Network:
        """What tests and checks may reach."""
        allowed = self.configuration.sandbox.network
        return Network.BUILD if allowed is NetworkPolicy.ALWAYS else Network.NONE


@dataclass(frozen=True, slots=True)
class Project:
    """One project's environments; None where no known kind of project was found.

    `is_touched` is False for one that only uses what the change touches.
    """

    root: str
    base: Environment | None
    head: Environment | None
    is_touched: bool = True

    @property
    def sides(self) -> tuple[Environment, ...]:
        """The environments that it has: base's, then head's."""
        return tuple(one for one in (self.base, self.head) if one)

    @property
    def is_broken(self) -> bool:
        """Whether it builds on base and no longer on head."""
        base, head = self.base, self.head
        return bool(base and head and not base.failure and head.failure)


@dataclass(frozen=True, slots=True)
class Built:
    """Every project that was built, the one that the change is most about first.

    `concerned` are all projects that the change touches, and what else uses what it touches.
    """

    projects: tuple[Project, ...]
    sandbox: str
    concerned: tuple[Dependent, ...] = ()

    @property
    def main(self) -> Project:
        """The project that the change is most about."""
        return self.projects[0]

    def at(self, path: str) -> Project:
        """The project whose environment a file is run in: the innermost around it, else the main one."""
        around = [one for one in self.projects if one.root and path.startswith(f"{one.root}/")]
        return max(around, key=lambda one: len(one.root), default=self.main)

    @property
    def decisive(self) -> Project:
        """The project that says whether the change builds: one that it breaks, else a touched one."""
        touched = [one for one in self.projects if one.is_touched]
        failed = [one for one in touched if one.head and one.head.failure]
        broken = [one for one in self.projects if one.is_broken]
        return (*broken, *failed, *touched)[0]


@dataclass(frozen=True, slots=True)
class Planned:
    """What will be looked at, and for which requirements.

    `frozen` is the digest of the plan as it was made, before the first verdict: no later copy with
    other steps is held to be the same. `usage` is what models took to plan.
    """

    requirements: Requirements
    plan: Plan
    usage: tuple[RoleUsage, ...] = ()
    frozen: str = ""
    rubrics: tuple[TaskRubric, ...] = ()

    def __post_init__(self) -> None:
        if not self.frozen:
            object.__setattr__(self, "frozen", self.plan.digest)


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """Everything that observing needs."""

    request: EvaluationRequest
    checkout: Checkout
    built: Built
    planned: Planned
    policy: Policy

    @property
    def damage_seconds(self) -> float:
        """How long the damage check, and after it the second look, may take; 0 where they are off."""
        limits = self.policy.configuration.limits
        return limits.minutes * 60 * limits.damage / 100
