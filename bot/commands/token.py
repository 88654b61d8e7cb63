"""`assay token`: make, list and end the tokens with which agents send patches by the API."""

from __future__ import annotations

import time
from collections.abc import Callable

import click
from rich.markup import escape
from rich.table import Table

from bot.commands.progress import table_console
from bot.errors import UserError
from bot.settings import load_settings, make_home
from bot.store import Store, check_repository, open_records, utc_day


def run(action: str, **options: object) -> None:
    """Carry one of `create`, `list` and `revoke` out."""
    _ACTIONS[action](**options)


def _create(repository: str, days: int, name: str, with_report: bool) -> None:
    """Print a new token, alone on standard output. Raises UserError for what names no repository."""
    check_repository(repository)
    with _records() as records:
        issued = records.issue_token(repository, days, name, shows_report=with_report)
    click.echo(issued.secret)
    ends = utc_day(issued.token.expires_s)
    click.echo(
        f"Token {issued.token.id} for {issued.token.repository}, valid until {ends}. "
        "It is not shown again.",
        err=True,
    )


def _list() -> None:
    """Print every token without its secret."""
    with _records() as records:
        tokens = records.tokens()
    if not tokens:
        click.echo("There are no tokens.")
        return
    table = Table("id", "repository", "name", "created", "ends", "state", "full report", box=None)
    for one in tokens:
        report = "yes" if one.shows_report else "no"
        days = (one.first_day, utc_day(one.expires_s))
        table.add_row(
            one.id, one.repository, escape(one.name), *days, one.state(time.time()), report
        )
    table_console().print(table)


def _revoke(identifier: str) -> None:
    """End a token. Raises UserError when there is none."""
    with _records() as records:
        if not records.revoke_token(identifier):
            raise UserError(f"There is no token {identifier}.", "`assay token list` shows them.")
    click.echo(f"Token {identifier} is revoked.")


def _records() -> Store:
    settings = load_settings()
    make_home(settings.home)
    records = open_records(settings)
    records.migrate()
    return records


_ACTIONS: dict[str, Callable[..., None]] = {"create": _create, "list": _list, "revoke": _revoke}
