"""`assay bench patches` and `compare` as people run them: labelled pull requests of real repositories."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml

from bot.bench.cases import CaseKind, Label, read_cases
from bot.bench.merges import Workbench
from bot.bench.patches import ROWS, CaseRow, read_rows
from bot.bench.trial import JudgedCopy
from bot.errors import UserError
from bot.values import ABLATED, Conclusion, Part
from tests.bot.commands.running import ROOT, assay, running_assay
from tests.sandbox.repositories import Repository

PRICE = "def price(cents):\n    return {}\n\n\ndef name():\n    return {!r}\n"
TESTS = """import unittest

import shop


class {}(unittest.TestCase):
    def test_{}(self):
        self.assertEqual({})
"""
TASK = "The price is doubled\n\n- [ ] `price` returns twice the cents\n"
HALF = """--- a/shop.py
+++ b/shop.py
@@ -1,3 +1,3 @@
 def price(cents):
-    return 2 * cents
+    return cents

"""
RENAMED = """--- a/shop.py
+++ b/shop.py
@@ -5,2 +5,2 @@
 def name():
-    return 'shop'
+    return 'shoe'
"""
ELSEWHERE = "--- a/none.py\n+++ b/none.py\n@@ -1 +1 @@\n-1\n+2\n"
NOWHERE = "0" * 40
KILLED_AFTER_S = 300


@dataclass(frozen=True, slots=True)
class Shop:
    """A repository with one merge, beside the folder of its set."""

    repository: Repository
    base: str
    head: str
    folder: Path

    def write(self, *cases: dict[str, object], name: str = "shop.yml", **keys: object) -> Path:
        self.folder.mkdir(exist_ok=True)
        content = {"repository": "../repository", "cases": list(cases), **keys}
        (self.folder / name).write_text(yaml.safe_dump(content, sort_keys=False))
        return self.folder

    def right(self, **keys: object) -> dict[str, object]:
        entry = {"id": "doubled", "label": "right", "kind": "merge", "task": TASK}
        return {**entry, "base": self.base, "head": self.head, **keys}


def open_shop(folder: Path) -> Shop:
    repository = Repository(folder / "repository")
    hello = TESTS.format("Name", "name", "shop.name(), 'shop'")
    base = repository.commit({"shop.py": PRICE.format("cents", "shop"), "test_name.py": hello})
    double = TESTS.format("Price", "price_returns_twice_the_cents", "shop.price(4), 8")
    change = {"shop.py": PRICE.format("2 * cents", "shop"), "test_price.py": double}
    return Shop(repository, base, repository.commit(change, "Double the price"), folder / "set")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return open_shop(tmp_path)


# --- a run that was killed, and went on ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ran:
    before: tuple[CaseRow, ...]
    after: tuple[CaseRow, ...]
    said: str
    code: int
    out: Path
    home: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("patches")
    shop = open_shop(folder)
    wrong = {"label": "wrong", "of": "doubled"}
    shop.write(
        shop.right(),
        {"id": "not-prepared", "kind": "half", "delta": "elsewhere.patch", **wrong},
        {"id": "no-such-commit", "kind": "merge", "label": "right", "base": shop.base, "head": NOWHERE},
        {"id": "half", "kind": "half", "delta": "half.patch", **wrong},
        {"id": "called-wrong", "kind": "special-cased", "description": "Twice.", **wrong},
        {"id": "called-right", "kind": "refactoring", "label": "right", "of": "doubled",
         "delta": "renamed.patch"},
        {"id": "set-aside", "kind": "half", "held_out": True, "delta": "half.patch", **wrong},
    )  # fmt: skip
    for name, delta in (("half", HALF), ("renamed", RENAMED), ("elsewhere", ELSEWHERE)):
        (shop.folder / f"{name}.patch").write_text(delta)
    home, out = folder / "home", folder / "rows.jsonl"
    with running_assay(home, "bench", "patches", "set", "--out", out.name) as process:
        end = time.monotonic() + KILLED_AFTER_S
        while not (out.exists() and b"\n" in out.read_bytes()) and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.1)
        process.kill()
    before = read_rows(out)
    with out.open("a") as lines:
        lines.write('{"case":"half","reposi')  # what a run leaves that was killed while it wrote
    again = assay(home, "bench", "patches", "set", "--out", out.name, "--jobs", "2")
    assert not again.stderr
    return Ran(before, read_rows(out), again.stdout, again.returncode, out, home)


real = [pytest.mark.real, pytest.mark.slow]


class TestARun:
    pytestmark = real

    def test_goes_on_where_it_was_killed(self, ran: Ran) -> None:
        assert ran.before and ran.before[0].case == "doubled"
        lines = [line for line in ran.out.read_text().splitlines() if '"case":"doubled"' in line]
        assert len(lines) == 1
        settled = sum(row.is_settled for row in ran.before)  # what was not prepared is tried again
        assert f"{settled} of 6 cases are judged in rows.jsonl already." in ran.said

    def test_judges_each_case_on_its_own_sides(self, ran: Ran) -> None:
        ended = {row.case: row.judged and row.judged.conclusion for row in ran.after}
        assert ended == {
            "doubled": Conclusion.SUCCESS,
            "called-wrong": Conclusion.SUCCESS,
            "half": Conclusion.FAILURE,
            "called-right": Conclusion.FAILURE,
            "not-prepared": None,
            "no-such-commit": None,
        }

    def test_counts_by_kind(self, ran: Ran) -> None:
        table = [line.split() for line in ran.said.splitlines()]
        assert ["right", "merge", "2", "1", "0", "0", "1"] in table
        assert ["right", "refactoring", "1", "0", "1", "0", "0"] in table
        assert ["wrong", "half", "2", "0", "1", "0", "1"] in table
        assert ["wrong", "special-cased", "1", "1", "0", "0", "0"] in table
        assert ["wrong", "all", "3", "1", "1", "0", "1"] in table

    def test_names_what_is_wrong_and_why(self, ran: Ran) -> None:
        assert "Wrong successes: called-wrong\n" in ran.said
        assert "Right ones stopped: called-right\n" in ran.said
        assert re.search(r"\n  called-right: failure by \w+: B2 ", ran.said)
        assert "Not prepared: not-prepared, no-such-commit\n" in ran.said
        assert ran.code == 1

    def test_says_what_could_not_be_prepared(self, ran: Ran) -> None:
        errors = {row.case: row.error for row in ran.after if row.error}
        assert set(errors) == {"not-prepared", "no-such-commit"}
        assert errors["not-prepared"].startswith("elsewhere.patch does not apply: ")
        assert errors["no-such-commit"].endswith(f"has no commit {NOWHERE}.")

    def test_leaves_out_what_is_set_aside(self, ran: Ran) -> None:
        assert "set-aside" not in ran.said
        done = assay(ran.home, "bench", "patches", "set", "--held-out", "--out", "aside.jsonl")
        assert [row.case for row in read_rows(ran.out.with_name("aside.jsonl"))] == ["set-aside"]
        assert done.returncode == 0, done.stdout

    def test_judges_again_what_changed_since(self, ran: Ran) -> None:
        patch = ran.home.parent / "set" / "elsewhere.patch"
        patch.write_text(HALF)
        try:
            assay(ran.home, "bench", "patches", "set", "--out", ran.out.name)
        finally:
            patch.write_text(ELSEWHERE)
        newest = {row.case: row for row in read_rows(ran.out)}
        assert newest["not-prepared"].judged
        assert newest["not-prepared"].inputs != ran.after[1].inputs
        assert newest["half"] in ran.after

    def test_a_run_without_a_part_has_rows_of_its_own(self, ran: Ran) -> None:
        arguments = ("bench", "patches", "set", "--case", "doubled", "--without", "graph")
        done = assay(ran.home, *arguments)
        assert done.returncode == 0, done.stdout
        assert "Without graph.\nRows: patches-without-graph.jsonl; the table: " in done.stdout
        (row,) = read_rows(ran.out.with_name("patches-without-graph.jsonl"))
        assert row.without == (Part.GRAPH,)
        assert row.judged
        assert row.judged.conclusion is Conclusion.SUCCESS
        assert any(
            one.rule == ABLATED and one.conclusion is Conclusion.ACTION_REQUIRED
            for one in row.judged.reasons
        )
        assert "1 of 1 cases are judged" in assay(ran.home, *arguments).stdout
        both = assay(ran.home, "bench", "compare", ran.out.name, "patches-without-graph.jsonl")
        assert "patches-without-graph.jsonl: no model; without graph; code " in both.stdout
        assert "0 of 1 cases changed" in both.stdout


# --- what needs no judgement -----------------------------------------------------------------


BROKEN = {
    "a key that is not known": ({"labels": "right"}, r"cases\[0\]\.labels: "),
    "a kind that is not known": ({"kind": "odd"}, r"cases\[0\]\.kind: must be 'merge'"),
    "no label": ({"label": None}, r"cases\[0\]\.label: "),
    "a branch": ({"base": "main"}, r"cases\[0\]\.base: "),
    "no head": ({"head": None}, r"the case doubled: it needs `head`, `delta`, or both"),
    "no base": ({"base": None}, r"the case doubled: `base` is required"),
    "a delta outside": ({"delta": "../repository/shop.py"}, "names no file of the set"),
    "a number as text": ({"task": 5}, r"cases\[0\]\.task: "),
    "of nobody": ({"of": "none"}, r"`of` of the case doubled must name a case of this file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_set_that_is_wrong_is_told_with_file_line_and_key(shop: Shop, name: str) -> None:
    keys, wanted = BROKEN[name]
    shop.write({"id": "doubled", **keys, **shop.right(**keys)})
    with pytest.raises(UserError) as told:
        read_cases(shop.folder)
    assert re.search(rf"set/shop\.yml, line \d+: .*{wanted}", told.value.what), told.value.what


def test_a_copy_is_the_same_commit_each_time_of_the_time_of_its_original(shop: Shop) -> None:
    delta = shop.folder.with_name("half.patch")
    delta.write_text(HALF)
    benches = [Workbench(shop.repository.folder, shop.folder.with_name(one)) for one in ("a", "b")]
    copies = {bench.applied(shop.head, delta, "Double the price") for bench in benches}
    assert len(copies) == 1 and shop.head not in copies
    told = ("-C", str(benches[0].folder), "log", "-1", "--format=%cI")
    assert shop.repository.git(*told, *copies) == shop.repository.git(*told, shop.head)


def test_a_copy_has_the_issue_of_its_original(shop: Shop) -> None:
    copy = {"id": "copy", "of": "doubled", "label": "wrong", "kind": "half", "description": "d"}
    shop.write(shop.right(issue=7), copy)
    assert [case.issue for case in read_cases(shop.folder)] == [7, 7]
    inputs = [case.inputs() for case in read_cases(shop.folder)]
    shop.write(shop.right(), copy)
    assert all(a != b.inputs() for a, b in zip(inputs, read_cases(shop.folder), strict=True))


def test_ids_are_unique_in_the_whole_set(shop: Shop) -> None:
    shop.write(shop.right())
    shop.write(shop.right(), name="other.yml")
    with pytest.raises(UserError, match="the id doubled stands for two cases"):
        read_cases(shop.folder)


@pytest.mark.real
def test_a_wrong_set_ends_with_2(shop: Shop) -> None:
    shop.write(shop.right(kind="odd"))
    done = assay(shop.folder.parent / "home", "bench", "patches", "set")
    assert done.returncode == 2
    assert done.stderr.startswith("assay: set/shop.yml, line 5: cases[0].kind: must be 'merge', ")


@pytest.mark.real
def test_a_file_of_something_else_is_not_written_to(shop: Shop) -> None:
    shop.write(shop.right(head=NOWHERE))
    notes = shop.folder.parent / "notes.txt"
    notes.write_text("mine\n")
    done = assay(shop.folder.parent / "home", "bench", "patches", "set", "--out", "notes.txt")
    assert done.returncode == 2 and "notes.txt, line 1, is no row" in done.stderr
    assert notes.read_text() == "mine\n"


@contextmanager
def web(folder: Path) -> Iterator[str]:
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def published(shop: Shop, at: Path) -> None:
    subprocess.run(
        ["git", "clone", "--quiet", "--bare", str(shop.repository.folder), str(at)], check=True
    )
    subprocess.run(["git", "-C", str(at), "update-server-info"], check=True)


@pytest.mark.real
def test_a_repository_is_fetched_once_by_its_address(shop: Shop) -> None:
    place = shop.folder.parent
    published(shop, place / "www" / "ada" / "shop.git")
    with web(place / "www") as address:
        shop.write(shop.right(head=NOWHERE), repository=f"{address}/ada/shop.git")
        done = assay(place / "home", "bench", "patches", "set")
        assert f"{address}/ada/shop.git has no commit {NOWHERE}." in done.stdout, done.stdout
    again = assay(place / "home", "bench", "patches", "set", "--out", "again.jsonl")
    assert "has no commit" in again.stdout
    assert done.returncode == again.returncode == 1


@pytest.mark.slow
@pytest.mark.real
def test_a_folder_of_clones_is_used_before_the_network(shop: Shop) -> None:
    place = shop.folder.parent
    shop.write(shop.right(head=NOWHERE), repository="https://example.invalid/ada/shop")
    for name in ("one/ada/shop", "two/ada+shop", "three/ada/shop.git"):
        published(shop, place / name)
    for clones in ("one", "two", "three"):
        done = assay(
            place / "home",
            "bench",
            "patches",
            "set",
            "--clones",
            clones,
            "--out",
            f"{clones}.jsonl",
        )
        assert "has no commit" in done.stdout, done.stdout


@pytest.mark.real
def test_without_models_none_is_asked_and_named(shop: Shop) -> None:
    shop.write(shop.right(head=NOWHERE))
    home = shop.folder.parent / "home"
    model = {"ASSAY_MODEL": "judge-1", "ASSAY_MODEL_URL": "http://127.0.0.1:9/v1"}
    assay(home, "bench", "patches", "set", **model)
    assay(home, "bench", "patches", "set", "--without-models", **model)
    rows = [read_rows(home.with_name(f"patches{end}.jsonl")) for end in ("-with-models", "")]
    assert [row.models for [row] in rows] == ["judge-1", ""]


# --- two runs --------------------------------------------------------------------------------

SUCCESS, FAILURE, ASKED = Conclusion.SUCCESS, Conclusion.FAILURE, Conclusion.ACTION_REQUIRED


def row(case: str, label: Label, ended: Conclusion, inputs: str = "1") -> CaseRow:
    judged = JudgedCopy(ended, "said", 0, 0, 2.0)
    return CaseRow(case, "shop", CaseKind.MERGE, label, False, inputs, "", "code", judged)


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Ten wrong cases and two right ones: six wrong successes end, one right one is stopped."""
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    for number in range(10):
        ROWS.append(before, row(f"w{number}", Label.WRONG, SUCCESS if number < 6 else FAILURE))
        ROWS.append(after, row(f"w{number}", Label.WRONG, FAILURE if number < 9 else ASKED))
    for number, ended in enumerate((SUCCESS, ASKED)):
        ROWS.append(before, row(f"r{number}", Label.RIGHT, SUCCESS))
        ROWS.append(after, row(f"r{number}", Label.RIGHT, ended))
    ROWS.append(before, row("other-inputs", Label.RIGHT, SUCCESS))
    ROWS.append(after, row("other-inputs", Label.RIGHT, SUCCESS, "2"))
    return before, after


def compared(runs: tuple[Path, Path], **settings: str) -> str:
    done = assay(runs[0].parent / "home", "bench", "compare", *map(str, runs), **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.real
def test_two_runs_are_compared_case_by_case(runs: tuple[Path, Path]) -> None:
    said = compared(runs)
    assert "8 of 12 cases changed\n" in said
    changed = [line.split() for line in said.splitlines() if " -> " in line]
    assert [line[:4] for line in changed][:2] == [["success", "->", "ok", "failure"]] * 2
    assert ["success", "->", "STOPPED", "action_required", "right", "merge", "r1"] in [
        line[:7] for line in changed
    ]
    assert "Right in the second only: 6; in the first only: 1\n" in said
    assert "or other inputs: other-inputs\n" in said


@pytest.mark.real
def test_without_the_extra_the_counts_are_there_and_it_is_named(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['sklearn'] = None\n")
    said = compared(runs, PYTHONPATH=f"{tmp_path}:{ROOT}")
    assert "Right in the second only: 6; in the first only: 1\n" in said
    wanted = "install the extra `bench`: .venv/bin/pip install --no-deps -r deploy/bench.lock\n"
    assert f"McNemar's exact test: {wanted}" in said
    assert said.count(f"Cohen's kappa of success and label: {wanted}") == 2


@pytest.mark.slow
def test_agreement_is_measured(runs: tuple[Path, Path]) -> None:
    pytest.importorskip("sklearn", reason="the extra `bench` is not installed")
    said = compared(runs)
    # Before: 6 of 12 agree, 56/144 by chance; after: 11 of 12, 112/144 by chance.
    assert "Cohen's kappa of success and label: 0.182\n" in said
    assert "Cohen's kappa of success and label: 0.625\n" in said
    assert "McNemar's exact test: p = 0.125\n" in said


def test_rows_are_read_back(tmp_path: Path) -> None:
    wanted = row("w0", Label.WRONG, SUCCESS)
    ROWS.append(tmp_path / "rows.jsonl", wanted)
    assert read_rows(tmp_path / "rows.jsonl") == (wanted,)
    assert json.loads((tmp_path / "rows.jsonl").read_text())["label"] == "wrong"


@pytest.mark.real
@pytest.mark.parametrize("words", [(), ("merges",)])
def test_repositories_after_bench_are_judged_by_their_merges(
    shop: Shop, words: tuple[str, ...]
) -> None:
    home, folder = shop.folder.parent / "home", str(shop.repository.folder)
    done = assay(home, "bench", *words, folder, "--integrity", "--as-merged", "--count", "1")
    assert done.returncode == 0, done.stderr
    assert f"repository {shop.head[:10]} " in done.stdout and "Double the price" in done.stdout
