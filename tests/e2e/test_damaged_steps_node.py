"""A judge's own tests of a Node project are held to damage as those of Python are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.values import Role
from tests.e2e.folder import open_folder
from tests.e2e.test_node import DISCOUNT, PROJECT, TASK
from tests.e2e.test_node import pytestmark as needs_node
from tests.obedient import Obedient
from tests.scripted import Call, Reply, Scripted

pytestmark = [*needs_node, pytest.mark.slow]
BEGIN = """import {test} from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import * as price from '../price.js';

test('it', () => {
  %s
});
"""
STEPS = {
    "right": "assert.equal(price.discounted(200, 5), 190);",
    "right by another name": "const off = price['discounted']; assert.equal(off(100, 5), 95);",
    "a type": "assert.equal(typeof price.discounted, 'function');",
    "a text": "assert.match(fs.readFileSync('price.js', 'utf8'), /percentage [/] 100/);",
    "a copy": "const discounted = (a, b) => a - a * b / 100; assert.ok(price.discounted);"
    " assert.equal(discounted(200, 5), 190);",
    "with itself": "assert.equal(price.discounted(200, 5), price.discounted(200, 5));",
}


def test_hollow_steps_prove_nothing(tmp_path: Path) -> None:
    (tmp_path / "till").mkdir()
    till = open_folder(tmp_path / "till", PROJECT)
    calls = [
        ToolCallPart(
            "dynamic_execution",
            json.dumps(
                {"goal": goal, "files": [{"path": f"test/judge{n}.test.js", "text": BEGIN % line}]}
            ),
        )
        for n, (goal, line) in enumerate(STEPS.items())
    ]

    def script(call: Call) -> Reply:
        if call.role is not Role.ANALYST:
            return Obedient(obeys=False).script(call)
        if "A-R1-1" not in call.user:
            return ModelResponse(parts=calls)
        return {"reason": "All pass.", "outcome": "satisfied", "evidence": ["A-R1-1"]}

    models = Scripted(script, tmp_path).open
    judged = till.judge(till.branch("discount", {"price.js": DISCOUNT}), task=TASK, models=models)
    steps = [one for one in judged.document.evidence if one.id.startswith("A-R1-")]
    problems = {one.goal: one.head.problem for one in steps if one.head and one.head.problem}
    assert set(problems) == {"a type", "a text", "a copy", "with itself"}, problems
    assert [one.goal for one in steps if one.transition == "fixed"] == list(STEPS)[:2]
