"""The rubrics of issues, every version that was drafted or approved, and who approved which."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from bot.errors import Transient
from bot.models import KeptRubric, Rubric
from bot.store.database import Database
from bot.store.tables import APPROVALS, RUBRICS, now_s

_RUBRIC = TypeAdapter(Rubric)


class RubricRecords(Database):
    """The part of the records that outlives every evaluation: nothing here is pruned."""

    def rubrics(self, repository: str, issue: int) -> tuple[KeptRubric, ...]:
        """List the versions of an issue's rubric, oldest first."""
        with self._begin() as connection:
            return _versions(connection, repository.lower(), issue)

    def keep_rubric(self, repository: str, issue: int, rubric: Rubric) -> KeptRubric:
        """Keep these words: the newest version if it says the same, else a new one that nobody approved.

        Raises Transient when somebody keeps other words at the same moment.
        """
        place = repository.lower()
        with self._begin() as connection:
            known = _versions(connection, place, issue)
            if known and known[-1].rubric == rubric:
                return known[-1]
            row = {
                "repository": place,
                "issue": issue,
                "version": len(known) + 1,
                "rubric": json.dumps(_RUBRIC.dump_python(rubric, mode="json")),
                "kept_s": now_s(),
            }
            connection.execute(self._insert(RUBRICS).values(row).on_conflict_do_nothing())
            kept = _versions(connection, place, issue)[-1]
        if kept.rubric != rubric:  # two at once: the key let the other one in
            raise Transient("another rubric of this issue was kept just now", retry_after_s=1)
        return kept

    def approve_rubric(self, repository: str, issue: int, version: int, actor: str) -> None:
        """Remember that somebody approved a version; the same person counts once."""
        row = {
            "repository": repository.lower(),
            "issue": issue,
            "version": version,
            "actor": actor.lower(),
            "approved_s": now_s(),
        }
        with self._begin() as connection:
            connection.execute(self._insert(APPROVALS).values(row).on_conflict_do_nothing())


def _versions(connection: Connection, repository: str, issue: int) -> tuple[KeptRubric, ...]:
    of_issue = (RUBRICS.c.repository == repository, RUBRICS.c.issue == issue)
    approved = select(APPROVALS.c.version, APPROVALS.c.actor).where(
        APPROVALS.c.repository == repository, APPROVALS.c.issue == issue
    )
    by_version: dict[int, list[str]] = {}
    for version, actor in connection.execute(approved.order_by(APPROVALS.c.approved_s)):
        by_version.setdefault(version, []).append(actor)
    rows = connection.execute(
        select(RUBRICS.c.version, RUBRICS.c.rubric).where(*of_issue).order_by(RUBRICS.c.version)
    )
    return tuple(
        KeptRubric(
            row.version,
            _RUBRIC.validate_python(json.loads(row.rubric)),
            tuple(by_version.get(row.version, ())),
        )
        for row in rows
    )
