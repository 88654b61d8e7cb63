"""The tools of an analyst: one for every kind of action, typed, counted, run on both sides."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from bot.configuration.schema import readable_script
from bot.judges.analyst_steps import AnalystSteps
from bot.judges.model.base import Answerless, ModelAway, Prompt, Tool
from bot.templates import render_text
from bot.values import ActionKind, Role
from sandbox.browser.script import MAX_ACTS

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


def tools_of(steps: AnalystSteps) -> list[Tool]:
    """All tools for one requirement; looking things up and running only where they may be."""
    told = {
        name: line.strip()
        for name, _, line in (
            line.partition(":")
            for line in render_text("prompts/analyst.tools.txt.j2").splitlines()
            if line.strip()
        )
    }
    # What becomes a step: the arguments as the look of that action takes them.
    kinds: dict[ActionKind, tuple[type[WantedStep], Callable[[Any], tuple[str, ...]]]] = {
        ActionKind.LOCATE: (Locate, lambda a: (a.text,) if a.text else ()),
        ActionKind.SEARCH: (Search, lambda a: (a.text, *["pattern"] * a.is_pattern)),
        ActionKind.READ: (Read, _passage),
        ActionKind.BASH: (Bash, lambda a: (a.line,)),
        ActionKind.SHELL_INTERACTION: (Type, lambda a: (a.line, a.typed)),
        ActionKind.DYNAMIC_EXECUTION: (
            Execute,
            lambda a: (a.command, *(part for file in a.files for part in (file.path, file.text))),
        ),
        ActionKind.UNIT_TESTS: (Tests, lambda a: a.paths),
        ActionKind.STATIC_LINTER: (WantedStep, lambda a: ()),
        ActionKind.SCREENSHOT: (Pages, lambda a: a.paths),
        ActionKind.INTERACTION: (Script, lambda a: a.acts),
        ActionKind.WEB_BROWSING: (LookUp, lambda a: (a.text,)),
        ActionKind.FILE_COMPARISON: (Compare, lambda a: (a.line, a.path, a.text)),
    }
    calls: dict[str, tuple[type[BaseModel], Callable[[Any], Awaitable[str]]]] = {
        **{kind.value: (model, _step(steps, kind, of)) for kind, (model, of) in kinds.items()},
        "image_question": (LookAtPicture, lambda a: _ask_about_picture(steps, a)),
        "general_semantic": (Think, lambda a: _think(steps, a)),
    }
    if steps.acting.web is None:
        del calls[ActionKind.WEB_BROWSING.value]
    calls = {name: call for name, call in calls.items() if name not in steps.acting.left_out}
    if steps.acting.reads_only:
        calls = {name: call for name, call in calls.items() if name in READING}
    return [Tool(name, told[name], model, call) for name, (model, call) in calls.items()]


def _step(
    steps: AnalystSteps, kind: ActionKind, arguments: Callable[[Any], tuple[str, ...]]
) -> Callable[[Any], Awaitable[str]]:
    async def call(wanted: WantedStep) -> str:
        return await steps.step(kind, arguments(wanted), wanted.goal, wanted.expected)

    return call


def _passage(wanted: Read) -> tuple[str, ...]:
    """Without lines an image or a page is looked at in the browser."""
    is_whole = wanted.first == 1 and not wanted.last
    return (wanted.path,) if is_whole else (wanted.path, str(wanted.first), str(wanted.last))


# --- what is no evidence ----------------------------------------------------------------------


async def _ask_about_picture(steps: AnalystSteps, wanted: LookAtPicture) -> str:
    """Ask a model that sees about the pictures of a step (PRDBench's image question).

    The pictures are the evidence; what a model says of them is its word.
    """
    number = steps.begin()

    async def work() -> bytes:
        return (await _seen_on(steps, wanted)).encode("utf-8", "replace")

    key = f"image {steps.acting.run} {steps.requirement.id} {number} {wanted.question}"
    return steps.read((await steps.agents.session.remembered(key, work)).decode())


async def _seen_on(steps: AnalystSteps, wanted: LookAtPicture) -> str:
    shown = steps.find(wanted.evidence)
    sides = [one for one in (shown.head, shown.base) if one] if shown else []
    rows = [(f"{one.side}: {p.title}", p.artifact) for one in sides for p in one.pictures]
    pictures = [(words, await steps.acting.picture(name)) for words, name in rows[:MOST_IMAGES]]
    kept = [(words, png) for words, png in pictures if png]
    if not kept:
        return f"{wanted.evidence[:40]!r} is no step of this requirement that made pictures."
    prompt = Prompt(
        Role.ANALYST,
        *steps.agents.texts(
            "image",
            pictures=steps.enclosed("pictures", "\n".join(words for words, _ in kept)),
            question=steps.enclosed("question", wanted.question),
        ),
        images_png=tuple(png for _, png in kept),
        about=steps.requirement.id,
    )
    try:
        reply = await steps.agents.session.ask(prompt, ImageReply)
    except (Answerless, ModelAway) as error:  # many endpoints refuse whatever holds a picture
        return f"No answer about the pictures: {error.why}"
    seen = reply.answer if reply.is_visible else f"The pictures do not show it. {reply.answer}"
    return steps.enclosed(f"answer about {wanted.evidence}", seen)


async def _think(steps: AnalystSteps, _: Think) -> str:
    steps.begin()
    return "Noted. A thought is no evidence: show it by a step."


# --- the typed arguments of an analyst's tools; whatever else a model writes is told to it as an error


Goal = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2000)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=300)]


def _inside(path: str) -> str:
    if ".." in path.split("/") or "\0" in path:
        raise ValueError("leads out of the repository")
    return path


Path = Annotated[
    str,
    StringConstraints(strip_whitespace=True, pattern=r"^[^-/~]", max_length=300),
    AfterValidator(_inside),
]
FileText = Annotated[str, StringConstraints(max_length=40_000)]


class WantedStep(BaseModel):
    """What every step says of itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    goal: Goal = Field(description="Why this step, in one sentence.")
    expected: str = Field(default="", max_length=300, description="What you expect to see.")


class Locate(WantedStep):
    """What to find places for."""

    text: Annotated[str, StringConstraints(max_length=500)] = Field(
        default="", description="What to look for; empty: the requirement's own words."
    )


class Search(WantedStep):
    """What to look for, line by line."""

    text: Text = Field(description="The text, or the pattern as Python writes them.")
    is_pattern: bool = False


class Read(WantedStep):
    """Which file, and which of its lines."""

    path: Path = Field(description="A file, from the root of the repository.")
    first: int = Field(default=1, ge=1, le=10_000_000)
    last: int = Field(default=0, ge=0, le=10_000_000, description="0: to the end.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.last and self.last < self.first:
            raise ValueError("`last` comes before `first`")
        return self


class Bash(WantedStep):
    """A shell line."""

    line: Line = Field(description="One shell line, run at the root of the repository.")


class Type(WantedStep):
    """A command, and what is typed into it."""

    line: Line = Field(description="The command that is started behind a terminal.")
    typed: Annotated[str, StringConstraints(max_length=8000)] = Field(
        description="What is typed, line by line."
    )


class File(BaseModel):
    """A file of the judge."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    path: Path = Field(
        description="New, from the root of the repository, with `judge` in its name."
    )
    text: FileText


class Execute(WantedStep):
    """The judge's own files, and how they are run."""

    files: tuple[File, ...] = Field(min_length=1, max_length=5)
    command: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] = Field(
        default="",
        description="Empty: the project's test runner runs the tests. Else a shell line that exits "
        "with 0 only when head behaves as asked.",
    )


class Tests(WantedStep):
    """Test files that the repository has."""

    paths: tuple[Path, ...] = Field(min_length=1, max_length=20)


class Pages(WantedStep):
    """Pages to open."""

    paths: tuple[Path, ...] = Field(min_length=1, max_length=5, description="HTML files or paths.")


class Script(WantedStep):
    """Acts and expectations in a browser."""

    acts: Annotated[tuple[str, ...], AfterValidator(readable_script)] = Field(
        min_length=2,
        max_length=MAX_ACTS,
        description="One act a line: goto PATH, click TARGET, fill TARGET TEXT, hover TARGET, scroll "
        "TARGET, press KEY, expect text TARGET TEXT, expect visible TARGET, expect count TARGET N.",
    )


class Compare(WantedStep):
    """A command, and the file that it has to write."""

    line: Line = Field(description="The command that writes the file.")
    path: Path = Field(description="The file that it writes.")
    text: FileText = Field(description="What the file must hold.")


class LookAtPicture(WantedStep):
    """A question about the pictures of a step."""

    evidence: Annotated[str, StringConstraints(max_length=80)] = Field(
        description="The id of a step that made pictures."
    )
    question: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class LookUp(WantedStep):
    """Something to look up outside."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=500)] = Field(
        description="What to search for, an address, or a package as `pip:name` or `npm:name`."
    )


class Think(BaseModel):
    """A thought."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    thought: Annotated[str, StringConstraints(min_length=1, max_length=4000)]
