"""Addresses and foreign JSON: nothing that comes in leaves its place."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.github.addresses import (
    Addresses,
    parse_pull_request_url,
    repository_path,
    segment,
    token_for,
)
from bot.text.json_reading import Payload


@pytest.mark.parametrize(
    ("host", "rest", "web"),
    [
        ("", "https://api.github.com/", "https://github.com"),
        ("github.com", "https://api.github.com/", "https://github.com"),
        ("ghe.example", "https://ghe.example/api/v3/", "https://ghe.example"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/api/v3/", "http://127.0.0.1:8000"),
    ],
)
def test_every_host_has_its_doors(host: str, rest: str, web: str) -> None:
    assert (Addresses.of(host).rest, Addresses.of(host).web) == (rest, web)


@pytest.mark.parametrize("tail", ["", "/", "/files", "/files#diff-1", "?w=1", "/commits/abc"])
def test_a_pull_request_url_is_read(tail: str) -> None:
    found = parse_pull_request_url(f" https://github.com/jd/tenacity/pull/9{tail} ")
    assert (found.host, found.repository, found.number) == ("", "jd/tenacity", 9)
    other = parse_pull_request_url("http://127.0.0.1:8000/a/b/pull/1")
    assert other.host == "http://127.0.0.1:8000"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "jd/tenacity",
        "https://github.com/jd/tenacity",
        "https://github.com/jd/tenacity/issues/9",
        "https://github.com/jd/tenacity/pull/0",
        "https://github.com/jd/tenacity/pull/x",
        "https://github.com/../x/pull/1",
        "https://github.com/a%2Fb/x/pull/1",
        "ssh://github.com/jd/tenacity/pull/9",
        "file:///jd/tenacity/pull/9",
        "https://user:secret@github.com/jd/tenacity/pull/9",
        "https://[github.com/jd/tenacity/pull/9",
        "https://ghe.example:99999/jd/tenacity/pull/9",
        "https://ghe.example:x/jd/tenacity/pull/9",
        "https://\N{ACCOUNT OF}.example/jd/tenacity/pull/9",
    ],
)
def test_anything_else_is_a_clear_error(url: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_pull_request_url(url)
    assert caught.value.next_step
    assert "secret" not in str(caught.value)


def test_a_token_goes_to_the_operators_hosts_only() -> None:
    path = "/a/b/pull/1"
    good = parse_pull_request_url(f"https://github.com{path}")
    own = parse_pull_request_url(f"https://ghe.example{path}")
    assert token_for(good, "", "t") == token_for(own, "ghe.example", "t") == "t"
    for evil in ("evil.example", "github.com.evil.example", "ghe.example:444"):
        address = parse_pull_request_url(f"https://{evil}{path}")
        assert token_for(address, "ghe.example", "t") == ""
    plain = parse_pull_request_url(f"http://github.com{path}")
    assert Addresses.of(plain.host).rest.startswith("https://"), "not in the clear"
    own_plain = parse_pull_request_url(f"http://ghe.example{path}")
    assert token_for(own_plain, "ghe.example", "t") == "", "not in the clear"


@given(
    st.text(st.characters(), min_size=1, max_size=40).filter(lambda text: text not in {".", ".."})
)
def test_a_segment_stays_one(text: str) -> None:
    quoted = segment(text)
    assert not set(quoted) & set("/?# \n")
    assert unquote(quoted) == text.encode(errors="replace").decode()


@given(st.text(max_size=60))
def test_a_repository_path_has_two_plain_parts(text: str) -> None:
    try:
        path = repository_path(text)
    except UserError:
        return
    root, owner, name = path.split("/")
    assert root == "repos"
    assert f"{owner}/{name}" == text
    assert ".." not in {owner, name}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(JSON, st.lists(st.text(max_size=4), max_size=3))
def test_foreign_json_never_raises(value: object, path: list[str]) -> None:
    payload = Payload.parse(json.dumps(value))
    assert isinstance(payload.text(*path), str)
    assert isinstance(payload.integer(*path), int)
    assert isinstance(payload.flag(*path), bool)
    assert all(isinstance(item, Payload) for item in payload.items(*path))
    assert all(isinstance(key, str) for key, _ in payload.pairs(*path))
    assert payload.has(*path) is (payload.at(*path).value is not None)


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", "[" * 200_000])
def test_broken_json_is_a_value_error(raw: str | bytes) -> None:
    with pytest.raises(ValueError):
        Payload.parse(raw)
