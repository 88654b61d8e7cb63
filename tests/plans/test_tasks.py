"""Two PRDBench tasks whole, against complete submissions and copies with faults (`faults.py`)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.plans.faults import HUFFMAN, SUBWAY, Fault
from tests.plans.judging import (
    DATA,
    HERE,
    PLAN,
    Item,
    given_files,
    judged,
    settings_in,
    with_fault,
)

pytestmark = [pytest.mark.real, pytest.mark.slow]


@dataclass(frozen=True, slots=True)
class Task:
    """A task, where our submission of it is, and its complete run."""

    given: Path
    submission: Path
    settings: Settings
    good: Mapping[str, Item]


def open_task(number: str, submission: str, folder: Path, *more: Path) -> Task:
    given = given_files(number, folder, *more)
    settings = settings_in(folder)
    good = judged(settings, given, HERE / submission)
    rows = json.loads(good.rows)
    planned = json.loads((DATA / number / PLAN).read_bytes())
    assert [row["metric"] for row in rows] == [item["metric"] for item in planned]
    assert {tuple(row) for row in rows} == {("metric", "description", "score", "explanation")}
    return Task(given, HERE / submission, settings, good.items)


@pytest.fixture(scope="module")
def huffman(tmp_path_factory: pytest.TempPathFactory) -> Task:
    return open_task("10", "huffman", tmp_path_factory.mktemp("huffman"))


@pytest.fixture(scope="module")
def subway(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("subway")
    return open_task("44", "subway", folder, HERE / "subway_given")


def decided(task: Task) -> dict[str, str]:
    return {key: item.verdict for key, item in task.good.items() if item.verdict != "unverified"}


def row_of(fault: Fault, key: str, item: Item) -> str:
    seen = {"unsatisfied": "found", "unverified": "left to a reader"}.get(item.verdict, "MISSED")
    if item.verdict == "unverified" and key not in fault.needs_a_reader:
        seen = "MISSED"
    return f"| {fault.name} | {key} | {seen} | {item.reason[:100]} |"


def tell(rows: list[str]) -> None:
    """Print rows of the table (`pytest -rP`), and add them to the file that ASSAY_PLAN_TABLE names."""
    print("\n".join(rows))
    if name := os.environ.get("ASSAY_PLAN_TABLE"):
        with Path(name).open("a", encoding="utf-8") as file:
            file.write("".join(f"{row}\n" for row in rows))


def tell_items(task: Task) -> None:
    tell([f"| complete | {key} | {one.verdict} | {one.reason[:100]} |" for key, one in task.good.items()])


def test_a_complete_huffman_submission(huffman: Task) -> None:
    tell_items(huffman)
    satisfied = ("1.2", "1.3", "2.3.1", "2.3.2a", "3.1", "3.2", "3.3")
    # The plan's own reference is no tree at all (a leaf E of weight 9): its own sample differs too.
    wrong_reference = {"2.3.2b": "unsatisfied"}
    assert decided(huffman) == dict.fromkeys(satisfied, "satisfied") | wrong_reference


def test_a_complete_subway_submission(subway: Task) -> None:
    tell_items(subway)
    satisfied = ("2.2", "2.3", "2.4", "5.2", "6.1", "6.2", "8.2", "9.1", "10.1", "10.2", "11.1", "12.1")
    assert decided(subway) == dict.fromkeys(satisfied, "satisfied")
    # Lines in the order of a set, which no program can know.
    assert subway.good["11.2"].points == 1


@pytest.mark.parametrize("fault", HUFFMAN, ids=lambda fault: fault.name)
def test_faults_of_huffman(huffman: Task, fault: Fault, tmp_path: Path) -> None:
    check(huffman, fault, tmp_path)


@pytest.mark.parametrize("fault", SUBWAY, ids=lambda fault: fault.name)
def test_faults_of_subway(subway: Task, fault: Fault, tmp_path: Path) -> None:
    check(subway, fault, tmp_path)


def check(task: Task, fault: Fault, folder: Path) -> None:
    """What breaks is never satisfied; all but what only a reader sees is found; the rest stays."""
    spoiled = with_fault(task.submission, fault, folder)
    found = judged(task.settings, task.given, spoiled).items
    wrongly = [key for key in fault.breaks if found[key].verdict == "satisfied"]
    expected = set(fault.breaks) - set(fault.needs_a_reader)
    missed = [key for key in sorted(expected) if found[key].verdict != "unsatisfied"]
    others = set(task.good) - set(fault.breaks) - set(fault.needs_a_reader) - set(fault.also)
    changed = [key for key in others if found[key].verdict != task.good[key].verdict]
    tell([row_of(fault, key, found[key]) for key in fault.breaks])
    assert (wrongly, missed, changed) == ([], [], [])
