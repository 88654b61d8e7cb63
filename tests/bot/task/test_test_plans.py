"""Test plans in PRDBench's format: every shape that was met in its data loads, anything else is told."""

from __future__ import annotations

import json

import pytest

from bot.errors import UserError
from bot.task.test_plans import MAX_BYTES, MAX_ITEMS, read_plan
from bot.values import ItemKind, PlanItem, PlannedCase
from tests.plans.judging import DATA, PLAN

GOOD = {
    "metric": "1.1 It starts",
    "description": "1. **Act:** Start it.",
    "type": "shell_interaction",
    "testcases": [{"test_command": "python main.py", "test_input": "evaluation/1.in"}],
    "input_files": None,
    "expected_output_files": None,
    "expected_output": "It starts.",
}


def read(*entries: object) -> tuple[PlanItem, ...]:
    return read_plan(json.dumps(entries).encode(), "evaluation/plan.json").items


def item(**fields: object) -> PlanItem:
    return read(GOOD | fields)[0]


def test_a_usual_item() -> None:
    read_item = item()
    assert read_item.number == 1
    assert read_item.kind is ItemKind.SHELL_INTERACTION
    assert read_item.cases == (PlannedCase("python main.py", "evaluation/1.in"),)
    assert (read_item.input_files, read_item.expected_files, read_item.problem) == ((), (), "")


@pytest.mark.parametrize("nothing", [None, "", [], [None], [""], {}, "absent"])
def test_no_files_in_any_spelling(nothing: object) -> None:
    fields = {"input_files": nothing, "expected_output_files": nothing}
    entry = {**GOOD, **fields}
    if nothing == "absent":
        entry = {key: value for key, value in GOOD.items() if key not in fields}
    found = read(entry)[0]
    assert (found.input_files, found.expected_files) == ((), ())


@pytest.mark.parametrize(
    ("files", "expected"),
    [("a.txt", ("a.txt",)), (["a.txt", " b.csv ", "a.txt", 7], ("a.txt", "b.csv"))],
)
def test_files_as_text_and_as_list(files: object, expected: tuple[str, ...]) -> None:
    assert item(expected_output_files=files).expected_files == expected


@pytest.mark.parametrize(
    "empty", [[], [{}], [{"test_command": None, "test_input": None}], None, "", {}, [None, 3]]
)
def test_an_item_without_a_command(empty: object) -> None:
    assert item(testcases=empty).problem == "It names neither a command nor a file to compare."
    compared = item(testcases=empty, expected_output_files="evaluation/expected_README.md")
    assert (compared.cases, compared.problem) == ((), "")


def test_commands_as_objects_as_texts_and_alone() -> None:
    assert item(testcases=["make test", {}]).cases == (PlannedCase("make test"),)
    assert item(testcases={"test_command": "x"}).cases == (PlannedCase("x"),)
    assert item(testcases=[{"test_command": "x", "test_input": 42}]).cases[0].typed == "42"
    assert (
        item(testcases=[{"test_command": "x", "test_input": ["1", "2"]}]).cases[0].typed == "1\n2"
    )


@pytest.mark.parametrize(
    "line",
    [
        "powershell -Command ls",
        "pwsh -c ls",
        "Get-Content out.txt",
        "python x.py; Remove-Item out.txt",
        "$env:PYTHONPATH='src'; python x.py",
    ],
)
def test_powershell_is_told(line: str) -> None:
    assert item(testcases=[{"test_command": line}]).problem.startswith("It needs PowerShell")


@pytest.mark.parametrize(
    "line", ["cd src && python x.py < in.txt | tee log", "echo powershell", "cat Get-it"]
)
def test_shell_lines_are_no_powershell(line: str) -> None:
    assert item(testcases=[{"test_command": line}]).problem == ""


def test_an_item_that_is_none_stays_in_the_plan() -> None:
    items = read(GOOD, "nonsense", None, GOOD | {"type": "telepathy"}, {})
    assert [one.number for one in items] == [1, 2, 3, 4, 5]
    assert [bool(one.problem) for one in items] == [False, True, True, True, True]
    assert "shell_interaction" in items[3].problem
    assert items[4].metric == "Item 5"


@pytest.mark.parametrize("spelling", ["unit_test", "Unit-Test", " unit test "])
def test_kinds_in_other_spellings(spelling: str) -> None:
    assert item(type=spelling).kind is ItemKind.UNIT_TEST


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"metric: no json", "it is no JSON"),
        (b"", "it is no JSON"),
        (b"[{]", "it is no JSON"),
        (b"\xff\xfe[]", "it is no UTF-8 text"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b"[]", "it has no items"),
        (b'"text"', "it is no list of items"),
        (b'{"a": [], "b": []}', "it is no list of items"),
        (json.dumps([GOOD] * (MAX_ITEMS + 1)).encode(), "2000 is the most"),
        (b" " * (MAX_BYTES + 1), "larger than 16 MiB"),
    ],
)
def test_what_is_no_plan_is_one_error_that_names_the_file(data: bytes, why: str) -> None:
    with pytest.raises(UserError) as told:
        read_plan(data, "evaluation/plan.json")
    assert "evaluation/plan.json" in told.value.what
    assert why in told.value.what


def test_a_list_in_an_object_and_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + json.dumps({"version": 1, "items": [GOOD]}).encode()
    assert len(read_plan(data, "p").items) == 1


def test_a_plan_of_hundreds_of_items_and_more_than_a_megabyte() -> None:
    many = [GOOD | {"description": "word " * 1000} for _ in range(500)]
    data = json.dumps(many).encode()
    assert len(data) > 1 << 20
    assert len(read_plan(data, "p").items) == 500


@pytest.mark.parametrize("task", ["1", "7", "10", "18", "23", "29", "37", "44"])
def test_the_shared_plans_load_whole(task: str) -> None:
    file = DATA / task / PLAN
    if not file.exists():
        pytest.skip(f"the shared data is not here: {file}")
    entries = json.loads(file.read_bytes())
    plan = read_plan(file.read_bytes(), PLAN)
    assert len(plan.items) == len(entries)
    assert not [one.problem for one in plan.items if one.problem]
