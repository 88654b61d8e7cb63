"""What users of a package load or run, where tests look at the tree: entries, modes, stand-ins, versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "`price` returns twice the cents"
BESIDE = (rules.ENTRY_STALE, rules.STAND_IN_ADDED, rules.DEPENDENCY_MOVED)
ONCE, TWICE = (
    f"export function price(cents) {{\n  return {one};\n}}\n" for one in ("cents", "2 * cents")
)
Texts = Mapping[str, str]


def found(before: Texts, after: Texts, asked: str = ASKED) -> list[tuple[str, str]]:
    """What is said of a change of some files of a tree, and of which file."""
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    paths = [path for path in after if before.get(path) != after[path]]
    diff = Diff(tuple(changed(path, before.get(path), after[path]) for path in paths))
    findings = inspect_integrity(diff, Tree(before), Tree({**before, **after}), FourWay(()), wanted)
    return [(one.rule, one.path) for one in findings if one.rule in BESIDE]


def package(**fields: object) -> str:
    return json.dumps({"name": "shop", **fields}, indent=2)


BUILT = {"package.json": package(main="dist/shop.js"), "src/shop.js": ONCE, "dist/shop.js": ONCE}
DUAL = {
    "package.json": package(exports={"import": "./index.js", "require": "./index.cjs"}),
    "index.js": ONCE,
    "index.cjs": "exports.price = cents => cents;\n",
}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BUILT, {"src/shop.js": TWICE}),
        ({**BUILT, "dist/shop.js": f"'use strict';\n{ONCE}"}, {"src/shop.js": TWICE}),
        (DUAL, {"index.js": TWICE}),
    ],
)
def test_an_entry_that_is_not_changed_along(before: Texts, after: Texts) -> None:
    (path,) = after
    assert found(before, after) == [(rules.ENTRY_STALE, path)]
    assert found(before, after, "`price` returns twice the cents, before the build") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BUILT, {"src/shop.js": TWICE, "dist/shop.js": TWICE}),
        (BUILT, {"src/shop.js": f"// in cents\n{ONCE}"}),
        (BUILT, {"src/other.js": TWICE}),
        # what is published is built by then
        (
            {**BUILT, "package.json": package(main="dist/shop.js", scripts={"prepack": "tsc"})},
            {"src/shop.js": TWICE},
        ),
        # another file of that name, and one that loads what changed
        ({**BUILT, "dist/shop.js": "export const shop = 1;\n"}, {"src/shop.js": TWICE}),
        ({**DUAL, "index.cjs": "module.exports = require('./index.js');\n"}, {"index.js": TWICE}),
        ({**DUAL, "package.json": package(main="index.js")}, {"index.js": TWICE}),
    ],
)
def test_entries_that_have_what_is_new(before: Texts, after: Texts) -> None:
    assert found(before, after) == []


@pytest.mark.parametrize(
    ("text", "modes", "asked", "is_told"),
    [
        ("#!/bin/sh\n", ("100755", "100644"), ASKED, True),
        ("#!/bin/sh\n", ("100755", "100644"), "Take the executable bit from `run.sh`", False),
        ("#!/bin/sh\n", ("100644", "100755"), ASKED, False),
        ("# Notes\n", ("100755", "100644"), ASKED, False),
    ],
)
def test_a_program_that_can_be_executed_no_more(
    text: str, modes: tuple[str, str], asked: str, is_told: bool
) -> None:
    change = replace(changed("run.sh", text, text), old_mode=modes[0], new_mode=modes[1], hunks=())
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    tree = Tree({"run.sh": text})
    findings = inspect_integrity(Diff((change,)), tree, tree, FourWay(()), wanted)
    assert (rules.MODE_LOST in {one.rule for one in findings}) is is_told


JEST = {
    "package.json": package(devDependencies={"jest": "29"}, dependencies={"ms": "2"}),
    "shop.js": "const ms = require('ms');\n",
    "__tests__/shop.test.js": "test('a', () => {});\n",
}
STAND_IN = {"__mocks__/ms.js": "module.exports = () => 1;\n"}


def test_a_stand_in_that_every_test_gets() -> None:
    told = [(rules.STAND_IN_ADDED, "__mocks__/ms.js")]
    assert found(JEST, STAND_IN) == told
    named = {**STAND_IN, "__tests__/new.test.js": "jest.mock('ms');\n"}
    assert found(JEST, named) == []
    assert found(JEST, STAND_IN, "Mock `ms` in all tests") == []
    assert found({**JEST, "package.json": package(devDependencies={"vitest": "3"})}, STAND_IN) == []
    assert found({**JEST, "shop.js": "const ms = 1;\n"}, STAND_IN) == []
    assert found({**JEST, **STAND_IN}, {"__mocks__/ms.js": "module.exports = () => 2;\n"}) == []


PIP, NPM = "requirements.txt", "package.json"
IDNA = "Bump idna from 3.4 to 3.7"


def npm(version: str) -> str:
    return package(devDependencies={"a": version})


def project(version: str) -> str:
    return f'[project]\ndependencies = ["a{version}"]\n'


@pytest.mark.parametrize(
    ("path", "was", "now", "asked"),
    [
        (PIP, "idna==3.4\nattrs==23.1\n", "idna==3.7\nattrs==21.2\n", IDNA),
        (PIP, "idna==3.4\nattrs==23.1\n", "idna==3.7\nattrs==24.0\n", IDNA),
        # beside another task only an older one
        (PIP, "attrs==23.1\n", "attrs==21.2\n", ASKED),
        (NPM, npm("^2.1.0"), npm("^1.9.0"), ASKED),
        ("pyproject.toml", project(">=2"), project(">=1"), ASKED),
    ],
)
def test_another_version_of_what_nobody_named(path: str, was: str, now: str, asked: str) -> None:
    assert found({path: was}, {path: now}, asked) == [(rules.DEPENDENCY_MOVED, path)]


@pytest.mark.parametrize(
    ("path", "was", "now", "asked"),
    [
        (PIP, "idna==3.4\nattrs==23.1\n", "idna==3.7\nattrs==23.1\n", IDNA),
        (PIP, "idna==3.4\nidna-ssl==1\n", "idna==3.7\nidna-ssl==2\n", IDNA),
        (
            PIP,
            "idna==3.4\nattrs==23.1\n",
            "idna==3.7\nattrs==24\n",
            "Update dependencies, idna first",
        ),
        (PIP, "jest==1\nedge-jest==1\n", "jest==2\nedge-jest==2\n", "Update jest from 1 to 2"),
        (PIP, "attrs==23.1\n", "attrs == 23.1  # new\n", IDNA),
        (PIP, "attrs==23.1\n", "attrs==24.0\n", ASKED),
        (PIP, "attrs==23.1.0\n", "attrs~=23.1\n", ASKED),
        (NPM, npm("^1.9.0"), npm("^2.1.0"), ASKED),
        (f"bench/{NPM}", npm("^2.1.0"), npm("^1.9.0"), ASKED),
        (PIP, "# by pip-compile\na==2\n", "# by pip-compile\na==1\n", ASKED),
        ("package-lock.json", '{"a": "2.0.0"}', '{"a": "1.0.0"}', ASKED),
    ],
)
def test_versions_that_may_move(path: str, was: str, now: str, asked: str) -> None:
    assert found({path: was}, {path: now}, asked) == []
