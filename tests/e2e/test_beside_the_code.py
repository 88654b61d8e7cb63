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

SQL, TEMPLATE, DOCKERFILE, TOML = "sql/open.sql", "web/order.html", "Dockerfile", "settings.toml"
DATA: Files = {
    SQL: "-- all that is open\nSELECT id FROM orders\nWHERE paid = 0 AND deleted = 0;\n",
    TEMPLATE: "<h1>Order</h1>\n<p>{{ name | escape }}</p>\n",
    DOCKERFILE: "FROM python:3.12\nUSER shop\n",
    TOML: "timeout = 10\nretries = 3\n",
    "client.py": (
        "import tomllib\nfrom pathlib import Path\n\n\ndef read(name):\n"
        "    return tomllib.loads(Path(__file__).with_name('settings.toml').read_text())[name]\n"
    ),
}
SECONDS = "Requests time out too early\n\n- [ ] `timeout` is 30 seconds\n"
OF_SECONDS = "import client\n\n\ndef test_timeout_is_thirty_seconds():\n    assert {}\n"


def edited(path: str, was: str, now: str) -> Files:
    """A file of base in which one thing is another."""
    text = str(DATA[path])
    assert was in text
    return {path: text.replace(was, now)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    opened = open_folder(tmp_path_factory.mktemp("beside"))
    base = {
        **DATA,
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
        ("query", edited(SQL, " AND deleted = 0", ""), "`AND deleted = 0` is still there (sql/"),
        ("query-remark", edited(SQL, "all that is open", "what is left to pay"), ""),
        ("query-layout", edited(SQL, "\nWHERE", "\n  WHERE"), ""),
        (
            "template",
            edited(TEMPLATE, "escape", "safe"),
            "`escape` is still there instead of `safe`",
        ),
        ("template-more", edited(TEMPLATE, "</p>", "</p>\n<p>Thank you</p>"), ""),
        (
            "user",
            edited(DOCKERFILE, "shop", "root"),
            "instead of `root`, for `USER` (Dockerfile:2)",
        ),
        # no test reads it, and the program does
        ("settings", edited(TOML, "3", "0"), "`3` is still there instead of `0`, for `retries`"),
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


def test_data_of_which_the_task_speaks(folder: Folder) -> None:
    task = f"{TASK}\nThe image runs as `root` from now on.\n"
    head = folder.branch("asked", {**FIX, **edited(DOCKERFILE, "shop", "root")})
    judged = folder.judge(head, task=task)
    assert judged.conclusion == "success", judged.said()


@pytest.mark.parametrize(
    ("name", "now", "test", "wanted"),
    [
        ("longer", "30", "client.read('timeout') == 30", "success"),
        ("least", "30", "client.read('timeout') >= 30", "success"),
        ("shorter", "3", "client.read('timeout') != 10", "action_required"),
    ],
)
def test_a_value_of_data_that_is_all_that_changes(
    folder: Folder, name: str, now: str, test: str, wanted: str
) -> None:
    files = {**edited(TOML, "10", now), "tests/test_timeout.py": OF_SECONDS.format(test)}
    judged = folder.judge(folder.branch(name, files), task=SECONDS)
    assert judged.conclusion == wanted, judged.said()
    assert ("becomes `4` (settings.toml:1" in judged.said()) is (wanted != "success")
