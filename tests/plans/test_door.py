"""`assay judge FOLDER --criteria FILE`: a plan with good, bad and impossible items, run whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest

from bot.commands.asked import JudgeArguments
from bot.errors import UserError
from bot.report.machine import read_machine
from bot.source.submission import SubmittedFolder, committed
from tests.bot.commands.running import assay
from tests.plans.judging import judged, settings_in

pytestmark = [pytest.mark.real, pytest.mark.slow]

PROGRAM = "#!/bin/bash\nread -r -p 'name: ' name\necho \"Hello, dear $name\"\necho '{\"n\": 1}' > out.json\n"


def item(number: int, line: str | None, **fields: object) -> dict[str, object]:
    return {
        "metric": f"{number} item",
        "description": "",
        "type": "shell_interaction",
        "testcases": [{"test_command": line, "test_input": fields.pop("typed", None)}],
        "input_files": None,
        "expected_output_files": fields.pop("files", None),
        "expected_output": "It is nice.",
        **fields,
    }


ITEMS = [
    item(1, "./hello", typed="evaluation/name.in", expected_output="Hello, dear Ada"),
    item(2, "./hello", typed="Bob", files=["evaluation/expected_out.json"], type="file_comparison"),
    item(3, "pwsh -c ls"),
    item(4, "cat", typed="evaluation/missing.in"),
    item(5, "exit 3"),
    item(6, None, files="evaluation/absent.csv", type="file_comparison"),
    item(7, "bash evaluation/check.sh", type="unit_test"),
    item(8, None),
    "nonsense",
    item(10, "yes shout | head -c 30000000"),
    item(11, "bomb() { bomb | bomb & }; bomb; sleep 0.2; exit 4"),
    item(12, "cat picture.png > out.png", files=["evaluation/expected_out.png"], type="file_comparison"),
]  # fmt: skip
WANTED = ["satisfied", "satisfied", "unverified", "unverified", "unsatisfied", "unverified",
          "satisfied", "unverified", "unverified", "unverified", "unsatisfied", "unsatisfied"]  # fmt: skip


@pytest.fixture
def given(tmp_path: Path) -> Path:
    folder = tmp_path / "task"
    (folder / "evaluation").mkdir(parents=True)
    (folder / "evaluation/plan.json").write_text(json.dumps(ITEMS))
    (folder / "evaluation/name.in").write_text("Ada")
    (folder / "evaluation/expected_out.json").write_text('{"n": 1.0}')
    (folder / "evaluation/expected_out.png").write_bytes(b"\x89PNG\r\n\x1a\nrubbish")
    (folder / "evaluation/check.sh").write_text("test -x hello\n")
    return folder


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    folder = tmp_path / "submission"
    (folder / "evaluation").mkdir(parents=True)
    (folder / "hello").write_text(PROGRAM)
    (folder / "hello").chmod(0o755)
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\nother")
    # What stands beside the plan is the plan's: none of these may count.
    (folder / "evaluation/check.sh").write_text("true\n")
    (folder / "evaluation/plan.json").write_text("[]")
    (folder / "evaluation/missing.txt").write_text("x")
    return folder


def test_a_submission_is_judged_by_a_plan(tmp_path: Path, given: Path, submission: Path) -> None:
    plan = str(given / "evaluation/plan.json")
    done = assay(tmp_path / "home", "judge", str(submission), "--criteria", plan)

    assert done.returncode == 1, done.stdout + done.stderr
    out = tmp_path / "assay-report"
    report = read_machine((out / "report.json").read_bytes())
    criteria = [row for row in report.requirements if row.category == "criterion"]
    assert [row.verdict.value for row in criteria] == WANTED, [row.reason for row in criteria]
    rows = json.loads((out / "plan.json").read_bytes())
    assert [row["score"] for row in rows] == [2, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0]
    assert rows[2]["explanation"] == "Undecided: It needs PowerShell, which is not run here."
    assert report.plan is not None
    assert report.plan.score == 0.25
    assert "reaches 6 of 24 points" in (out / "report.md").read_text()
    assert not list((tmp_path / "home/submissions").iterdir())


def test_the_plans_own_check_comes_from_base(tmp_path: Path, given: Path, submission: Path) -> None:
    (submission / "hello").chmod(0o644)
    seen = judged(settings_in(tmp_path), given, submission, "evaluation/plan.json")
    assert seen.items["7"].verdict == "unsatisfied"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"base": "main"}, "neither --base nor --head"),
        ({"head": "main"}, "neither --base nor --head"),
        ({"repository": "https://github.com/a/b/pull/1"}, "neither --base nor --head"),
        ({"criteria": None, "given": Path("task"), "base": "main"}, "--given goes with --criteria"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, Any], said: str) -> None:
    usual: dict[str, Any] = {"repository": ".", "base": None, "head": None, "task": None}
    more = {"description": None, "out": Path("out"), "sandbox": "", "criteria": Path("plan.json")}
    with pytest.raises(click.UsageError, match=said):
        JudgeArguments(**{**usual, **more, **options}).check()


def test_folders_that_cannot_be(tmp_path: Path, given: Path, submission: Path) -> None:
    plan = given / "evaluation/plan.json"
    for wanted, said in (
        (SubmittedFolder(given, tmp_path / "nowhere", plan), "is not a folder"),
        (SubmittedFolder(submission, submission, plan), "does not stand below"),
    ):
        with pytest.raises(UserError, match=said), committed(wanted, tmp_path / "below"):
            pass


def test_a_plan_that_is_no_json_is_named(tmp_path: Path, given: Path, submission: Path) -> None:
    (given / "evaluation/plan.json").write_text("[{,]")
    seen = judged(settings_in(tmp_path), given, submission, "evaluation/plan.json")
    assert seen.document.conclusion == "action_required"
    assert "evaluation/plan.json" in seen.document.title
    assert "no JSON" in seen.document.title
    assert seen.document.plan is None
