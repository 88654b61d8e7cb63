"""What people accepted, at which commit: nothing here is changed or pruned."""

from __future__ import annotations

import json

from pydantic import TypeAdapter
from sqlalchemy import select

from bot.models import Acceptance
from bot.safety import scrub_tree
from bot.store.database import Database
from bot.store.tables import ACCEPTANCES

_ACCEPTANCE = TypeAdapter(Acceptance)


class AcceptanceRecords(Database):
    """The part of the records that holds decisions of people; the newest of a subject counts."""

    def accept(self, repository: str, number: int, given: Acceptance) -> None:
        """Keep a decision; the same `source` about the same subject and commit counts once."""
        kept = scrub_tree(given)
        row = {
            "repository": repository.lower(),
            "number": number,
            "head_sha": kept.head_sha,
            "subject": kept.subject,
            "source": kept.source,
            "acceptance": json.dumps(_ACCEPTANCE.dump_python(kept, mode="json")),
        }
        with self._begin() as connection:
            connection.execute(self._insert(ACCEPTANCES).values(row).on_conflict_do_nothing())

    def acceptances(self, repository: str, number: int) -> tuple[Acceptance, ...]:
        """List what was decided about a pull request, at any of its commits, newest first."""
        about = (ACCEPTANCES.c.repository == repository.lower(), ACCEPTANCES.c.number == number)
        asked = select(ACCEPTANCES.c.acceptance).where(*about).order_by(ACCEPTANCES.c.id.desc())
        with self._begin() as connection:
            rows = connection.execute(asked).scalars().all()
        return tuple(_ACCEPTANCE.validate_python(json.loads(row)) for row in rows)
