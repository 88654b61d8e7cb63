"""`assay criteria` as people run it, with a model's endpoint on loopback; and what is kept is read again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.cli import criteria
from bot.errors import UserError
from bot.task.kept_criteria import read_kept
from bot.values import Criterion
from tests.bot.commands.running import assay
from tests.endpoint import Asked, Said, model_endpoint
from tests.sandbox.repositories import Repository

pytestmark = pytest.mark.real
GOOD = "def price(cents):\n    return 2 * cents\n"
VALUES = ["wrong", "right"]


def answer(asked: Asked) -> Said:
    """A critic with one criterion that sees and one that is blind; a grader who looks for the product."""
    text = str(asked["messages"])
    if "You propose criteria" in text:
        names = ("result", "typography")
        proposed = [{"name": n, "description": n, "accepted_values": VALUES} for n in names]
        return Said(text=json.dumps({"criteria": proposed}))
    is_good = "return 2 * cents" in text
    values = ("right" if is_good else "wrong", "right")
    grades = [{"criterion": n, "value": v} for n, v in enumerate(values, 1)]
    return Said(text=json.dumps({"grades": grades}))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "task.md").write_text("# Double the price\n")
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text("def price(cents):\n    return cents\n")
    return tmp_path


def find(place: Path, *arguments: str, **settings: str) -> Result:
    """Run the command in this process, which has the model's library loaded already."""
    environment = {"ASSAY_HOME": str(place / "home"), **settings}
    return CliRunner().invoke(criteria, arguments[1:], env=environment)


def options(place: Path, good: str = "good.py", bad: str = "bad.py") -> list[str]:
    named = {"task": "task.md", "good": good, "bad": bad, "out": "kept/price.json"}
    paths = {n: str(place / v) if "." in v else v for n, v in named.items()}
    return ["criteria", "--repeats=2", *(f"--{name}={value}" for name, value in paths.items())]


def test_without_a_model_it_says_what_is_missing(place: Path) -> None:
    done = assay(place / "home", *options(place))
    assert done.returncode == 2
    assert done.stderr == "assay: Criteria need a model: set ASSAY_MODEL (see README).\n"
    assert not (place / "kept").exists()


def test_what_holds_is_kept_from_files_and_from_branches(place: Path) -> None:
    repository = Repository(place / "repository")
    repository.commit({"shop.py": "\n"})
    for name in ("good", "bad"):
        repository.git("checkout", "--quiet", "-b", name, "main")
        repository.commit({"shop.py": (place / f"{name}.py").read_text()})
    with model_endpoint(answer) as endpoint:
        given = {"ASSAY_MODEL": "m", "ASSAY_MODEL_URL": endpoint.url}
        done = find(place, *options(place), **given)
        assert done.exit_code == 0, done.output
        assert "result: kept" in done.stdout
        assert "typography: left out: It does not see a damaged solution as worse." in done.stdout
        kept = place / "kept" / "price.json"
        (criterion,) = read_kept(kept.read_bytes(), "price.json")
        assert criterion == Criterion("result", "result", ("wrong", "right"))
        stored = json.loads(kept.read_text())
        assert stored["task"] == "Double the price"
        assert [stored["criteria"][0][n] for n in ("good", "bad", "damaged")] == [4.0, 0.0, 0.0]
        kept.unlink()
        asked = len(endpoint.asked)
        repository_option = f"--repository={repository.folder}"
        branches = [*options(place, "good", "bad"), repository_option]
        done = find(place, *branches, **given)
        assert done.exit_code == 0, done.output
        assert kept.exists()
        assert any("+def price" in str(one["messages"]) for one in endpoint.asked[asked:])
        done = find(place, *options(place, "good"), repository_option, **given)
        assert done.exit_code == 2
        assert "needs --base" in done.stderr


def test_nothing_that_holds_writes_nothing(place: Path) -> None:
    with model_endpoint(lambda asked: Said(text="I would rather not.")) as endpoint:
        given = {"ASSAY_MODEL": "m", "ASSAY_MODEL_URL": endpoint.url}
        done = find(place, *options(place), **given)
    assert isinstance(done.exception, UserError)
    assert "No criteria were found." in done.exception.what
    assert not (place / "kept").exists()


@pytest.mark.parametrize(
    "text",
    [
        "not json",
        "[]",
        '{"criteria": [{"name": "a", "description": "b", "accepted_values": ["one"]}]}',
        '{"criteria": [{"name": "a", "description": "b", "accepted_values": ["x", "X"]}]}',
        '{"criteria": [], "more": "secret-value"}',
    ],
)
def test_a_kept_file_that_is_wrong_is_one_clear_error(text: str) -> None:
    with pytest.raises(UserError, match=r"kept\.json on the base branch cannot be used") as caught:
        read_kept(text.encode(), "kept.json")
    assert "secret-value" not in str(caught.value)
