"""`assay config`: check a repository's configuration, and print the schema that editors complete by."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bot.configuration import MAX_BYTES, PATH, json_schema, read
from bot.errors import UserError


@click.group("config")
def command() -> None:
    """Work on `.github/assay.yml`, a repository's configuration."""


@command.command("check")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=PATH)
def check(file: Path) -> None:
    """Say what is wrong in FILE (default: .github/assay.yml), each with line and key; ends with 2."""
    try:
        with file.open("rb") as opened:
            text = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise UserError(
            f"{file} cannot be read: {error.strerror}.", "Name an existing file."
        ) from None
    problems = read(text).problems
    for problem in problems:
        click.echo(f"{file}:{problem.line or 1}: {problem.message}", err=True)
    if problems:
        sys.exit(2)
    click.echo(f"{file} is valid.")


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of the configuration."""
    click.echo(json_schema(), nl=False)
