"""What a task's texts point to, and which part of a document is meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.task.linked import Pointer, Way, pointers, section_of

HOME = "https://github.com/octo/hello"


def pointed(text: str, home: str = HOME) -> list[tuple[str, str]]:
    return [(one.way.value, one.places[0]) for one in pointers(text, home)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("[the spec](docs/spec.md)", "docs/spec.md"),
        ("[the spec](./docs/spec.md#prices)", "docs/spec.md"),
        ("[the spec](/docs/spec.md)", "docs/spec.md"),
        ("[the spec](<docs/the spec.md>)", "docs/the spec.md"),
        ("[the spec](docs/the%20spec.md 'title')", "docs/the spec.md"),
        ("[the spec][1]\n\n[1]: rfcs/0007-prices.rst", "rfcs/0007-prices.rst"),
        (f"See {HOME}/blob/main/docs/more.md.", "docs/more.md"),
        (f"({HOME}/blob/main/docs/more.md?plain=1#L7)", "docs/more.md"),
        ("https://github.com/Octo/Hello/blob/v1/docs/more.adoc", "docs/more.adoc"),
        (f"<{HOME}/raw/main/docs/more.txt>", "docs/more.txt"),
        ("https://raw.githubusercontent.com/octo/hello/main/spec.md", "spec.md"),
        ("[it](../blob/main/docs/spec.md)", "docs/spec.md"),
        ("[it](/octo/hello/blob/main/docs/spec.md)", "docs/spec.md"),
    ],
)
def test_a_link_to_a_document_of_the_repository(text: str, path: str) -> None:
    assert pointed(text) == [("document", path)]


def test_a_branch_may_have_slashes_in_its_name() -> None:
    (found,) = pointers(f"{HOME}/blob/feature/new/docs/spec.md", HOME)
    assert found.places == ("new/docs/spec.md", "docs/spec.md", "spec.md")


@pytest.mark.parametrize(
    "text",
    [
        "[how](CONTRIBUTING.md) and [this](docs/README.rst), `CHANGELOG.md`",
        "[code](src/shop.py) [up](docs/../../etc/passwd.txt) [mail](mailto:a@b.md)",
        "```\n[spec](docs/spec.md) https://site.test/\n```",
        "    https://site.test/",
        "> [spec](docs/spec.md) https://site.test/",
        "<!-- [spec](docs/spec.md) https://site.test/ -->",
        f"Closes {HOME}/issues/7, see {HOME}/pull/9 and {HOME}",
        "![picture](https://site.test/a.png) https://site.test/log.zip",
        "[x](javascript:alert(1)) [y](file:///etc/passwd.md) ftp://site.test/a.md [z](//evil.test/a.md)",
        "[broken](http://[::1) `run docs/spec.md now`",
    ],
)
def test_what_points_to_nothing_that_asks(text: str) -> None:
    assert pointed(text) == []


def test_what_is_named_or_linked_beside_the_task_demands_nothing() -> None:
    text = (
        "Change `docs/spec.md`.\n\n## References\n\n- [api](docs/api.md)\n- https://site.test/rfc"
    )
    assert pointed(text) == [
        ("named", "docs/api.md"),
        ("page", "https://site.test/rfc"),
        ("named", "docs/spec.md"),
    ]


def test_other_repositories_are_pages() -> None:
    other = "https://github.com/octo/hello-world/blob/main/docs/spec.md"
    assert pointed(f"{other}, https://site.test/a_b?x=1&y=2#top") == [
        ("page", other),
        ("page", "https://site.test/a_b?x=1&y=2"),
    ]
    assert pointed(f"{HOME}/blob/main/docs/spec.md", home="") == [
        ("page", f"{HOME}/blob/main/docs/spec.md")
    ]


@given(st.text(alphabet="[](){}<>`#./:ahtps- \n\\%", max_size=60))
def test_any_text_points_to_plain_paths_and_addresses(text: str) -> None:
    for one in pointers(text, HOME):
        for place in one.places:
            if one.way is Way.PAGE:
                assert place.startswith(("http://", "https://"))
            else:
                assert not place.startswith("/")
                assert ".." not in place.split("/")


SPEC = """# Spec
Top.
## Prices
Low.
### Rounding up, once!
```
## Prices
```
Once.
## Names
Short."""


def test_an_anchor_means_its_section() -> None:
    assert section_of(SPEC, "names") == "## Names\nShort."
    assert section_of(SPEC, "rounding-up-once").endswith("Once.")
    prices = section_of(SPEC, "prices")
    assert prices.startswith("## Prices\nLow.")
    assert "Once." in prices
    assert "Names" not in prices
    assert section_of(SPEC, "gone") == section_of(SPEC, "") == SPEC
    assert pointers("[x](docs/spec.md#Prices)", "") == (
        Pointer(Way.DOCUMENT, ("docs/spec.md",), "prices"),
    )
