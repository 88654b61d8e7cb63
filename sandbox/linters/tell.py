"""What all linters of one side showed, as one observation that a person can read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sandbox.linters.base import Breaks, Remark
from sandbox.linters.news import finding, may_be_meant
from sandbox.linters.run import Linted
from sandbox.values import Finding, Observation, Severity, Side

_SHOWN_OF_ONE = 40
_MAX_OUTPUT = 16_000


def observation(
    side: Side, ran: tuple[Linted, ...], new: tuple[Finding, ...] | None = None
) -> Observation:
    """Tell linter by linter what was found; of head also how much of it is `new`.

    The exit code is 1 when a file does not parse that should. `problem` is set only when no linter
    could look; one that is missing or refused is told of in the output.
    """
    looked = [one for one in ran if not one.problem]
    problem = "" if looked or not ran else "; ".join(one.problem for one in ran)[:1000]
    news = Counter(one.tool for one in new or ())
    blocks = [one for one in new or () if one.severity is Severity.BLOCK]
    told = [_told(one, news[one.linter] if new is not None else None) for one in ran]
    fresh = [_line(one) for one in (new or ())[:_SHOWN_OF_ONE]]
    output = "\n".join([*told, *(["", "New on head:", *fresh] if fresh else [])])
    if new and len(new) > _SHOWN_OF_ONE:
        output += f"\n  … and {len(new) - _SHOWN_OF_ONE:,} more new ones"
    return Observation(
        side=side,
        command="\n".join(one.command for one in ran if one.command and not one.missing),
        exit_code=1 if blocks or any(map(_is_broken, _remarks(looked))) else 0,
        output=(output or "No file to look at.")[:_MAX_OUTPUT],
        seconds=sum(one.seconds for one in ran),
        truncated=len(output) > _MAX_OUTPUT,
        findings=tuple(finding(o.linter, r, side=side) for o in looked for r in o.remarks),
        problem=problem,
    )


def _remarks(ran: list[Linted]) -> Iterator[Remark]:
    for one in ran:
        yield from one.remarks


def _is_broken(remark: Remark) -> bool:
    return remark.breaks is Breaks.ALWAYS and not may_be_meant(remark.path)


def _told(one: Linted, new: int | None) -> str:
    note = f" ({one.note})" if one.note else ""
    if one.problem:
        return one.problem + note
    counted = (
        f"{one.linter}: {_counted(one.files, 'file')}, {_counted(len(one.remarks), 'finding')}"
    )
    if new is not None:
        counted += f", {new} of them new on head"
    if new is not None or not one.remarks:
        return counted + note
    lines = [f"  {r.path}:{r.line}: {r.rule} {r.message}" for r in one.remarks[:_SHOWN_OF_ONE]]
    if len(one.remarks) > _SHOWN_OF_ONE:
        lines.append(f"  … and {len(one.remarks) - _SHOWN_OF_ONE:,} more")
    return "\n".join([counted + note, *lines])


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _line(one: Finding) -> str:
    weight = "refused: " if one.severity is Severity.BLOCK else ""
    return f"  {one.path}:{one.line}: {weight}{one.tool} {one.rule} {one.message}"
