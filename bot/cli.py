"""The `assay` command; each subcommand is imported only when it is called."""

from __future__ import annotations

import importlib
import sys

import click
from pydantic import ValidationError

from bot.errors import Transient, UserError
from sandbox.base import SandboxError

COMMANDS = {
    "bench": "bot.commands.bench",
    "config": "bot.commands.config",
    "criteria": "bot.commands.criteria",
    "demo": "bot.commands.demo",
    "doctor": "bot.commands.doctor",
    "judge": "bot.commands.judge",
    "replay": "bot.commands.replay",
    "serve": "bot.commands.serve",
    "setup": "bot.commands.setup",
    "web": "bot.commands.web",
    "worker": "bot.commands.worker",
}
"""Subcommand → the module that holds its `command`."""

USAGE_ERROR = 2


class LazyGroup(click.Group):
    """A click group that imports a subcommand when it is asked for, so `assay --help` is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module that holds the subcommand."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name]).command
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="assay")
def assay() -> None:
    """Judge pull requests by running them."""


def main() -> None:
    """Run the command; a known error becomes one clear message and exit code 2."""
    try:
        assay()
    except UserError as error:
        _fail(error.what, error.next_step)
    except Transient as error:
        _fail(error.what, "Try again in a moment.")
    except SandboxError as error:
        doctor = "Run `assay doctor` to see what is missing."
        _fail(f"The sandbox does not start: {error.what}.", error.next_step or doctor)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        _fail(f"The setting {name} is not valid: {first['msg']}.", "Mend it in the environment.")


def _fail(what: str, next_step: str) -> None:
    click.echo(f"assay: {what}", err=True)
    if next_step:
        click.echo(f"       {next_step}", err=True)
    sys.exit(USAGE_ERROR)


if __name__ == "__main__":
    main()
