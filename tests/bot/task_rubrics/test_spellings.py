"""Rubrics load in the shapes that people write, and a hostile or half-known file is a clear error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UserError
from bot.evaluation.rubrics import rubrics_of, unused
from bot.task.rubrics.files import committed_rubric, issue_of, names_no_issue, read_rubric_file
from bot.templates import render_markdown
from bot.values import Rubric, Task, TaskSource, Trust

FOLDER = ".github/assay/rubrics"
ROOT = "`split` divides before it rounds."
ONE, TWO = "`split` rounds once", "`split` refuses zero people: it raises"
RUBRIC = Rubric(ROOT, (ONE, TWO), ("Decimal or integers",), ("a special case for 3 people",))


def read(text: str | bytes, name: str = "7.yml") -> Rubric:
    data = text.encode() if isinstance(text, str) else text
    return read_rubric_file(committed_rubric(f"{FOLDER}/{name}", data))


PLAIN = f"""
root_cause: "{ROOT}"
requirements: ["{ONE}", "{TWO}"]
acceptable: [Decimal or integers]
unacceptable: [a special case for 3 people]
"""
AS_GOOGLE_WRITES = f"""
title: Splitting a bill
rubric:
  Root Cause: >-
    `split` divides before
    it rounds.
  Requirements:
    - id: R1
      requirement: "{ONE}"
      rationale: A cent gets lost otherwise.
      mandatory: true
    - id: R2
      title: "`split` refuses zero people"
      description: it raises
      category: behaviour
  Acceptable solutions:
    - {{description: Decimal or integers, example: "Decimal('0.1')"}}
  Unacceptable solutions: a special case for 3 people
"""
BY_NAME = f"""
intent: "{ROOT}"
issue: "#7"
must:
  R1: "{ONE}"
  "`split` refuses zero people": it raises
may-differ: {{A1: {{text: Decimal or integers}}}}
must_not: {{U1: a special case for 3 people}}
"""
IN_BULLETS = f"""
root-cause-or-intent: ["`split` divides", before it rounds.]
requirements: |
  A right patch does this:

  1. {ONE}
  2. `split` refuses zero people:
     it raises
acceptable: |
  - Decimal or integers
unacceptable:
  - |
    a special case
    for 3 people
"""
A_COLON_FORGOTTEN = f"""
root_cause: "{ROOT}"
requirements:
  - "{ONE}"
  - `split` refuses zero people: it raises
acceptable: [Decimal or integers]
unacceptable: [a special case for 3 people]
""".replace("- `split`", "- '`split` refuses zero people'").replace(
    "people' refuses zero people: it", "people': it"
)


@pytest.mark.parametrize("text", [PLAIN, AS_GOOGLE_WRITES, BY_NAME, IN_BULLETS, A_COLON_FORGOTTEN])
def test_the_same_rubric_in_the_shapes_that_people_write(text: str) -> None:
    assert read(text) == RUBRIC


def test_the_comment_can_be_put_on_base_as_it_is() -> None:
    form = render_markdown("rubric/form.md.j2", rubric=RUBRIC, number=7, needed=2)
    assert read(form, "7.md") == RUBRIC
    assert read('{"intent": "a", "requirements": "b", "acceptable": null}', "7.json") == Rubric(
        "a", ("b",)
    )


HEAD = "root_cause: a\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{HEAD}requirements: [a]\nverdict: VALID", "`verdict` is no part"),
        (f"{HEAD}requirements: [a]\nintent: b", "`intent` names the part root_cause a second"),
        (f"{HEAD}requirements: [a]\nRoot Cause: b", "two keys that mean the same"),
        ("requirements: [a]", "`root_cause` is missing"),
        (HEAD, "`requirements` is missing"),
        (f"{HEAD}requirements: []", "no requirement"),
        (f"{HEAD}requirements:", "no requirement"),
        (f"{HEAD}requirements: [a, no]", "entry 2 of `requirements` is no text"),
        (f"{HEAD}requirements: [a, [b]]", "entry 2 of `requirements` is no text"),
        (f"{HEAD}requirements: [a, 2026-01-01]", "entry 2 of `requirements` is no text"),
        (f"{HEAD}requirements: true", "neither a list nor a text"),
        (f"{HEAD}requirements: [{{text: a, severity: 3}}]", "`severity`, which is not known"),
        (f"{HEAD}requirements: [{{rationale: a}}]", "entry 1 of `requirements` is no text"),
        (f"{HEAD}requirements: [{{text: a, mandatory: false}}]", "entry 1 .* is optional"),
        (f"{HEAD}requirements: [a]\nissue: 8", "issue 7's, and it says issue 8"),
        (f"{HEAD}requirements: [{'x' * 501}]", "longer than 500"),
        (f"rubric: [a]\n{HEAD}", "`rubric` is no mapping"),
        ("- a\n", "it is no mapping"),
        ("", "it is no mapping"),
    ],
)
def test_what_is_not_known_or_is_missing_is_said(text: str, why: str) -> None:
    with pytest.raises(UserError, match=rf"{FOLDER}/7\.yml .*{why}"):
        read(text)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]\n"
    for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "aliases"),
        (f"{HEAD}requirements: &r [*r]", "aliases"),
        (f"{HEAD}requirements: [a]\n<<: {{verdict: VALID}}", "is no part|not valid"),
        ("!!python/object/apply:os.system ['true']", "not valid YAML"),
        (f"{HEAD}requirements: [!!python/name:os.system '']", "not valid YAML"),
        (f"{HEAD}requirements: [!!binary aGVsbG8=]", "no text"),
        (f"{HEAD}requirements: " + "[" * 20_000, "nested too deeply"),
        (f"{HEAD}requirements: " + "{a: " * 15_000, "nested too deeply"),
        (f"{HEAD}requirements: [{'9' * 5_000}]", "not plain YAML|no text"),
        (f"{HEAD}requirements: [{':59' * 9_000}]".replace("[:", "["), "no text|longer than"),
        (f"{HEAD}requirements: [.inf, 1e400]", "no text"),
        (f"{HEAD}requirements: [a]\n---\n{HEAD}requirements: [b]", "not valid YAML"),
        (f"{HEAD}requirements: [a, a]\n{HEAD}", "appears twice"),
        (f"? [{HEAD}]\n: a", "a key is not text|not valid"),
        (f"{HEAD}requirements: [{', '.join('a' + str(n) for n in range(9_000))}]", "more than 20"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_a_hostile_file_is_a_clear_error(text: str | bytes, why: str) -> None:
    with pytest.raises(UserError, match=why) as caught:
        read(text)
    assert len(caught.value.what) < 300


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_any_value_is_a_rubric_or_an_error(value: object) -> None:
    text = json.dumps({"root_cause": "a", "requirements": value})
    try:
        found = read(text)
    except UserError:
        return
    assert found.requirements
    assert all("\n" not in one for one in found.requirements)


# --- whose rubric a file is -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "issue"),
    [
        ("7.yml", 7), ("7.yaml", 7), ("7.JSON", 7), ("7.md", 7), ("issue-7.yml", 7),
        ("7-split-by-zero.yaml", 7), ("7-notes.md", 0), ("07.yml", 0), ("split.yml", 0),
        ("README.md", 0), ("a/7.yml", 0), ("77.yml", 77), ("v7.yml", 0),
    ],
)  # fmt: skip
def test_a_file_is_the_rubric_of_the_issue_in_its_name(name: str, issue: int) -> None:
    assert issue_of(f"{FOLDER}/{name}") == issue


def test_a_rubric_of_nobody_is_told_and_two_of_one_issue_are_refused() -> None:
    files = [
        committed_rubric(f"{FOLDER}/{name}", PLAIN.encode())
        for name in ("split.yml", "README.md", "7.yml", "issue-7.yaml")
    ]
    assert [names_no_issue(one.path) for one in files] == [True, False, False, False]
    (told,) = unused(files)
    assert told.startswith(f"{FOLDER}/split.yml is not used")
    task = Task("t", (TaskSource("issue #7", "t", "", Trust.ASKER, 7),))
    (found,) = rubrics_of(task, files[:3], {}, 2)
    assert (found.path, found.rubric) == (f"{FOLDER}/7.yml", RUBRIC)
    with pytest.raises(UserError, match=r"issue-7\.yaml .*rubrics/7\.yml is a rubric of the same"):
        rubrics_of(task, files, {}, 2)


def test_a_broken_rubric_stops_only_its_own_issue() -> None:
    broken = committed_rubric(f"{FOLDER}/8.yml", None)
    task = Task("t", (TaskSource("issue #7", "t", "", Trust.ASKER, 7),))
    assert rubrics_of(task, [broken], {}, 2) == ()
    other = Task("t", (TaskSource("issue #8", "t", "", Trust.ASKER, 8),))
    with pytest.raises(UserError, match="no regular file"):
        rubrics_of(other, [broken], {}, 2)
