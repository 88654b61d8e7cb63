"""The typed arguments of an analyst's tools; whatever else a model writes is told to it as an error."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from sandbox.browser.script import MAX_ACTS, read_script

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


def _read(acts: tuple[str, ...]) -> tuple[str, ...]:
    read_script(acts)
    return acts


class Wanted(BaseModel):
    """What every step says of itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    goal: Goal = Field(description="Why this step, in one sentence.")
    expected: str = Field(default="", max_length=300, description="What you expect to see.")


class Locate(Wanted):
    """What to find places for."""

    text: Annotated[str, StringConstraints(max_length=500)] = Field(
        default="", description="What to look for; empty: the requirement's own words."
    )


class Search(Wanted):
    """What to look for, line by line."""

    text: Text = Field(description="The text, or the pattern as Python writes them.")
    is_pattern: bool = False


class Read(Wanted):
    """Which file, and which of its lines."""

    path: Path = Field(description="A file, from the root of the repository.")
    first: int = Field(default=1, ge=1, le=10_000_000)
    last: int = Field(default=0, ge=0, le=10_000_000, description="0: to the end.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.last and self.last < self.first:
            raise ValueError("`last` comes before `first`")
        return self


class Bash(Wanted):
    """A shell line."""

    line: Line = Field(description="One shell line, run at the root of the repository.")


class Type(Wanted):
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


class Execute(Wanted):
    """The judge's own files, and how they are run."""

    files: tuple[File, ...] = Field(min_length=1, max_length=5)
    command: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)] = Field(
        default="",
        description="Empty: the project's test runner runs the tests. Else a shell line that exits "
        "with 0 only when head behaves as asked.",
    )


class Tests(Wanted):
    """Test files that the repository has."""

    paths: tuple[Path, ...] = Field(min_length=1, max_length=20)


class Pages(Wanted):
    """Pages to open."""

    paths: tuple[Path, ...] = Field(min_length=1, max_length=5, description="HTML files or paths.")


class Script(Wanted):
    """Acts and expectations in a browser."""

    acts: Annotated[tuple[str, ...], AfterValidator(_read)] = Field(
        min_length=2,
        max_length=MAX_ACTS,
        description="One act a line: goto PATH, click TARGET, fill TARGET TEXT, hover TARGET, scroll "
        "TARGET, press KEY, expect text TARGET TEXT, expect visible TARGET, expect count TARGET N.",
    )


class Compare(Wanted):
    """A command, and the file that it has to write."""

    line: Line = Field(description="The command that writes the file.")
    path: Path = Field(description="The file that it writes.")
    text: FileText = Field(description="What the file must hold.")


class LookAtPicture(Wanted):
    """A question about the pictures of a step."""

    evidence: Annotated[str, StringConstraints(max_length=80)] = Field(
        description="The id of a step that made pictures."
    )
    question: Annotated[str, StringConstraints(min_length=1, max_length=1000)]


class LookUp(Wanted):
    """Something to look up outside."""

    text: Annotated[str, StringConstraints(min_length=1, max_length=500)] = Field(
        description="What to search for, an address, or a package as `pip:name` or `npm:name`."
    )


class Think(BaseModel):
    """A thought."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    thought: Annotated[str, StringConstraints(min_length=1, max_length=4000)]
