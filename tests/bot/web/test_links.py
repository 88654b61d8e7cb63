"""Links cannot be guessed, hold on every host with the same key, and survive a restart."""

from __future__ import annotations

import stat
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.settings import Settings
from bot.web.links import ReportLinks, open_links

LINKS = ReportLinks("https://assay.example/", b"k" * 32)


def signature(link: str) -> str:
    return parse_qs(urlsplit(link).query)["s"][0]


def test_a_signed_link_is_accepted_for_its_evaluation_only() -> None:
    link = LINKS.sign("e1")

    assert link.startswith("https://assay.example/evaluations/e1?s=")
    assert LINKS.allows("e1", signature(link))
    assert not LINKS.allows("e2", signature(link))
    assert not LINKS.allows("index", signature(link))


@pytest.mark.parametrize("wrong", ("", "x", "=", "é", "a" * 10_000))
def test_a_wrong_signature_is_refused(wrong: str) -> None:
    assert not LINKS.allows("e1", wrong)


def test_another_key_signs_differently() -> None:
    other = ReportLinks(LINKS.public_url, b"o" * 32)

    assert not LINKS.allows("e1", signature(other.sign("e1")))


def test_an_id_with_signs_of_an_address_stays_one_part() -> None:
    path = urlsplit(LINKS.sign("acme/slugify#9?x")).path

    assert path == "/evaluations/acme%2Fslugify%239%3Fx"


def test_public_pages_need_no_signature() -> None:
    public = ReportLinks("http://x", b"", private=False)

    assert public.sign("e1") == "http://x/evaluations/e1"
    assert public.allows("e1", "")


def test_the_key_is_kept_for_the_owner_alone_and_used_again(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    first, second = open_links(settings), open_links(settings)

    assert second.allows("e1", signature(first.sign("e1")))
    mode = (tmp_path / "home" / "link.key").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["link.key"]


def test_the_setting_wins_over_the_kept_key(tmp_path: Path) -> None:
    given = Settings(home=tmp_path, link_key="of the cluster")

    assert open_links(given).allows("e1", signature(open_links(given).sign("e1")))
    assert not (tmp_path / "link.key").exists()


def test_the_key_is_not_shown_when_links_are_printed() -> None:
    assert "kkkk" not in repr(LINKS)
