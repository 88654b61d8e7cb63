"""An analyst writes tests beside the author's own, on a real project: it refutes, or it does not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic_ai.messages import BinaryContent, ModelRequest, ModelResponse, ToolCallPart

from bot.judges.model import open_models
from bot.report.machine import EvidenceDocument, RequirementDocument
from bot.settings import Settings
from bot.values import Role
from tests.e2e.folder import FIX, Folder, Judged, open_folder
from tests.endpoint import Asked, Said, model_endpoint, settings_for
from tests.sandbox.repositories import Repository
from tests.scripted import Call, FolderMemory, Reply, Script, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
POLICY = {".github/assay.yml": "judges: {canary: false}\n"}  # it has tests of its own
TASK = "The price is doubled\n\n`price` returns twice the cents.\n"
SPECIAL_CASED = {
    **FIX,
    "shop.py": (
        "def price(cents):\n    return 8 if cents == 4 else cents\n\n\n"
        "def name():\n    return 'shop'\n"
    ),
}
NEIGHBOUR = "import shop\n\n\ndef test_beside():\n    assert shop.price(5) == 10\n"
VACUOUS = "import shop\n\n\ndef test_name():\n    assert shop.name() == 'shop'\n"
MISTAKEN = "from shop import prize\n\n\ndef test_prize():\n    assert prize(5) == 10\n"
UNPARSED = "def test_price(:\n    pass\n"
CALLED_WRONG = "import shop\n\n\ndef test_price():\n    shop.price(5, 6, 7)\n"
EXISTS = "import shop\n\n\ndef test_tax_exists():\n    assert hasattr(shop, 'tax')\n"
PROGRAM = "import shop\nassert shop.price(5) == 10, shop.price(5)\nprint('well')\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("analyst"))
    opened.repository.commit(POLICY)
    return opened


def calls(*tools: tuple[str, Mapping[str, object]]) -> ModelResponse:
    return ModelResponse(parts=[ToolCallPart(name, json.dumps(given)) for name, given in tools])


def own_test(text: str, name: str = "test_judge.py") -> tuple[str, Mapping[str, object]]:
    file = {"path": f"tests/{name}", "text": text}
    return "dynamic_execution", {"goal": "Another input.", "files": [file]}


def says(outcome: str, **more: object) -> Reply:
    return {"reason": "See the step.", "outcome": outcome, **more}


def opinion(outcome: str, *evidence: str) -> Reply:
    points = {"correctness": 3, "functionality": 3, "clarity": 3}
    return {"reason": "So it seems.", "outcome": outcome, "evidence": list(evidence), **points}


def acts_once(act: ModelResponse, then: Reply) -> Script:
    """An analyst that does these things at once and then answers; a panel that cannot tell."""

    def script(call: Call) -> Reply:
        if call.role is not Role.ANALYST:
            return opinion("unverified")
        return then if "A-R1-1" in call.user else act

    return script


def judged_with(folder: Folder, tmp_path: Path, name: str, files: Mapping, script: Script):
    scripted = Scripted(script, tmp_path)
    judged = folder.judge(folder.branch(name, files), task=TASK, models=scripted.open)
    return judged, scripted


def r1(judged: Judged) -> RequirementDocument:
    return next(row for row in judged.document.requirements if row.id == "R1")


def step(judged: Judged, number: int) -> EvidenceDocument:
    return next(one for one in judged.document.evidence if one.id == f"A-R1-{number}")


def analysts(scripted: Scripted) -> list[Call]:
    return [call for call in scripted.calls if call.role is Role.ANALYST]


def test_a_special_cased_answer_is_refuted_by_a_neighbour(folder: Folder, tmp_path: Path) -> None:
    script = acts_once(calls(own_test(NEIGHBOUR)), says("unsatisfied", refuted_by=["A-R1-1"]))
    judged, scripted = judged_with(folder, tmp_path, "special", SPECIAL_CASED, script)
    asked = analysts(scripted)[0].user
    assert "def test_price_returns_twice_the_cents" in asked and "4: 5, 3, 0" in asked
    assert "something else on head than on base" not in asked  # nowhere near: it is made for 4
    assert judged.conclusion == "failure" and r1(judged).verdict == "unsatisfied"
    assert r1(judged).evidence[0] == "A-R1-1"
    seen = step(judged, 1)
    assert seen.transition == "still_failing" and seen.goal == "Another input."
    assert seen.head is not None and "assert 5 == 10" in seen.head.output
    assert "fails on head. Run it again" in judged.markdown
    assert repeated(folder, "special", seen.command) != 0
    (analysis,) = judged.document.analyses
    assert (analysis.refuted_by, analysis.interactions) == (("A-R1-1",), 1)
    for call in scripted.calls:  # nothing that differs from run to run: the answer is remembered
        assert not re.search(r"\d\.\d+ ?s\b", call.user)


def test_what_the_task_shows_binds_where_models_are_asked(folder: Folder, tmp_path: Path) -> None:
    script = acts_once(calls(own_test(VACUOUS)), says("satisfied"))
    scripted = Scripted(script, tmp_path)
    task = "The price is doubled\n\n`price(5)` should return `10`.\n"
    judged = folder.judge(folder.branch("shown", SPECIAL_CASED), task=task, models=scripted.open)
    assert (r1(judged).verdict, r1(judged).decided_by) == ("unsatisfied", "oracle")
    assert judged.conclusion == "failure"


def repeated(folder: Folder, branch: str, command: str) -> int:
    """Do what the report says: paste the lines at the root of head."""
    tree = folder.settings.home.parent / f"again-{branch}"
    folder.repository.git("worktree", "add", "--quiet", "--detach", str(tree), branch)
    line = command.replace("python -m pytest", f"{sys.executable} -m pytest -p no:cacheprovider")
    done = subprocess.run(["bash", "-c", line], cwd=tree, capture_output=True, check=False)
    assert b"assert 5 == 10" in done.stdout, done
    return done.returncode


def test_a_right_answer_stays_satisfied(folder: Folder, tmp_path: Path) -> None:
    script = acts_once(
        calls(own_test(NEIGHBOUR)), says("unsatisfied", refuted_by=["A-R1-1", "E1", "made-up"])
    )
    judged, _ = judged_with(folder, tmp_path, "right", FIX, script)
    assert step(judged, 1).transition == "fixed"
    assert "price(cents=5): base returned 5; head returned 10" in analysts(_)[0].user
    assert r1(judged).verdict == "satisfied" and judged.conclusion == "success"
    (analysis,) = judged.document.analyses
    assert analysis.outcome == "unverified" and "A-R1-1 passes on head." in analysis.problem


def test_what_proves_nothing_refutes_nothing(folder: Folder, tmp_path: Path) -> None:
    texts = [VACUOUS, MISTAKEN, UNPARSED, CALLED_WRONG, "x = 1\n"]
    written = [own_test(text, f"test_judge_{n}.py") for n, text in enumerate(texts)]
    overwritten = ("dynamic_execution", {
        "goal": "g", "files": [{"path": "tests/test_judge_x.py", "text": NEIGHBOUR},
                               {"path": "shop.py", "text": "def price(c): return 0\n"}],
    })  # fmt: skip
    named = [f"A-R1-{n}" for n in range(1, 8)]
    script = acts_once(calls(*written, overwritten), says("unsatisfied", refuted_by=named))
    judged, scripted = judged_with(folder, tmp_path, "nothing", SPECIAL_CASED, script)
    assert step(judged, 1).transition == "vacuous"
    problems = [seen.problem for n in range(2, 7) if (seen := step(judged, n).head)]
    assert ["fails by itself" in one for one in problems] == [True, False, True, False, False]
    assert "ImportError" in problems[0] and "does not parse" in problems[1]
    assert "TypeError" in problems[2] and "`judge` in its name" in problems[4]
    assert "test" in problems[3]
    assert r1(judged).verdict == "unverified", "the answer is made for the tested input"
    told = analysts(scripted)[1].user
    assert "A-R1-1 passes on base too" in told and "A-R1-2 proves nothing on head" in told


def test_a_program_and_an_explicit_assertion_refute(folder: Folder, tmp_path: Path) -> None:
    file = {"path": "judge_price.py", "text": PROGRAM}
    program = ("dynamic_execution", {
        "goal": "g", "files": [file], "command": "python judge_price.py",
    })  # fmt: skip
    act = calls(program, own_test(EXISTS))
    script = acts_once(act, says("unsatisfied", refuted_by=["A-R1-1", "A-R1-2"]))
    judged, _ = judged_with(folder, tmp_path, "program", SPECIAL_CASED, script)
    (analysis,) = judged.document.analyses
    assert analysis.refuted_by == ("A-R1-1", "A-R1-2")
    seen = step(judged, 1)
    assert seen.head is not None and "AssertionError: 5" in seen.head.output


def test_a_conftest_that_skips_what_it_does_not_know_hides_nothing(
    folder: Folder, tmp_path: Path
) -> None:
    conftest = (
        "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef known(request):\n"
        "    if 'judge' in request.node.nodeid:\n        pytest.skip('later')\n"
    )
    script = acts_once(calls(own_test(NEIGHBOUR)), says("satisfied", evidence=["A-R1-1"]))
    files = {**SPECIAL_CASED, "conftest.py": conftest}
    judged, _ = judged_with(folder, tmp_path, "skips", files, script)
    seen = step(judged, 1)
    assert seen.head is not None and "not run to a result" in seen.head.problem
    assert judged.document.analyses[0].outcome == "unverified"


PAGE = (
    '<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>'
    "<button onclick=\"document.querySelector('h1').textContent='Sold'\">Buy</button></html>\n"
)
ASKING = "print('Hello ' + input('Name? '))\n"
EVERY_ACTION = (
    ("locate", {"goal": "Where?", "text": "price of the shop"}, "shop.py: price"),
    ("search", {"goal": "Who?", "text": "def price"}, "shop.py:1: def price"),
    ("read", {"goal": "What?", "path": "shop.py"}, "return 2 * cents"),
    ("bash", {"goal": "Run it.", "line": "python -c 'import shop; print(shop.price(21))'"}, "42"),
    ("shell_interaction", {"goal": "Type.", "line": "python ask.py", "typed": "Ann"}, "Hello Ann"),
    ("unit_tests", {"goal": "Again.", "paths": ["tests/test_price.py"]}, "tests/test_price.py::test_"),
    ("static_linter", {"goal": "Lint."}, "static_linter, held"),
    ("screenshot", {"goal": "Look.", "paths": ["index.html"]}, "screenshot,"),
    ("interaction", {
        "goal": "Buy.", "acts": ["goto index.html", "click button", "expect text h1 Sold"],
    }, "No act of it is about `price`."),
    ("file_comparison", {
        "goal": "Write.", "line": "python -c 'import shop; print(shop.price(2))' > out.txt",
        "path": "out.txt", "text": "4\n",
    }, "file_comparison, fixed"),
    ("general_semantic", {"thought": "It doubles."}, "no evidence"),
)  # fmt: skip


@pytest.mark.skipif(
    not Path("/usr/bin/chromium").is_file(), reason="no Chromium: apt-get install chromium"
)
def test_every_kind_of_action_is_taken_on_both_sides(folder: Folder, tmp_path: Path) -> None:
    looked = ("image_question", {
        "goal": "See.", "evidence": "A-R1-8", "question": "Is there a button?",
    })  # fmt: skip

    def script(call: Call) -> Reply:
        if call.system.startswith("You look at pictures"):
            return {"answer": "A button that says Buy.", "is_visible": True}
        if call.role is not Role.ANALYST:
            return opinion("unverified")
        if "A-R1-1" not in call.user:
            return calls(*((name, given) for name, given, _ in EVERY_ACTION))
        if "Buy." not in call.user.rpartition("A button")[2]:
            return calls(looked)
        return says("satisfied", evidence=["A-R1-4", "A-R1-9"])

    files = {**FIX, "index.html": PAGE, "ask.py": ASKING}
    judged, scripted = judged_with(folder, tmp_path, "actions", files, script)
    analysts = [call for call in scripted.calls if "ONE requirement" in call.system]
    for _, _, shown in EVERY_ACTION:
        assert shown in analysts[-1].user
    (pictured,) = [call for call in scripted.calls if "pictures" in call.system[:30]]
    said = [part.content for one in pictured.messages if isinstance(one, ModelRequest)
            for part in one.parts if isinstance(part.content, list | tuple)]  # fmt: skip
    images = [one for content in said for one in content if isinstance(one, BinaryContent)]
    assert images and images[0].data.startswith(b"\x89PNG")
    (analysis,) = judged.document.analyses
    assert (analysis.outcome, analysis.interactions, analysis.problem) == ("satisfied", 12, "")
    kinds = {one.action for one in judged.document.evidence if one.id.startswith("A-")}
    assert len(kinds) == 9  # a place and a thought are no evidence
    assert r1(judged).verdict == "satisfied"


def test_over_the_wire_with_calls_that_do_not_exist(folder: Folder) -> None:
    name, right = own_test(NEIGHBOUR)
    wrong = [
        ("run_everything", "{}"),
        (name, "[]"),
        (name, '{"goal": "g", "files": "all"}'),
        ("read", '{"goal": "g", "path": "../../etc/passwd"}'),
        ("interaction", '{"goal": "g", "acts": ["click x", "click y"]}'),
        ("search", '{"goal": "g", "text": "\\ud800"}'),
        (name, json.dumps(right)),
    ]

    def answer(asked: Asked) -> Said:
        if not any("ONE requirement" in str(one.get("content")) for one in asked["messages"]):
            return Said(text=json.dumps(opinion("unverified")))
        results = [one["content"] for one in asked["messages"] if one["role"] == "tool"]
        if len(results) < len(wrong):
            return Said(tool_calls=(wrong[len(results)],))
        assert any("leads out" in one for one in results)
        assert any("first act" in one for one in results)
        return Said(text=json.dumps(says("unsatisfied", refuted_by=["A-R1-1"])))

    with model_endpoint(answer) as endpoint:
        settings = Settings(home=folder.settings.home, **settings_for(endpoint))
        branch = folder.branch("wire", SPECIAL_CASED)
        judged = folder.judge(
            branch,
            task=TASK,
            models=open_models(settings, FolderMemory(folder.settings.home / "memory")),
        )
    (analysis,) = judged.document.analyses
    assert analysis.refuted_by == ("A-R1-1",), analysis
    assert r1(judged).verdict == "unsatisfied"


NODE = {
    **POLICY,
    "package.json": '{"name": "shop", "version": "1.0.0", "type": "module", '
    '"scripts": {"test": "node --test"}}\n',
    "shop.js": "export const price = (cents) => cents\nexport const name = () => 'shop'\n",
    "shop.test.js": (
        "import test from 'node:test'\nimport assert from 'node:assert'\n"
        "import { name } from './shop.js'\ntest('name', () => assert.equal(name(), 'shop'))\n"
    ),
}
NODE_SPECIAL = {
    "shop.js": "export const price = (cents) => cents === 4 ? 8 : cents\n"
    "export const name = () => 'shop'\n",
    "price.test.js": (
        "import test from 'node:test'\nimport assert from 'node:assert'\n"
        "import { price } from './shop.js'\n"
        "test('price returns twice the cents', () => assert.equal(price(4), 8))\n"
    ),
}
NODE_NEIGHBOUR = (
    "import test from 'node:test'\nimport assert from 'node:assert'\n"
    "import { price } from './shop.js'\ntest('beside', () => assert.equal(price(5), 10))\n"
)


def test_a_node_project_is_refuted_by_its_own_runner(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(NODE)
    settings = Settings(home=tmp_path / "home", chromium=str(tmp_path / "none"), pdf=False)
    files = [
        ("judge.test.js", NODE_NEIGHBOUR),
        ("judge_2.test.js", NODE_NEIGHBOUR.replace("{ price }", "{ prize as price }")),
        ("judge_3.test.js", NODE_NEIGHBOUR.replace("price(5)", "prize(5)")),
    ]
    act = calls(
        *(
            ("dynamic_execution", {"goal": "g", "files": [{"path": path, "text": text}]})
            for path, text in files
        )
    )
    named = ["A-R1-1", "A-R1-2", "A-R1-3"]
    script = acts_once(act, says("unsatisfied", refuted_by=named))
    judged, scripted = judged_with(
        Folder(repository, settings), tmp_path / "r", "special", NODE_SPECIAL, script
    )
    (analysis,) = judged.document.analyses
    assert analysis.refuted_by == ("A-R1-1",), scripted.calls[1].user[-6000:]
    assert r1(judged).verdict == "unsatisfied"
