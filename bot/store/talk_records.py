"""Parts of the records that people make by talking: labels of verdicts, and paused pull requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, delete, select

from bot.store.base import LabelFilter
from bot.store.database import Database
from bot.store.tables import LABELS, PAUSES, now_s
from bot.text import scrub, scrub_tree
from bot.values import Pause, VerdictLabel

_LABEL = TypeAdapter(VerdictLabel)
_PAGE = 500


class TalkRecords(Database):
    """The part of the records that is never pruned: who deletes it is a person."""

    def keep_labels(self, *labels: VerdictLabel) -> None:
        """Keep all or none; the same `source` about the same subject and commit counts once."""
        rows = [_row(scrub_tree(one)) for one in labels]
        with self._begin() as connection:
            for row in rows:
                connection.execute(self._insert(LABELS).values(row).on_conflict_do_nothing())

    def labels(self, wanted: LabelFilter) -> Iterator[VerdictLabel]:
        """Go through what was kept, oldest first."""
        last = 0
        while True:
            asked = select(LABELS.c.id, LABELS.c.label).where(LABELS.c.id > last, *_where(wanted))
            with self._begin() as connection:
                rows = connection.execute(asked.order_by(LABELS.c.id).limit(_PAGE)).all()
            if not rows:
                return
            yield from (_LABEL.validate_python(json.loads(row.label)) for row in rows)
            last = rows[-1].id

    def labelled_repositories(self) -> tuple[str, ...]:
        """List the repositories that have labels, in lower case; the index alone is read."""
        with self._begin() as connection:
            asked = select(LABELS.c.repository).distinct().order_by(LABELS.c.repository)
            return tuple(connection.execute(asked).scalars())

    def newest_labels(self, repositories: Sequence[str], limit: int) -> tuple[VerdictLabel, ...]:
        """List the newest labels of these repositories (`owner/name`), newest first."""
        here = LABELS.c.repository.in_([one.lower() for one in repositories])
        asked = select(LABELS.c.label).where(here).order_by(LABELS.c.id.desc()).limit(limit)
        with self._begin() as connection:
            rows = connection.execute(asked).scalars().all()
        return tuple(_LABEL.validate_python(json.loads(row)) for row in rows)

    def delete_labels(self, wanted: LabelFilter) -> int:
        """Delete labels for good; return how many there were."""
        with self._begin() as connection:
            return connection.execute(delete(LABELS).where(*_where(wanted))).rowcount

    def pause_of(self, repository: str, number: int) -> Pause | None:
        """Return what was last said about pausing a pull request; None when nothing was."""
        with self._begin() as connection:
            return _pause(connection, repository.lower(), number)

    def keep_pause(self, repository: str, number: int, said: Pause) -> bool:
        """Keep what a comment says, unless a newer one said something; tell whether it counts."""
        values = {
            "is_paused": said.is_paused,
            "actor": scrub(said.actor)[:100],
            "comment": said.comment,
            "said_s": now_s(),
        }
        row = self._insert(PAUSES).values(repository=repository.lower(), number=number, **values)
        again = row.on_conflict_do_update(
            index_elements=[PAUSES.c.repository, PAUSES.c.number],
            set_=values,
            where=PAUSES.c.comment <= said.comment,
        )
        with self._begin() as connection:
            connection.execute(again)
            kept = _pause(connection, repository.lower(), number)
        return kept is not None and kept.comment == said.comment


def _pause(connection: Connection, repository: str, number: int) -> Pause | None:
    this = (PAUSES.c.repository == repository, PAUSES.c.number == number)
    asked = select(PAUSES.c.is_paused, PAUSES.c.actor, PAUSES.c.comment).where(*this)
    row = connection.execute(asked).first()
    return Pause(row.is_paused, row.actor, row.comment) if row else None


def _row(kept: VerdictLabel) -> dict[str, object]:
    return {
        "repository": kept.repository.lower(),
        "number": kept.number,
        "head_sha": kept.head_sha,
        "subject": kept.subject[:200],
        "source": kept.source[:200],
        "person": kept.person.lower()[:100],
        "label": json.dumps(_LABEL.dump_python(kept, mode="json")),
    }


def _where(wanted: LabelFilter) -> tuple[ColumnElement[bool], ...]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.repository:
        conditions.append(LABELS.c.repository == wanted.repository.lower())
    if wanted.number:
        conditions.append(LABELS.c.number == wanted.number)
    if wanted.source:
        conditions.append(LABELS.c.source == wanted.source)
    if wanted.person:
        conditions.append(LABELS.c.person == wanted.person.lower())
    return tuple(conditions)
