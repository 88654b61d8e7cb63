"""`assay bench devai` as people run it: on the released data, and on data with every defect."""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from bot.cli import assay as command_line
from tests.bot.commands.running import ROOT, assay

_PLACES = [folder / "shared/data/devai" for folder in Path(__file__).parents[3:]]
DATA = next((place for place in _PLACES if place.is_dir()), _PLACES[0])
PEOPLE, AGENT = "human_as_a_judge", "agent_as_a_judge/gray_box"
Table = dict[tuple[str, str], dict[str, str]]

pytestmark = pytest.mark.real


@dataclass(frozen=True, slots=True)
class Ran:
    said: str
    out: Path

    def table(self, name: str) -> Table:
        with (self.out / f"{name}.csv").open(encoding="utf-8") as lines:
            return {(row["system"], row["judge"]): row for row in csv.DictReader(lines)}

    def defects(self) -> dict[str, int]:
        """How often each is named on the terminal."""
        end = self.said.partition("What is wrong with the data:\n")[2].splitlines()
        counted = (line.split(maxsplit=1) for line in end[:-1:2])
        return {what: int(times) for times, what in counted}


def measured(data: Path, folder: Path, *words: str) -> Ran:
    """Runs the command in this process: its libraries take longer to load than it takes."""
    out = folder / "out"
    command = ["bench", "devai", str(data), "--out", str(out), *words]
    done = CliRunner().invoke(command_line, command, env={"COLUMNS": "120"})
    assert (done.exit_code, done.stderr) == (0, ""), done.output
    return Ran(done.stdout, out)


# --- the released data -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    if not DATA.is_dir():
        pytest.skip(f"the shared data is not here: {DATA}")
    return measured(DATA, tmp_path_factory.mktemp("devai"))


class TestReleased:
    """The numbers of the paper's tables 2 and 3, which cuts digits off where this rounds."""

    @pytest.mark.parametrize(
        ("system", "shares"),
        [
            ("MetaGPT", ("22.13", "6.56", "0.00", "41.82")),
            ("GPT-Pilot", ("44.54", "28.96", "9.09", "5.45")),  # the paper: 44.80 and 1.81
            ("OpenHands", ("42.90", "28.69", "1.82", "54.55")),
        ],
    )
    def test_what_people_say(self, released: Ran, system: str, shares: tuple[str, ...]) -> None:
        row = released.table("scores")[system, PEOPLE]
        assert (row["judged"], row["tasks"]) == ("366", "55")
        named = ("met (I) %", "met (D) %", "solved %", "ended %")
        assert tuple(row[name] for name in named) == shares
        assert (row["shift (I)"], row["shift (D)"], row["shift solved"]) == ("", "", "")

    @pytest.mark.parametrize(
        ("system", "shares", "shifts"),
        [
            ("MetaGPT", ("23.50", "6.01", "0.00"), ("1.37", "0.55", "0.00")),
            ("GPT-Pilot", ("46.45", "30.60", "5.45"), ("1.91", "1.64", "3.64")),
            ("OpenHands", ("43.44", "28.14", "3.64"), ("0.55", "0.55", "1.82")),
        ],
    )
    def test_what_the_agent_says_and_how_far_it_is_off(
        self, released: Ran, system: str, shares: tuple[str, ...], shifts: tuple[str, ...]
    ) -> None:
        row = released.table("scores")[system, AGENT]
        assert (row["met (I) %"], row["met (D) %"], row["solved %"]) == shares
        assert (row["shift (I)"], row["shift (D)"], row["shift solved"]) == shifts

    @pytest.mark.parametrize(
        ("system", "counts", "alignment"),
        [
            ("MetaGPT", ("69", "17", "12", "268"), "92.08"),
            ("GPT-Pilot", ("142", "28", "21", "175"), "86.61"),
            ("OpenHands", ("140", "19", "17", "190"), "90.16"),
            ("all", ("351", "64", "50", "633"), "89.62"),
        ],
    )
    def test_how_they_agree(
        self, released: Ran, system: str, counts: tuple[str, ...], alignment: str
    ) -> None:
        row = released.table("agreement")[system, AGENT]
        named = ("both met", "only judge", "only reference", "both unmet")
        assert tuple(row[name] for name in named) == counts
        assert row["alignment %"] == alignment
        assert alignment in released.said

    def test_the_defects_are_named_once_and_counted(self, released: Ran) -> None:
        assert released.defects() == {
            "a preference is not judged; preferences are not counted": 750,
            "the requirement is worded differently in the instance": 119,
            "a requirement is its own prerequisite; that is passed over": 14,
            "the category is none of DevAI's eight": 7,
            "the judgment has not as many requirements as the instance; the judgment's count": 6,
            "a requirement has no category": 4,
            "`name` is not the name of the file; the file's counts": 3,
            "`satisfied_all_requirements` contradicts the requirements; these count": 1,
        }
        assert "55 instances with 365 requirements; 3 systems, 2 judges." in released.said

    def test_two_judges_are_compared_by_a_paired_test(self, released: Ran, tmp_path: Path) -> None:
        one = released.out / "agent_as_a_judge-gray_box.jsonl"
        rows = [json.loads(line) for line in one.read_text().splitlines()]
        assert len(rows) == 1098
        wrong = [row for row in rows[1:] if row["satisfied"] is not row["reference"]]
        right = [row for row in rows[1:] if row["satisfied"] is row["reference"]]
        for row in (*wrong[:9], *right[:2]):  # nine are mended, two spoiled
            row["satisfied"] = not row["satisfied"]
        other = tmp_path / "other.jsonl"
        other.write_text("".join(json.dumps({**row, "judge": "other"}) + "\n" for row in rows[1:]))
        done = assay(tmp_path / "home", "bench", "compare", str(one), str(other))
        assert done.returncode == 0, done.stderr
        assert "11 of 1097 verdicts changed\n" in done.stdout
        assert len([line for line in done.stdout.splitlines() if line.startswith("  right")]) == 9
        assert "Not compared: 1 requirements, because one run lacks them" in done.stdout
        assert "Right in the second only: 9; in the first only: 2\n" in done.stdout
        if find_spec("scipy"):
            assert "McNemar's exact test: p = 0.065\n" in done.stdout

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("system", "measures", "interval"),
        [
            ("MetaGPT", ("0.775", "0.802", "0.852", "0.826", "0.716"), ("88.85", "94.43")),
            ("GPT-Pilot", ("0.730", "0.835", "0.871", "0.853", "0.785"), ("82.74", "89.72")),
            ("OpenHands", ("0.800", "0.881", "0.892", "0.886", "0.832"), ("86.68", "92.81")),
        ],
    )
    def test_what_libraries_measure(
        self, released: Ran, system: str, measures: tuple[str, ...], interval: tuple[str, str]
    ) -> None:
        pytest.importorskip("krippendorff", reason="the extra `bench` is not installed")
        row = released.table("agreement")[system, AGENT]
        names = ("kappa", "precision", "recall", "F1", "AP")
        assert tuple(row[name] for name in names) == measures
        assert abs(float(row["alpha"]) - float(row["kappa"])) <= 0.001
        assert (row["95 % from"], row["to"]) == interval
        with (released.out / "precision-recall.csv").open() as lines:
            points = [row for row in csv.DictReader(lines) if row["system"] == system]
        assert [point["recall"] for point in points] == ["1.000", measures[2], "0.000"]
        assert [point["precision"] for point in points][1:] == [measures[1], "1.000"]
        assert (released.out / "precision-recall.png").read_bytes().startswith(b"\x89PNG")


# --- data with defects -----------------------------------------------------------------------


def requirement(number: object, satisfied: object, *prerequisites: object) -> dict[str, object]:
    return {
        "requirement_id": number,
        "prerequisites": list(prerequisites),
        "criteria": f"{number} is done.",
        "category": "Other",
        "satisfied": satisfied,
    }


@dataclass(frozen=True, slots=True)
class Data:
    """Two tasks, one system, people and a judge who agree: 0 met; 1 met after 0; 2 not met."""

    folder: Path

    def path(self, judge: str, task: str = "one") -> Path:
        return self.folder / "judgment" / "Ada" / judge / f"{task}.json"

    def write(self, path: Path, *requirements: object, **keys: object) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"name": path.stem, "requirements": list(requirements), **keys}
        path.write_text(json.dumps(content))


@pytest.fixture
def data(tmp_path: Path) -> Data:
    made = Data(tmp_path / "data")
    for task in ("one", "two"):
        for satisfied, path in (
            (None, made.folder / "instances" / f"{task}.json"),
            (True, made.path(PEOPLE, task)),
            (True, made.path("robot", task)),
        ):
            last = None if satisfied is None else False
            rows = (requirement(0, satisfied), requirement(1, satisfied, 0), requirement(2, last))
            made.write(path, *rows)
    return made


def test_data_without_defects(data: Data, tmp_path: Path) -> None:
    ran = measured(data.folder, tmp_path)
    assert "The data has no defects.\n" in ran.said
    row = ran.table("scores")["Ada", "robot"]
    assert (row["judged"], row["met (I) %"], row["met (D) %"]) == ("6", "66.67", "66.67")
    assert ran.table("agreement")["Ada", "robot"]["alignment %"] == "100.00"


def rows_of(*rows: object, **keys: object) -> Callable[[Data], None]:
    return lambda data: data.write(data.path("robot"), *rows, **keys)


def content_of(content: bytes) -> Callable[[Data], None]:
    return lambda data: void(data.path("robot").write_bytes(content))


def void(_: object) -> None:
    return None


def no_instances(data: Data) -> None:
    shutil.rmtree(data.folder / "instances")


def copied_to(*to: str) -> Callable[[Data], None]:
    def copy(data: Data) -> None:
        target = data.folder.joinpath(*to)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data.path("robot"), target)

    return copy


MET, AFTER, UNMET = requirement(0, True), requirement(1, True, 0), requirement(2, False)
LEFT_OUT = {"a task of the instances has no judgment"}

# what is done to the judgment of "one" by "robot": what is named, and (judged, met, with prerequisites)
DEFECTS: dict[str, tuple[Callable[[Data], None], set[str], tuple[int, int, int]]] = {
    "missing": (lambda data: data.path("robot").unlink(), LEFT_OUT, (3, 2, 2)),
    "not JSON": (content_of(b'{"name": "one", '), {"the file is not JSON", *LEFT_OUT}, (3, 2, 2)),
    "no UTF-8": (content_of(b'{"name": "\xff"}'), {"the file is not JSON", *LEFT_OUT}, (3, 2, 2)),
    "nested": (content_of(b"[" * 200_000), {"the file is not JSON", *LEFT_OUT}, (3, 2, 2)),
    "huge": (content_of(b" " * 5_000_001), {"the file is not JSON", *LEFT_OUT}, (3, 2, 2)),
    "a list": (content_of(b"[]"), {"the file has no list", *LEFT_OUT}, (3, 2, 2)),
    "a text": (rows_of(requirements="0"), {"the file has no list", *LEFT_OUT}, (3, 2, 2)),
    "a folder": (
        lambda data: (data.path("robot").unlink(), data.path("robot").mkdir())[1],
        {"the file is not JSON", *LEFT_OUT},
        (3, 2, 2),
    ),
    "a pipe": (
        lambda data: (data.path("robot").unlink(), os.mkfifo(data.path("robot")))[1],
        {"the file is not JSON", *LEFT_OUT},
        (3, 2, 2),
    ),
    "a name that is no text": (
        lambda data: void([data.path("robot").rename(data.path("robot", "one\udcff")),
                           (data.folder / "instances/one.json").rename(
                               data.folder / "instances/one\udcff.json"),
                           data.path(PEOPLE).rename(data.path(PEOPLE, "one\udcff"))]),
        {"`name` is not"}, (6, 4, 4)),
    "twice": (
        rows_of(MET, AFTER, requirement(0, False)),
        {"a requirement stands twice", "the judgment has not as many"},
        (5, 4, 4),
    ),
    "key twice": (
        content_of(json.dumps({"name": "one", "requirements": [MET, AFTER, UNMET]}).encode()
                   .replace(b'"satisfied": false', b'"satisfied": true, "satisfied": false')),
        {"a key stands twice"}, (6, 4, 4)),
    "words for a verdict": (
        rows_of(requirement(0, "true"), AFTER, requirement(2, 1)),
        {"`satisfied` is neither"}, (4, 3, 2)),
    "no requirements": (
        rows_of(MET, AFTER, UNMET, 5, None, requirement("0", True), requirement(True, True)),
        {"a requirement is no object"}, (6, 4, 4)),
    "odd prerequisites": (
        rows_of(MET, requirement(1, True, 0, "2", 1.5), {**UNMET, "prerequisites": "0"}),
        {"`prerequisites` is no list"}, (6, 4, 4)),
    "own and unknown prerequisites": (
        rows_of(requirement(0, True, 0), requirement(1, True, 7), requirement(2, False)),
        {"a requirement is its own", "a prerequisite does not exist", "the prerequisites are others"},
        (6, 4, 3)),
    "cycle": (
        rows_of(requirement(0, True, 1), AFTER, UNMET),
        {"requirements are prerequisites of each", "the prerequisites are others"}, (6, 4, 4)),
    "categories": (
        rows_of({**MET, "category": ["Other"]}, {**AFTER, "category": "Othr"},
                {**UNMET, "category": None}),
        {"the category is none", "a requirement has no category"}, (6, 4, 4)),
    "fewer": (rows_of(MET, AFTER), {"the judgment has not as many"}, (5, 4, 4)),
    "another text and name": (
        rows_of({**MET, "criteria": "Else."}, AFTER, UNMET, name=["one"]),
        {"the requirement is worded", "`name` is not"}, (6, 4, 4)),
    "preferences and flag": (
        rows_of(MET, AFTER, UNMET, preferences=[{"satisfied": None}, 3],
                satisfied_all_requirements=True),
        {"a preference is not judged", "`satisfied_all_requirements`"}, (6, 4, 4)),
    "a second file": (
        copied_to("judgment", "Ada", "robot", "one (1).json"), {"a second file for one task"},
        (6, 4, 4)),
    "stray": (copied_to("judgment", "Ada", "one.json"), {"the file is not in"}, (6, 4, 4)),
    "unknown task": (
        lambda data: data.write(data.path("robot", "three"), MET),
        {"the judged task is not"}, (6, 4, 4)),
    "no instances": (no_instances, {"there are no instances"}, (6, 4, 4)),
    "no reference": (
        lambda data: data.write(data.folder / "judgment/[red]Eve\x1b[31m/robot/one.json",
                                MET, AFTER, UNMET),
        {"the system was not judged", *LEFT_OUT}, (6, 4, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_named_and_what_is_sound_is_counted(
    data: Data, tmp_path: Path, name: str
) -> None:
    spoil, wanted, counts = DEFECTS[name]
    spoil(data)
    ran = measured(data.folder, tmp_path)
    named = set(ran.defects())
    for begin in wanted:
        assert [what for what in named if what.startswith(begin)], ran.said
    assert all(what.startswith(tuple(wanted)) for what in named), ran.said
    row = ran.table("scores")["Ada", "robot"]
    judged, met, with_prerequisites = counts
    assert row["judged"] == str(judged)
    assert row["met (I) %"] == f"{100 * met / judged:.2f}"
    assert row["met (D) %"] == f"{100 * with_prerequisites / judged:.2f}"
    assert "\x1b[31m" not in ran.said


def test_what_one_of_them_did_not_judge_is_no_pair(data: Data, tmp_path: Path) -> None:
    data.write(data.path("robot"), requirement(0, None), requirement(1, False, 0), UNMET)
    row = measured(data.folder, tmp_path).table("agreement")["Ada", "robot"]
    assert (row["pairs"], row["only reference"], row["alignment %"]) == ("5", "1", "80.00")


def test_another_judge_may_be_the_reference(data: Data, tmp_path: Path) -> None:
    data.write(data.path("robot"), MET, requirement(1, False, 0), UNMET)
    ran = measured(data.folder, tmp_path, "--reference", "robot")
    row = ran.table("agreement")["Ada", PEOPLE]
    assert (row["pairs"], row["only judge"]) == ("6", "1")


def test_without_the_extra_the_counts_are_there_and_it_is_named(data: Data, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['sklearn'] = None\n")
    words = ("bench", "devai", str(data.folder), "--out", str(tmp_path / "out"))
    done = assay(tmp_path / "home", *words, PYTHONPATH=f"{tmp_path}:{ROOT}")
    ran = Ran(done.stdout, tmp_path / "out")
    assert ran.table("agreement")["Ada", "robot"]["alignment %"] == "100.00"
    assert "install the extra `bench`: .venv/bin/pip install --no-deps -r" in ran.said


@pytest.mark.slow
def test_what_is_not_defined_is_left_empty(data: Data, tmp_path: Path) -> None:
    pytest.importorskip("krippendorff", reason="the extra `bench` is not installed")
    for judge in (PEOPLE, "robot"):
        for task in ("one", "two"):
            data.write(data.path(judge, task), *(requirement(n, False) for n in range(3)))
    row = measured(data.folder, tmp_path).table("agreement")["Ada", "robot"]
    assert row["alignment %"] == "100.00"
    assert [row[name] for name in ("kappa", "alpha", "precision", "recall", "F1", "AP")] == [""] * 6


@pytest.mark.parametrize("content", ["empty", "broken"])
def test_a_folder_without_judgments_ends_with_2(tmp_path: Path, content: str) -> None:
    folder = tmp_path / "data"
    (folder / "judgment/Ada/robot").mkdir(parents=True)
    if content == "broken":
        (folder / "judgment/Ada/robot/one.json").write_text("{")
    done = assay(tmp_path / "home", "bench", "devai", str(folder))
    assert done.returncode == 2
    assert done.stderr.startswith(f"assay: {folder} has no judgment that can be read.\n")
