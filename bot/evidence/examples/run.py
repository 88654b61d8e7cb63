"""Runs what the task shows on both sides, and says whether it gives what it shows."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bot.context import EvaluationContext
from bot.diff.paths import is_source_path
from bot.evidence.examples.proof import ProofContext, looked_behind
from bot.evidence.made_for import table
from bot.evidence.seen import Seen, StepSide, on_both, showing, sides
from bot.services import Services
from bot.task.examples.commands import compared_lines, is_shown_in, read_command
from bot.task.examples.values import read_value, same
from bot.text.clipping import steady
from bot.values import Example, ExampleKind, ExampleLanguage, ExampleOutcome, ExampleSeen, Step
from sandbox.base import Mount
from sandbox.edges.empty_calls import NOT_TRIED
from sandbox.edges.examples import (
    PRINTED,
    RAISED,
    VALUE,
    ExampleProgram,
    ExampleResult,
    ShownCalls,
    ShownCode,
    defining,
    make_calls,
)
from sandbox.repository.names import TreeReader
from sandbox.test_runs.path_kinds import SCRIPTS
from sandbox.values import Observation, Side

_PROGRAMS = {
    ExampleLanguage.PYTHON: ExampleProgram.PYTHON,
    ExampleLanguage.JAVASCRIPT: ExampleProgram.JAVASCRIPT,
    ExampleLanguage.SHELL: ExampleProgram.COMMANDS,
}
_NO_TRY = ExampleResult(NOT_TRIED, "it could not be run")
_OF_THE_PLACE = {
    "ImportError", "OSError", "MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ENOENT", "ENOTFOUND",
}  # fmt: skip
_LACKING = re.compile(
    r"\b(?:ModuleNotFoundError|ImportError|FileNotFoundError|PermissionError|ENOENT|MODULE_NOT_FOUND)\b"
    r"|No such file or directory|Cannot find module"
)
_CUT_SHORT = re.compile(
    r"\bargument|\bmissing \d|has no attribute|is not (?:a function|defined|callable)|\bof undefined\b"
)
"""Errors of a call that a text writes with less than it takes."""
_VERBS = {VALUE: "returns", RAISED: "raises", PRINTED: "prints"}


@dataclass(frozen=True, slots=True)
class _Ran:
    """What the examples did on one side, by their numbers, how long that took, and which files define
    what they call."""

    shown: dict[int, ExampleResult]
    seconds: float
    defining: tuple[str, ...] = ()


async def call_as_shown(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Run everything that the requirements hold as an example; nothing where a side was not built."""
    changed = case.checkout.diff.changed_paths
    examples = tuple(_spelled_out(one, changed) for one in case.planned.requirements.examples)
    places = sides(case, case.built.decisive)
    looked_at = [one for one in places if not one.is_off]
    if any(one.environment is None or one.environment.failure for one in looked_at):
        return Seen()
    base, head = await on_both(lambda one: _ran(services, one, examples, changed), places)
    before = base.shown if base else {}
    seen = tuple(
        _seen(one, before.get(number, _NO_TRY), head.shown.get(number, _NO_TRY))
        for number, one in enumerate(examples)
    )

    async def run_again(
        place: StepSide, shown: tuple[Example, ...], laid: tuple[Mount, ...]
    ) -> dict[int, ExampleResult]:
        return (await _ran(services, place, shown, changed, laid)).shown

    folder = services.evaluation_folder(case.request) / "trees" / "examples"
    diff = case.checkout.diff
    looking = ProofContext(services.sandbox, places, folder, diff, head.defining, run_again)
    seen = await looked_behind(looking, seen, _holds)
    shown = showing(
        step,
        _observation(Side.BASE, seen, base.seconds) if base else None,
        _observation(Side.HEAD, seen, head.seconds),
    )
    return replace(shown, examples=seen)


async def noticed_by_examples(
    services: Services,
    case: EvaluationContext,
    seen: tuple[ExampleSeen, ...],
    laid: tuple[Mount, ...],
) -> tuple[str, ...]:
    """Return the examples that hold on head and no more with these files laid over it, by their calls.

    One that only has to change holds as long as it gives what it gives on head.
    """
    held = [one for one in seen if one.head.holds is one.example.must_hold]
    examples = tuple(one.example for one in held)
    head = sides(case, case.built.decisive).head
    if not held or head.environment is None or head.environment.failure:
        return ()
    shown = (await _ran(services, head, examples, case.checkout.diff.changed_paths, laid)).shown
    noticed = []
    for number, one in enumerate(held):
        now = shown.get(number, _NO_TRY)
        holds = _holds(one.example, now)
        is_other = holds is not one.example.must_hold
        if one.example.kind is ExampleKind.CHANGING:
            is_other = _outcome(now, holds).did != one.head.did
        if holds is not None and is_other:
            noticed.append(one.example.said_call)
    return tuple(noticed)


def _spelled_out(example: Example, changed: tuple[str, ...]) -> Example:
    """Say in which language a call is that Python and JavaScript write alike: the one that changes."""
    if example.language is not ExampleLanguage.EITHER:
        return example
    is_python = any(path.endswith(".py") for path in changed)
    is_script = not is_python and any(path.endswith(SCRIPTS) for path in changed)
    language = ExampleLanguage.JAVASCRIPT if is_script else ExampleLanguage.PYTHON
    call = example.said_call if is_script else example.call
    return replace(example, language=language, call=call)


async def _ran(
    services: Services,
    place: StepSide,
    examples: tuple[Example, ...],
    changed: tuple[str, ...],
    laid: tuple[Mount, ...] = (),
) -> _Ran:
    found: dict[int, ExampleResult] = {}
    seconds, defined = 0.0, tuple[str, ...]()
    for language, program in _PROGRAMS.items():
        mine = [number for number, one in enumerate(examples) if one.language is language]
        if not mine:
            continue
        asked = await asyncio.to_thread(_asked, place, program, changed)
        calls = tuple(_code(examples[number]) for number in mine)
        asked = replace(asked, calls=calls, laid=laid)
        shown, run = await make_calls(services.sandbox, asked)
        # what a command leaves behind makes it another the second time
        if program is ExampleProgram.COMMANDS:
            again, _ = await make_calls(services.sandbox, asked)
            shown = tuple(
                first
                if first.outcome == NOT_TRIED or steady(first.said) == steady(second.said)
                else ExampleResult(NOT_TRIED, "it prints something else each time")
                for first, second in zip(shown, again, strict=True)
            )
        found.update(zip(mine, shown, strict=True))
        seconds += run.seconds
        defined += defining(run, asked.sources)
    return _Ran(found, seconds, defined)


def _asked(place: StepSide, program: ExampleProgram, changed: tuple[str, ...]) -> ShownCalls:
    root = place.environment.recipe.root if place.environment else ""
    if program is ExampleProgram.JAVASCRIPT and root:
        below = (path for path in changed if path.startswith(f"{root}/"))
        changed = tuple(path.removeprefix(f"{root}/") for path in below)
    sources: tuple[str, ...] = ()
    if program is ExampleProgram.PYTHON:
        paths = TreeReader(Path(place.tree)).paths()
        sources = tuple(one for one in paths if one.endswith(".py") and is_source_path(one))
    return ShownCalls(place.tree, place.environment, program, (), changed, sources)


def _code(example: Example) -> ShownCode:
    if example.language is not ExampleLanguage.SHELL:
        return ShownCode(example.call, example.before)
    before = tuple(_command(one) for one in example.before)
    return replace(_command(example.call), before_it=before)


def _command(typed: str) -> ShownCode:
    """A line as words; of `cat FILE` with text below, the text is what the file holds."""
    line, _, text = typed.partition("\n")
    command = read_command(line)
    if command is None:
        return ShownCode(argv=(line,))
    return ShownCode(argv=command.argv, stdin=text or command.stdin)


# --- what an example gave ---------------------------------------------------------------------


def _seen(example: Example, base: ExampleResult, head: ExampleResult) -> ExampleSeen:
    before, after = (_holds(example, shown) for shown in (base, head))
    # None where that both sides give the same tells nothing, or cannot be told.
    is_same: bool | None
    if NOT_TRIED in (base.outcome, head.outcome):
        is_same = None
    elif base != head:
        is_same = False
    elif head.outcome == RAISED:
        is_cut_short = _CUT_SHORT.search(head.said) or not _OF_THE_PLACE.isdisjoint(head.errors)
        is_same = None if is_cut_short else True
    else:
        is_telling = head.outcome == PRINTED or head.literal not in ("", "None", "undefined")
        is_same = True if is_telling and not _lacks_something(head) else None
    if example.kind is ExampleKind.CHANGING:  # where both give the same, a test may tell why
        before, after = (False, True) if is_same is False else (None, None)
    return ExampleSeen(example, _outcome(base, before), _outcome(head, after), is_same=is_same)


def _outcome(shown: ExampleResult, holds: bool | None) -> ExampleOutcome:
    if shown.outcome == NOT_TRIED:
        return ExampleOutcome(None, f"was not made: {shown.said}", was_made=False)
    said = shown.said.rstrip() or "(nothing)"
    return ExampleOutcome(holds, f"{_VERBS[shown.outcome]} `{said}`", shown.outcome != RAISED)


def _holds(example: Example, shown: ExampleResult) -> bool | None:
    """Whether an example gives what is shown; None where something of another form cannot be compared."""
    if shown.outcome == NOT_TRIED:
        return None
    if example.error or example.message:
        is_such = not example.error or example.error in shown.errors
        # An error's message has what a task quotes, however it is broken into lines.
        quoted, message = (" ".join(one.split()) for one in (example.message, shown.message))
        return is_such and shown.outcome == RAISED and quoted in message
    if _lacks_something(shown) and not _lacks_something(
        ExampleResult(PRINTED, example.said_result)
    ):
        return None
    return _gives(example, shown) if example.results else shown.outcome != RAISED


def _gives(example: Example, shown: ExampleResult) -> bool | None:
    if example.language is ExampleLanguage.SHELL:
        lines = compared_lines(steady(example.said_result))
        return is_shown_in(lines, steady(shown.said)) if lines else None
    if shown.said in example.results or shown.said.strip() == example.said_result.strip():
        return shown.outcome != RAISED
    if shown.outcome == VALUE:
        return _is_value(example, shown)
    return _is_printed(example, shown.said.strip()) if shown.outcome == PRINTED else False


def _lacks_something(shown: ExampleResult) -> bool:
    """Whether a file, a package or a network is missing here that was there for whoever wrote the task."""
    said = shown.said.strip().splitlines()[-1:] if shown.outcome == PRINTED else []
    return not _OF_THE_PLACE.isdisjoint(shown.errors) or any(map(_LACKING.search, said))


def _is_printed(example: Example, printed: str) -> bool | None:
    """Whether what is printed is what is shown: the text, or the value that prints so."""
    is_script = example.language is ExampleLanguage.JAVASCRIPT
    wanted = [value[0] for value in _wanted(example)]
    had = read_value(printed, is_script=is_script)
    if any(str(one) == printed or (had and same(had[0], one)) for one in wanted):
        return True
    is_one_line = "\n" not in printed and "\n" not in example.said_result
    return False if wanted and is_one_line and "..." not in example.said_result else None


def _is_value(example: Example, shown: ExampleResult) -> bool | None:
    is_script = example.language is ExampleLanguage.JAVASCRIPT
    value = read_value(shown.literal or shown.said, is_script=is_script)
    if value is None:
        return None
    told = [same(value[0], one[0]) for one in _wanted(example)]
    if True in told:
        return True
    is_as_printed = str(value[0]) == example.said_result.strip("'\"")  # 7 may be meant as "7"
    return False if told and None not in told and not is_as_printed else None


def _wanted(example: Example) -> Iterator[tuple[object]]:
    """The values that may be meant by what is shown; JavaScript's as it is written, where it can be read."""
    is_script = example.language is ExampleLanguage.JAVASCRIPT
    said = read_value(example.said_result, is_script=True) if is_script else None
    if said:
        yield said
    for one in example.results if not said else ():
        if read := read_value(one, is_script=is_script):
            yield read


# --- evidence -----------------------------------------------------------------------------------


def _observation(side: Side, seen: tuple[ExampleSeen, ...], seconds: float) -> Observation:
    outcomes = [(one.example, one.base if side is Side.BASE else one.head) for one in seen]
    lines: list[str] = []
    for example, outcome in outcomes:
        prompt = "$ " if example.language is ExampleLanguage.SHELL else ""
        lines.append(f"{prompt}{example.said_call} {outcome.did}")
    if side is Side.HEAD:
        lines += table(one.near for one in seen if one.near)
        for one in seen:
            if one.is_needed is not None:
                gives = "gives something else" if one.is_needed else "gives just the same"
                call = one.example.said_call
                lines.append(f"{call} {gives} where the functions that it calls do nothing.")
    told = [
        outcome.holds is example.must_hold
        for example, outcome in outcomes
        if outcome.holds is not None and example.kind is not ExampleKind.SHOWN
    ]
    exit_code = int(not all(told)) if told else None
    is_told = told or any(one.is_same is not None for one in seen)
    problem = "" if is_told else "None of these examples could be run and compared here."
    commands = dict.fromkeys(_repeated(example) for example, _ in outcomes)
    return Observation(
        side, "\n".join(commands), exit_code, "\n".join(lines), seconds, problem=problem
    )


def _repeated(example: Example) -> str:
    """The line with which people can repeat an example."""
    if example.language is ExampleLanguage.SHELL:
        return example.said_call
    first = "; ".join(example.before) or "…"
    if example.language is ExampleLanguage.JAVASCRIPT:
        return f"node -e {shlex.quote(f'{first}; console.log({example.said_call})')}"
    return f"python -c {shlex.quote(f'{first}; print({example.said_call})')}"
