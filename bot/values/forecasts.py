"""What an evaluation is going to look at and to cost, told before anything runs."""

from __future__ import annotations

from dataclasses import dataclass

from bot.values.opinions import Role
from bot.values.tasks import Plan, Requirements


@dataclass(frozen=True, slots=True)
class ExpectedCalls:
    """What one role may ask: calls at least and at most, and the tokens of one call."""

    role: Role
    fewest: int
    most: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class ExpectedPrice:
    """The calls of one role with its model; US dollars, None where nobody knows the model's price."""

    calls: ExpectedCalls
    model: str
    usd_fewest: float | None
    usd_most: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """The plan and its price. `prices` is empty where no model is set: then it costs nothing.

    `usd` and `interactions` are the limits that hold whatever is expected; `planning_usd` is what the
    forecast itself took.
    """

    requirements: Requirements
    plan: Plan
    digest: str
    prices: tuple[ExpectedPrice, ...]
    usd: float
    interactions: int
    minutes: float
    planning_usd: float | None = None

    @property
    def usd_fewest(self) -> float | None:
        """The least it may cost; None where a price is unknown."""
        return _sum([one.usd_fewest for one in self.prices])

    @property
    def usd_most(self) -> float | None:
        """The most it may cost, the limit included; None where a price is unknown."""
        most = _sum([one.usd_most for one in self.prices])
        return None if most is None else min(most, self.usd)


def _sum(parts: list[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None
