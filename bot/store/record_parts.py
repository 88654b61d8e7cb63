"""Parts of the records beside evaluations: rubrics, what people accepted and said, pauses, and what
models took.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, delete, func, select

from bot.errors import Transient
from bot.store.base import HostDisk, VerdictLabelFilter
from bot.store.database import Database, value_of
from bot.store.tables import (
    ACCEPTANCES,
    APPROVALS,
    HOSTS,
    KEYS,
    LABELS,
    MODEL_USAGE,
    PAUSES,
    REPLIES,
    RUBRICS,
    now_s,
)
from bot.text import scrub, scrub_tree
from bot.values import Acceptance, KeptRubric, Pause, Role, RoleUsage, Rubric, VerdictLabel

_RUBRIC = TypeAdapter(Rubric)
_ACCEPTANCE = TypeAdapter(Acceptance)
_LABEL = TypeAdapter(VerdictLabel)
_SUMMED = ("calls", "cached", "input_tokens", "output_tokens", "usd", "seconds")
_KEY_BYTES = 32
_SEEN_S = 300.0
_PAGE = 500


class RecordParts(Database):
    """The part of the records that outlives evaluations: only models' replies are pruned.

    Labels are deleted by people.
    """

    # --- rubrics ---

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
            connection.execute(self._new(RUBRICS, row))
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
        self._do(self._new(APPROVALS, row))

    # --- what people accepted: the newest of a subject counts ---

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
        self._do(self._new(ACCEPTANCES, row))

    def acceptances(self, repository: str, number: int) -> tuple[Acceptance, ...]:
        """List what was decided about a pull request, at any of its commits, newest first."""
        about = (ACCEPTANCES.c.repository == repository.lower(), ACCEPTANCES.c.number == number)
        asked = select(ACCEPTANCES.c.acceptance).where(*about).order_by(ACCEPTANCES.c.id.desc())
        return tuple(_ACCEPTANCE.validate_python(json.loads(row)) for row in self._column(asked))

    # --- what models took; a repetition changes nothing ---

    def used(self, session_id: str, usage: tuple[RoleUsage, ...]) -> None:
        """Remember what models took while a session with them was open."""
        with self._begin() as connection:
            for one in usage:
                row = {**asdict(one), "evaluation": session_id, "model": scrub(one.model)[:200]}
                connection.execute(self._new(MODEL_USAGE, row))

    def usage_totals(self) -> tuple[RoleUsage, ...]:
        """Sum up by role and model, over all sessions."""
        kinds = (MODEL_USAGE.c.role, MODEL_USAGE.c.model)
        sums = [func.sum(one).cast(one.type).label(one.name) for one in MODEL_USAGE.c[_SUMMED]]
        rows = self._rows(select(*kinds, *sums).group_by(*kinds).order_by(*kinds))
        return tuple(value_of(RoleUsage, row, role=Role(row.role)) for row in rows)

    # --- what every host of an installation shares: keys, what models replied, and what disk each has left.
    # The replies make the records a `bot.judges.model.base.Memory`: no host pays for what another one asked.

    def kept_key(self, name: str) -> bytes:
        """Return the installation's own key of that name; whoever asks first makes it."""
        this = select(KEYS.c.key).where(KEYS.c.name == name)
        with self._begin() as connection:
            known: bytes | None = connection.execute(this).scalar()
            if known is None:
                made = {"name": name, "key": secrets.token_bytes(_KEY_BYTES)}
                connection.execute(self._new(KEYS, made))
                known = connection.execute(this).scalar_one()
        return known

    def host_seen(self, host: HostDisk) -> None:
        """Remember how much disk a host has left."""
        self._do(self._put(HOSTS, {"name": host.name}, asdict(host)))

    def hosts(self) -> tuple[HostDisk, ...]:
        """List the hosts whose workers were seen in the last minutes."""
        recent = HOSTS.c.seen_s > now_s() - _SEEN_S
        rows = self._rows(select(HOSTS).where(recent).order_by(HOSTS.c.name))
        return tuple(value_of(HostDisk, row) for row in rows)

    def reply(self, key: str) -> bytes | None:
        """Find what a model replied to the question of this key (hexadecimal)."""
        found: bytes | None = self._value(select(REPLIES.c.reply).where(REPLIES.c.key == key))
        return found

    def keep_reply(self, key: str, reply: bytes) -> None:
        """Keep a reply; of two to the same question the first stays."""
        self._do(self._new(REPLIES, {"key": key, "reply": reply, "kept_s": now_s()}))

    # --- what people make by talking: labels of verdicts, and paused pull requests ---

    def keep_labels(self, *labels: VerdictLabel) -> None:
        """Keep all or none; the same `source` about the same subject and commit counts once."""
        rows = [
            {
                "repository": kept.repository.lower(),
                "number": kept.number,
                "head_sha": kept.head_sha,
                "subject": kept.subject[:200],
                "source": kept.source[:200],
                "person": kept.person.lower()[:100],
                "label": json.dumps(_LABEL.dump_python(kept, mode="json")),
            }
            for kept in map(scrub_tree, labels)
        ]
        with self._begin() as connection:
            for row in rows:
                connection.execute(self._new(LABELS, row))

    def labels(self, wanted: VerdictLabelFilter) -> Iterator[VerdictLabel]:
        """Go through what was kept, oldest first."""
        last = 0
        while True:
            asked = select(LABELS.c.id, LABELS.c.label).where(LABELS.c.id > last, *_where(wanted))
            rows = self._rows(asked.order_by(LABELS.c.id).limit(_PAGE))
            if not rows:
                return
            yield from (_LABEL.validate_python(json.loads(row.label)) for row in rows)
            last = rows[-1].id

    def labelled_repositories(self) -> tuple[str, ...]:
        """List the repositories that have labels, in lower case; the index alone is read."""
        asked = select(LABELS.c.repository).distinct().order_by(LABELS.c.repository)
        return tuple(self._column(asked))

    def newest_labels(self, repositories: Sequence[str], limit: int) -> tuple[VerdictLabel, ...]:
        """List the newest labels of these repositories (`owner/name`), newest first."""
        here = LABELS.c.repository.in_([one.lower() for one in repositories])
        asked = select(LABELS.c.label).where(here).order_by(LABELS.c.id.desc()).limit(limit)
        return tuple(_LABEL.validate_python(json.loads(row)) for row in self._column(asked))

    def delete_labels(self, wanted: VerdictLabelFilter) -> int:
        """Delete labels for good; return how many there were."""
        return self._do(delete(LABELS).where(*_where(wanted)))

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
        this = {"repository": repository.lower(), "number": number}
        with self._begin() as connection:
            older = PAUSES.c.comment <= said.comment
            connection.execute(self._put(PAUSES, this, values, older))
            kept = _pause(connection, repository.lower(), number)
        return kept is not None and kept.comment == said.comment


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


def _pause(connection: Connection, repository: str, number: int) -> Pause | None:
    this = (PAUSES.c.repository == repository, PAUSES.c.number == number)
    asked = select(PAUSES.c.is_paused, PAUSES.c.actor, PAUSES.c.comment).where(*this)
    row = connection.execute(asked).first()
    return Pause(row.is_paused, row.actor, row.comment) if row else None


def _where(wanted: VerdictLabelFilter) -> tuple[ColumnElement[bool], ...]:
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
