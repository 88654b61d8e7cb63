"""Code that newly opens the network or starts other programs, where nobody asked for it."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

ASKED = "Double the price"


def found(path: str, line: str, base: dict[str, str] | None = None, asked: str = ASKED) -> set[str]:
    """The rules that speak where one line is added to a file, beside other files of base."""
    before = "price = 1\n"
    after = f"{before}{line}\n"
    wanted = Requirements((Requirement("R1", asked, Category.BEHAVIOUR, "issue #1", Trust.ASKER),))
    trees = Tree({path: before, **(base or {})}), Tree({path: after, **(base or {})})
    findings = inspect_integrity(Diff((changed(path, before, after),)), *trees, FourWay(()), wanted)
    return {one.rule for one in findings} & rules.REACHES_OUT


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "import urllib.request"),
        ("shop.py", "from urllib import request"),
        ("shop.py", "from urllib.request import urlopen"),
        ("shop.py", "import socket as s"),
        ("src/shop.js", "const https = require('node:https');"),
        ("src/shop.ts", 'import { get } from "https";'),
        ("src/shop.mjs", "const reply = await fetch('https://shop.example/' + price);"),
        ("src/shop.js", "new WebSocket(place);"),
        ("src/shop.js", "navigator.sendBeacon(place, price);"),
    ],
)
def test_the_network_is_asked_for(path: str, line: str) -> None:
    assert found(path, line) == {rules.NETWORK_OPENED}
    assert not found(path, line, asked="Ask the server for the price")
    assert not found(path, line, {f"src/other-{path.rpartition('/')[2]}": f"{line}\n"})


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("shop.py", "import subprocess"),
        ("shop.py", "os.system('sh -c true')"),
        ("src/shop.cjs", "const { exec } = require('child_process');"),
        ("src/shop.ts", "import { $ } from 'zx';"),
    ],
)
def test_other_programs_are_asked_for(path: str, line: str) -> None:
    assert found(path, line) == {rules.PROGRAM_STARTED}
    assert not found(path, line, asked="Run the command `price`")


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("tests/test_shop.py", "import socket"),
        ("scripts/release.py", "import subprocess"),
        ("Gruntfile.js", "const { exec } = require('child_process');"),
        ("shop.py", "# import socket"),
        ("shop.py", "from .socket import price"),
        ("shop.py", "import http"),
        ("shop.py", "from urllib.request import pathname2url"),
        ("src/shop.js", "// await fetch(place)"),
        ("src/shop.js", "  async fetch(place) {}"),
        ("src/shop.ts", "import type { Agent } from 'https';"),
        ("src/shop.d.ts", "import { Agent } from 'https';"),
        ("src/shop.js", "const { parse } = require('node:url');"),
    ],
)
def test_what_opens_nothing_is_left_alone(path: str, line: str) -> None:
    assert not found(path, line)
