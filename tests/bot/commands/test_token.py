"""`assay token` as an operator runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.settings import Settings
from bot.store import open_records
from tests.bot.commands.running import assay

pytestmark = pytest.mark.real


def test_a_token_is_shown_once_listed_and_revoked(tmp_path: Path) -> None:
    home = tmp_path / "home"
    asked = ("--repository", "Mara/Tally", "--days", "3", "--name", "[bold]robo")
    made = assay(home, "token", "create", *asked)
    assert made.returncode == 0, made.stderr
    secret = made.stdout.strip()
    assert "not shown again" in made.stderr
    with open_records(Settings(home=home)) as records:
        token = records.token_of(secret)
    assert token
    assert (token.repository, token.shows_report) == ("Mara/Tally", False)

    listed = assay(home, "token", "list").stdout
    assert all(word in listed for word in (token.id, "Mara/Tally", "[bold]robo", "valid"))
    assert secret not in listed
    assert assay(home, "token", "revoke", token.id).returncode == 0
    assert "revoked" in assay(home, "token", "list").stdout


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert "There are no tokens." in assay(home, "token", "list").stdout
    for arguments in (("create", "--repository", "tally"), ("revoke", "abc")):
        done = assay(home, "token", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
    assert "owner/name" in assay(home, "token", "create", "--repository", "../../user").stderr
