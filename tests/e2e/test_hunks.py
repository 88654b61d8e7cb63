"""Which hunk of a change serves which requirement, and which hunk nothing needs: by taking each back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from bot.values import Need, Role, ServedHunk, WhyNotMeasured
from tests.e2e.folder import Files, Folder, Judged, open_folder
from tests.obedient import Obedient
from tests.scripted import Call, Reply, Scripted

pytestmark = [pytest.mark.real, pytest.mark.slow]
APART = "# one\n# two\n# three\n# four\n# five\n# six\n# seven\n\n\n"
SHOP = (
    f"def price(cents):\n    return cents\n\n\n{APART}"
    f"def name(how=''):\n    return 'shop'\n\n\n{APART}"
    "def label(text):\n    return text\n"
)
PROJECT: Files = {
    "requirements.txt": "pytest\n",
    "shop.py": SHOP,
    "README.md": "# Shop\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_name():\n    assert shop.name() == 'shop'\n",
}
PRICE = SHOP.replace("return cents", "return 2 * cents")
PRICE_AND_NAME = PRICE.replace("    return 'shop'", "    if how: return how\n    return 'shop'")
PRICE_TEST = (
    "import shop\n\n\ndef test_price_returns_twice_the_cents():\n    assert shop.price(4) == 8\n"
)
NAME_TEST = (
    "import shop\n\n\ndef test_name_gives_the_way_it_is_told():\n    assert shop.name('x') == 'x'\n"
)
TASK = "Prices\n\n- [ ] `price` returns twice the cents\n"
TWO = TASK + "- [ ] `name` gives the way it is told\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return open_folder(tmp_path_factory.mktemp("hunks"), PROJECT)


def hunks(judged: Judged) -> dict[str, ServedHunk]:
    return {one.lines: one for one in judged.document.hunks}


def needs(judged: Judged, path: str = "shop.py") -> dict[str, tuple[Need, tuple[str, ...]]]:
    found = hunks(judged).values()
    return {one.lines: (one.need, one.requirements) for one in found if one.path == path}


def test_a_needed_hunk_and_one_that_nothing_needs(folder: Folder) -> None:
    files = {
        "shop.py": PRICE_AND_NAME,
        "tests/test_price.py": PRICE_TEST,
        "README.md": "# A shop\n",
    }
    judged = folder.judge(folder.branch("two-hunks", files), task=TASK)
    assert judged.conclusion == "action_required", judged.said()
    assert "`if how: return how` is missing (shop.py:15)" in judged.said()
    assert needs(judged) == {
        "shop.py:2": (Need.NEEDED, ("R1",)),
        "shop.py:15": (Need.UNNEEDED, ()),
    }
    found = hunks(judged)
    assert found["shop.py:2"].tests == ("tests/test_price.py::test_price_returns_twice_the_cents",)
    assert found["shop.py:15"].runs == 1
    assert found["README.md:1"].why is WhyNotMeasured.NOT_CODE
    assert "Scope: nothing that ran without 1 of 2 changes failed" in judged.markdown
    assert "**Nothing that ran without this change alone failed**" in judged.markdown
    assert (
        judged.document.requirements[-1].damages_tried
        == judged.document.requirements[-1].damages_noticed
    ), "what a hunk is for does not count among the damages of a verdict"


def test_two_requirements_are_served_by_two_hunks(folder: Folder) -> None:
    files = {
        "shop.py": PRICE_AND_NAME,
        "tests/test_price.py": PRICE_TEST,
        "tests/test_named.py": NAME_TEST,
    }
    judged = folder.judge(folder.branch("two-and-two", files), task=TWO)
    assert judged.conclusion == "success", judged.said()
    assert needs(judged) == {
        "shop.py:2": (Need.NEEDED, ("R1",)),
        "shop.py:15": (Need.NEEDED, ("R2",)),
    }
    assert "Scope: all 2 changes are needed" in judged.markdown


def test_a_hunk_is_not_called_unneeded_where_not_all_that_fails_on_base_was_run(
    folder: Folder,
) -> None:
    files = {
        "shop.py": PRICE_AND_NAME,
        "tests/test_price.py": PRICE_TEST,
        "tests/test_other.py": NAME_TEST.replace("name_gives_the_way_it_is_told", "sign"),
    }
    judged = folder.judge(folder.branch("one-unasked", files), task=TASK)
    found = hunks(judged)
    assert found["shop.py:2"].need is Need.NEEDED, judged.said()
    assert found["shop.py:15"].why is WhyNotMeasured.OTHER_EVIDENCE


def test_a_hunk_may_be_for_what_nothing_shows(folder: Folder) -> None:
    files = {"shop.py": PRICE_AND_NAME, "tests/test_price.py": PRICE_TEST}
    judged = folder.judge(folder.branch("one-unshown", files), task=TWO)
    assert judged.conclusion == "action_required", judged.said()
    found = hunks(judged)["shop.py:15"]
    assert (found.need, found.rest) == (Need.UNNEEDED, ("R2",))
    assert "it may be for R2, which nothing shows" in judged.markdown


def test_new_files_are_hunks_too(folder: Folder) -> None:
    new = "def double(cents):\n    return 2 * cents\n"
    limits = "LIMIT = 50\n"
    test = (
        "from limits import LIMIT\nfrom prices import double\n\n\n"
        "def test_double_returns_twice_the_cents():\n    assert double(LIMIT) == 100\n"
    )
    left = "def left():\n    return 0\n"
    files = {
        "prices.py": new,
        "limits.py": limits,
        "left.py": left,
        "tests/test_double.py": test,
    }
    task = "Prices\n\n- [ ] `double` returns twice the cents\n"
    judged = folder.judge(folder.branch("new-files", files), task=task)
    assert judged.conclusion == "success", judged.said()
    found = hunks(judged)
    assert found["prices.py:1-2"].requirements == found["limits.py:1"].requirements == ("R1",)
    assert found["left.py:1-2"].need is Need.UNNEEDED


def test_without_room_nothing_is_said_of_hunks(folder: Folder) -> None:
    off = {".github/assay.yml": "limits:\n  damage: 0\n"}
    base = folder.branch("no-damage", off)
    files = {"shop.py": PRICE_AND_NAME, "tests/test_price.py": PRICE_TEST}
    judged = folder.judge(folder.branch("no-room", files, start=base), base=base, task=TASK)
    assert {one.why for one in judged.document.hunks if one.path == "shop.py"} == {
        WhyNotMeasured.LIMIT
    }


def test_documentation_is_not_measured(folder: Folder) -> None:
    files = {"README.md": "# The shop\n\nIt sells.\n", "CHANGELOG.md": "- The shop sells.\n"}
    judged = folder.judge(folder.branch("docs", files), task="docs: tell what the shop does\n")
    told = {one.path: (one.need, one.why) for one in judged.document.hunks}
    assert told == dict.fromkeys(files, (Need.NOT_MEASURED, WhyNotMeasured.NOT_CODE))
    assert "Nothing that ran without" not in judged.markdown


def test_a_document_that_code_names_and_no_test_reads_is_not_measured(tmp_path: Path) -> None:
    named = SHOP + "\n\ndef notes():\n    return open('NOTES.md').read()\n"
    folder = open_folder(tmp_path, {**PROJECT, "shop.py": named, "NOTES.md": "# Notes\n"})
    priced = named.replace("return cents", "return 2 * cents")
    files = {"shop.py": priced, "NOTES.md": "# More notes\n", "tests/test_price.py": PRICE_TEST}
    judged = folder.judge(folder.branch("named", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert hunks(judged)["NOTES.md:1"].why is WhyNotMeasured.NOT_CODE
    assert "Nothing that ran without" not in judged.markdown


def test_a_hunk_that_only_a_judges_step_needs(folder: Folder, tmp_path: Path) -> None:
    """R2 has no test of the change: an analyst's own step shows it, and falls without its hunk alone."""
    step = {"goal": "name it", "files": [{"path": "tests/test_judge.py", "text": NAME_TEST}]}
    call = ToolCallPart("dynamic_execution", json.dumps(step))
    panel = Obedient(obeys=False)

    def script(asked: Call) -> Reply:
        if asked.role is not Role.ANALYST:
            return panel.script(asked)
        if "R2 (" not in asked.user:
            return {"reason": "Its test shows it.", "outcome": "unverified", "evidence": []}
        if "A-R2-1" not in asked.user:
            return ModelResponse(parts=[call])
        return {"reason": "It passes.", "outcome": "satisfied", "evidence": ["A-R2-1"]}

    code = PRICE_AND_NAME.replace("return text", "return text.strip()")
    files = {"shop.py": code, "tests/test_price.py": PRICE_TEST}
    branch = folder.branch("by-a-step", files)
    judged = folder.judge(branch, task=TWO, models=Scripted(script, tmp_path).open)
    found = hunks(judged)
    assert judged.document.requirements[-1].verdict == "satisfied", judged.said()
    assert found["shop.py:2"].requirements == ("R1",)
    assert (found["shop.py:15"].requirements, found["shop.py:15"].steps) == (("R2",), ("A-R2-1",))
    assert found["shop.py:15"].tests == ()
    assert found["shop.py:29"].why is WhyNotMeasured.OTHER_EVIDENCE
    assert found["shop.py:29"].rest == ("R2",)


FAST = """#include <Python.h>
static PyObject *price(PyObject *self, PyObject *n) { return PyLong_FromLong(PyLong_AsLong(n)); }
static PyMethodDef methods[] = {{"price", price, METH_O, 0}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast", 0, -1, methods};
PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&module); }
"""
TWINS: Files = {
    "pyproject.toml": (
        '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["pytest"]\n'
        '[tool.setuptools]\npackages = ["shop"]\n'
    ),
    "setup.py": (
        "from setuptools import Extension, setup\n\n"
        "setup(ext_modules=[Extension('shop._fast', ['shop/_fast.c'])])\n"
    ),
    "shop/_fast.c": FAST,
    "shop/__init__.py": "from shop import _fast\n\n\ndef price(cents):\n    return cents\n",
    "tests/test_shop.py": "import shop\n\n\ndef test_free():\n    assert shop.price(0) == 0\n",
}
TWINS_TEST = (
    "import shop\n\n\ndef test_price_returns_twice_the_cents():\n    assert shop.price(4) == 8\n\n\n"
    "def test_fast_price_returns_twice_the_cents():\n    assert shop._fast.price(4) == 8\n"
)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_what_is_compiled_is_built_before_tests_tell_whether_they_need_it(tmp_path: Path) -> None:
    """The tests notice what is taken back in Python, which shows nothing of the library beside it."""
    twins = open_folder(tmp_path, TWINS)
    files = {
        "shop/__init__.py": str(TWINS["shop/__init__.py"]).replace("return c", "return 2 * c"),
        "shop/_fast.c": FAST.replace("PyLong_FromLong(", "PyLong_FromLong(2 * "),
        "tests/test_price.py": TWINS_TEST,
    }
    judged = twins.judge(twins.branch("twins", files), task=TASK)
    assert judged.conclusion == "success", judged.said()
    assert needs(judged, "shop/__init__.py") == {"shop/__init__.py:5": (Need.NEEDED, ("R1",))}
    assert needs(judged, "shop/_fast.c") == {"shop/_fast.c:2": (Need.NEEDED, ("R1",))}
