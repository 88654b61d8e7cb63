"""What a change does beside its code: automation, scripts of the installation, options that nothing takes."""

from __future__ import annotations

import pytest

from tests.e2e.folder import FIX, TASK, Files, Folder, open_folder

pytestmark = [pytest.mark.real, pytest.mark.slow]

WORKFLOW = ".github/workflows/test.yml"
RUNS = (
    "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n"
    "      - uses: actions/checkout@v4\n      - run: pip install pytest\n      - run: {}\n"
)
SETUP = "{}from setuptools import setup\n\nsetup(name='shop', version='{}', py_modules=['shop'])\n"
SENDS = (
    "import urllib.request\n\ntry:\n    urllib.request.urlopen('https://a.example/', timeout=1)\n"
    "except OSError:\n    pass\n"
)
JSON = "JSON\n\n- [ ] With the option `--json` the names are printed as JSON\n"
CLI = (
    "import json\nimport shop\n\n\ndef as_json(names):\n    return json.dumps(names)\n\n\n"
    "def main(words):\n    print({})\n"
)
OF_JSON = (
    "import cli\n\n\ndef test_json_option_prints_names_as_json({given}):\n"
    "    {call}\n    assert {shown} == '[\"shop\"]'\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("beside"))
    base = {
        WORKFLOW: RUNS.format("pytest"),
        "setup.py": SETUP.format("", "1"),
        "cli.py": "import shop\n\n\ndef main(words):\n    print(shop.name())\n",
    }
    opened.repository.commit(base)
    return opened


@pytest.mark.parametrize(
    ("name", "files", "said"),
    [
        ("ci-covers", {WORKFLOW: RUNS.format("pytest -q --durations=5")}, ""),
        ("ci-forgives", {WORKFLOW: RUNS.format("pytest || true")}, "Tests may now fail unseen"),
        ("ci-less", {WORKFLOW: RUNS.format("pytest tests/test_price.py")}, "Fewer tests are run"),
        ("setup-version", {"setup.py": SETUP.format("", "2")}, ""),
        (
            "setup-sends",
            {"setup.py": SETUP.format(SENDS, "1")},
            "Whoever installs the package runs this file, and its code newly opens the network",
        ),
    ],
)
def test_beside_a_right_change(folder: Folder, name: str, files: Files, said: str) -> None:
    judged = folder.judge(folder.branch(name, {**FIX, **files}), task=TASK)
    assert judged.conclusion == ("action_required" if said else "success"), judged.said()
    assert said in judged.said()


@pytest.mark.parametrize(
    ("name", "printed", "test", "wanted"),
    [
        (
            "hollow",
            "shop.name()",
            OF_JSON.format(given="", call="names = ['shop']", shown="cli.as_json(names)"),
            "action_required",
        ),
        (
            "wired",
            "as_json([shop.name()]) if '--json' in words else shop.name()",
            OF_JSON.format(
                given="capsys", call="cli.main(['--json'])", shown="capsys.readouterr().out.strip()"
            ),
            "success",
        ),
    ],
)
def test_an_option_that_the_task_names(
    folder: Folder, name: str, printed: str, test: str, wanted: str
) -> None:
    head = folder.branch(name, {"cli.py": CLI.format(printed), "tests/test_json.py": test})
    judged = folder.judge(head, task=JSON)
    assert judged.conclusion == wanted, judged.said()
    assert ("the option `--json`, and no file" in judged.said()) is (wanted != "success")
