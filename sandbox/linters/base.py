"""What a linter is to Assay: which files it takes, how it is called, and how it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from posixpath import normpath

from sandbox.base import TREE, Limits, Mount
from sandbox.errors import CheckoutError
from sandbox.repository.names import inside
from sandbox.toolchains import layers
from sandbox.values import Environment, Replacement

LIMITS = Limits(timeout_s=120.0, memory_mb=2048, processes=128, output_bytes=16_000_000)
MAX_MESSAGE_CHARACTERS = 500


class UnreadableOutput(ValueError):
    """A linter's output is not what this linter prints; the message says so in one sentence."""


@dataclass(frozen=True, slots=True)
class LintedFile:
    """One file to look at: its path in the tree and how its content begins."""

    path: str
    first_line: str = ""

    @property
    def name(self) -> str:
        """The file's name in lower case, without its folders."""
        return self.path.rpartition("/")[2].lower()


@dataclass(frozen=True, slots=True)
class LintJob:
    """Files of one side to be linted.

    `tree` is the host's folder with this side's files and base's configuration; `policy` is base's
    tree, which decides how a linter is set up. `environment` is base's on both sides: its linter and
    plug-ins are part of the policy.
    """

    sources: tuple[LintedFile, ...]
    tree: Path
    policy: Path
    environment: Environment | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """The files as arguments: no name can be taken for an option."""
        return tuple(f"./{source.path}" for source in self.sources)

    @property
    def root(self) -> str:
        """The folder of the project in the tree."""
        return self.environment.recipe.root if self.environment else ""

    @property
    def layers(self) -> tuple[Mount, ...]:
        """What the project was built into, where it could be."""
        is_built = self.environment is not None and self.environment.failure is None
        return layers.mounts(self.environment) if is_built else ()

    @property
    def has_modules(self) -> bool:
        """Whether the project's `node_modules` is the built one, not one that came with the tree."""
        modules = normpath(f"{TREE}/{self.root}/node_modules")
        return any(mount.target == modules for mount in self.layers)


@dataclass(frozen=True, slots=True)
class LinterCall:
    """One start of a linter; `shown` is what people would type to repeat it, `folder` where it starts."""

    argv: tuple[str, ...]
    shown: str
    mounts: tuple[Mount, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class LinterOutput:
    """What a finished linter printed."""

    exit_code: int
    out: bytes
    err: bytes
    folder: str = ""  # where it ran: paths are relative to it


class Breaks(StrEnum):
    """Whether a remark says that the file is no program at all: what the gate may block on."""

    NO = "no"
    IF_IT_PARSED = "if_it_parsed"  # proves something only where base's version parsed
    ALWAYS = "always"  # also for a file that is new on head


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file, from 1. Where `line` is 0 the column counts from the file's beginning.

    `is_utf16` says that columns count UTF-16 code units instead of characters.
    """

    line: int
    column: int
    is_utf16: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of text that a linter would put in the place of what stands from `start` to before `end`."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True, slots=True)
class LinterRemark:
    """One remark as a linter's reader hands it out.

    `edits` are what the linter itself says is its safe and exact fix; `lint` makes a `replacement` of them.
    """

    rule: str
    path: str
    line: int
    message: str
    end_line: int = 0
    breaks: Breaks = Breaks.NO
    edits: tuple[Edit, ...] = ()
    replacement: Replacement | None = None


@dataclass(frozen=True, slots=True)
class Linter:
    """One program that looks at files.

    `configuration` are shell patterns of file names (or of paths, with a slash) that switch its
    rules: base's version of them holds on both sides. `ends_with` are the exit codes of a run that
    went well, with or without findings. `read` raises Unreadable.
    """

    name: str
    install: str  # what makes it available, as people would type it
    takes: Callable[[LintedFile], bool]
    calls: Callable[[LintJob], tuple[LinterCall, ...]]
    read: Callable[[LinterOutput], Iterator[LinterRemark]]
    configuration: tuple[str, ...] = ()
    named: Callable[[Path], tuple[str, ...]] = lambda _: ()  # by base's configuration: part of it
    ends_with: frozenset[int] = frozenset({0, 1})
    limits: Limits = field(default=LIMITS)
    largest_bytes: int = 1_000_000
    program: str = ""  # what must be in the sandbox; "" when it comes with Assay or with a project
    writes: bool = False  # into the tree, which is then copied or overlaid for it


def ends(*suffixes: str) -> Callable[[LintedFile], bool]:
    """Return what takes the files whose names end so."""
    return lambda source: source.name.endswith(suffixes)


# --- which files of a tree a linter is shown, and why others are not --------------------------------


MAX_NAME_BYTES = 1_000_000  # the kernel takes 2 MB of arguments
MAX_FILES = 20_000
_SKIPPED = {".git", "node_modules", "venv", ".venv", "__pycache__", "site-packages", "target"}
_FIRST_LINE_BYTES = 256


def sources(tree: Path, paths: Iterable[str]) -> tuple[LintedFile, ...]:
    """Return the regular files that `paths` name, folders with all that is below them.

    A name that is no UTF-8 is passed over: no linter's output could tell of it.
    """
    found: dict[str, LintedFile] = {}
    for path in paths:
        for name in _below(tree, path):
            if len(found) >= MAX_FILES:
                break
            with (tree / name).open("rb") as opened:
                first_line = opened.read(_FIRST_LINE_BYTES).split(b"\n")[0]
            found[name] = LintedFile(name, first_line.decode(errors="replace"))
    return tuple(found.values())


def _below(tree: Path, path: str) -> Iterator[str]:
    try:
        start = inside(tree, path) if path not in ("", ".") else tree
    except CheckoutError:
        return
    if start.is_symlink() or path.startswith('"'):
        return
    if start.is_file():
        yield path
    for folder, folders, names in os.walk(start):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            file = Path(folder, name)
            is_utf8 = name.encode(errors="ignore").decode() == name
            if file.is_file() and not file.is_symlink() and is_utf8:
                yield file.relative_to(tree).as_posix()


def choose(
    linter: Linter, tree: Path, files: Iterable[LintedFile]
) -> tuple[tuple[LintedFile, ...], str]:
    """Return what one linter takes of the files, and a remark on those that were left out.

    They are within its size, and can be named within one command.
    """
    kept: list[LintedFile] = []
    too_large: list[str] = []
    left, too_many = MAX_NAME_BYTES, 0
    for source in files:
        file = tree / source.path
        if not linter.takes(source) or not file.is_file():  # base's configuration may not have it
            continue
        if file.stat().st_size > linter.largest_bytes:
            too_large.append(source.path)
            continue
        left -= len(source.path.encode()) + 16
        if left > 0:
            kept.append(source)
        else:
            too_many += 1
    said = []
    if too_large:
        names = ", ".join(too_large[:3]) + (", …" if len(too_large) > 3 else "")
        most_mb = linter.largest_bytes / 1e6
        said.append(f"{len(too_large)} larger than {most_mb:g} MB not looked at: {names}")
    if too_many:
        said.append(f"{too_many} files more than one command can name")
    return tuple(kept), "; ".join(said)
