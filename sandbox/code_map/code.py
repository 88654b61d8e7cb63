"""Reads the code of both sides: base's from what is kept, head's only where it differs."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox.base import Sandbox
from sandbox.code_map.facts import Code, Facts, SourceFile
from sandbox.code_map.inventory import Inventory, take_inventory
from sandbox.code_map.keeping import KeptFacts, key
from sandbox.code_map.parsing import Parsed, parse
from sandbox.concurrently import concurrently
from sandbox.values import Checkout

_SHOWN_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class _Side:
    inventory: Inventory
    facts: dict[str, Facts]  # by key
    problems: tuple[str, ...]


async def read_code(sandbox: Sandbox, checkout: Checkout, kept: KeptFacts) -> Code:
    """Return the facts of every source file of both sides, within limits that `remarks` tell.

    Base and head are parsed by workers of their own (see `keeping`). Raises SandboxError.
    """
    listed_base, listed_head = await asyncio.to_thread(_take_inventories, checkout)
    base, new = await concurrently(
        _read_kept(sandbox, Path(checkout.base_tree), listed_base, kept),
        _read_new(sandbox, Path(checkout.head_tree), listed_head, listed_base),
    )
    head = replace(new, facts=base.facts | new.facts)
    remarks = (*_left_out("base", base), *_left_out("head", head))
    return Code(_files(base), _files(head), tuple(dict.fromkeys(remarks)))


async def read_base_code(sandbox: Sandbox, tree: Path, kept: KeptFacts) -> tuple[SourceFile, ...]:
    """Return the facts of one tree of base's own history, where there is no head. Raises SandboxError."""
    inventory = await asyncio.to_thread(take_inventory, tree)
    return _files(await _read_kept(sandbox, tree, inventory, kept))


def _take_inventories(checkout: Checkout) -> tuple[Inventory, Inventory]:
    diff = checkout.diff
    changed = frozenset(diff.changed_paths)
    base = take_inventory(Path(checkout.base_tree), None, changed)
    # A diff that was cut does not name every file that differs: then all are looked at.
    known = None if diff.truncated else base
    return base, take_inventory(Path(checkout.head_tree), known, changed)


async def _read_kept(sandbox: Sandbox, tree: Path, inventory: Inventory, kept: KeptFacts) -> _Side:
    files = list(inventory.files.values())
    known = await asyncio.to_thread(kept.find, files)
    parsed = await parse(sandbox, tree, [one for one in files if key(one) not in known])
    new = _by_key(inventory, parsed)
    if new:
        await asyncio.to_thread(kept.keep, new)
    return _Side(inventory, known | new, tuple(parsed.problems))


async def _read_new(sandbox: Sandbox, tree: Path, inventory: Inventory, base: Inventory) -> _Side:
    """Parse the files of head whose content base has nowhere; only theirs are its facts."""
    of_base = {key(one) for one in base.files.values()}
    files = [one for one in inventory.files.values() if key(one) not in of_base]
    parsed = await parse(sandbox, tree, files)
    return _Side(inventory, _by_key(inventory, parsed), tuple(parsed.problems))


def _by_key(inventory: Inventory, parsed: Parsed) -> dict[str, Facts]:
    return {key(inventory.files[path]): facts for path, facts in parsed.facts.items()}


def _files(side: _Side) -> tuple[SourceFile, ...]:
    listed = side.inventory.files.values()
    return tuple(
        SourceFile(one.path, one.language, side.facts[key(one)])
        for one in listed
        if key(one) in side.facts
    )


def _left_out(name: str, side: _Side) -> list[str]:
    counted = side.inventory.left_out.items()
    said = [f"{n} source files of {name} were not read: {why}." for why, n in counted]
    return [*said, *side.problems[:_SHOWN_PROBLEMS]]
