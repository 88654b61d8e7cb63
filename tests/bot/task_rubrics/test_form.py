"""The form of a rubric: what is rendered reads back as it was, and nothing else is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.task.rubrics.files import committed_rubric, read_rubric_file
from bot.task.rubrics.form import RubricProblem, read_form
from bot.templates import render_markdown
from bot.text import scrub
from bot.values import Rubric

RUBRIC = Rubric(
    "`mean` divides by the number of prices, which may be 0.",
    ("`mean([])` is 0.", "1) Other *means* stay <as> they are: a_b | c\\d, #7, @octocat."),
    ("Raising `ValueError` for None",),
    ("Catching `ZeroDivisionError` anywhere else.", "/judge cancel"),
)
ENTRY = (
    st.text(min_size=1, max_size=60)
    .map(lambda text: " ".join(scrub(text).split()))
    .filter(lambda text: bool(text) and "`" not in text and "code>" not in text)
)


def form(rubric: Rubric) -> str:
    body = render_markdown("rubric/form.md.j2", rubric=rubric, number=7, needed=2)
    return f"<!-- assay:rubric 7 -->\n{body}"


def test_what_is_rendered_reads_back() -> None:
    assert read_form(form(RUBRIC)) == RUBRIC
    assert "@octocat" not in form(RUBRIC)
    assert "\n/judge" not in form(RUBRIC)


@given(root=ENTRY, entries=st.lists(ENTRY, min_size=1, max_size=4, unique=True))
def test_any_words_read_back(root: str, entries: list[str]) -> None:
    rubric = Rubric(root, tuple(entries), tuple(entries[1:]), tuple(entries[:1]))
    assert read_form(form(rubric)) == rubric


def test_people_write_plain_markdown() -> None:
    edited = (
        form(RUBRIC)
        .replace("- <code>mean(", "* [ ] an entry\n  that goes on, `a\\.b`\n- <code>mean(")
        .replace("\n", "\r\n")
    )
    assert read_form(edited).requirements[0] == "an entry that goes on, `a\\.b`"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("#### Acceptable", "#### Fine", "exactly the headings"),
        ("#### Acceptable\n", "", "exactly the headings"),
        ("#### Acceptable", "#### Requirements", "twice"),
        ("#### Acceptable", "And this.\n\n#### Acceptable", "is no entry"),
        ("#### Root cause or intent\n", "", "exactly the headings"),
        ("- Raising", "- Raising\nthe words", "is no entry"),
        ("- Raising", "- " + "long " * 200, "longer than 500"),
        ("- Raising", "\n".join(f"- {n}" for n in range(21)) + "\n- Raising", "more than 20"),
        ("- Raising", "- Same\n- Same\n- Raising", "the same twice"),
    ],
)
def test_anything_else_is_refused(old: str, new: str, why: str) -> None:
    text = form(RUBRIC)
    assert old in text
    with pytest.raises(RubricProblem, match=why):
        read_form(text.replace(old, new, 1))


def test_a_file_on_base_is_a_rubric_or_a_clear_error() -> None:
    good = b"root_cause: It divides by zero.\nrequirements: [mean of nothing is 0]\n"
    as_json = b'{"root_cause": "a", "requirements": ["b"]}'
    assert read_rubric_file(committed_rubric("x", good)) == Rubric(
        "It divides by zero.", ("mean of nothing is 0",)
    )
    assert read_rubric_file(committed_rubric("x", as_json)).requirements
    for bad, why in (
        (b"requirements: [a]\n", "root_cause"),
        (b"root_cause: a\nrequirements: []\n", "no requirement"),
        (b"root_cause: a\nrequirements: [b]\nverdict: VALID\n", "verdict"),
        (b"root_cause: [", "not valid YAML"),
        (b"\xff", "not UTF-8"),
        (None, "no regular file"),
        (b"- a\n", "mapping|dictionary|object|instance"),
    ):
        with pytest.raises(UserError, match=why):
            read_rubric_file(committed_rubric(".github/assay/rubrics/7.yml", bad))
