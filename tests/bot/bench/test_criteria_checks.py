"""`assay bench criteria` as people run it: on grades that were given, and grading anew."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bot.bench.criteria import GRADES, GradeRow, Quality, check, read_grades
from bot.cli import assay
from bot.errors import UserError
from tests.endpoint import Asked, Said, model_endpoint

pytest.importorskip("sklearn", reason="the extra `bench` is not installed")

BETTER, WORSE = Quality.BETTER, Quality.WORSE


def grades(
    criterion: str, thing: str, *points: float, quality: Quality = Quality.UNKNOWN, of: str = ""
) -> list[GradeRow]:
    return [
        GradeRow(criterion, "shop", thing, number, one, quality, of)
        for number, one in enumerate(points, start=1)
    ]


SEES = [
    *grades("sees", "good", 4, 4, 3, quality=BETTER),
    *grades("sees", "good, spoiled", 1, 1, 1, of="good"),
    *grades("sees", "bad", 1, 2, quality=WORSE),
]
BLIND = [
    *grades("blind", "good", 3, 3, quality=BETTER),
    *grades("blind", "good, spoiled", 3, 3, of="good"),
    *grades("blind", "bad", 3, 3, quality=WORSE),
]
WILD = [
    *grades("wild", "good", 4, 0, 0, 0, quality=BETTER),
    *grades("wild", "bad", 0, quality=WORSE),
]


def test_spread_and_discrimination_are_measured_by_criterion() -> None:
    blind, sees, wild = check([*SEES, *BLIND, *WILD])
    assert [one.criterion for one in (blind, sees, wild)] == ["blind", "sees", "wild"]
    assert sees.spread.things == 3
    assert sees.spread.deviation == pytest.approx((2**0.5 / 3 + 0 + 0.5) / 3)
    assert sees.spread.variation == pytest.approx((2**0.5 / 11 + 0 + 1 / 3) / 3)
    told = sees.discrimination
    assert (told.better, told.worse, told.auc, told.copies, told.seen) == (1, 1, 1.0, 1, 100.0)
    assert told.drop == pytest.approx(11 / 3 - 1)
    assert (blind.discrimination.auc, blind.discrimination.seen, blind.discrimination.drop) == (
        0.5,
        0,
        0,
    )
    assert wild.spread.variation == pytest.approx(3**0.5)
    assert wild.discrimination.drop is None


def test_grades_of_two_tasks_are_not_compared() -> None:
    easy = GradeRow("c", "easy", "bad", 1, 4.0, WORSE)
    hard = GradeRow("c", "hard", "good", 1, 1.0, BETTER)
    (found,) = check([easy, hard])
    assert found.discrimination.auc is None
    assert found.spread.variation is None


def test_two_gradings_are_compared_by_what_they_tell_apart(tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.jsonl" for name in ("before", "after", "alone")]
    renamed = [replace(one, criterion="sees") for one in BLIND]
    for file, rows in zip(files, ([*renamed, *WILD], [*SEES, *WILD[:1]], BLIND), strict=True):
        GRADES.write(file, rows)
    said = CliRunner().invoke(assay, ["bench", "compare", *map(str, files[:2])]).output
    assert "before.jsonl: 0 of 2 pairs with the better one above" in said
    assert "after.jsonl: 2 of 2 pairs with the better one above" in said
    assert "right  sees  shop: good above bad by 2.17 points, before 0.00" in said
    assert "Not compared: 1 pairs that one run lacks" in said
    assert "Right in the second only: 2; in the first only: 0" in said
    assert "McNemar's exact test: p = 0.500" in said
    apart = CliRunner().invoke(assay, ["bench", "compare", str(files[0]), str(files[2])])
    assert isinstance(apart.exception, UserError) and "in common" in str(apart.exception)


def run(home: Path, *arguments: str, **settings: str) -> Result:
    environment = {"ASSAY_HOME": str(home), "COLUMNS": "160", **settings}
    return CliRunner().invoke(assay, ["bench", "criteria", *arguments], env=environment)


def table(out: Path) -> dict[str, dict[str, str]]:
    with (out / "criteria.csv").open() as file:
        return {row["criterion"]: row for row in csv.DictReader(file)}


def test_a_folder_of_grades_is_checked(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    GRADES.write(tmp_path / "set/first.jsonl", [*SEES, *BLIND])
    GRADES.write(tmp_path / "set/second.jsonl", WILD)
    done = run(tmp_path / "home", str(tmp_path / "set"), "--out", str(tmp_path / "out"))
    assert done.exit_code == 0, done.output
    found = table(tmp_path / "out")
    assert {name: row["holds"] for name, row in found.items()} == {
        "blind": "no",
        "sees": "yes",
        "wild": "no",
    }
    assert found["wild"]["variation"] == "1.732"
    assert "Mean coefficient of variation: " in done.stdout
    pytest.importorskip("matplotlib")
    assert (tmp_path / "out/criteria.png").read_bytes().startswith(b"\x89PNG")


def test_what_is_no_grade_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no grades"):
        read_grades(tmp_path)
    file = tmp_path / "a.jsonl"
    GRADES.write(file, [SEES[0], SEES[0]])
    with pytest.raises(UserError, match="stands twice"):
        read_grades(tmp_path)
    for line in (
        '{"criterion": "c"}',
        '{"criterion": "c", "task": "t", "thing": "a", "grading": 1, "points": 9}',
    ):
        file.write_text(line + "\n")
        with pytest.raises(UserError, match="line 1, is no row"):
            read_grades(tmp_path)


# --- grading anew -----------------------------------------------------------------------------


def grader(asked: Asked) -> Said:
    """A grader who looks for the product, and likes every typography."""
    is_right = "return 2 * cents" in str(asked["messages"])
    values = ("right" if is_right else "wrong", "right")
    return Said(
        text=json.dumps({"grades": [{"criterion": n, "value": v} for n, v in enumerate(values, 1)]})
    )


@pytest.mark.real
def test_solutions_are_graded_anew_and_not_paid_for_twice(tmp_path: Path) -> None:
    task = tmp_path / "set/solutions/shop"
    for quality, body in (("better", "2 * cents"), ("worse", "cents")):
        (task / quality).mkdir(parents=True)
        (task / quality / "a.py").write_text(f"def price(cents):\n    return {body}\n")
    (task / "task.md").write_text("# Double the price\n")
    names = ("result", "typography")
    kept = [{"name": n, "description": n, "accepted_values": ["wrong", "right"]} for n in names]
    (tmp_path / "set/criteria.json").write_text(json.dumps({"criteria": kept}))
    arguments = (str(tmp_path / "set"), "--repeats", "2", "--out", str(tmp_path / "out"))
    with model_endpoint(grader) as endpoint:
        given = {"ASSAY_MODEL": "m", "ASSAY_MODEL_URL": endpoint.url}
        done = run(tmp_path / "home", *arguments, **given)
        assert done.exit_code == 0, done.output
        asked = len(endpoint.asked)
        assert run(tmp_path / "home", *arguments, **given).exit_code == 0
        assert len(endpoint.asked) == asked
    found = table(tmp_path / "out")
    result, typography = found["result"], found["typography"]
    assert (result["AUC"], result["drop"], result["holds"]) == ("1.000", "4.000", "yes")
    assert (typography["AUC"], typography["seen %"], typography["holds"]) == ("0.500", "0.0", "no")
    copies = [row for row in read_grades(tmp_path / "out") if row.of]
    assert {row.of for row in copies} == {"better/a.py"}
    assert len({row.thing for row in copies}) == int(result["copies"]) >= 2


def test_without_a_model_nothing_is_graded_anew(tmp_path: Path) -> None:
    done = run(tmp_path / "home", str(tmp_path), "--repeats", "2", ASSAY_MODEL="")
    assert isinstance(done.exception, UserError)
    assert "Grading needs a model" in done.exception.what
