"""The tools of an analyst: one for every kind of action, typed, counted, run on both sides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel, Field

from bot.judges import tool_arguments as given
from bot.judges.model.base import Answerless, ModelAway, Prompt, Tool
from bot.judges.workbench import Errand, Workbench
from bot.templates import render_text
from bot.values import ActionKind, Evidence, Role

MOST_IMAGES = 4
READING = (
    *(ActionKind.LOCATE, ActionKind.SEARCH, ActionKind.READ, ActionKind.WEB_BROWSING),
    *("image_question", "general_semantic"),
)
"""What runs nothing of either side."""
_ANSWER_CHARS = 3_000


class ImageReply(BaseModel):
    """What a model sees on pictures."""

    answer: str = Field(min_length=1, max_length=_ANSWER_CHARS)
    is_visible: bool = Field(description="Whether the pictures really show what was asked about.")


def tools_of(bench: Workbench) -> list[Tool]:
    """All tools for one requirement; looking things up and running only where they may be."""
    told = {
        name: line.strip()
        for name, _, line in (
            line.partition(":")
            for line in render_text("prompts/analyst.tools.txt.j2").splitlines()
            if line.strip()
        )
    }
    calls: dict[str, tuple[type[BaseModel], Callable[[Any], Awaitable[str]]]] = {
        **_steps(bench),
        "image_question": (given.LookAtPicture, lambda a: _ask_about_picture(bench, a)),
        "general_semantic": (given.Think, lambda a: _think(bench, a)),
    }
    if bench.acting.web is None:
        del calls[ActionKind.WEB_BROWSING.value]
    if bench.acting.reads_only:
        calls = {name: call for name, call in calls.items() if name in READING}
    return [Tool(name, told[name], model, call) for name, (model, call) in calls.items()]


def _steps(bench: Workbench) -> dict[str, tuple[type[BaseModel], Callable[[Any], Awaitable[str]]]]:
    """The tools that become steps: their arguments as the look of that action takes them."""
    kinds: dict[ActionKind, tuple[type[given.Wanted], Callable[[Any], tuple[str, ...]]]] = {
        ActionKind.LOCATE: (given.Locate, lambda a: (a.text,) if a.text else ()),
        ActionKind.SEARCH: (given.Search, lambda a: (a.text, *["pattern"] * a.is_pattern)),
        ActionKind.READ: (given.Read, _passage),
        ActionKind.BASH: (given.Bash, lambda a: (a.line,)),
        ActionKind.SHELL_INTERACTION: (given.Type, lambda a: (a.line, a.typed)),
        ActionKind.DYNAMIC_EXECUTION: (given.Execute, _files),
        ActionKind.UNIT_TESTS: (given.Tests, lambda a: a.paths),
        ActionKind.STATIC_LINTER: (given.Wanted, lambda a: ()),
        ActionKind.SCREENSHOT: (given.Pages, lambda a: a.paths),
        ActionKind.INTERACTION: (given.Script, lambda a: a.acts),
        ActionKind.WEB_BROWSING: (given.LookUp, lambda a: (a.text,)),
        ActionKind.FILE_COMPARISON: (given.Compare, lambda a: (a.line, a.path, a.text)),
    }
    return {kind.value: (model, _step(bench, kind, of)) for kind, (model, of) in kinds.items()}


def _step(
    bench: Workbench, kind: ActionKind, arguments: Callable[[Any], tuple[str, ...]]
) -> Callable[[Any], Awaitable[str]]:
    async def call(wanted: given.Wanted) -> str:
        return await bench.step(kind, arguments(wanted), Errand(wanted.goal, wanted.expected))

    return call


def _passage(wanted: given.Read) -> tuple[str, ...]:
    """Without lines an image or a page is looked at in the browser."""
    is_whole = wanted.first == 1 and not wanted.last
    return (wanted.path,) if is_whole else (wanted.path, str(wanted.first), str(wanted.last))


def _files(wanted: given.Execute) -> tuple[str, ...]:
    parts = (part for file in wanted.files for part in (file.path, file.text))
    return (wanted.command, *parts)


# --- what is no evidence ----------------------------------------------------------------------


async def _ask_about_picture(bench: Workbench, wanted: given.LookAtPicture) -> str:
    """Ask a model that sees about the pictures of a step (PRDBench's image question).

    The pictures are the evidence; what a model says of them is its word.
    """
    number = bench.begin()

    async def work() -> bytes:
        return (await _seen_on(bench, wanted)).encode("utf-8", "replace")

    key = f"image {bench.acting.run} {bench.requirement.id} {number} {wanted.question}"
    return bench.read((await bench.chambers.session.remembered(key, work)).decode())


async def _seen_on(bench: Workbench, wanted: given.LookAtPicture) -> str:
    rows = _pictures(bench.find(wanted.evidence))[:MOST_IMAGES]
    pictures = [(words, await bench.acting.picture(name)) for words, name in rows]
    kept = [(words, png) for words, png in pictures if png]
    if not kept:
        return f"{wanted.evidence[:40]!r} is no step of this requirement that made pictures."
    prompt = Prompt(
        role=Role.ANALYST,
        system=render_text("prompts/image.system.txt.j2"),
        user=render_text(
            "prompts/image.user.txt.j2",
            pictures=bench.enclosed("pictures", "\n".join(words for words, _ in kept)),
            question=bench.enclosed("question", wanted.question),
        ),
        images_png=tuple(png for _, png in kept),
        about=bench.requirement.id,
    )
    try:
        reply = await bench.chambers.session.ask(prompt, ImageReply)
    except (Answerless, ModelAway) as error:  # many endpoints refuse whatever holds a picture
        return f"No answer about the pictures: {error.why}"
    seen = reply.answer if reply.is_visible else f"The pictures do not show it. {reply.answer}"
    return bench.enclosed(f"answer about {wanted.evidence}", seen)


def _pictures(shown: Evidence | None) -> list[tuple[str, str]]:
    """What each picture shows and the name of its artifact, head's first."""
    seen = (shown.head, shown.base) if shown else ()
    return [(f"{one.side}: {p.title}", p.artifact) for one in seen if one for p in one.pictures]


async def _think(bench: Workbench, _: given.Think) -> str:
    bench.begin()
    return "Noted. A thought is no evidence: show it by a step."
