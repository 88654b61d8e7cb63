"""Both sides' code through the real sandbox: what is parsed again, and what hostile trees can do."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import Command, Completed, Sandbox
from sandbox.code_map.code import KeptFacts, read_code
from sandbox.code_map.facts import Code
from sandbox.values import Checkout, Diff
from tests.sandbox.linters.changes import changed

pytestmark = pytest.mark.real

AMOUNTS = "def parse_amount(text):\n    return int(text)\n"
INVOICE = "from amounts import parse_amount\n\ndef total(rows):\n    return sum(map(parse_amount, rows))\n"


class Watched:
    """The real sandbox, and which files each command was given."""

    def __init__(self, inner: Sandbox) -> None:
        self.name, self._inner = inner.name, inner
        self.given: list[list[str]] = []

    async def run(self, command: Command) -> Completed:
        self.given.append([path for path, _ in json.loads(command.stdin)])
        return await self._inner.run(command)


@pytest.fixture
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    return Watched(open_sandbox("bubblewrap", tmp_path_factory.mktemp("sandbox")))


def names(code: Code, path: str) -> set[str]:
    return {d.name for f in code.head if f.path == path for d in f.facts.definitions}


async def test_a_second_pull_request_parses_only_what_it_changes(
    tmp_path: Path, sandbox: Watched
) -> None:
    base = {"amounts.py": AMOUNTS, "invoice.py": INVOICE, "web/app.js": "function go() {}\n"}
    kept = KeptFacts(tmp_path / "kept", "owner/name")
    one = changed(tmp_path / "1", base, {**base, "invoice.py": INVOICE + "\ndef tax(): ...\n"})
    other = changed(tmp_path / "2", base, {**base, "web/app.js": "function stop() {}\n"})

    first = await read_code(sandbox, one, kept)
    parsed = sorted(sandbox.given)  # the sides are read at the same time
    assert parsed == [["amounts.py", "invoice.py", "web/app.js"], ["invoice.py"]]
    assert names(first, "invoice.py") == {"total", "tax"}
    assert names(first, "amounts.py") == {"parse_amount"}

    second = await read_code(sandbox, other, kept)
    assert sandbox.given[2:] == [["web/app.js"]]
    assert names(second, "web/app.js") == {"stop"}
    assert names(second, "invoice.py") == {"total"}
    assert (first.remarks, second.remarks) == ((), ())

    await read_code(sandbox, one, kept)
    assert sandbox.given[3:] == [["invoice.py"]], "what head's worker told was kept"
    await read_code(sandbox, one, KeptFacts(tmp_path / "kept", "owner/other"))
    assert max(map(len, sandbox.given[4:])) == 3, "another repository's facts were used"


async def test_what_is_kept_and_cannot_be_read_is_begun_anew(
    tmp_path: Path, sandbox: Watched
) -> None:
    checkout = changed(tmp_path / "1", {"a.py": AMOUNTS}, {"a.py": AMOUNTS + "\n"})
    kept = KeptFacts(tmp_path / "kept", "owner/name")
    await read_code(sandbox, checkout, kept)
    (database,) = (tmp_path / "kept").iterdir()
    database.write_bytes(b"no database" * 1_000)
    assert names(await read_code(sandbox, checkout, kept), "a.py") == {"parse_amount"}
    await read_code(sandbox, checkout, kept)
    assert names(await read_code(sandbox, checkout, kept), "a.py") == {"parse_amount"}
    assert sandbox.given[-1] == ["a.py"]


async def test_a_hostile_tree_is_read_as_far_as_it_goes(tmp_path: Path, sandbox: Watched) -> None:
    base, head = tmp_path / "base", tmp_path / "head"
    plant(base, head)
    hostile = Checkout("a", "b", "c", str(base), str(head), Diff((), truncated=True))

    code = await read_code(sandbox, hostile, KeptFacts(tmp_path / "kept", "r"))

    paths = {file.path for file in code.head}
    assert {"good.py", "latin.py"} <= paths
    assert "plain" in names(code, "latin.py")
    assert names(code, '"\\377\\012.py"') == {"odd"}
    assert not paths & {"min.js", "huge.py", "link.py", "binary.c", "pipe.py"}
    assert not any(path.startswith("away") for path in paths)
    told = " ".join(code.remarks)
    assert "minified" in told and "larger than 1 MB" in told and "no text" in told


def plant(base: Path, head: Path) -> None:
    """What a pull request may bring beside one good file."""
    for tree in (base, head):
        tree.mkdir()
        (tree / "good.py").write_text(AMOUNTS)
    (head / "latin.py").write_bytes(b"# caf\xe9\ndef na\xefve(): ...\ndef plain(): ...\n")
    (head / "min.js").write_text("function f(){};" * 20_000)
    (head / "huge.py").write_text("x = 1\n" * 900_000)
    (head / "deep.py").write_text("[" * 200_000)
    (head / "deep.js").write_text("(" * 100_000 + ")" * 100_000)
    (head / "link.py").symlink_to("/etc/passwd")
    (head / "away").symlink_to("/usr/lib/python3", target_is_directory=True)
    (head / "binary.c").write_bytes(b"\0\1\2" * 100)
    os.mkfifo(head / "pipe.py")
    Path(os.fsdecode(os.fsencode(head) + b"/\xff\n.py")).write_text("def odd(): ...\n")
