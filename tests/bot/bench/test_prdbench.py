"""`assay bench prdbench` as people run it: plans against submissions, round by round."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.bench.prdbench import (
    ROUNDS,
    ItemRow,
    RoundRow,
    read_set,
    round_scores,
)
from bot.errors import UserError
from bot.values import ItemKind, VerdictOutcome
from tests.bot.commands.running import assay
from tests.plans.judging import DATA, HERE

real = pytest.mark.real
PLAN = [
    {
        "metric": "1.1 It greets",
        "description": "",
        "type": "shell_interaction",
        "testcases": [{"test_command": "./hello", "test_input": "Ada"}],
        "expected_output": "Hello, dear Ada",
    },
    {
        "metric": "1.2 It counts",
        "description": "",
        "type": "file_comparison",
        "testcases": [{"test_command": "./hello", "test_input": "Bob"}],
        "expected_output_files": ["evaluation/expected_out.json"],
        "expected_output": "It is nice.",
    },
    {
        "metric": "1.3 It is nice",
        "description": "It is a pleasure to use.",
        "type": "shell_interaction",
        "testcases": [],
        "expected_output": "It is nice.",
    },
]
PROGRAM = '#!/bin/bash\nread -r name\necho "Hello, dear $name"\necho \'{"n": 1}\' > out.json\n'
BROKEN = "#!/bin/bash\nread -r name\necho oh no\nexit 3\n"
REPAIR = """import json, os, pathlib
rows = json.loads(pathlib.Path(os.environ["ASSAY_REPAIR_ROWS"]).read_text())
assert any("exit code 3" in row["explanation"] for row in rows if row["score"] < 2), rows
pathlib.Path("hello").write_text(PROGRAM)
"""


@dataclass(frozen=True, slots=True)
class Set:
    folder: Path

    def submit(self, agent: str, program: str, place: str = "") -> None:
        folder = self.folder / "submissions" / agent / "greeter" / place
        folder.mkdir(parents=True)
        (folder / "hello").write_text(program)
        (folder / "hello").chmod(0o755)


@pytest.fixture
def plans(tmp_path: Path) -> Set:
    given = tmp_path / "set/tasks/greeter/evaluation"
    given.mkdir(parents=True)
    (given / "detailed_test_plan.json").write_text(json.dumps(PLAN))
    (given / "expected_out.json").write_text('{"n": 1}')
    return Set(tmp_path / "set")


def scores(out: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    with (out / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    return {(row["agent"], row["round"], row["items of"]): row for row in rows}


@pytest.mark.slow
@real
def test_rounds_are_scored_and_what_is_judged_is_not_judged_again(
    plans: Set, tmp_path: Path
) -> None:
    plans.submit("mended", BROKEN, "round-1")
    plans.submit("mended", PROGRAM, "round-2")
    plans.submit("alone", PROGRAM)
    done = assay(tmp_path / "home", "bench", "prdbench", "set", "--out", "out", "--jobs", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    found = scores(tmp_path / "out")
    assert found["mended", "1", "all"]["score %"] == "0.00"
    second = found["mended", "2", "all"]
    assert (second["score %"], second["gain"], second["open"]) == ("66.67", "+66.67", "1")
    assert second["at most %"] == "100.00"
    assert found["mended", "2", "file_comparison"]["score %"] == "100.00"
    assert found["alone", "1", "all"]["gain"] == ""
    items = {
        (row.agent, row.round): [(item.points, item.verdict.value) for item in row.items]
        for row in ROUNDS.read(tmp_path / "out/rows.jsonl")
    }
    held = [(2, "satisfied"), (2, "satisfied"), (None, "unverified")]
    assert items["mended", 2] == items["alone", 1] == held
    assert items["mended", 1] == [(0, "unsatisfied"), (0, "unsatisfied"), (None, "unverified")]
    before = (tmp_path / "out/rows.jsonl").read_bytes()
    (plans.folder / "submissions/alone/greeter/hello").write_text(BROKEN)
    again = assay(tmp_path / "home", "bench", "prdbench", "set", "--out", "out")
    assert again.returncode == 0, again.stdout
    added = (tmp_path / "out/rows.jsonl").read_bytes().removeprefix(before)
    assert [json.loads(line)["agent"] for line in added.splitlines()] == ["alone"]


@real
def test_the_next_round_is_made_by_the_operators_command_from_the_answer_alone(
    plans: Set, tmp_path: Path
) -> None:
    plans.submit("agent", BROKEN, "round-1")
    (tmp_path / "repair.py").write_text(REPAIR.replace("PROGRAM", repr(PROGRAM)))
    arguments = ("bench", "prdbench", "set", "--out", "out", "--rounds", "2", "--repair-command")
    done = assay(tmp_path / "home", *arguments, f"python3 {tmp_path / 'repair.py'}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert scores(tmp_path / "out")["agent", "2", "all"]["gain"] == "+66.67"
    assert not (plans.folder / "submissions/agent/greeter/round-2").exists()
    assert "exit 3" in (plans.folder / "submissions/agent/greeter/round-1/hello").read_text()
    failed = assay(tmp_path / "home", *arguments, "exit 7")
    assert failed.returncode == 1
    assert "agent, greeter, round 2: The repair command failed" in failed.stdout


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("submissions/a/other/round-1", "there is no task other"),
        ("submissions/a/greeter/round-2", "has no round-1"),
        ("nothing", "has no submission"),
    ],
)
def test_folders_that_cannot_be(plans: Set, place: str, said: str) -> None:
    (plans.folder / place).mkdir(parents=True)
    with pytest.raises(UserError, match=said):
        read_set(plans.folder)


def row(task: str, number: int, *points: int | None) -> RoundRow:
    items = tuple(
        ItemRow("m", ItemKind.UNIT_TEST, one, VerdictOutcome.SATISFIED, "") for one in points
    )
    return RoundRow(task, "agent", number, "", "", "", items)


def test_a_score_is_the_mean_of_tasks_and_a_gain_is_over_tasks_that_both_rounds_have() -> None:
    rows = [row("a", 1, 2, 0), row("b", 1, 0, 0, None, 0), row("a", 2, 2, 1)]
    whole = [one for one in round_scores(rows) if one.kind is None]
    assert [(one.score, one.gain) for one in whole] == [(25.0, None), (75.0, 25.0)]
    assert (whole[0].undecided, whole[0].items, whole[1].half) == (1, 6, 1)
    lost = RoundRow("b", "agent", 2, "", "", "", error="It was not judged.")
    assert round_scores([*rows, lost])[-2].score == 37.5  # what could not be judged reaches nothing


@real
def test_two_runs_are_compared_item_by_item(tmp_path: Path) -> None:
    def written(name: str, *rounds: RoundRow) -> str:
        for one in rounds:
            ROUNDS.append(tmp_path / name, one)
        return name

    first = row("a", 1, 0, 0, 2, None, 1, 2)
    before = written("before.jsonl", row("a", 1, 2, 2, 2, 2, 2, 2), first, row("b", 1, 2))
    other = replace(row("b", 1, 0), inputs="changed")
    after = written("after.jsonl", row("a", 1, 2, 1, 2, 1, 1, 0), other, row("c", 1, 2))
    done = assay(tmp_path / "home", "bench", "compare", before, after)
    assert done.returncode == 0, done.stderr
    assert f"{before}: no model; 41.67 % of 1 submissions' points" in done.stdout
    assert f"{after}: no model; 58.33 % of 1 submissions' points" in done.stdout
    assert "4 of 6 items changed" in done.stdout and "  0 -> 2  agent  a, round 1: m" in done.stdout
    assert "Not compared, " in done.stdout and "agent, b, round 1; agent, c" in done.stdout
    assert "More points in the second only: 3; in the first only: 1" in done.stdout
    nothing = assay(tmp_path / "home", "bench", "compare", before, written("c", row("c", 1, 2)))
    assert nothing.returncode == 2 and "have no submission in common" in nothing.stderr


@real
@pytest.mark.slow
def test_a_released_task(tmp_path: Path) -> None:
    if not (DATA / "10").is_dir():
        pytest.skip(f"the shared data is not here: {DATA}")
    shutil.copytree(DATA / "10", tmp_path / "set/tasks/10")
    shutil.copytree(HERE / "huffman", tmp_path / "set/submissions/ours/10/round-1")
    done = assay(tmp_path / "home", "bench", "prdbench", "set", "--out", "out")
    assert done.returncode == 0, done.stdout + done.stderr
    found = scores(tmp_path / "out")["ours", "1", "all"]
    assert (found["items"], found["2"], found["0"]) == ("19", "7", "1")
