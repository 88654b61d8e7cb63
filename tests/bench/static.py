"""The static stages of a repository of 2,000 files: the code graph, the places, the integrity checks."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bot.evidence.code_map.impact import changed_symbols, impact
from bot.evidence.code_map.index import CodeIndex
from bot.evidence.code_map.locate import locate
from bot.integrity import inspect_integrity
from bot.values import FourWay, Requirements
from sandbox import open_sandbox
from sandbox.base import Sandbox
from sandbox.code_map.code import KeptFacts, read_code
from sandbox.code_map.facts import Code
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource
from sandbox.repository.names import TreeReader
from sandbox.values import Checkout
from tests.sandbox.repositories import Repository

_FILES = 2_000
_FUNCTIONS = 25
_ASKED = ("`price_7` of module 42 rounds up", "Prices are rounded when they are shown to people")
_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Static:
    """Seconds of the first and of the second pull request on one base, and what was in it."""

    first_s: float
    second_s: float
    megabytes: float


def _python(number: int) -> str:
    before = f"from shop.part_{(number - 1) % 40}.module_{number - 1} import price_3\n\n"
    functions = (
        f"def price_{n}(rows, rate={n}):\n    '''Add up rows.'''\n    total = 0\n    for row in rows:\n"
        f"        total += row.amount * rate\n    if total > {n}:\n        return round(total, 2)\n"
        f"    return price_3(rows) + helper_{n}(total)\n\n"
        for n in range(_FUNCTIONS)
    )
    return before + "\n".join(functions)


def _script(number: int) -> str:
    functions = (
        f"export function price_{n}(rows: Row[], rate = {n}): number {{\n  let total = 0;\n"
        f"  for (const row of rows) {{\n    total += row.amount * rate;\n  }}\n"
        f"  return round(total) + helper_{n}(rows);\n}}\n"
        for n in range(_FUNCTIONS)
    )
    return f"import {{ Row }} from './module_{number - 2}';\n" + "\n".join(functions)


def _files(edited: int = -1) -> dict[str, str]:
    files = {}
    for number in range(_FILES):
        is_python = number % 3 < 2
        text = _python(number) if is_python else _script(number)
        name = f"shop/part_{number % 40}/module_{number}.{'py' if is_python else 'ts'}"
        files[name] = text.replace("total > 7", "total > 70") if number == edited else text
    return files


def _checkout(folder: Path, repository: Repository, base: str, edited: int) -> Checkout:
    repository.git("checkout", "--quiet", "--force", base)
    head = repository.commit(_files(edited))
    request = CheckoutRequest(f"e{edited}", RepositorySource(str(repository.folder)), base, head)
    return take(folder / "root", request)


async def _read(sandbox: Sandbox, checkout: Checkout, kept: KeptFacts) -> _Unprinted:
    # asyncio.run prints its task's result into a message that nobody sees; that costs a second here.
    return _Unprinted((await read_code(sandbox, checkout, kept),))


class _Unprinted(tuple[Code]):
    __slots__ = ()

    def __repr__(self) -> str:
        return "the code"


def _static(sandbox: Sandbox, checkout: Checkout, kept: KeptFacts) -> float:
    started = time.monotonic()
    (code,) = asyncio.run(_read(sandbox, checkout, kept))
    index, changed = CodeIndex(code.head), changed_symbols(code, checkout.diff)
    found = impact(code, changed, index)
    places = [locate(text, index, changed) for text in _ASKED]
    base, head = TreeReader(Path(checkout.base_tree)), TreeReader(Path(checkout.head_tree))
    inspect_integrity(checkout.diff, base, head, FourWay(()), Requirements(()))
    took = time.monotonic() - started
    if not (len(code.head) == _FILES and len(found.symbols) == 1 and all(places)):
        raise AssertionError("the code was not read whole")
    return took


def measure(folder: Path) -> Static:
    """Judge two pull requests on one base, the first one without anything kept."""
    repository = Repository(folder / "project")
    texts = _files()
    base = repository.commit(texts)
    first, second = (_checkout(folder, repository, base, edited) for edited in (42, 43))
    sandbox = open_sandbox("bubblewrap", folder / "state")
    kept = KeptFacts(folder / "graphs", "owner/name")
    size = sum(map(len, texts.values())) / 1e6
    return Static(_static(sandbox, first, kept), _static(sandbox, second, kept), size)


def main() -> None:
    """Print the ratio, the median of some rounds."""
    rounds = []
    for _ in range(_ROUNDS):
        with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
            rounds.append(measure(Path(folder)))
    rounds.sort(key=lambda one: one.first_s / one.second_s)
    middle = rounds[len(rounds) // 2]
    print(
        f"static stages of {_FILES:,} files ({middle.megabytes:.1f} MB), first over second pull request: "
        f"{middle.first_s / middle.second_s:.1f}x"
    )
    for one in rounds:
        print(f"  {one.first_s:.2f} s, then {one.second_s:.2f} s")
    print(f"  graph, impact, locate, integrity; load average {os.getloadavg()[0]:.1f}")
