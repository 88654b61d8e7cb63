"""What models took, by session; summed up by role for the metrics."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import func, select

from bot.models import Role, RoleUsage
from bot.safety import scrub
from bot.store.database import Database
from bot.store.tables import MODEL_USAGE

_SUMMED = ("calls", "cached", "input_tokens", "output_tokens", "usd", "seconds")


class UsageRecords(Database):
    """The part of the records that counts models; a repetition changes nothing."""

    def used(self, session_id: str, usage: tuple[RoleUsage, ...]) -> None:
        """Remember what models took while a session with them was open."""
        with self._begin() as connection:
            for one in usage:
                row = {**asdict(one), "evaluation": session_id, "model": scrub(one.model)[:200]}
                connection.execute(self._insert(MODEL_USAGE).values(row).on_conflict_do_nothing())

    def usage_totals(self) -> tuple[RoleUsage, ...]:
        """Sum up by role and model, over all sessions."""
        kinds = (MODEL_USAGE.c.role, MODEL_USAGE.c.model)
        sums = [func.sum(MODEL_USAGE.c[name]).label(name) for name in _SUMMED]
        asked = select(*kinds, *sums).group_by(*kinds).order_by(*kinds)
        with self._begin() as connection:
            rows = connection.execute(asked).all()
        return tuple(
            RoleUsage(
                Role(row.role),
                row.model,
                int(row.calls),
                int(row.cached),
                int(row.input_tokens),
                int(row.output_tokens),
                row.usd,
                row.seconds,
            )
            for row in rows
        )
