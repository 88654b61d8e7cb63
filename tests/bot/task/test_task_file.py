"""Task files load as they are: DevAI's instances with their defects, and patch rubrics."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.task.graph import mended
from bot.task.requirements import comprehend
from bot.task.task_file import read_task_file
from bot.values import Category, Requirements, Task, Trust
from tests.bot.verdict.cases import DEFAULTS

INSTANCES = Path("../shared/data/devai/instances")
if not INSTANCES.is_dir():
    INSTANCES = Path("/work/shared/data/devai/instances")


def loaded(text: str, trust: Trust = Trust.ASKER) -> Requirements:
    source = read_task_file(text, "the task", trust)
    assert source
    return comprehend(Task(source.title, (source,)), DEFAULTS, ())


def asked(found: Requirements) -> dict[str, tuple[str, ...]]:
    return {r.id: r.prerequisites for r in found.items if r.category is not Category.BASELINE}


@pytest.fixture(scope="module")
def devai() -> dict[int, Requirements]:
    if not INSTANCES.is_dir():
        pytest.skip("the DevAI instances of ../shared/data are not here")
    paths = sorted(INSTANCES.glob("*.json"))
    return {int(path.name[:2]): loaded(path.read_text()) for path in paths}


def test_all_of_devai_loads_with_every_requirement_and_preference(
    devai: dict[int, Requirements],
) -> None:
    assert len(devai) == 55
    assert sum(len(asked(found)) for found in devai.values()) == 365
    assert sum(len(found.preferences) for found in devai.values()) == 125
    first = asked(devai[1])
    assert first == {
        "R0": (), "R1": ("R0",), "R2": (), "R3": ("R0", "R1", "R2"), "R4": ("R0", "R1", "R2", "R3"),
    }  # fmt: skip
    for found in devai.values():
        assert mended(found.items) == (found.items, ())


def test_the_defects_of_devai_are_mended_and_told(devai: dict[int, Requirements]) -> None:
    assert asked(devai[45])["R3"] == ("R0", "R2")
    assert asked(devai[45])["R4"] == ("R0", "R2", "R3")
    assert sum("depended on itself" in told for told in devai[45].remarks) == 2
    assert any("Requirement 7 has no category" in told for told in devai[38].remarks)
    misspelt = [told for found in devai.values() for told in found.remarks if "Performence" in told]
    assert len(misspelt) == 1
    areas = {r.area for found in devai.values() for r in found.items if r.area}
    assert len(areas) == 8
    told = {number for number, found in devai.items() if found.remarks}
    assert len(told) == 3


def test_a_rubric_loads_as_it_is() -> None:
    rubric = {
        "Root Cause": "`split` divides by the people before it rounds.",
        "requirements": [
            "`split` rounds once",
            {"id": "zero", "text": "`split` refuses zero people", "depends_on": ["0", "nobody"]},
            {"text": "`split` is documented", "mandatory": False},
            {"note": "nothing"},
        ],
        "acceptable": ["Decimal or integers"],
        "unacceptable": ["a special case for 3 people"],
    }
    found = loaded(json.dumps(rubric), Trust.MAINTAINER)
    rows = [r for r in found.items if r.category is not Category.BASELINE]
    assert [(r.id, r.text, r.mandatory) for r in rows] == [
        ("R0", "`split` rounds once", True),
        ("R1", "`split` refuses zero people", True),
        ("R2", "`split` is documented", False),
    ]
    assert rows[1].prerequisites == ("R0",)
    assert rows[0].trust is Trust.MAINTAINER
    assert any("Entry 3" in told for told in found.remarks)
    assert any("not listed" in told for told in found.remarks)
    source = read_task_file(json.dumps(rubric), "the task", Trust.MAINTAINER)
    assert source
    assert "unacceptable:\na special case" in source.text


@pytest.mark.parametrize(
    "entries, ids, told",
    [
        ([{"id": 1, "text": "a b"}, {"id": 1, "text": "a b"}], ["R1", "R2"], "Two requirements"),
        (
            [{"id": 0, "text": "one", "needs": [1]}, {"id": 1, "text": "two", "needs": [0]}],
            ["R0", "R1"],
            "circle",
        ),
    ],
)
def test_broken_graphs_lose_an_edge_and_no_requirement(
    entries: list[object], ids: list[str], told: str
) -> None:
    found = loaded(json.dumps({"requirements": entries}))
    assert list(asked(found)) == ids
    assert any(told in remark for remark in found.remarks)


@pytest.mark.parametrize(
    "text", ["- [ ] words", "[]", "{}", '{"requirements": {}}', "[" * 5_000, '{"requirements": []}']
)
def test_any_other_text_is_read_as_words(text: str) -> None:
    assert read_task_file(text, "the task", Trust.ASKER) is None


def test_a_rubric_in_yaml_loads_too() -> None:
    flat = "Root Cause: a\nrequirements:\n  - `split` rounds once\n  - {text: it is told, mandatory: false}\n"
    keyed = (
        "rubric:\n  intent: a\n  Requirements:\n    R1: '`split` rounds once'\n    R2: it is told\n"
    )
    for text in (flat.replace("- `split` rounds once", "- '`split` rounds once'"), keyed):
        rows = [r for r in loaded(text).items if r.category is not Category.BASELINE]
        assert [(r.text, r.origin) for r in rows] == [
            ("`split` rounds once", "the task"),
            ("it is told", "the task"),
        ]


@pytest.mark.parametrize(
    "text",
    [
        "Prices are wrong\n\nRequirements:\n- it is right\n",
        "requirements: [*a]",
        "requirements: yes, please\nand: more",
        "Title: a\nmust: be [",
    ],
)
def test_words_stay_words(text: str) -> None:
    assert read_task_file(text, "the task", Trust.ASKER) is None
