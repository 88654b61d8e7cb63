"""What of a change no test needs and the task does not speak of, or what shows with one value only."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from bot.context import EvaluationContext
from bot.diff.kinds import is_shipped_source
from bot.evidence.examples.run import noticed_by_examples
from bot.evidence.said_values import is_mentioned
from bot.evidence.tests.four_way import assertion_line
from bot.services import Services
from bot.values import Observed, TestChange, TestComparison
from sandbox.code_map.inventory import language_of
from sandbox.damage.inside import BY_ROWS, suffix_of
from sandbox.damage.making import DamagedCopy
from sandbox.damage.one_value import BothResults, with_other_values
from sandbox.damage.trial import NO_PROGRAM, Trials, laid_over, try_hunks
from sandbox.damage.values import OF_VALUES, Damage, DamageTrial, OneValue
from sandbox.elsewhere.inside.calls import ADDRESS
from sandbox.test_runs.four_runs import failed, passed

_FOREIGN = frozenset(("node_modules", "vendor", "third_party", "venv", "site-packages"))
_ASIDE = frozenset((
    *("example", "examples", "demo", "demos", "website", "site", "www", "bench", "benchmark", "benchmarks"),
    *("script", "scripts", "tool", "tools", "docs", "doc"),
))  # fmt: skip
"""Folders of what no user of the program gets."""
_MOST_SOURCES, _LONGEST_SOURCE = 2_000, 500_000


@dataclass(frozen=True, slots=True)
class Unneeded:
    """What nobody notices, what there was no time to try, and what came to no end."""

    trials: tuple[DamageTrial, ...]
    late: tuple[Damage, ...]
    cut_off: tuple[Damage, ...]


async def find_unneeded(
    services: Services,
    case: EvaluationContext,
    observed: Observed,
    rooms: Sequence[Trials],
    asking: list[DamagedCopy],
) -> Unneeded:
    """Return those of the damages (`asking`) that no test and no example notices. Raises SandboxError.

    The first of the `rooms` has the tests that speak for the change: mostly they do need it, and the others
    need not run. What is done alike in several places is needed where it is needed in one of them.
    """
    done: tuple[DamageTrial, ...] = ()
    late: list[Damage] = []
    cut_off: list[Damage] = []
    for room in rooms:
        done = await try_hunks(services.sandbox, room, asking)
        late += [one.damage for one in asking[len(done) :]]
        cut_off += [one.damage for one in done if one.is_cut_off]
        tried = [*zip(asking, done, strict=False)]
        alike = {one.damage.edit for one, trial in tried if trial.noticed} - {""}
        kept = [(o, t) for o, t in tried if t.unnoticed and not t.noticed and not t.unloaded]
        kept = [(one, trial) for one, trial in kept if one.damage.edit not in alike]
        asking, done = [one for one, _ in kept], tuple(trial for _, trial in kept)
    unread = await _unread(services, rooms[-1], asking)
    kept = [(o, t) for o, t in zip(asking, done, strict=True) if o.damage.path not in unread]
    if not observed.examples:
        return Unneeded(tuple(trial for _, trial in kept), tuple(late), tuple(cut_off))
    folder = services.evaluation_folder(case.request) / "damage" / "examples"
    found = []
    for copy, trial in kept:
        try:
            laid = await asyncio.to_thread(laid_over, folder, copy)
            if not await noticed_by_examples(services, case, observed.examples, laid):
                found.append(trial)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return Unneeded(tuple(found), tuple(late), tuple(cut_off))


async def _unread(services: Services, room: Trials, asking: list[DamagedCopy]) -> set[str]:
    """Return the files of data that no test reads: what they say is for another program.

    Not queries, templates and Dockerfiles, nor what the program names: these are read without any test.
    """
    data = {one.damage.path: one for one in asking if not language_of(one.damage.path)}
    left = [path for path in data if suffix_of(path) not in BY_ROWS or _ASIDE & {*Path(path).parts}]
    named = await asyncio.to_thread(_named_by_program, Path(room.checkout.head_tree), left)
    data = {path: data[path] for path in left if path not in named}
    broken = [replace(one, files=((path, NO_PROGRAM),)) for path, one in data.items()]
    done = await try_hunks(services.sandbox, room, broken)
    read = {one.damage.path for one in done if one.noticed or one.unloaded}
    return {path for path in data if path not in read}


def _named_by_program(tree: Path, paths: Sequence[str]) -> set[str]:
    """Return the files whose names stand in a source that ships."""
    waiting, found, seen = {PurePosixPath(path).name: path for path in paths}, set[str](), 0
    for folder, folders, files in os.walk(tree) if waiting else ():
        folders[:] = sorted(one for one in folders if one not in _FOREIGN and one[:1] != ".")
        for file in map(Path(folder).joinpath, sorted(files)):
            if not is_shipped_source(str(file.relative_to(tree))) or file.is_symlink():
                continue
            seen += 1
            if seen > _MOST_SOURCES or file.stat().st_size > _LONGEST_SOURCE:
                continue
            text = file.read_text(errors="replace")
            found.update(path for name, path in waiting.items() if name in text)
    return found


_MOST = 2
_LEAST = 2


async def for_one_value(
    services: Services,
    case: EvaluationContext,
    tests: Iterable[TestComparison],
    trials: Trials,
    asking: Iterable[Damage],
) -> tuple[OneValue, ...]:
    """Return the conditions without whose values tests that prove the change see nothing of it.

    `asking` is what the task does not speak of; of handlers of errors nothing is said here. None is begun
    when the time of the trials is over.
    """
    turned = {
        one.id: one
        for one in tests
        if one.change is TestChange.FAIL_TO_PASS and one.written_by_author and one.assertion
    }
    # Each is there twice: always true, and always false.
    said = case.planned.requirements
    conditions = {
        (*one.function, one.names): one
        for one in asking
        if one.kind in OF_VALUES and not is_mentioned(one, said)
    }
    found = []
    end = time.monotonic() + trials.seconds
    for condition in [*conditions.values()][:_MOST] if turned else ():
        blind: dict[str, int] = {}
        left_s = end - time.monotonic()
        limits = replace(trials.limits, timeout_s=min(trials.limits.timeout_s, max(1.0, left_s)))
        for project in trials.concerned if left_s > 0 else ():
            base = case.built.at(next(iter(project.tests.values()), "")).base
            if base is None or base.failure is not None:
                continue
            own = {one: path for one, path in project.tests.items() if one in turned}
            asked = replace(project, tests=own)
            ways = await with_other_values(
                services.sandbox, replace(trials, limits=limits), asked, base, condition.names
            )
            for one in asked.tests:
                told = [way[one] for way in ways if one in way]
                times = _blind_times(turned[one], told) if len(told) == len(ways) else 0
                blind |= {one: times} if times >= _LEAST else {}
        if blind:
            found.append(OneValue(condition, tuple(blind), min(blind.values())))
    return tuple(found)


def in_words(seen: OneValue) -> str:
    """Say what was seen, as a line of the evidence."""
    one, count = seen.damage, len(seen.tests)
    tests = f"{count} tests fail" if count != 1 else "1 test fails"
    return (
        f"{one.path}:{one.line}: with other values in place of {', '.join(one.names)} "
        f"(tried {seen.times} times), {tests} on head as on base"
    )


def _blind_times(test: TestComparison, ways: Iterable[BothResults]) -> int:
    """How often a test fails on head as on base, in the way in which it did fail on base; 0 if once not.

    What passes on both says nothing: the other value may be one for which base is right.
    """
    times = 0
    for on_base, on_head in ways:
        lines = [ADDRESS.sub("", assertion_line(one.message)) for one in (on_base, on_head)]
        if passed(on_base.outcome) and passed(on_head.outcome):
            continue
        is_as_on_base = failed(on_base.outcome) and failed(on_head.outcome) and lines[0] == lines[1]
        if not is_as_on_base or _kind(lines[0]) != _kind(test.assertion):
            return 0
        times += 1
    return times


def _kind(line: str) -> str:
    return line.partition(":")[0]
