"""Looks at pages in a browser, and follows the configuration's scripts there, on both sides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from bot.context import EvaluationContext
from bot.evidence.pages.weigh import compare_pages
from bot.evidence.seen import Both, Seen, limits, showing, sides
from bot.services import Services, evaluation_key
from bot.values import Step
from sandbox.base import Killed
from sandbox.browser.journey import (
    Journey,
    JourneySide,
    Served,
    Travelled,
    Visit,
    travel,
    why_ended,
)
from sandbox.browser.pages import site_root
from sandbox.browser.records import (
    AXE,
    CONSOLE_ERROR,
    COVERED_CONTROL,
    FAILED_ACT,
    FAILED_REQUEST,
    HAS_EFFECT,
    NEEDS_NETWORK,
    NO_EFFECT,
    NOT_EXAMINED,
    NOT_LOADED,
    NOT_RESPONDING,
    NOT_SETTLED,
    QUICK,
    RULES,
    VisitSeen,
)
from sandbox.browser.script import read_script
from sandbox.values import Finding, Observation, Picture, Severity, Side


async def look_at_pages(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Open each page wide and narrow, light and dark; what is wrong on head only fails there."""
    visits = tuple(Visit(path, path, _root(case, path)) for path in step.arguments)
    base, head = await _visit(services, case, step, visits)
    if head.exit_code == 0 and compare_pages(base, head).broken:
        head = replace(head, exit_code=1)
    return showing(step, base, head)


async def follow_script(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Take the acts of a script; the first that fails ends it with exit code 1."""
    acts = read_script(step.arguments)
    visit = Visit(SCRIPT, acts[0].target, _root(case, acts[0].target), acts)
    return showing(step, *await _visit(services, case, step, (visit,)))


async def _visit(
    services: Services, case: EvaluationContext, step: Step, visits: tuple[Visit, ...]
) -> Both[Observation]:
    setup = case.policy.configuration.setup
    journey = Journey(
        places=tuple(
            JourneySide(one.side, one.tree, one.environment)
            for one in sides(case, case.built.main)
            if not one.is_off
        ),
        visits=visits,
        # A project is served where the configuration says how and where.
        served=Served(setup.serve, setup.url) if setup.serve and setup.url else None,
        network=case.policy.network_to_observe,
    )
    timeout_s = min(journey.limits.timeout_s, limits(case).timeout_s)
    journey = replace(journey, limits=replace(journey.limits, timeout_s=timeout_s))
    travelled = await travel(services.sandbox, journey)
    pictures: dict[str, bytes] = {}
    seen = tell(step.id, journey, travelled, pictures.__setitem__)
    key = evaluation_key(case.request.id)
    for name, png in pictures.items():
        await asyncio.to_thread(services.artifacts.put, key, name, png)
    return seen


def _root(case: EvaluationContext, path: str) -> str:
    """The folder of head's tree whose files are the site; it is the same folder on base."""
    return site_root(Path(case.checkout.head_tree), path)


# --- one observation a side of what a journey told, and the names of its pictures ------------------


_WORDS = {
    CONSOLE_ERROR: "error",
    FAILED_REQUEST: "failed request",
    COVERED_CONTROL: "covered",
    AXE: "accessibility",
    NEEDS_NETWORK: "not reachable without network",
    NOT_SETTLED: "unsettled",
    NOT_RESPONDING: "not responding",
    QUICK: "loads",
    NOT_EXAMINED: "not examined",
    NO_EFFECT: "no effect",
    HAS_EFFECT: "works",
}
_MAX_OUTPUT = 40_000
NOTHING_ANSWERED = "Nothing answered"
SCRIPT = "script"
"""The id of a visit that follows a script; a page's id is its path."""

Keep = Callable[[str, bytes], None]
"""Takes a picture's name and its bytes."""


def tell(step_id: str, journey: Journey, travelled: Travelled, keep: Keep) -> Both[Observation]:
    """Make both observations of a step whose visits are the journey's; gives each picture to `keep`."""
    pictures: dict[Side, list[Picture]] = {Side.BASE: [], Side.HEAD: []}
    differences = {(one.visit, one.title): one for one in travelled.told.differences}
    keys = dict.fromkeys((shot.visit, shot.title) for shot in travelled.told.shots)
    numbers = {key: number for number, key in enumerate(keys, start=1)}
    for shot in travelled.told.shots:
        key = (shot.visit, shot.title)
        stem = f"{step_id}-{numbers[key]}"
        name = f"{stem}.{shot.side}.png"
        keep(name, shot.png)
        page = "" if shot.visit == SCRIPT else f"{shot.visit}: "
        picture = Picture(page + shot.title, name)
        if shot.side is Side.HEAD and key in differences:
            found, compared = differences[key], f"{stem}.difference.png"
            if found.png is None:
                picture = replace(picture, pixels=found.pixels)
            else:
                keep(compared, found.png)
                picture = Picture(picture.title, name, compared, found.changed, found.pixels)
        pictures[shot.side].append(picture)
    base, head = (_side(side, journey, travelled, tuple(pictures[side])) for side in Side)
    return Both(base, head)


def _side(
    side: Side, journey: Journey, travelled: Travelled, pictures: tuple[Picture, ...]
) -> Observation:
    told, end = travelled.told, travelled.ends.get(side)
    if end is None:
        return Observation(side, problem="This side was not visited.")
    unserved = told.servers.get(side, "")
    seen = [(visit, told.visit(side, visit.id)) for visit in journey.visits]
    findings = tuple(f for visit, one in seen for f in _findings(visit, one, unserved))
    texts = [unserved] if unserved else [_text(visit, one) for visit, one in seen]
    failed = any(one.problem for _, one in seen) or any(
        finding.rule in (NOT_LOADED, NOT_RESPONDING, NOT_EXAMINED, FAILED_ACT)
        for finding in findings
    )
    problem = told.needs or _problem(journey, travelled, side, seen)
    # What a person would do: the addresses to open, or the script's lines.
    served = f"{journey.served.line} &\n" if journey.served else ""
    acts = (act.line for visit in journey.visits for act in visit.acts)
    opened = (f"open {visit.path}" for visit in journey.visits if not visit.acts)
    return Observation(
        side,
        served + "\n".join((*opened, *acts)),
        None if problem else int(failed),
        "\n\n".join(texts)[:_MAX_OUTPUT],
        end.seconds,
        timed_out=end.killed is Killed.TIMEOUT,
        findings=findings,
        pictures=pictures,
        problem=problem,
    )


def _problem(
    journey: Journey, travelled: Travelled, side: Side, seen: list[tuple[Visit, VisitSeen]]
) -> str:
    told = travelled.told
    if why := told.servers.get(side):
        if all(told.servers.get(one) for one in Side):
            return "The project is served on neither side: see the output."
        # How long a server takes depends on the machine too: that alone shows nothing.
        return why.partition("\n")[0] if why.startswith(NOTHING_ANSWERED) else ""
    missing = [(visit, one) for visit, one in seen if not one.is_whole]
    if len(missing) < len(seen):  # what was not seen is a finding of its page
        return _why_undecided(seen) if journey.visits[0].acts else ""
    why = why_ended(travelled.ends[side]) or next(
        (one.broken for _, one in missing if one.broken), ""
    )
    return why or "The browser told nothing."


def _why_undecided(seen: list[tuple[Visit, VisitSeen]]) -> str:
    """Say why a script that failed proves nothing: it lacked the network, or time for the page."""
    for _, one in seen:
        outside = [fault.message for fault in one.faults if fault.rule == NEEDS_NETWORK]
        if one.problem and outside:
            return f"It failed on a page that needs the network: {outside[0]}."
        opening = bool(one.acts) and one.acts[-1].line.startswith("goto ")
        if opening and ("Timeout" in one.problem or "did not end" in one.problem):
            return f"The page took too long, which may be the machine's doing: {one.problem}"
    return ""


def _findings(visit: Visit, seen: VisitSeen, unserved: str) -> Iterator[Finding]:
    if unserved:
        rule = NOT_EXAMINED if unserved.startswith(NOTHING_ANSWERED) else NOT_LOADED
        yield _finding(FAILED_ACT if visit.acts else rule, visit, unserved.partition("\n")[0])
        return
    for fault in seen.faults:
        if fault.rule in RULES:
            yield _finding(fault.rule, visit, fault.message)
    if visit.acts and seen.problem:
        line = seen.acts[-1].line if seen.acts else visit.acts[0].line
        yield _finding(FAILED_ACT, visit, f"{line}: {seen.problem}")
    if not seen.is_whole:
        yield _finding(NOT_EXAMINED, visit, seen.broken or "the browser did not come to its end")


def _finding(rule: str, visit: Visit, message: str) -> Finding:
    return Finding(rule, Severity.ADVISE, visit.path, 0, message, tool="browser")


def _text(visit: Visit, seen: VisitSeen) -> str:
    lines = [f"{visit.path}: {'loaded' if seen.is_whole and not seen.problem else 'see below'}"]
    if visit.acts:
        lines = [f"{'failed' if act.failure else 'done'}: {act.line}" for act in seen.acts]
        lines += ["not reached: " + act.line for act in visit.acts[len(seen.acts) :]]
    lines += [text for text in (seen.problem, seen.broken) if text]
    lines += [f"{_WORDS[f.rule]}: {f.message}" for f in seen.faults if f.rule in _WORDS]
    lines += [f"note: {note}" for note in seen.notes]
    tree = seen.acts[-1].tree if seen.acts else seen.tree
    return "\n".join([*lines, *(["accessibility tree:", tree] if tree else [])])
