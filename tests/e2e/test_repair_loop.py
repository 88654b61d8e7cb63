"""The repair loop: an agent posts a faulty patch, reads nothing but the answer, repairs, and passes."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from bot.text.json_reading import Payload
from tests.e2e.project import CALC
from tests.e2e.town import Town, eventually, token_for

pytestmark = pytest.mark.real
TASK = "mean of no prices is zero"
TEST = """import unittest

from calc import mean


class MeanTest(unittest.TestCase):
    def test_mean_of_no_prices_is_zero(self):
        self.assertEqual(mean([]), 0)
"""
DRAFT = (
    CALC.replace("sum(prices)", "sum(prices) + 1")
    + '''

def mean(prices):
    """Return the mean of prices."""
    return total(prices) / len(prices)
'''
)


@dataclass
class ScriptedAgent:
    """Knows the task, its own draft and what the API said; of Assay's pages it sees nothing else.

    `steps` is what it did, one line each.
    """

    api: httpx.Client
    repository: str
    files: dict[str, str] = field(default_factory=lambda: {"calc.py": DRAFT, "test_mean.py": TEST})
    steps: list[str] = field(default_factory=list)

    def post(self) -> Payload:
        body = {
            "repository": self.repository,
            "base": "main",
            "diff": self._diff(),
            "task": TASK,
            "agent": "scripted",
        }
        reply = self.api.post("/api/v1/patches", json=body)
        assert reply.status_code == 202, reply.text
        said = Payload.parse(reply.content)
        self.steps.append("post")
        return eventually(lambda: self._verdict(said.text("status_url")), "a verdict")

    def repair(self, answer: Payload) -> None:
        """Mend what the rows say: from the failing assertion, and the error's last line."""
        for row in answer.items("rows"):
            if row.integer("score") == 2:
                continue
            told = row.text("explanation")
            self.steps.append(f"{row.text('metric')}: {told.splitlines()[0]}")
            if off := re.search(r"AssertionError: (\d+) != (\d+)", told):
                by = int(off[1]) - int(off[2])
                self.files["calc.py"] = self.files["calc.py"].replace(f" + {by}", "", 1)
                self.steps.append(f"repair: take away {by}")
            elif "ZeroDivisionError" in told:
                guarded = "/ len(prices) if prices else 0\n"
                self.files["calc.py"] = self.files["calc.py"].replace("/ len(prices)\n", guarded)
                self.steps.append("repair: nothing to divide by")

    def run(self, command: str, folder: Path) -> int:
        """Repeat a row's command on the agent's own copy."""
        for name, text in self.files.items():
            (folder / name).write_text(text)
        argv = command.replace("python ", f"{sys.executable} ", 1).split()
        return subprocess.run(argv, cwd=folder, capture_output=True, check=False).returncode

    def _diff(self) -> str:
        before = {"calc.py": CALC}
        parts = []
        for name, text in self.files.items():
            old = before.get(name, "")
            names = (f"a/{name}" if old else "/dev/null", f"b/{name}")
            lines = difflib.unified_diff(
                old.splitlines(keepends=True), text.splitlines(keepends=True), *names
            )
            parts += lines
        return "".join(parts)

    def _verdict(self, address: str) -> Payload | None:
        answer = Payload.parse(self.api.get(address).raise_for_status().content)
        return answer if answer.text("status") not in ("queued", "running") else None


def test_a_faulty_patch_is_repaired_from_the_answer_alone(town: Town, tmp_path: Path) -> None:
    place = town.place()
    headers = {"Authorization": f"Bearer {token_for(town, place.name)}"}
    with httpx.Client(base_url=town.public_url, headers=headers, timeout=60) as api:
        agent = ScriptedAgent(api, place.name)
        first = agent.post()
        assert first.text("conclusion") == "failure", json.dumps(first.value, indent=1)
        unmet = {row.text("metric"): row for row in first.items("rows") if row.integer("score") < 2}
        assert set(unmet) == {"B2", "R1", "crash"}, json.dumps(first.value, indent=1)
        for name, text in {
            "calc.py": CALC,
            "test_calc.py": (place.tree / "test_calc.py").read_text(),
        }.items():
            (tmp_path / name).write_text(text)
        shown = [row.text("command") for row in unmet.values() if row.text("command")]
        assert len(shown) == 2
        assert all(agent.run(command, tmp_path) != 0 for command in shown)

        agent.repair(first)
        second = agent.post()
        assert second.text("conclusion") == "success", json.dumps(second.value, indent=1)
        assert {row.integer("score") for row in second.items("rows")} == {2}
        assert {row.text("command") for row in second.items("rows")} == {""}
        assert all(agent.run(command, tmp_path) == 0 for command in shown)
    assert agent.steps == [
        "post",
        "B2: 1 test that passed on base fails on head. 2 tests in the root directory were run.",
        "repair: take away 1",
        "R1: 1 test for it fails on head.",
        "repair: nothing to divide by",
        "crash: `mean(prices=[])` (calc.py) ends in a ZeroDivisionError on head, and nothing says "
        "what an empty input should give.",
        "repair: nothing to divide by",
        "post",
    ]
