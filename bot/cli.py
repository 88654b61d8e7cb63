"""The `assay` command: every command line; what a subcommand does is imported when it is called.

So `--help` and a wrong command line are answered at once.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from bot.commands.asked import (
    COMPARED,
    FILE,
    FOLDER,
    NEW_FILE,
    NEW_FOLDER,
    OUT,
    JudgeArguments,
    run_module,
)
from bot.commands.bench_lines import bench
from bot.errors import Transient, UserError
from sandbox.base import SandboxError
from sandbox.errors import HostTrouble

USAGE_ERROR = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="assay")
def assay() -> None:
    """Judge pull requests by running them."""


assay.add_command(bench)


@assay.command("compare")
@click.argument("repository", type=FOLDER)
@click.argument("heads", nargs=-1, required=True, metavar="HEAD HEAD...")
@click.option(
    "--base", help="Branch or revision that they start from.  [default: as `assay judge`]"
)
@click.option("--task", type=FILE, required=True, help="File with what was asked of all of them.")
@click.option(
    "--out",
    type=NEW_FOLDER,
    default=Path(COMPARED),
    show_default=True,
    help="Folder for ranking.json and the reports.",
)
def compare_patches(**options: Any) -> None:
    """Judge several patches of REPOSITORY for one task by one plan, and rank them; ties are said.

    HEAD is a branch or a revision. The requirements, and the steps that judges propose, are those of the
    first one that can be judged. Exits with 0 where the best passes, 1 where none does, 2 for a usage or
    set-up error.
    """
    run_module("compare", **options)


@assay.group()
def config() -> None:
    """Check `.github/assay.yml`, a repository's configuration, or print its schema for editors."""


@config.command()
@click.argument("file", type=NEW_FILE, default=Path(".github/assay.yml"))
def check(**options: Any) -> None:
    """Say what is wrong in FILE (.github/assay.yml by default), with line and key; ends with 2."""
    run_module("config", **options)


@config.command()
def schema() -> None:
    """Print the JSON Schema by which editors complete the keys."""
    run_module("config")


@assay.command()
@click.option("--task", type=FILE, required=True, help="File with what was asked.")
@click.option("--good", required=True, help="A good solution: a file, or a branch or revision.")
@click.option("--bad", required=True, help="A bad solution, likewise.")
@click.option(
    "--out",
    type=NEW_FILE,
    required=True,
    help="File for the kept criteria, to be reviewed and committed below .github/assay/criteria/.",
)
@click.option(
    "--repository",
    type=FOLDER,
    default=Path(),
    help="Where branches and revisions are.  [default: this folder]",
)
@click.option("--base", help="What they start from.  [default: where both branches part]")
@click.option("--repeats", type=click.IntRange(2, 20), default=5, show_default=True)
@click.option("--usd", type=click.FloatRange(0), default=2.0, show_default=True, help="Most money.")
def criteria(**options: Any) -> None:
    """Find criteria for grading solutions of a task: proposed by a model, merged, and tried.

    A criterion is kept when it is stable over --repeats and sees damaged copies of the good solution
    as worse. Exits with 0, or 2 when no model is set, it does not answer, or no criterion passed.
    """
    run_module("criteria", **options)


@assay.command()
@click.option("--serve", is_flag=True, help="Keep everything up to click through, until Ctrl-C.")
@click.option(
    "--folder",
    type=NEW_FOLDER,
    help="Where to put everything: a new or empty folder, or an earlier demo's, which is replaced. "
    "[default: a new temporary folder]",
)
def demo(**options: Any) -> None:
    """Start a forge and Assay, open four pull requests, and watch them being judged.

    Ends with 1 when one of them does not come out as it must.
    """
    run_module("demo", **options)


@assay.command()
def doctor() -> None:
    """Say what is missing on this machine, and how to mend it; ends with 2 when it is required."""
    run_module("doctor")


@assay.command()
@click.argument("repository", default=".")
@click.option(
    "--base",
    help="Branch or revision that the change wants into.  [default: the remote's default branch]",
)
@click.option("--head", help="Branch or revision to judge.  [default: HEAD]")
@click.option("--worktree", is_flag=True, help="Judge what is not committed too.")
@click.option("--task", type=FILE, help="File with what was asked, as an issue would say it.")
@click.option("--description", type=FILE, help="File with what the pull request says of itself.")
@click.option("--trajectory", type=FILE, help="The agent's own log of its work, shown as a claim.")
@click.option(
    "--criteria",
    type=FILE,
    help="File with a test plan in PRDBench's format, to be run on a folder that needs no git.",
)
@click.option(
    "--given",
    type=FOLDER,
    help="With --criteria: the files that every submission starts from.  "
    "[default: the folder above the plan's own]",
)
@click.option(
    "--out",
    type=NEW_FOLDER,
    default=Path(OUT),
    show_default=True,
    help="Folder for report.json, .md, .html, .pdf and .sarif.",
)
@click.option("--no-pdf", is_flag=True, help="Write no report.pdf.")
@click.option(
    "--sandbox", type=click.Choice(("auto", "bubblewrap", "docker")), help="Default: as set."
)
def judge(**options: Any) -> None:
    """Judge REPOSITORY (a folder) between --base and --head, or a pull request by its address.

    With --criteria, judge a submission (any folder) by a test plan.

    A private pull request is read with GITHUB_TOKEN. Exits with 0 success, 1 failure, 3 a person
    must decide, 2 usage or set-up error, 130 interrupted.
    """
    asked = JudgeArguments(**options)
    asked.check()
    run_module("judge", asked)


@assay.group()
def labels() -> None:
    """Take out, or delete, what people said of verdicts: agreements, overrides, merges, reverts."""


_REPOSITORY = click.option(
    "--repository", default="", metavar="OWNER/NAME", help="Of this one only."
)


@labels.command()
@_REPOSITORY
@click.option("--out", type=NEW_FILE, required=True, help="File for the labels, a JSON line each.")
def export(**options: Any) -> None:
    """Write the labels to a file, oldest first; `assay bench patches` reads it."""
    run_module("labels", **options)


@labels.command()
@_REPOSITORY
@click.option("--pull-request", type=click.IntRange(1), help="Of this number, with --repository.")
@click.option("--person", default="", metavar="LOGIN", help="What this person said.")
@click.option("--all", "is_all", is_flag=True, help="All of them.")
def delete(pull_request: int | None, **options: Any) -> None:
    """Delete labels for good; what is named together narrows it down."""
    run_module("labels", pull_request=pull_request or 0, **options)


@assay.command()
@click.argument("folder", type=FOLDER, default=Path())
@click.option(
    "--http",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve streamable HTTP on this port of the loopback instead; 0 picks a free one.",
)
def mcp(**options: Any) -> None:
    """Serve Assay to coding agents by the Model Context Protocol, over stdio by default.

    The tools judge FOLDER (this one by default) and repositories below it, and nothing outside: judge,
    explain, missing, command. Whoever can connect to the port can use them.
    """
    run_module("mcp", **options)


@assay.command()
@click.argument("bundle", type=FILE)
@click.option(
    "--prompts",
    is_flag=True,
    help="Show what was asked and answered instead, and count it by role.",
)
def replay(**options: Any) -> None:
    """Derive the verdicts again from BUNDLE, the replay.json of a run with models.

    Nothing is asked and nothing is run. Exits with 0 when every verdict comes out as it was, with 1
    when one differs, with 2 for a file that is no bundle.
    """
    run_module("replay", **options)


@assay.command()
def serve() -> None:
    """Run web and worker; when one of them ends, the other is stopped too."""
    run_module("serve")


@assay.command()
@click.option("--organization", default="", help="Register it for an organization, not for you.")
@click.option("--port", default=0, help="Port of the page on the loopback; 0 picks a free one.")
@click.option("--open", "opens", is_flag=True, help="Open the page in this machine's browser.")
@click.option("--force", is_flag=True, help="Replace credentials that are stored already.")
def setup(**options: Any) -> None:
    """Register the GitHub App in your browser and store its credentials in ASSAY_HOME.

    Set ASSAY_PUBLIC_URL first: GitHub sends its webhooks there.
    """
    run_module("setup", **options)


@assay.group()
def token() -> None:
    """Make, list and revoke tokens with which agents send patches by the API (`/api/v1`)."""


@token.command("create")
@click.option("--repository", required=True, metavar="OWNER/NAME", help="What it is for.")
@click.option("--days", type=click.IntRange(1, 366), default=30, show_default=True)
@click.option("--name", default="", help="Whose it is, for the list.")
@click.option("--with-report", is_flag=True, help="Also give links to the full report.")
def create_token(**options: Any) -> None:
    """Print a new token for one repository, once: only a hash of it is kept.

    Its bearer gets verdicts and what to repair. The full report also shows rubrics, judges' notes and
    their steps; --with-report gives that, too.
    """
    run_module("token", "create", **options)


@token.command("list")
def list_tokens() -> None:
    """List all tokens, without their secrets."""
    run_module("token", "list")


@token.command("revoke")
@click.argument("identifier", metavar="ID")
def revoke_token(**options: Any) -> None:
    """End the token ID now; exits with 2 when there is none."""
    run_module("token", "revoke", **options)


@assay.command()
def web() -> None:
    """Serve the webhook and the pages on ASSAY_HOST:ASSAY_PORT (loopback by default)."""
    run_module("web")


@assay.command()
def worker() -> None:
    """Run evaluations. What is not finished when it stops goes on in the next worker."""
    run_module("worker")


def main() -> None:
    """Run the command; a known error becomes one clear message and exit code 2."""
    try:
        assay()
    except UserError as error:
        _fail(error.what, error.next_step)
    except (Transient, HostTrouble) as error:
        _fail(error.what, "This says nothing about the change. Try again in a moment.")
    except SandboxError as error:
        doctor_finds = "Run `assay doctor` to see what is missing."
        _fail(f"The sandbox does not start: {error.what}.", error.next_step or doctor_finds)


def _fail(what: str, next_step: str) -> None:
    click.echo(f"assay: {what}", err=True)
    if next_step:
        click.echo(f"       {next_step}", err=True)
    sys.exit(USAGE_ERROR)


if __name__ == "__main__":
    main()
