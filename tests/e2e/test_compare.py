"""`assay compare` as a person runs it: several branches, one task, one table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bot.commands.running import assay
from tests.e2e.project import ASKED, BREAKS, FIX, PROJECT
from tests.world import git

pytestmark = [pytest.mark.real, pytest.mark.slow]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    branches = {"main": PROJECT, "good": FIX, "same": {**FIX, "notes.txt": "x\n"}, "bad": BREAKS}
    for name, files in branches.items():
        if name != "main":
            git(folder, "checkout", "--quiet", "-B", name, "main")
        for path, text in files.items():
            (folder / path).write_text(text)
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", f"{name}: everything must be [bold]blue[/bold]")
    (tmp_path / "task.md").write_text(f"{ASKED}\n")
    return folder


def test_branches_are_ranked_and_ties_are_said(repository: Path, tmp_path: Path) -> None:
    task = ("--base", "main", "--task", str(tmp_path / "task.md"), "--out", str(tmp_path / "out"))
    done = assay(tmp_path / "home", "compare", str(repository), "bad", "good", "same", *task)
    assert done.returncode == 0, done.stderr
    ranks = json.loads((tmp_path / "out/ranking.json").read_text())
    assert [(one["place"], one["is_tied"], one["name"]) for one in ranks] == [
        (1, True, "good"), (1, True, "same"), (3, False, "bad"),
    ]  # fmt: skip
    assert "blue" not in json.dumps(ranks) + done.stdout, (
        "what a branch says of itself demands nothing"
    )
    assert [line.split()[0] for line in done.stdout.splitlines()[1:4]] == ["1=", "1=", "3"]
    asked = [
        [(row["id"], row["text"]) for row in json.loads(file.read_text())["requirements"]]
        for file in sorted((tmp_path / "out").glob("*/report.json"))
    ]
    assert len(asked) == 3
    assert asked[0] == asked[1] == asked[2]


def test_what_cannot_be_compared_is_said(repository: Path, tmp_path: Path) -> None:
    task = ("--base", "main", "--task", str(tmp_path / "task.md"))
    for heads, told in ((("good",), "Name 2 to"), (("good", "gone"), "gone")):
        done = assay(tmp_path / "home", "compare", str(repository), *heads, *task)
        assert done.returncode == 2
        assert told in done.stderr
