"""Which documents a task points to, and whose word they are."""

from __future__ import annotations

from bot.judge.linked import MOST_DOCUMENTS, linked_documents
from bot.models import TaskSource, Trust

FILES = {f"docs/{name}.md": f"# {name}\n" for name in ("spec", "api", "more", "rest")}
FILES["CONTRIBUTING.md"] = "Sign off."


def linked(text: str, trust: Trust = Trust.ASKER) -> dict[str, Trust]:
    source = TaskSource("issue #7", "t", text, trust)
    return {one.reference: one.trust for one in linked_documents((source,), FILES.get)}


def test_links_paths_and_blob_addresses_are_followed_on_base() -> None:
    text = (
        "See [the spec](./docs/spec.md#prices), `docs/api.md` and "
        "https://github.com/octo/hello/blob/main/docs/more.md. Also docs/rest.md, `gone.md`, "
        "[how](CONTRIBUTING.md) and [out](https://evil.example/docs/rest.md) or `../docs/spec.md`."
    )
    assert list(linked(text)) == [
        "docs/spec.md, linked by issue #7",
        "docs/api.md, linked by issue #7",
        "docs/more.md, linked by issue #7",
    ]


def test_a_document_has_the_trust_of_who_points_to_it() -> None:
    assert list(linked("`docs/spec.md`", Trust.AUTHOR).values()) == [Trust.AUTHOR]
    both = (
        TaskSource("issue #7", "t", "`docs/spec.md`", Trust.ASKER),
        TaskSource("pull request #9", "t", "`docs/spec.md` `docs/api.md`", Trust.AUTHOR),
    )
    assert [one.trust for one in linked_documents(both, FILES.get)] == [Trust.ASKER, Trust.AUTHOR]


def test_only_so_many_are_read() -> None:
    assert len(linked(" ".join(f"`{path}`" for path in FILES))) == MOST_DOCUMENTS
