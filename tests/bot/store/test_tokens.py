"""Tokens of the API: one repository, for some days, and nothing in the database opens anything."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from sqlalchemy import create_engine, text

from bot.store import Store
from tests.bot.store.test_records import records, url  # noqa: F401  fixtures

DAY_S = 86_400


def test_a_token_opens_its_repository_until_it_ends(records: Store) -> None:  # noqa: F811
    issued = records.issue_token("Octo/Hello", days=2, name="robo", shows_report=True)
    found = records.token_of(issued.secret)
    assert found == issued.token
    assert found.covers("octo/HELLO")
    assert not found.covers("octo/hell")
    now = time.time()
    assert found.is_valid(now)
    assert not found.is_valid(now + 2 * DAY_S + 1)
    assert not replace(found, revoked_s=now).is_valid(now)
    assert issued.secret not in repr(issued)


@pytest.mark.parametrize(
    "change",
    [
        lambda sent: sent[:-1] + ("A" if sent[-1] != "A" else "B"),
        lambda sent: sent.replace("assay_", "assay_0", 1),
        lambda sent: sent + "\n",
        lambda sent: "assay_" + "0" * 12 + sent[18:],
        lambda _: "",
        lambda _: "assay_\udcff_" + "x" * 43,
    ],
)
def test_anything_else_is_no_token(change: object, records: Store) -> None:  # noqa: F811
    issued = records.issue_token("octo/hello", days=1)
    assert callable(change)
    assert records.token_of(change(issued.secret)) is None


def test_revoking_ends_it_once_and_for_all(records: Store) -> None:  # noqa: F811
    issued = records.issue_token("octo/hello", days=1)
    assert records.revoke_token(issued.token.id)
    first = records.token_of(issued.secret)
    assert first
    assert not first.is_valid(time.time())
    assert records.revoke_token(issued.token.id)
    assert records.token_of(issued.secret) == first
    assert not records.revoke_token("nope")
    assert records.tokens() == (first,)


def test_the_secret_is_not_in_the_database(url: str, records: Store) -> None:  # noqa: F811
    secret = records.issue_token("octo/hello", days=1).secret.split("_", 2)[2]
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        rows = connection.execute(text("select * from assay_api_tokens")).all()
    engine.dispose()
    assert len(rows) == 1
    assert (
        secret.encode()
        not in repr([bytes(c) if isinstance(c, memoryview) else c for c in rows[0]]).encode()
    )
