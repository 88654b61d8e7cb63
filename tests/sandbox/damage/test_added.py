"""New parameters and options are their default in a copy; what a new `with` stands around runs without it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.damage.making import make_damages
from sandbox.damage.values import PARAMETER, UNWRAPPED
from tests.sandbox.linters.changes import changed

pytestmark = pytest.mark.real

ADDED = {
    "a.py": (
        "def f(a, b=1):\n    return a\n",
        'def f(a, b=1, limit=5, *, keep: int = 2, other=3):\n    "It."\n    return a[:limit]\n\n\n'
        "def new(limit=7):\n    return limit\n",
        {
            "`limit` of `f` is always `5`": "limit = 5\n    return a[:limit]",
            "`keep` of `f` is always `2`": "keep = 2\n    return a[:limit]",
        },
    ),
    "a.mjs": (
        "export function f(a) {\n  return a;\n}\nexport const g = a => a;\n",
        "export function f(a, {limit = 5, size} = {}) {\n  return a + limit;\n}\n"
        "export const g = (a, limit = 3) => a + limit;\n",
        {
            "`limit` of `f` is always `5`": "{ limit = 5;\n\n  return a + limit;",
            "`limit` of `g` is always `3`": "=> (limit = 3, a + limit)",
        },
    ),
    "a.ts": (
        "class A {\n  constructor(a: number) {\n    go(a);\n  }\n}\n",
        "class A {\n  constructor(a: number, private keep = 2, limit: number = 5) {\n"
        "    go(a, limit);\n  }\n}\n",
        {"`limit` of `constructor` is always `5`": "{ limit = 5;\n\n    go(a, limit);"},
    ),
}
"""Base, head, and what stands in head with a new parameter that is always its default."""


@pytest.mark.parametrize("name", ADDED)
async def test_a_new_parameter_that_tests_name_is_its_default(tmp_path: Path, name: str) -> None:
    base, head, wanted = ADDED[name]
    checkout = changed(tmp_path, {name: base}, {name: head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {name}, ("limit", "keep"))
    found = [one for one in made if one.damage.kind == PARAMETER]
    assert {one.damage.what for one in found} == {*wanted}
    for one in found:
        ((_, text),) = one.files
        assert wanted[one.damage.what] in text.decode()


OPTIONS = (
    "def main(argv):\n    p = ArgumentParser()\n    p.add_argument('--old')\n    add = p.add_argument\n{}"
    "    return p.parse_args(argv)\n"
)
NEW_OPTIONS = (
    "    p.add_argument('-d', '--dry-run', action='store_true', help='Do nothing')\n"
    "    p.add_argument(\n        '--limit',  # how many\n        default=5,  # all\n    )\n"
    "    p.add_argument('--keep', action=Own)\n    p.add_argument('limit')\n    p.add_argument('--other')\n"
)


async def test_a_new_option_that_tests_name_changes_nothing(tmp_path: Path) -> None:
    changes = {"a.py": OPTIONS.format("")}, {"a.py": OPTIONS.format(NEW_OPTIONS)}
    checkout = changed(tmp_path, *changes)
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    named = ("dry", "run", "limit", "keep")
    made = await make_damages(sandbox, checkout, {"a.py"}, named)
    found = {one.damage.what: one for one in made if one.damage.kind == PARAMETER}
    parsed = {}
    for what, one in found.items():
        space = {"ArgumentParser": ArgumentParser, "Own": "store"}
        exec(one.files[0][1], space)  # noqa: S102 - what was just made of the text above
        parsed[what] = space["main"](["--dry-run", "--limit", "7", "here"])
    dry, limited = parsed["`--dry-run` changes nothing"], parsed["`--limit` changes nothing"]
    assert (len(parsed), dry.dry_run, limited.dry_run) == (2, False, True)


BY_CLICK = (
    "@click.command\n@click.option('--dry/--wet')\n@click.option('-l', '--limit', 'most', default=5)\n"
    "@option('--keep', multiple=True)\n@option('--raw', callback=own)\ndef main(dry, most, keep, raw):\n"
    '    "It."\n    return dry, most, keep\n'
)


async def test_a_new_option_of_a_decorator_changes_nothing(tmp_path: Path) -> None:
    base = "@click.command\ndef main():\n    return 1\n"
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": BY_CLICK})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.py"}, ("dry", "limit", "keep", "raw"))
    found = [one for one in made if one.damage.kind == PARAMETER]
    begins = {one.damage.what: one.files[0][1].decode().split('It."\n    ')[1] for one in found}
    rest = "\n    return dry, most, keep\n"
    assert begins == {
        "`--dry` changes nothing": f"dry = False{rest}",
        "`--limit` changes nothing": f"most = 5{rest}",
        "`--keep` changes nothing": f"keep = (){rest}",
    }


async def test_what_a_new_with_stands_around_runs_without_it(tmp_path: Path) -> None:
    base = "def f(a):\n    with a.guard:\n        return a.go()\n"
    head = (
        "guard = threading.Lock()\n\n\nasync def f(a):\n    with a.guard:\n        a.go()\n"
        "    async with aio.Semaphore(a.limit):\n        a.go()\n    with guard, a.timer():\n        a.go()\n"
        "    with open(a) as file:\n        return file\n"
        "    with db.atomic(), suppress(KeyError):\n        a.do()\n"
    )
    checkout = changed(tmp_path, {"a.py": base}, {"a.py": head})
    sandbox = open_sandbox("bubblewrap", tmp_path / "state")
    made = await make_damages(sandbox, checkout, {"a.py"}, ())
    found = [one for one in made if one.damage.kind == UNWRAPPED]
    assert [(one.damage.what, one.damage.names) for one in found] == [
        ("`with aio.Semaphore(a.limit)` is left out", ("Semaphore",)),
        ("`with db.atomic(), suppress(KeyError)` is left out", ("atomic", "suppress")),
    ]
    assert b"    if True:\n        a.go()\n    with guard" in found[0].files[0][1]
