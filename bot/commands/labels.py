"""`assay labels`: what people said of verdicts, to be taken out or deleted."""

from __future__ import annotations

from pathlib import Path

import click

from bot.bench.cases import line_of
from bot.errors import UserError
from bot.settings import load_settings
from bot.store import VerdictLabelFilter, open_records


def run(
    out: Path | None = None,
    repository: str = "",
    pull_request: int = 0,
    person: str = "",
    is_all: bool = False,
) -> None:
    """Write the labels to `out`, a JSON line each; without it delete those that are named."""
    wanted = VerdictLabelFilter(repository, pull_request, person)
    if pull_request and not repository:
        raise UserError("A pull request's number says nothing alone.", "Add --repository.")
    with open_records(load_settings()) as records:
        records.migrate()
        if out is not None:
            # Write to a name beside it first: what stands there is whole.
            count, unfinished = 0, out.with_name(f"{out.name}.part")
            try:
                with unfinished.open("w", encoding="utf-8") as lines:
                    for label in records.labels(wanted):
                        lines.write(f"{line_of(label)}\n")
                        count += 1
                unfinished.replace(out)
            except OSError as error:
                raise UserError(
                    f"{out} cannot be written: {error.strerror}.", "Name another file."
                ) from error
            click.echo(f"{count} labels in {out}.")
            return
        if (wanted == VerdictLabelFilter()) is not is_all:
            raise UserError(
                "Say which labels to delete.", "Name --repository or --person, or --all alone."
            )
        click.echo(f"{records.delete_labels(wanted)} labels deleted.")
