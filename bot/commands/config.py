"""`assay config`: check a repository's configuration, and print the schema that editors complete by."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bot.configuration import MAX_BYTES, json_schema, read
from bot.errors import UserError


def run(file: Path | None = None) -> None:
    """Check a file and end with 2 where it is wrong; without one, print the schema."""
    if file is None:
        click.echo(json_schema(), nl=False)
        return
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
