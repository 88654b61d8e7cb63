"""Counts what models used, by role, and says when the budget is spent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from genai_prices import Usage, calc_price

from bot.judges.model.base import BudgetSpent, SessionLimits
from bot.values import Role, RoleUsage

Prices = Mapping[str, tuple[float, float]]
"""US dollars for a million tokens in and out, by model, as the operator set them."""


@dataclass(frozen=True, slots=True)
class TokenCount:
    """The tokens of one call, as the endpoint counted them."""

    input: int
    output: int


def usd_of(model: str, tokens: TokenCount, prices: Prices) -> float | None:
    """Return the cost of a call: by the operator's price, else by genai-prices, else None."""
    if model in prices:
        input_usd, output_usd = prices[model]
        return (tokens.input * input_usd + tokens.output * output_usd) / 1e6
    try:
        usage = Usage(input_tokens=tokens.input, output_tokens=tokens.output)
        return float(calc_price(usage, model).total_price)
    except LookupError:
        return None


@dataclass(slots=True)
class Account:
    """The running account of one session."""

    limits: SessionLimits
    prices: Prices
    _by_role: dict[tuple[Role, str], RoleUsage] = field(default_factory=dict)
    _started_s: float = field(default_factory=time.monotonic)

    def check(self) -> None:
        """Raise BudgetSpent when no further call may be paid."""
        spent = self.limits.usd_spent + sum(one.usd or 0.0 for one in self._by_role.values())
        if spent >= self.limits.usd:
            raise BudgetSpent(f"The ${self.limits.usd:.2f} of `limits.usd` are spent.")
        if self.left_s <= 0:
            raise self.too_late()

    @property
    def left_s(self) -> float:
        """Return the seconds that are left, at least 0."""
        return max(0.0, self.limits.minutes * 60 - (time.monotonic() - self._started_s))

    def too_late(self) -> BudgetSpent:
        """Return the error to raise when the time is up."""
        return BudgetSpent(f"The {self.limits.minutes:g} minutes of `limits.minutes` are over.")

    def add(self, role: Role, model: str, tokens: TokenCount, seconds: float) -> None:
        """Count a paid call."""
        usd = usd_of(model, tokens, self.prices)
        known = self._known(role, model)
        self._by_role[role, model] = replace(
            known,
            calls=known.calls + 1,
            input_tokens=known.input_tokens + tokens.input,
            output_tokens=known.output_tokens + tokens.output,
            usd=known.usd if usd is None else (known.usd or 0.0) + usd,
            seconds=round(known.seconds + seconds, 3),
        )

    def add_cached(self, role: Role, model: str) -> None:
        """Count a cached call."""
        known = self._known(role, model)
        self._by_role[role, model] = replace(known, calls=known.calls + 1, cached=known.cached + 1)

    def _known(self, role: Role, model: str) -> RoleUsage:
        return self._by_role.get((role, model), RoleUsage(role, model))

    @property
    def usage(self) -> tuple[RoleUsage, ...]:
        """Return the usage, in the order of the roles."""
        order = list(Role)
        return tuple(sorted(self._by_role.values(), key=lambda one: order.index(one.role)))
