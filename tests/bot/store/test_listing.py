"""Lists of evaluations, on SQLite and on Postgres: only what somebody may see, in bounded pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.store import (
    Ended,
    EvaluationFacts,
    EvaluationFilter,
    EvaluationState,
    Store,
    WebSession,
)
from bot.values import Conclusion, EvaluationRequest, ReadableRepository, Trigger
from tests.postgres import Postgres

ALL = EvaluationFilter()
HELLO, OTHER = ReadableRepository(1, "Octo/Hello"), ReadableRepository(1, "octo/other")
REQUEST = EvaluationRequest(
    "e0", "octo/hello", "b" * 40, "a" * 40, "main", Trigger.OPENED, 9, installation=1
)


@pytest.fixture(params=("sqlite", pytest.param("postgres", marks=pytest.mark.real)))
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    url = f"sqlite:///{tmp_path / 'records.db'}"
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        url = server.database()
    with Store(url) as opened:
        opened.migrate()
        yield opened


def judged(records: Store, name: str, facts: EvaluationFacts | None = None, **more: object) -> None:
    conclusion = more.pop("conclusion", Conclusion.SUCCESS)
    records.queued(replace(REQUEST, id=name, **more))  # type: ignore[arg-type]
    how = Ended(EvaluationState.DONE, Conclusion(str(conclusion)), "t", facts=facts)
    assert records.ended(name, how)


def ids(records: Store, wanted: EvaluationFilter, readable: object, offset: int = 0) -> list[str]:
    found = records.listed(wanted, readable, 10, offset)  # type: ignore[arg-type]
    return [one.record.id for one in found]


def test_one_sees_exactly_the_pairs_of_installation_and_name(records: Store) -> None:
    judged(records, "mine", repository="octo/hello")
    judged(records, "taken over", repository="octo/hello", installation=2)
    judged(records, "another", repository="octo/other", installation=2)

    assert ids(records, ALL, (HELLO,)) == ["mine"]
    crossed = (HELLO, ReadableRepository(2, "octo/other"))
    assert sorted(ids(records, ALL, crossed)) == ["another", "mine"]
    assert ids(records, ALL, ()) == []
    assert len(ids(records, ALL, None)) == 3
    assert records.readable_here((HELLO, OTHER)) == (HELLO,)
    assert len(records.readable_here(None)) == 3


def test_filters_narrow_and_pages_follow_one_another(records: Store) -> None:
    for number in range(15):
        judged(
            records, f"e{number}", EvaluationFacts("devin" if number % 2 else ""), number=number + 1
        )
    judged(records, "bad", conclusion="failure", number=3)
    records.queued(replace(REQUEST, id="waits", number=99, agent="robo"))

    assert ids(records, EvaluationFilter(conclusion="failure"), (HELLO,)) == ["bad"]
    assert ids(records, EvaluationFilter(conclusion="queued"), (HELLO,)) == ["waits"]
    assert ids(records, EvaluationFilter(number=3), (HELLO,)) == ["bad", "e2"]
    assert len(ids(records, EvaluationFilter(agent="devin"), (HELLO,))) == 7
    assert ids(records, EvaluationFilter(agent="robo"), (HELLO,)) == ["waits"]
    assert ids(records, EvaluationFilter(repository="OCTO/hello", number=99), None) == ["waits"]
    pages = ids(records, ALL, (HELLO,)) + ids(records, ALL, (HELLO,), 10)
    assert pages[:2] == ["waits", "bad"] and len(set(pages)) == 17
    assert records.agents((HELLO,)) == ("devin", "robo")
    assert records.agents((OTHER,)) == ()


def test_what_is_counted_is_of_those_that_are_done(records: Store) -> None:
    judged(records, "e1", EvaluationFacts("devin", 1, 2, 0.5))
    judged(records, "e2", conclusion="failure", number=10)
    judged(records, "far", repository="octo/other")
    records.queued(replace(REQUEST, id="waits"))

    newest, oldest = records.judged((HELLO,), 10)
    assert (newest.number, newest.conclusion, newest.facts) == (10, "failure", EvaluationFacts())
    assert (oldest.conclusion, oldest.facts.agent, oldest.facts.usd) == ("success", "devin", 0.5)
    assert len(records.judged((HELLO,), 1)) == 1


def test_flaky_tests_are_counted_by_evaluation(records: Store) -> None:
    judged(records, "e1", EvaluationFacts(flaky=("a", "b", "a")))
    judged(records, "e2", EvaluationFacts(flaky=("b", "x" * 5_000)))
    judged(records, "far", EvaluationFacts(flaky=("c",)), repository="octo/other")

    found = records.flaky_tests(HELLO, 10)
    assert [(one.id, one.times) for one in found] == [("b", 2), ("a", 1), ("x" * 300, 1)]


def test_what_is_shown_of_an_evaluation_goes_when_it_goes(records: Store) -> None:
    judged(records, "e1", EvaluationFacts("devin", 1, 2, 0.5, ("a",)))
    (one,) = records.listed(ALL, None, 10)
    assert one.facts == EvaluationFacts("devin", 1, 2, 0.5)
    records.prune(one.record.updated_s + 1)

    assert records.flaky_tests(HELLO, 10) == records.agents(None) == ()


def test_unfinished_ones_come_oldest_first(records: Store) -> None:
    judged(records, "done")
    for name in ("first", "second"):
        records.queued(replace(REQUEST, id=name))
    assert [one.record.id for one in records.unfinished(10)] == ["first", "second"]


def test_a_session_is_found_by_its_secret_until_it_ends(records: Store) -> None:
    session = WebSession("ada", 4e9, False, b"sealed", (HELLO,), 5.0)
    records.keep_session("secret", session)
    records.keep_session("over", replace(session, expires_s=1.0))

    assert records.session("secret") == session
    assert records.session("over") is records.session("other") is None
    records.keep_readable("secret", (OTHER,))
    known = records.session("secret")
    assert known and known.readable == (OTHER,) and known.asked_s > 5.0
    records.end_session("secret")
    assert records.session("secret") is None
    assert "sealed" not in repr(session)


def test_records_of_an_older_version_are_listed_too(tmp_path: Path) -> None:
    path = tmp_path / "records.db"
    with Store(f"sqlite:///{path}") as older:
        older.migrate()
        judged(older, "e1")
    with sqlite3.connect(path) as database:
        for table in ("web_sessions", "evaluation_facts", "flaky_tests"):
            database.execute(f"drop table assay_{table}")
        database.execute("drop index assay_evaluations_by_repository")
        database.execute("update assay_version set version = 7")
    with Store(f"sqlite:///{path}") as newer:
        newer.migrate()
        assert ids(newer, ALL, (HELLO,)) == ["e1"]
