"""Artifacts in a folder and in an object store."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.errors import Transient
from bot.settings import Settings
from bot.store import Artifacts, FileArtifacts, open_artifacts, open_records
from bot.store.artifacts import DatabaseArtifacts
from tests.postgres import Postgres


@pytest.fixture(params=["folder", "memory", pytest.param("postgres", marks=pytest.mark.real)])
def artifacts(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Artifacts]:
    if request.param == "postgres":
        with kept_on(on_postgres(request.getfixturevalue("postgres"), tmp_path)) as kept:
            yield kept
        return
    url = tmp_path.as_uri() if request.param == "folder" else f"memory://{uuid.uuid4().hex}"
    yield FileArtifacts(url)


@contextmanager
def kept_on(settings: Settings) -> Iterator[Artifacts]:
    artifacts = open_artifacts(settings)
    assert isinstance(artifacts, DatabaseArtifacts)
    with closing(artifacts):
        yield artifacts


def on_postgres(server: Postgres, home: Path) -> Settings:
    settings = Settings(home=home, database_url=server.database())
    with closing(open_records(settings)) as records:
        records.migrate()
    return settings


@pytest.mark.real
def test_on_postgres_every_host_finds_them(postgres: Postgres, tmp_path: Path) -> None:
    one = on_postgres(postgres, tmp_path / "one")
    other = Settings(home=tmp_path / "other", database_url=one.database_url)
    with kept_on(one) as here, kept_on(other) as there:
        here.put("e1", "report.json", b"{}")

        assert there.get("e1", "report.json") == b"{}"


def test_what_is_put_is_got_until_deleted(artifacts: Artifacts) -> None:
    artifacts.put("e1", "report.json", b"{}")
    artifacts.put("e1", "report.json", b'{"a": "\xff"}')
    artifacts.put("e2", "report.json", b"2")
    assert artifacts.get("e1", "report.json") == b'{"a": "\xff"}'
    assert artifacts.get("e1", "report.pdf") is None
    artifacts.delete("e1")
    artifacts.delete("e1")
    assert artifacts.get("e1", "report.json") is None
    assert artifacts.get("e2", "report.json") == b"2"


@pytest.mark.parametrize("name", ["../x", "..", "a/b", "", "/etc/passwd", "a..b", ".hidden", "a\0"])
def test_names_cannot_leave_the_root(artifacts: FileArtifacts, name: str) -> None:
    with pytest.raises(ValueError, match="cannot name"):
        artifacts.put(name, "report.json", b"")
    with pytest.raises(ValueError, match="cannot name"):
        artifacts.get("e1", name)
    with pytest.raises(ValueError, match="cannot name"):
        artifacts.delete(name)


def test_a_storage_that_refuses_is_transient(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Transient):
        FileArtifacts((tmp_path / "file").as_uri()).put("e1", "report.json", b"")


def test_without_a_url_they_stand_in_home_and_leave_no_parts(tmp_path: Path) -> None:
    open_artifacts(Settings(home=tmp_path)).put("e1", "report.json", b"{}")
    assert [path.name for path in (tmp_path / "artifacts" / "e1").iterdir()] == ["report.json"]
