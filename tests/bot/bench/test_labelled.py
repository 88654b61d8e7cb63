"""Exported labels as cases: what people said of requirements, and what follows for the change."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.bench.cases import CaseKind, Label, NoCase, cases_of, line_of, read_labels, read_set
from bot.errors import UserError
from bot.values import LabelKind, VerdictLabel
from tests.bot.bench.test_patches import NOWHERE, TASK, Shop, open_shop
from tests.bot.commands.running import assay

SAID = VerdictLabel(
    kind=LabelKind.OVERRIDDEN,
    repository="Ada/The.Shop",
    number=9,
    base_sha="b" * 40,
    head_sha="a" * 40,
    evaluation="shop-9",
    conclusion="failure",
    subject="B2",
    text="Nothing that passed before fails now",
    category="baseline",
    verdict="unsatisfied",
    decided_by="oracle",
    model="",
    person="ben",
    reason="the sum was wrong",
    source="comment 1",
    given_s=1.0,
    blocking=("B2", "R1"),
    address="https://github.com/ada/the.shop.git",
    task=TASK,
    description="Double the price",
)
R1 = replace(
    SAID, subject="R1", kind=LabelKind.ACCEPTED, verdict="unverified", category="behaviour"
)
PASSED = {"blocking": (), "conclusion": "success", "verdict": "satisfied"}
WHOLE = replace(SAID, subject="", category="")
MERGED = replace(WHOLE, kind=LabelKind.MERGED, source="merge", verdict="failure")
REVERTED = replace(WHOLE, kind=LabelKind.REVERTED, source="revert 12", person="mara", given_s=9.0)


def only(*labels: VerdictLabel) -> Label | NoCase:
    """What the labels of one change come to."""
    cases, left_out = cases_of(labels)
    (found,) = (*(case.label for case in cases), *(one.why for one in left_out))
    return found


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((SAID, R1), Label.RIGHT),
        ((SAID,), NoCase.UNSAID),
        ((SAID, replace(R1, kind=LabelKind.DISAGREED)), NoCase.UNSAID),
        ((SAID, replace(R1, kind=LabelKind.DISAGREED, verdict="unsatisfied")), Label.RIGHT),
        ((replace(SAID, kind=LabelKind.AGREED),), Label.WRONG),
        ((replace(SAID, kind=LabelKind.AGREED, mandatory=False),), NoCase.UNSAID),
        ((replace(R1, kind=LabelKind.DISAGREED, **PASSED),), Label.WRONG),
        ((replace(R1, kind=LabelKind.AGREED, **PASSED),), NoCase.UNSAID),
        ((SAID, replace(SAID, person="mara", kind=LabelKind.AGREED), R1), NoCase.CONTESTED),
        ((SAID, replace(SAID, kind=LabelKind.AGREED, given_s=2.0), R1), Label.WRONG),
        ((MERGED,), Label.RIGHT),
        ((MERGED, replace(SAID, kind=LabelKind.AGREED)), NoCase.CONTESTED),
        ((REVERTED,), Label.WRONG),
        ((REVERTED, MERGED), Label.WRONG),
        ((REVERTED, SAID, R1), NoCase.CONTESTED),
    ],
)  # fmt: skip
def test_what_is_said_of_requirements_makes_a_case_of_the_change(
    labels: tuple[VerdictLabel, ...], expected: Label | NoCase
) -> None:
    assert only(*labels) is expected


@pytest.mark.parametrize(
    "missing",
    [
        {"task": "", "description": ""},
        {"base_sha": ""},
        {"head_sha": "main"},
        {"address": ""},
        {"address": "ext::sh -c true"},
        {"address": "/etc"},
    ],
)
def test_what_cannot_be_judged_again_is_no_case(missing: dict[str, str]) -> None:
    assert only(replace(REVERTED, **missing)) is NoCase.UNKNOWN  # type: ignore[arg-type]


def test_an_export_is_read_as_it_was_written(tmp_path: Path) -> None:
    labels = (SAID, replace(REVERTED, number=10, head_sha="c" * 40, task='\u202e"\n\\'))
    (tmp_path / "labels.jsonl").write_text("".join(f"{line_of(one)}\n" for one in labels))
    (tmp_path / "patches.jsonl").write_text('{"case": "rows of a run are passed over"}\n')
    assert tuple(read_labels(tmp_path / "labels.jsonl")) == labels
    for place in (tmp_path, tmp_path / "labels.jsonl"):
        (case,), (left_out,) = read_set(place)
        assert (case.id, case.kind, case.label) == (
            "ada-the-shop-10-cccccccccc",
            CaseKind.LABELLED,
            "wrong",
        )
        assert (left_out.number, left_out.why) == (9, NoCase.UNSAID)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2, is no label of"),
        ("[]", "line 2, is no label of"),
        ('{"schema": 1}', "line 2: these labels are of schema 1, not 2."),
        ('{"schema": 2, "kind": "agree"}', "line 2, is no label of"),
        (json.dumps({**json.loads(line_of(SAID)), "kind": "liked"}), "line 2, is no label of"),
    ],
)
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(f"{line_of(SAID)}\n{line}\n")
    with pytest.raises(UserError, match=told):
        read_set(file)


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return open_shop(tmp_path)


@pytest.mark.real
@pytest.mark.slow
def test_exported_labels_are_judged_like_other_cases(shop: Shop, tmp_path: Path) -> None:
    clone = tmp_path / "clones" / "ada" / "the.shop"
    clone.parent.mkdir(parents=True)
    clone.symlink_to(shop.repository.folder)
    right = replace(REVERTED, kind=LabelKind.MERGED, base_sha=shop.base, head_sha=shop.head)
    labels = (right, replace(right, number=10, head_sha=NOWHERE), replace(SAID, number=11))
    (tmp_path / "labels.jsonl").write_text("".join(f"{line_of(one)}\n" for one in labels))
    words = ("bench", "patches", "labels.jsonl", "--clones", "clones", "--out", "rows.jsonl")
    done = assay(tmp_path / "home", *words)
    assert done.returncode == 1, done.stderr
    name = f"ada-the-shop-9-{shop.head[:10]}"
    assert "No case: Ada/The.Shop#11 at aaaaaaaaaaaa: people do not say whether" in done.stdout
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    first, second = rows
    assert (first["case"], first["kind"], first["label"]) == (
        name,
        "labelled",
        "right",
    )
    assert first["judged"]["conclusion"] == "success"
    assert f"has no commit {NOWHERE}" in second["error"]
