"""Makes damaged copies of changed files: each hunk reverted, functions emptied, operators changed.

Runs inside the sandbox. Input: JSON with `called` and `words`, names that the tests call and mention, and
`files`, a list of {path, language, ranges: [[first, last]], hunks: [[first, count, text]]}: the changed
lines of head (a deletion in front of line n is [n, n - 1]), and what stood in place of `count` lines on
base. Output on the private channel: one JSON line a damage, first the most telling, then what is asked about:
files that only look different (`same`), conditions on a value that are always true or false (`condition`),
such that narrow another one and are always met (`narrowed`), errors that are let through (`passed_over`),
results that are not remembered (`remembered`), keys that are others (`key`), new parameters and options that
are always their default (`parameter`), blocks without their new `with` (`unwrapped`), statements that are as
on base (`altered`):
{file, kind, line, symbol, start, end, text, what, is_telling, is_new, names, is_changed, parameters, edit};
it replaces the bytes from start to end. What does not parse is dropped. With `emptied`, names of functions,
there is nothing else than these without their bodies; with `others`, values, nothing else than these written
otherwise (`other_value`). With `named`, names that a judge's step is about,
functions of these names are damaged though they did not change, what says the same as on base is left
alone, and there are edits more: definitions as on base (`restored`, with what is `lost`),
functions that never give the same twice (`unsteady`), or do nothing where they run for what is named
(`beneath`).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import chain, islice

from sandbox.damage.inside import MOST_BYTES, suffix_of
from sandbox.damage.inside.added import parameters, remembered, terms, unwrapped
from sandbox.damage.inside.altered import altered
from sandbox.damage.inside.altered_values import other_data
from sandbox.damage.inside.conditions import conditions, in_other_values, keys
from sandbox.damage.inside.for_steps import for_a_step, in_other_words
from sandbox.damage.inside.handlers import passed_over
from sandbox.damage.inside.make import Damage, emptied, ranked
from sandbox.damage.inside.options import options
from sandbox.damage.inside.source import (
    OF_ALL_S,
    Clock,
    Source,
    bound,
    functions,
    is_modest,
    tokens,
)

MOST = 70  # of what is asked about, and of all else


def main() -> int:
    """Make the damages of every named file. Returns the exit code."""
    asked = json.load(sys.stdin)
    clock = Clock()
    sources = [one for n, file in enumerate(asked["files"]) if (one := _read(n, file, clock))]
    telling = ranked(sources, frozenset(asked["words"]), frozenset(asked["called"]))
    others = list(other_data(sources, clock))
    asked_about: Iterator[Damage] = chain(
        in_other_words(sources),
        conditions(sources),
        passed_over(sources),
        remembered(sources),
        keys(sources),
        terms(sources, clock),
        parameters(sources, frozenset(asked["words"]), clock),
        options(sources, frozenset(asked["words"])),
        unwrapped(sources),
        altered(sources, clock),
    )
    # What is asked about takes neither time nor place from what shows whether a test sees anything.
    kinds: tuple[tuple[Iterator[Damage], Clock], ...]
    kinds = (chain(telling, others), Clock(OF_ALL_S / 2)), (asked_about, clock)
    if asked["emptied"]:
        kinds = ((emptied(sources, frozenset(asked["emptied"])), clock),)
    elif asked["others"]:
        kinds = ((in_other_values(sources, asked["others"]), clock),)
    elif asked["named"] is not None:
        kinds = ((for_a_step(sources, frozenset(asked["named"]), clock), clock),)
    with os.fdopen(int(os.environ["ASSAY_CHANNEL_FD"]), "wb") as channel:
        for damages, own in kinds:
            for damage in islice(_checked_of(damages, sources, others, own), MOST):
                source = next(s for s in sources if s.number == damage.file)
                line = asdict(replace(damage, is_new=source.is_new(damage.line)))
                line["text"] = damage.text.decode("utf-8", "surrogateescape")
                channel.write(json.dumps(line).encode() + b"\n")
                channel.flush()
    return 0


def _checked_of(
    damages: Iterator[Damage], sources: list[Source], others: list[Damage], clock: Clock
) -> Iterator[Damage]:
    """Yield the damages that parse in time; a hunk with values in it tells nothing, as these tell more."""
    for damage in damages:
        if clock.is_over:
            return
        source = next(s for s in sources if s.number == damage.file)
        checked = _checked(damage, source, clock)
        if checked and checked.kind == "reverted":
            of_file = (one for one in others if one.file == checked.file)
            if any(checked.start <= one.start and one.end <= checked.end for one in of_file):
                checked = replace(checked, is_telling=False)
        if checked:
            yield checked


def _read(number: int, file: dict[str, object], clock: Clock) -> Source | None:
    path, language = str(file["path"]), str(file["language"])
    try:
        # Without following a link: none is named here, but the tree is somebody else's.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as stream:
        text = stream.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES or b"\0" in text:
        return None
    read = clock.parse_partly(text, language) if language else None
    if clock.is_over or (read is not None and not is_modest(read)):
        return None
    root = read if read is not None and not read.has_error else None
    # The grammar cannot read a dialect whole.
    dialect, language = language, language if root else ""
    ranges = [(a, b) for a, b in file["ranges"]]  # type: ignore[attr-defined]
    hunks = [(a, n, t.encode("utf-8", "surrogateescape")) for a, n, t in file["hunks"]]  # type: ignore[attr-defined]
    source = Source(number, language, text, ranges, hunks, root, suffix=suffix_of(path))
    if root is None and read is not None and dialect in ("c", "cpp"):
        source.dialect = dialect
        source.readable = tuple(one for one in read.children if not one.has_error)
    if root is not None:
        source.functions = list(functions(root))
    return source


def _checked(damage: Damage, source: Source, clock: Clock) -> Damage | None:
    """Drop what does not parse or changes nothing; what takes a name away tells only of the name."""
    text = source.text[: damage.start] + damage.text + source.text[damage.end :]
    if text == source.text:
        return None
    if source.root is None:
        return damage
    root = clock.parse(text, source.language)
    if root is None:
        return None
    if damage.kind != "reverted":
        return damage
    put, here = (damage.start, damage.start + len(damage.text)), (damage.start, damage.end)
    if tokens(root, *put) == tokens(source.root, *here):
        return None
    # A name may stand elsewhere, too.
    lost = bound(source.root, *here) - bound(root, *put)
    return replace(damage, is_telling=not (lost and lost - bound(root)))


if __name__ == "__main__":
    sys.exit(main())
