"""Settings that cannot be what they say are refused with the setting's name."""

from __future__ import annotations

import pytest

from bot.errors import UserError
from bot.settings import load_settings


@pytest.mark.parametrize("name", ["ASSAY_PUBLIC_URL", "ASSAY_SEARCH_URL", "GHE_HOST"])
@pytest.mark.parametrize(
    "value", ["https://[x", "https://host:99999", "https://", "ftp://host", "http://host:0"]
)
def test_an_address_that_cannot_be_is_refused(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=f"The setting {name} is not valid"):
        load_settings()


@pytest.mark.parametrize(
    "host", ["", "github.example.org", "github.example.org:8443", "http://127.0.0.1:9"]
)
def test_a_host_of_github_may_be_a_name_or_an_address(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GHE_HOST", host)
    assert load_settings().ghe_host == host
