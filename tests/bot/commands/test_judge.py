"""`assay judge` as a process of its own: a pull request by its address, a folder, wrong command lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.demo.forge.operator import NewRepository
from bot.evaluation import STAGES
from bot.report.machine import read_machine
from tests.bot.commands.running import assay
from tests.world import World, git

pytestmark = pytest.mark.real

CODE = "def greet(name):\n    return 'hello'\n"
FIXED = "def greet(name):\n    return f'hello {name}'\n"
TEST = """import unittest
from greeting import greet


class TestGreet(unittest.TestCase):
    def test_greet_says_{what}(self):
        self.assertIn({want!r}, greet('Ada'))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository without dependencies, so that nothing is downloaded; `fix` greets by name."""
    tree = tmp_path / "tree"
    (tree / "tests").mkdir(parents=True)
    git(tree, "init", "--quiet", "--initial-branch=main")
    (tree / "greeting.py").write_text(CODE)
    (tree / "tests" / "__init__.py").touch()
    (tree / "tests" / "test_hello.py").write_text(TEST.format(what="hello", want="hello"))
    _commit(tree, "Start")
    git(tree, "checkout", "--quiet", "-b", "fix")
    (tree / "greeting.py").write_text(FIXED)
    (tree / "tests" / "test_name.py").write_text(TEST.format(what="the_name", want="Ada"))
    _commit(tree, "Greet by name")
    return tree


def _commit(tree: Path, message: str) -> None:
    git(tree, "add", "--all")
    git(tree, "commit", "--quiet", "-m", message)


def test_a_public_pull_request_is_judged_by_its_address(
    world: World, tree: Path, tmp_path: Path
) -> None:
    bare = world.operator.repository(NewRepository("ada/public"))
    git(tree, "push", "--quiet", str(bare), "main", "fix")
    world.operator.refresh("ada/public")
    asked = "## Acceptance criteria\n\n- [ ] greet says the name\n"
    issue = world.operator.issue(world.ada, "ada/public", "Greet people by name", asked)
    number = world.operator.pull_request(
        world.ada, "ada/public", title="Greet", body=f"Fixes #{issue}", head="fix", base="main"
    )

    done = assay(tmp_path / "home", "judge", f"{world.web}/ada/public/pull/{number}")

    assert done.returncode == 0, done.stdout + done.stderr
    report = read_machine((tmp_path / "assay-report" / "report.json").read_bytes())
    assert "greet says the name" in {row.text for row in report.requirements}
    assert "Traceback" not in done.stderr


def test_a_folder_with_a_requirement_that_nothing_shows(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "task.md").write_text(
        "Greet by name\n\n- [ ] greet says the name\n- [ ] The logo becomes purple\n"
    )
    (tmp_path / "out").mkdir()
    done = assay(
        tmp_path / "home", "judge", str(tree), "--base", "main", "--task", "task.md", "--out", "out"
    )

    assert done.returncode == 3, done.stdout + done.stderr
    told = [line.split()[0] for line in done.stderr.splitlines() if line.endswith(" s")]
    # Without a model nobody deliberates; the PDF is printed when the verdict is out already.
    assert told == [stage for stage in STAGES if stage not in ("deliberate", "print")]
    assert "The logo becomes purple" in done.stdout
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    why = report["requirements"][-1]["reason"]
    assert why.split()[0] in done.stdout
    (symbol,) = report["impact"]["symbols"]
    assert (symbol["place"]["name"], symbol["how"]) == ("greet", "changed")
    assert {one["path"] for one in symbol["tests"]} == {"tests/test_hello.py", "tests/test_name.py"}
    for name in ("report.json", "report.md", "report.html"):
        assert str(Path("out") / name) in done.stdout
        assert (tmp_path / "out" / name).stat().st_size


def test_a_change_that_breaks_a_test_ends_with_one(tree: Path, tmp_path: Path) -> None:
    (tree / "greeting.py").write_text("def greet(name):\n    return f'good day {name}'\n")
    _commit(tree, "Be formal")
    done = assay(tmp_path / "home", "judge", str(tree), "--base", "main")

    assert done.returncode == 1, done.stdout + done.stderr
    assert "failure" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    (
        (("nowhere", "--base", "main"), "is not a folder"),
        (("empty", "--base", "main"), "is not a git repository"),
        (("tree", "--base", "mian"), "'mian' names no commit"),
        (("tree", "--base", "fix", "--head", "main"), "main has no new commits to judge"),
        (("tree", "--head", "fix", "--worktree"), "leave out --head"),
        (("tree", "--base", "main", "--task", "missing.md"), "does not exist"),
        (("https://github.com/owner/name",), "is no pull request's address"),
    ),
)
def test_a_wrong_command_line_ends_with_two_and_one_clear_error(
    tree: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "empty").mkdir()
    done = assay(tmp_path / "home", "judge", *arguments)

    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_sandbox_that_is_not_there_is_said(tree: Path, tmp_path: Path) -> None:
    done = assay(
        tmp_path / "home", "judge", str(tree), "--base", "main", ASSAY_SANDBOX="firecracker"
    )

    assert done.returncode == 2
    assert "firecracker" in done.stderr
    assert "assay doctor" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_pull_request_that_is_not_there_is_said(world: World, tmp_path: Path) -> None:
    done = assay(tmp_path / "home", "judge", f"{world.web}/ada/none/pull/9")

    assert done.returncode == 2
    assert "There is no pull request" in done.stderr
    assert "GITHUB_TOKEN" in done.stderr


@pytest.mark.slow
def test_the_token_goes_only_where_it_belongs(world: World, tree: Path, tmp_path: Path) -> None:
    bare = world.operator.repository(NewRepository("ada/closed", private=True))
    git(tree, "push", "--quiet", str(bare), "main", "fix")
    world.operator.refresh("ada/closed")
    number = world.operator.pull_request(
        world.ada, "ada/closed", title="Greet", head="fix", base="main"
    )
    address = f"{world.web}/ada/closed/pull/{number}"

    elsewhere = assay(tmp_path / "home", "judge", address, GITHUB_TOKEN=world.ada.token)
    ours = assay(
        tmp_path / "home", "judge", address, GITHUB_TOKEN=world.ada.token, GHE_HOST=world.web
    )

    assert elsewhere.returncode == 2
    assert "There is no pull request" in elsewhere.stderr
    assert ours.returncode in {0, 3}, ours.stderr
    kept = [path for path in (tmp_path / "home").rglob("*") if path.is_file()]
    assert not [path for path in kept if world.ada.token.encode() in path.read_bytes()]
