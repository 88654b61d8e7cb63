"""Looks behind what head alone gives of the task's examples: at calls near them, and without what they call.

An example whose result is written into the code for just that call, or made up around the call, would
speak for the change otherwise.
"""

from __future__ import annotations

import ast
import asyncio
import json
import re
import shutil
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

from bot.diff.paths import is_source_path
from bot.evidence.seen import Both, StepSide
from bot.values import Example, ExampleLanguage, ExampleSeen
from sandbox.base import Mount, Sandbox
from sandbox.concurrently import concurrently
from sandbox.damage.making import DamagedCopy, empty_functions
from sandbox.damage.trial import NO_PROGRAM, laid_over
from sandbox.edges.empty_calls import NOT_TRIED
from sandbox.edges.examples import PRINTED, RAISED, VALUE, ExampleResult
from sandbox.elsewhere.new_names import added_code, literals
from sandbox.elsewhere.told import both_sides
from sandbox.elsewhere.values import BothSides, TestedInput, Unmeasured, moves_boundary
from sandbox.elsewhere.variation import MOST, is_alike, neighbors
from sandbox.values import ChangeStatus, Diff

_MOST_EXAMPLES = 4
_CALLED = re.compile(r"([A-Za-z_$][\w$]{0,80})\s{0,4}\(")
_NOTHING = {"None", "undefined", "null"}  # what an empty body gives, too
_DID = {VALUE: "returned", RAISED: "raised", PRINTED: "printed"}
Run = Callable[
    [StepSide, tuple[Example, ...], tuple[Mount, ...]],
    Coroutine[Any, Any, dict[int, ExampleResult]],
]
"""Runs examples on one side, with files laid over its tree; what each did, by its number."""


@dataclass(frozen=True, slots=True)
class _NearCall:
    """A call near an example: its text, which literal was changed, and -1 or 1 for a number's next."""

    call: str
    slot: int
    step: int
    is_alike: bool


@dataclass(frozen=True, slots=True)
class ProofContext:
    """What looking needs: both sides, an own folder, the change, and the files that define what is called."""

    sandbox: Sandbox
    places: Both[StepSide]
    workspace: Path
    diff: Diff
    defining: tuple[str, ...]
    run: Run


async def looked_behind(
    looking: ProofContext,
    seen: tuple[ExampleSeen, ...],
    holds: Callable[[Example, ExampleResult], bool | None],
) -> tuple[ExampleSeen, ...]:
    """Return the examples, those that head alone gives with what is near them and what they need.

    Commands stay as they are. Raises SandboxError.
    """
    wanted = [
        number
        for number, one in enumerate(seen)
        if one.is_fixed and one.example.language is not ExampleLanguage.SHELL
    ][:_MOST_EXAMPLES]
    if not wanted:
        return seen
    found = list(seen)
    near = await _near_all(looking, [seen[number] for number in wanted])
    needed = await _needed(looking, [seen[number].example for number in wanted], holds)
    for at, number in enumerate(wanted):
        found[number] = replace(seen[number], near=near[at], is_needed=needed[at])
    return tuple(found)


# --- calls near an example --------------------------------------------------------------------


async def _near_all(looking: ProofContext, seen: list[ExampleSeen]) -> list[TestedInput | None]:
    no_source = {path for path in looking.diff.changed_paths if not is_source_path(path)}
    words = literals(added_code(looking.diff, no_source))
    around = [tuple(_around(one.example, words)) for one in seen]
    if not any(around):
        return [None for _ in seen]
    varied = [
        replace(one.example, call=call)
        for one, group in zip(seen, around, strict=True)
        for call in (one.example.call, *(near.call for near in group))
    ]
    runs = (looking.run(place, tuple(varied), ()) for place in looking.places)
    base, head = await concurrently(*runs)
    found: list[TestedInput | None] = []
    first = 0
    for one, group in zip(seen, around, strict=True):
        own = [(base.get(n), head.get(n)) for n in range(first, first + 1 + len(group))]
        first += 1 + len(group)
        if not _was_made(own[0][0]) and _was_made(own[0][1]):
            found.append(_new(one.example, group, [head for _, head in own]))
            continue
        known = []
        for near, sides in zip(group, own[1:], strict=True):
            if both := _informative(near.call, *sides):
                known.append(
                    (near.slot, near.step, replace(both, slot=near.slot, is_alike=near.is_alike))
                )
        shown = _informative(one.example.call, *own[0])
        if not shown or not known:
            found.append(None)
            continue
        slots = _literals_in(one.example.call)
        tested = TestedInput(
            shown,
            _function(one.example),
            "",
            "",
            values=tuple(ast.unparse(slots[at]) for at in sorted({slot for slot, _, _ in known})),
            near=tuple(both for _, _, both in known),
            moves_boundary=moves_boundary(shown, known),
        )
        found.append(tested)
    return found


def _around(example: Example, words: tuple[object, ...]) -> Iterator[_NearCall]:
    """The call with one literal changed at a time, its literals in turn."""
    is_script = example.language is ExampleLanguage.JAVASCRIPT
    slots = _literals_in(example.call)
    own = [ast.literal_eval(node) for node in slots]
    of_each = [[(slot, *one) for one in neighbors(value, words)] for slot, value in enumerate(own)]
    text = example.call.encode()
    found: dict[str, _NearCall] = {}
    for one in chain.from_iterable(zip_longest(*of_each)):
        if one is None:
            continue
        slot, value, step = one
        written = repr(value)
        if is_script:
            written = json.dumps(value) if isinstance(value, str | int | float | list) else ""
        node = slots[slot]
        if written:
            call = text[: node.col_offset] + written.encode() + text[node.end_col_offset :]
            found.setdefault(
                call.decode(), _NearCall(call.decode(), slot, step, is_alike(own[slot], value))
            )
    found.pop(example.call, None)
    return islice(iter(found.values()), MOST)


def _literals_in(call: str) -> list[ast.expr]:
    """The arguments of its calls that are plain values, and stand on its only line."""
    try:
        tree = ast.parse(call, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    if "\n" in call:
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            for one in (*node.args, *(keyword.value for keyword in node.keywords)):
                try:
                    value = ast.literal_eval(one)
                except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
                    continue
                if value is not None:
                    found.append(one)
    return found


def _informative(
    call: str, base: ExampleResult | None, head: ExampleResult | None
) -> BothSides | None:
    """What both sides give; None where they refuse alike, or where one gave nothing clear."""
    if base is None or head is None or not (_was_made(base) and _was_made(head)):
        return None
    both = both_sides(call, *map(_said, (base, head)))
    return None if head.outcome == RAISED and not both.differs else both


def _was_made(shown: ExampleResult | None) -> bool:
    return shown is not None and shown.outcome != NOT_TRIED


def _new(
    example: Example, group: tuple[_NearCall, ...], head: list[ExampleResult | None]
) -> TestedInput | None:
    """The example of a new function, where that gives the same for all calls near it."""
    tested, *near = (
        both_sides(call, "", _said(one))
        for call, one in zip((example.call, *(one.call for one in group)), head, strict=True)
        if one and _was_made(one)
    )
    if {one.on_head for one in near} != {tested.on_head}:
        return None
    return TestedInput(tested, _function(example), "", "", near=tuple(near), problem=Unmeasured.NEW)


def _said(shown: ExampleResult) -> str:
    return f"{_DID[shown.outcome]} {shown.said}"


def _function(example: Example) -> str:
    called: list[str] = _CALLED.findall(example.call)
    return called[-1] if called else ""


# --- without what an example calls ------------------------------------------------------------


async def _needed(
    looking: ProofContext,
    examples: list[Example],
    holds: Callable[[Example, ExampleResult], bool | None],
) -> list[bool | None]:
    """Say of each whether head gives it no more where the functions that it calls have empty bodies.

    None where that shows nothing: they are no functions, or an installed copy of the tree is what runs.
    """
    names = {name for one in examples for name in _CALLED.findall(one.call)}
    # The files of head that change or define what is called, as far as they are code that ships.
    changed = (one.path for one in looking.diff.files if one.status is not ChangeStatus.DELETED)
    paths = dict.fromkeys((*looking.defining, *changed))
    sources = [one for one in paths if is_source_path(one)]
    copy = await empty_functions(looking.sandbox, looking.places.head.tree, sources, names)
    if copy is None:
        return [None for _ in examples]

    async def given(copy: DamagedCopy) -> list[bool]:
        try:
            laid = await asyncio.to_thread(laid_over, looking.workspace, copy)
            shown = await looking.run(looking.places.head, tuple(examples), laid)
        finally:
            await asyncio.to_thread(shutil.rmtree, looking.workspace, ignore_errors=True)
        return [
            number in shown and holds(one, shown[number]) is True
            for number, one in enumerate(examples)
        ]

    still = await given(copy)
    if any(still):
        broken = replace(copy, files=tuple((path, NO_PROGRAM) for path in sources))
        always = await given(broken)
    else:
        always = still
    found: list[bool | None] = []
    for one, lasts, gives in zip(examples, always, still, strict=True):
        # An empty body says something of an example that calls one, and expects something.
        calls = _CALLED.findall(one.call)
        is_telling = not _NOTHING & set(one.results) and not copy.functions.isdisjoint(calls)
        found.append(not gives if is_telling and not lasts else None)
    return found
