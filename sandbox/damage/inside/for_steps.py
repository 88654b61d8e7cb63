"""Makes what a judge's step is run with: in other words, as on base, and damaged near what it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sandbox.damage.inside.languages import WORD
from sandbox.damage.inside.make import Damage, changed_functions, entered, ranked
from sandbox.damage.inside.results import unsteady
from sandbox.damage.inside.source import Clock, Source
from sandbox.damage.inside.twins import Twins, same

_MOST_READ, _MOST_NAMES = 4_000, 40


def for_a_step(sources: list[Source], named: frozenset[str], clock: Clock) -> Iterator[Damage]:
    """What a judge's step is run on: copies that look different, then what is as on base, then damages."""
    twins = {one.number: Twins.of(one, clock) for one in sources}
    for source in sources:
        start, end, text = same(source)
        what = "the same in other words"
        yield Damage(source.number, "same", 1, "", start, end, text, what, is_telling=False)
    for number, twin in twins.items():
        for one, text in twin.changed():
            line, what = one.node.start_point[0] + 1, f"`{one.name}` as on base"
            place = number, "restored", line, one.name, one.node.start_byte, one.node.end_byte
            yield Damage(*place, text, what, is_telling=False, names=one.key)
        if lost := twin.lost():
            end = len(twin.source.text)
            yield Damage(number, "lost", 1, "", end, end, lost, "what base has besides", False)
    for source in sources:
        source.named = named
    for damage in ranked(sources, named, named):
        twin = twins[damage.file]
        names = twin.names(damage.line)
        if damage.kind in ("reverted", "raises") and twin.own:
            continue
        is_changed = not twin.is_same(damage.line)
        if is_changed or named.intersection(names):
            words = () if twin.own else _words_at(twin.source, damage.line)
            yield replace(damage, names=names or words, is_changed=is_changed)
    for source in sources:
        if source.language == "python":
            yield from _of_python(source, twins[source.number], named)


_BENEATH = (
    'if [1 for c in [[__import__("sys")._getframe(1)]] for f in c if (f.f_back is None or '
    'c.append(f.f_back) is None) and "judge" not in f.f_code.co_filename.rpartition("/")[2] and '
    '{{f.f_code.co_name, f.f_locals.get("self").__class__.__name__}} & {{{names}}}]: return'
)
"""Leaves a function where one of some names, or a method of such a class, has called it; a judge's own does
not count."""


def _of_python(source: Source, twin: Twins, named: frozenset[str]) -> Iterator[Damage]:
    """Functions that never give the same twice, and that do nothing where they run for what is named."""
    names = ", ".join(repr(one) for one in sorted(named)[:_MOST_NAMES] if one.isidentifier())
    for one in changed_functions(source):
        own = twin.names(one.first)
        if twin.is_same(one.first):
            continue
        if found := unsteady(source, one):
            start, end, text = found
            what, put = f"`{one.name}` returns another value at each call", text.encode()
            place = source.number, "unsteady", one.first, one.name, start, end
            yield Damage(*place, put, what, is_telling=False, names=own)
        if not names or named.intersection(own):
            continue
        what = f"`{one.name}` does nothing where it is run for what is asked for"
        for damage in entered(source, one, "beneath", _BENEATH.format(names=names), what):
            if not damage.text.endswith(
                b"; "
            ):  # else all of the line would stand behind the condition
                yield replace(damage, names=own)


def _words_at(source: Source, line: int) -> tuple[str, ...]:
    """Return what the changed lines of a file name that has no definitions."""
    rows = source.text.decode(errors="replace").splitlines()
    shown = [row for a, b in source.ranges if a <= line <= b for row in rows[a - 1 : b]]
    return tuple(dict.fromkeys(WORD.findall("\n".join(shown)[:_MOST_READ])))[:_MOST_NAMES]
