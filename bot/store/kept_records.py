"""What every host of an installation shares: keys, what models replied, and what disk each has left."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from pathlib import Path

from sqlalchemy import select

from bot.store.base import HostDisk
from bot.store.database import Database
from bot.store.tables import HOSTS, KEYS, REPLIES, now_s

_KEY_BYTES = 32
_SEEN_S = 300.0


class KeptRecords(Database):
    """The part of the records that knows keys and replies. Raises Transient as all of it does."""

    def kept_key(self, name: str, older: Path) -> bytes:
        """Return the installation's own key of that name; whoever asks first makes it.

        `older` is the file that held it on one host before: what was signed with it stays valid.
        """
        this = select(KEYS.c.key).where(KEYS.c.name == name)
        with self._begin() as connection:
            known: bytes | None = connection.execute(this).scalar()
            if known is None:
                made = older.read_bytes() if older.is_file() else secrets.token_bytes(_KEY_BYTES)
                row = self._insert(KEYS).values(name=name, key=made)
                connection.execute(row.on_conflict_do_nothing())
                known = connection.execute(this).scalar_one()
        return known

    def host_seen(self, host: HostDisk) -> None:
        """Remember how much disk a host has left."""
        row = self._insert(HOSTS).values(asdict(host))
        again = row.on_conflict_do_update(index_elements=[HOSTS.c.name], set_=asdict(host))
        with self._begin() as connection:
            connection.execute(again)

    def hosts(self) -> tuple[HostDisk, ...]:
        """List the hosts whose workers were seen in the last minutes."""
        recent = HOSTS.c.seen_s > now_s() - _SEEN_S
        with self._begin() as connection:
            rows = connection.execute(select(HOSTS).where(recent).order_by(HOSTS.c.name)).all()
        return tuple(HostDisk(**row._asdict()) for row in rows)

    def reply(self, key: str) -> bytes | None:
        """Find what a model replied to the question of this key (hexadecimal)."""
        with self._begin() as connection:
            found: bytes | None = connection.execute(
                select(REPLIES.c.reply).where(REPLIES.c.key == key)
            ).scalar()
        return found

    def keep_reply(self, key: str, reply: bytes) -> None:
        """Keep a reply; of two to the same question the first stays."""
        row = self._insert(REPLIES).values(key=key, reply=reply, kept_s=now_s())
        with self._begin() as connection:
            connection.execute(row.on_conflict_do_nothing())


class KeptReplies:
    """A `bot.judges.model.base.Memory` in the records: no host pays for what another one asked."""

    def __init__(self, records: KeptRecords) -> None:
        self._records = records

    def get(self, key: str) -> bytes | None:
        """Return what was kept, or None."""
        return self._records.reply(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep it, whole or not at all."""
        self._records.keep_reply(key, value)
