"""Front-end changes judged as `assay judge` does it: by Chromium in the sandbox, without a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.report.machine import EvidenceDocument, RequirementDocument
from bot.store import open_artifacts
from tests.bot.commands.running import assay
from tests.e2e.folder import Files, Judged, open_folder
from tests.sandbox.repositories import Repository

pytestmark = [
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.skipif(
        not Path("/usr/bin/chromium").is_file(), reason="no Chromium: apt-get install chromium"
    ),
]
# CodeVisionary, figure 1: the options say what the script does not listen to.
OPTIONS = '<option value="celsius">Celsius</option><option value="fahrenheit">Fahrenheit</option>'
RENAMED = '<option value="C">Celsius</option><option value="F">Fahrenheit</option>'
CONVERTER = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Converter</title>
<style>body {font: 20px sans-serif; margin: 2rem} select, output {font: inherit}</style>
<main><h1>Converter</h1>
<label>Show 20 degrees as
<select id="unit" onchange="convert()"><option value="">choose</option>@</select></label>
<p><output id="result">nothing chosen</output></p>
<script>
function convert() {
  const unit = document.querySelector("#unit").value
  const result = document.querySelector("#result")
  if (unit === "celsius") result.textContent = "20 °C"
  if (unit === "fahrenheit") result.textContent = "68 °F"
}
</script></main>
"""
POLICY = """requirements:
  - id: UNITS
    text: Choosing a unit converts the temperature
    interaction:
      - goto index.html
      - 'select "#unit" Fahrenheit'
      - 'expect text "#result" "68 °F"'
"""
TASK = "Shorten the values of the units\n"
BASE: Files = {"index.html": CONVERTER.replace("@", OPTIONS)}
MISMATCH: Files = {"index.html": CONVERTER.replace("@", RENAMED)}
STYLED: Files = {
    "index.html": CONVERTER.replace("@", OPTIONS).replace("margin: 2rem", "margin: 3rem")
}


def row(judged: Judged, id_: str) -> RequirementDocument:
    return next(row for row in judged.document.requirements if row.id == id_)


def step(judged: Judged, id_: str) -> EvidenceDocument:
    return next(item for item in judged.document.evidence if item.id == id_)


def test_a_select_whose_values_do_not_match_the_script_is_found_by_the_configured_acts(
    tmp_path: Path,
) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit({**BASE, ".github/assay.yml": POLICY})
    repository.git("checkout", "--quiet", "-b", "change")
    repository.commit(MISMATCH)
    (tmp_path / "task.md").write_text(TASK)
    told = assay(
        tmp_path / "home", "judge", str(tmp_path / "repository"), "--base", "main", "--head", "change",
        "--task", "task.md", "--out", "out",
    )  # fmt: skip
    assert told.returncode == 1, told.stderr
    assert "UNITS  unsatisfied  oracle" in told.stdout
    out = tmp_path / "out"
    document = Judged.read(out)
    units = row(document, "UNITS")
    assert units.reason == (
        'The check passed on base and fails on head. expect text "#result" "68 °F": '
        "#result shows “nothing chosen”, not “68 °F”."
    )
    (cited,) = units.evidence
    last = step(document, cited).pictures[-1]
    assert all(
        (out / name).read_bytes().startswith(b"\x89PNG")
        for name in (last.base, last.head, last.difference)
    )
    assert (out / "report.html").read_text().count("data:image/png;base64,") >= 9
    assert "artifact:" not in (out / "report.html").read_text()
    assert row(document, "B4").verdict == "unverified"  # see the next test


def test_without_configuration_a_control_that_lost_its_effect_asks_a_person(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, BASE)
    judged = folder.judge(folder.branch("change", MISMATCH), task=TASK)
    pages = row(judged, "B4")
    assert pages.verdict == "unverified"
    assert "option “Celsius” did something on base and does nothing on head" in pages.reason
    assert judged.conclusion == "action_required"


def test_a_change_that_only_looks_different_is_satisfied_and_shown(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, BASE)
    judged = folder.judge(folder.branch("change", STYLED), task=TASK)
    pages = row(judged, "B4")
    assert (pages.verdict, pages.decided_by) == ("satisfied", "oracle")
    pictures = step(judged, pages.evidence[0]).pictures
    assert [picture.title for picture in pictures] == [
        "index.html: desktop, light", "index.html: mobile, light",
    ]  # fmt: skip
    assert all(picture.changed_percent for picture in pictures)
    assert f"[difference]({pictures[0].difference})" in judged.markdown
    artifacts = open_artifacts(folder.settings)
    assert artifacts.get(judged.key, pictures[0].difference)


def test_a_change_without_front_end_is_not_looked_at(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, {**BASE, "tool.py": "A = 1\n"})
    judged = folder.judge(folder.branch("change", {"tool.py": "A = 2\n"}), task=TASK)
    assert [r.id for r in judged.document.requirements if r.id.startswith("B")] == [
        "B1",
        "B2",
        "B3",
    ]
    assert all(item.action != "screenshot" for item in judged.document.evidence)


def test_a_page_that_never_lets_go_any_more_is_a_regression_with_evidence(tmp_path: Path) -> None:
    folder = open_folder(tmp_path, BASE)
    spins = {"index.html": CONVERTER.replace("@", OPTIONS) + "<script>for (;;);</script>"}
    judged = folder.judge(folder.branch("change", spins), task=TASK)
    pages = row(judged, "B4")
    looked = next(e for e in judged.document.evidence if e.action.value == "screenshot")
    if looked.base is not None and "loads: in less than" not in looked.base.output:
        pytest.skip("the machine is so busy that base's page was slow too")
    assert (pages.verdict, pages.decided_by) == ("unsatisfied", "oracle"), pages.reason
    assert "its scripts keep it busy; in two browsers it gave no sign within 15 s" in pages.reason
    seen = step(judged, pages.evidence[0])
    assert seen.base is not None and seen.head is not None
    assert "loads: in less than 3 s" in seen.base.output
    assert "not responding: its scripts keep it busy" in seen.head.output
    assert judged.conclusion == "failure"
