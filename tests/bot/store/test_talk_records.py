"""Labels and pauses on both real databases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.store import Store, VerdictLabelFilter
from bot.values import LabelKind, Pause, VerdictLabel

LABEL = VerdictLabel(
    kind=LabelKind.DISAGREED,
    repository="Octo/Hello",
    number=9,
    base_sha="b" * 40,
    head_sha="a" * 40,
    evaluation="hello-9",
    conclusion="failure",
    subject="R2",
    text="Rounds",
    category="behaviour",
    verdict="unsatisfied",
    decided_by="panel",
    model="test-model",
    person="Ben",
    reason="half a pair \ud83d and a NUL \x00",
    source="comment 31",
    given_s=1.5,
)
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.real)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'records.db'}"
    database: str = request.getfixturevalue("postgres").database()
    return database


@pytest.fixture
def records(url: str) -> Iterator[Store]:
    records = Store(url)
    records.migrate()
    yield records
    records.close()


def test_a_label_is_kept_once_for_its_source(records: Store) -> None:
    records.keep_labels(LABEL)
    records.keep_labels(replace(LABEL, kind=LabelKind.AGREED))
    records.keep_labels(replace(LABEL, source="comment 32", reason=f"see {TOKEN}"))
    first, second = records.labels(VerdictLabelFilter())
    assert (first.kind, first.person, first.given_s) == (LabelKind.DISAGREED, "Ben", 1.5)
    assert first.reason == "half a pair ⟨U+D83D⟩ and a NUL ⟨U+0000⟩"
    assert TOKEN not in second.reason


def test_labels_are_chosen_and_deleted_by_place_and_person(records: Store) -> None:
    records.keep_labels(
        *(
            replace(LABEL, number=number, person="Mara" if number % 2 else "ben")
            for number in range(1, 1_203)
        )
    )
    records.keep_labels(replace(LABEL, repository="octo/other"))
    assert len(list(records.labels(VerdictLabelFilter("OCTO/hello")))) == 1_202, "page by page"
    assert [one.number for one in records.labels(VerdictLabelFilter("octo/hello", 7))] == [7]
    assert len(list(records.labels(VerdictLabelFilter(person="MARA")))) == 601
    assert records.delete_labels(VerdictLabelFilter("octo/hello", 7)) == 1
    assert records.delete_labels(VerdictLabelFilter("octo/hello", 7)) == 0
    assert records.delete_labels(VerdictLabelFilter(person="mara")) == 600
    assert records.delete_labels(VerdictLabelFilter()) == 602
    assert list(records.labels(VerdictLabelFilter())) == []


def test_labels_outlive_what_is_pruned(records: Store) -> None:
    records.keep_labels(LABEL)
    records.keep_pause("octo/hello", 9, Pause(True, "ben", 31))
    records.prune(1e12)
    assert len(list(records.labels(VerdictLabelFilter()))) == 1
    assert records.pause_of("octo/hello", 9) == Pause(True, "ben", 31)


def test_the_newest_comment_says_whether_it_is_paused(records: Store) -> None:
    assert records.pause_of("octo/hello", 9) is None
    assert records.keep_pause("Octo/Hello", 9, Pause(True, "ben", 31))
    assert records.keep_pause("octo/hello", 9, Pause(False, "mara", 33))
    assert not records.keep_pause("octo/hello", 9, Pause(True, "ben", 31)), "it comes again"
    assert records.keep_pause("octo/hello", 9, Pause(False, "mara", 33)), "and so does this"
    assert records.pause_of("octo/hello", 9) == Pause(False, "mara", 33)
    assert records.pause_of("octo/hello", 8) is None


def test_an_older_database_gets_the_tables(url: str) -> None:
    with Store(url) as records:
        records.migrate()
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("drop table assay_labels"))
        connection.execute(text("drop table assay_pauses"))
        connection.execute(text("update assay_version set version = 5"))
    engine.dispose()
    with Store(url) as records:
        records.migrate()
        records.keep_labels(LABEL)
        assert len(list(records.labels(VerdictLabelFilter()))) == 1


def test_a_label_of_an_older_version_is_read(records: Store, url: str) -> None:
    records.keep_labels(LABEL)
    (kept,) = records.labels(VerdictLabelFilter())
    newer = {"mandatory", "blocking", "address", "task", "description"}
    older = {name: value for name, value in asdict(kept).items() if name not in newer}
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("update assay_labels set label = :old"), {"old": json.dumps(older)})
    engine.dispose()
    assert list(records.labels(VerdictLabelFilter())) == [kept]
    assert (kept.mandatory, kept.blocking, kept.task) == (True, (), "")
