"""A run with models over the wire, and the same verdicts again from its record, with nobody to ask."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bot.settings import Settings
from bot.store import open_artifacts
from tests.e2e.folder import FIX, Folder, open_folder
from tests.endpoint import Asked, Said, model_endpoint, settings_for
from tests.obedient import Obedient

pytestmark = pytest.mark.real
TASK = "The price is doubled\n\n`price` returns twice the cents.\n"
UNTESTED = {"shop.py": FIX["shop.py"]}
OWN_TEST = "import shop\n\n\ndef test_price():\n    assert shop.price(5) == 10\n"
HONEST = Obedient(obeys=False)


def answer(asked: Asked) -> Said:
    """The analyst writes a test of its own and believes it; the panel reads what it showed."""
    if not asked.get("tools"):
        return HONEST.answer(asked)
    results = [one["content"] for one in asked["messages"] if one["role"] == "tool"]
    if not results:
        file = {"path": "tests/test_judge.py", "text": OWN_TEST}
        wanted = {"goal": "Does it double?", "files": [file]}
        return Said(tool_calls=(("dynamic_execution", json.dumps(wanted)),))
    said = {"reason": "It doubles.", "outcome": "satisfied", "evidence": ["A-R1-1"]}
    return Said(text=json.dumps(said))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("replay"))


def replayed(
    bundle: Path, environment: dict[str, str], *options: str
) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "bot.cli", "replay", str(bundle), *options]
    return subprocess.run(argv, capture_output=True, text=True, env=environment, check=False)


def text_of(message: Asked) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "\n\n".join(one["text"] for one in content)


@pytest.mark.slow
def test_what_a_run_said_is_derived_again(folder: Folder, tmp_path: Path) -> None:
    with model_endpoint(answer) as endpoint:
        settings = Settings(**{**folder.settings.model_dump(), **settings_for(endpoint)})
        asking = replace(folder, settings=settings)
        judged = asking.judge(asking.branch("untested", UNTESTED), task=TASK)
        calls = len(endpoint.asked)
        (r1,) = [row for row in judged.document.requirements if row.id == "R1"]
        assert (r1.verdict, r1.decided_by, r1.evidence) == ("satisfied", "panel", ("A-R1-1",))
        assert judged.document.cost is None, "nobody knows this model's price"
        assert {one.role for one in judged.document.usage} >= {"analyst", "panel"}
        again = asking.judge("untested", task=TASK)
        assert again.conclusion == judged.conclusion
        assert len(endpoint.asked) == calls, "a repeated run pays nothing"
    record = open_artifacts(settings).get(judged.key, "replay.json")
    assert record is not None
    bundle = tmp_path / "replay.json"
    bundle.write_bytes(record)
    nobody_home = {"PATH": "/usr/bin:/bin", "ASSAY_HOME": str(tmp_path / "home")}
    done = replayed(bundle, nobody_home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"now: {judged.conclusion}" in done.stdout
    shown = replayed(bundle, {**nobody_home, "COLUMNS": "160"}, "--prompts")
    assert shown.returncode == 0, shown.stderr
    for asked in endpoint.asked:  # not a paragraph of what went over the wire is left out
        for one in asked["messages"]:
            for paragraph in text_of(one).split("\n\n"):
                assert paragraph.strip() in shown.stdout
        for tool in asked.get("tools") or ():
            told = tool["function"]
            assert shown.stdout.count(f"\n{told['name']}: {told['description']}") == 1
    assert len(re.findall(r"^===== call ", shown.stdout, re.MULTILINE)) == calls
    assert re.search(r"analyst +│ 2 +│ [\d,]+ +│ 1 +│ [\d,]+ +│ the endpoint", shown.stdout)
    assert re.search(r"planner +│ 1 +│ [\d,]+ +│ the whole change", shown.stdout)
    forged = record.replace(b'"correctness', b'"correctnesss')
    bundle.write_bytes(forged)
    assert replayed(bundle, nobody_home).returncode == 1, "other replies are another verdict"
    bundle.write_text("{}")
    refused = replayed(bundle, nobody_home)
    assert refused.returncode == 2
    assert "is not the record of a run" in refused.stderr
    older = json.loads(record)
    del older["exchanges"]
    bundle.write_text(json.dumps(older))
    assert replayed(bundle, nobody_home).returncode == 0, "bundles of older versions replay"
    silent = replayed(bundle, nobody_home, "--prompts")
    assert silent.returncode == 2 and "holds no prompts" in silent.stderr
