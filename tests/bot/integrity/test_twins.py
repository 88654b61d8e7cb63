"""What a change does to one of several that are alike, and leaves in another."""

from __future__ import annotations

import pytest

from bot.integrity import inspect_integrity
from bot.values import Category, FourWay, Requirement, Requirements, Trust, rules
from sandbox.values import Diff
from tests.bot.integrity.test_integrity import Tree, changed

GET = """class {name}:
    {sign}def get(self, address):
        for attempt in range(self.attempts):
            try:
                return {wait}self.transport(address)
            except {caught}:
                self.tell(attempt)
"""


def client(caught: str = "ConnectionError") -> str:
    return GET.format(name="Client", sign="", wait="", caught=caught)


def waiting(caught: str = "ConnectionError") -> str:
    return GET.format(name="AsyncClient", sign="async ", wait="await ", caught=caught)


BOTH = "(ConnectionError, TimeoutError)"
ASKED = "A timeout is not tried again"
READ = "export async function read(path) {\n  return JSON.parse(await readFile(path, 'utf8'));\n}\n"
SYNC = "\nexport function readSync(path) {\n  return JSON.parse(readFileSync(path, 'utf8'));\n}\n"
READ_MENDED = READ.replace("  return", "  if (!(await exists(path))) return {};\n  return")


def told(base: dict[str, str], head: dict[str, str], asked: str) -> str:
    wanted = Requirement("R1", asked, Category.BEHAVIOUR, "#1", Trust.ASKER)
    diff = Diff(tuple(changed(p, base[p], head[p]) for p in head if base[p] != head[p]))
    findings = inspect_integrity(diff, Tree(base), Tree(head), FourWay(()), Requirements((wanted,)))
    return " ".join(one.message for one in findings if one.rule == rules.TWIN_LEFT)


@pytest.mark.parametrize(
    ("asked", "head", "is_left"),
    [
        (ASKED, client(BOTH) + waiting(), True),
        (ASKED, client() + waiting(BOTH), True),
        (ASKED, client(BOTH) + waiting(BOTH), False),
        ("`AsyncClient` does not try again", client() + waiting(BOTH), False),
        ("Both `Client` and `AsyncClient` should try again", client() + waiting(BOTH), True),
        (ASKED, client(BOTH) + waiting().replace("attempts", "tries"), False),  # changed, too
    ],
)
def test_a_twin_that_waits_and_is_left(asked: str, head: str, is_left: bool) -> None:
    said = told({"shop.py": client() + waiting()}, {"shop.py": head}, asked)
    assert ("does the same but for waiting, is as on base" in said) is is_left


def test_a_twin_in_a_file_of_its_own_and_one_that_is_another_are_told_apart() -> None:
    base = {"shop/client.py": client(), "shop/async_client.py": waiting()}
    assert "`AsyncClient.get`" in told(base, {**base, "shop/client.py": client(BOTH)}, ASKED)
    other = {**base, "shop/async_client.py": waiting().replace("self.tell", "self.log")}
    other["shop/async_client.py"] = other["shop/async_client.py"].replace("attempts", "tries")
    assert not told(other, {**other, "shop/client.py": client(BOTH)}, ASKED)


def test_twins_of_scripts() -> None:
    assert "`readSync`" in told(
        {"read.mjs": READ + SYNC}, {"read.mjs": READ_MENDED + SYNC}, "No file"
    )
    mended = SYNC.replace("  return", "  if (!existsSync(path)) return {};\n  return")
    assert not told({"read.mjs": READ + SYNC}, {"read.mjs": READ_MENDED + mended}, "No file")
