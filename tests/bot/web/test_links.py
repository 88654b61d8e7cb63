"""Links cannot be guessed, hold on every host with the same key, and survive a restart."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.settings import Settings
from bot.store import open_records
from bot.web.links import SignedLinks, open_links
from tests.postgres import Postgres

LINKS = SignedLinks("https://assay.example/", lambda: b"k" * 32)


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
    other = SignedLinks(LINKS.public_url, lambda: b"o" * 32)

    assert not LINKS.allows("e1", signature(other.sign("e1")))


def test_an_id_with_signs_of_an_address_stays_one_part() -> None:
    path = urlsplit(LINKS.sign("acme/slugify#9?x")).path

    assert path == "/evaluations/acme%2Fslugify%239%3Fx"


def test_public_pages_need_no_signature() -> None:
    public = SignedLinks("http://x", lambda: b"", private=False)

    assert public.sign("e1") == "http://x/evaluations/e1"
    assert public.allows("e1", "")


@pytest.fixture
def hosts(postgres: Postgres, tmp_path: Path) -> tuple[Settings, Settings]:
    """Two hosts with homes of their own on one database."""
    url = postgres.database()
    one, other = (Settings(home=tmp_path / name, database_url=url) for name in ("one", "other"))
    with closing(open_records(one)) as records:
        records.migrate()
    return one, other


def links_of(settings: Settings) -> SignedLinks:
    """What a new process on that host signs with."""
    with closing(open_records(settings)) as records:
        links = open_links(settings, records)
        links.index()
    return links


@pytest.mark.real
def test_every_host_signs_alike_and_goes_on_after_a_restart(
    hosts: tuple[Settings, Settings],
) -> None:
    one, other = hosts
    signed = links_of(one).sign("e1")

    assert links_of(other).allows("e1", signature(signed))
    assert links_of(one).sign("e1") == signed
    assert not list(one.home.glob("*.key"))


def test_the_setting_wins_over_the_kept_key(tmp_path: Path) -> None:
    given = Settings(home=tmp_path, link_key="of the cluster")
    own = Settings(home=tmp_path)

    assert links_of(given).allows("e1", signature(links_of(given).sign("e1")))
    assert not links_of(own).allows("e1", signature(links_of(given).sign("e1")))


def test_the_key_is_not_shown_when_links_are_printed() -> None:
    assert "kkkk" not in repr(LINKS)
