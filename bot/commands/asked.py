"""The command line of `assay judge`, and what command lines have in common."""

from __future__ import annotations

import importlib
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import click

OUT = "assay-report"
COMPARED = "assay-comparison"
PARTS = ("execution", "base-side", "browser", "web", "graph", "negotiation", "rubric")
"""What `--without` can switch off."""
FILE = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)
INTERRUPTED = 128 + signal.SIGINT
"""What shells give for a program that an interrupt ended."""


def run_module(module: str, *arguments: object, **options: object) -> None:
    """Call `run` of a module in bot.commands; each takes what its command line gives.

    Where somebody interrupts it, the exit code is no conclusion's.
    """
    try:
        importlib.import_module(f"bot.commands.{module}").run(*arguments, **options)
    except KeyboardInterrupt:
        click.echo("assay: interrupted", err=True)
        sys.exit(INTERRUPTED)


@dataclass(frozen=True, slots=True)
class JudgeArguments:
    """The command line: `repository` is a folder or a pull request's address."""

    repository: str
    base: str | None
    head: str | None
    task: Path | None
    description: Path | None
    out: Path
    sandbox: str
    worktree: bool = False
    no_pdf: bool = False
    criteria: Path | None = None
    given: Path | None = None
    trajectory: Path | None = None

    @property
    def is_address(self) -> bool:
        """Whether a pull request is named instead of a folder."""
        return self.repository.startswith(("https://", "http://"))

    @property
    def folder(self) -> Path:
        """Return `repository` as an absolute folder."""
        return Path(self.repository).resolve()

    def check(self) -> None:
        """Raise UsageError for options that do not go together."""
        names_a_change = self.base or self.head or self.worktree
        if self.is_address and (names_a_change or self.task or self.description or self.trajectory):
            raise click.UsageError(
                "a pull request brings its own --base, --head, --task and --description, "
                "and takes no --trajectory"
            )
        if self.criteria and (self.is_address or names_a_change):
            raise click.UsageError(
                "--criteria takes a folder as it stands; it goes with neither --base nor --head"
            )
        if self.head and self.worktree:
            raise click.UsageError("--worktree judges the files as they stand; leave out --head")
        if self.given and not self.criteria:
            raise click.UsageError("--given goes with --criteria")
