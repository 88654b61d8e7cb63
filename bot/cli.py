"""The `assay` command: every command line; what a subcommand does is imported when it is called.

So `--help` and a wrong command line are answered at once.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import click

from bot.commands.asked import COMPARED, OUT, PARTS, Asked
from bot.errors import Transient, UserError
from sandbox.base import SandboxError
from sandbox.errors import HostTrouble

USAGE_ERROR = 2
_FILE = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
_NEW_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="assay")
def assay() -> None:
    """Judge pull requests by running them."""


def _run(module: str, *arguments: object, **options: object) -> None:
    """Call `run` of a module in bot.commands; each takes what its command line gives."""
    importlib.import_module(f"bot.commands.{module}").run(*arguments, **options)


class _BenchGroup(click.Group):
    """`assay bench REPOSITORY…` means `assay bench merges REPOSITORY…`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["merges", *args]
        return super().parse_args(ctx, args)


@assay.group(cls=_BenchGroup)
def bench() -> None:
    """Judge the judge: on merges and spoiled copies, labelled pull requests, or DevAI's judgments."""


@bench.command()
@click.argument(
    "repositories", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path)
)
@click.option("--count", default=5, show_default=True, help="How many merges of each repository.")
@click.option("--out", type=click.Path(path_type=Path), help="File for the rows, a JSON line each.")
@click.option(
    "--integrity", is_flag=True, help="Run only the integrity checks: nothing is built or run."
)
@click.option("--as-merged", is_flag=True, help="Judge no spoiled copies, play no tricks.")
def merges(**options: Any) -> None:
    """Judge the newest merges of REPOSITORIES that change source and tests, and spoiled copies.

    A spoiled copy must not pass; a real merge with tests that show it should. Exits with 1 when one
    conclusion is wrong. With --integrity it counts what the integrity checks say of real merges and
    of copies on which a trick was played.
    """
    _run("bench", **options)


@bench.command()
@click.argument("folder", type=_FOLDER)
@click.option(
    "--out",
    type=_NEW_FILE,
    help="File for the rows, a JSON line each.  "
    "[default: patches.jsonl, or patches-with-models.jsonl where a model is set; "
    "with --without, its parts stand in the name]",
)
@click.option("--held-out", is_flag=True, help="Judge the cases that are set aside, and no other.")
@click.option("--only", multiple=True, metavar="KIND", help="Judge cases of this kind; repeatable.")
@click.option("--case", multiple=True, metavar="ID", help="Judge this case; repeatable.")
@click.option("--without-models", is_flag=True, help="Ask no model, even where one is set.")
@click.option(
    "--clones",
    type=_FOLDER,
    help="Folder with clones of repositories (OWNER/NAME or OWNER+NAME), used before the network.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(PARTS),
    help="Switch a part of Assay off, to measure what it adds; repeatable.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True)
def patches(**options: Any) -> None:
    """Judge the labelled pull requests of FOLDER, and count what came out by kind.

    What stands in the file of rows already is not judged again. Exits with 1 when a wrong change would
    be merged, a right one was stopped, or one has no conclusion.
    """
    _run("bench_patches", **options)


@bench.command()
@click.argument("before", type=_FILE)
@click.argument("after", type=_FILE)
def compare(**options: Any) -> None:
    """Compare two files of rows, BEFORE and AFTER: other code, or with models and without.

    The rows are those of `assay bench patches`, or the verdicts of two judges by `assay bench devai`.
    """
    _run("bench_compare", **options)


@bench.command()
@click.argument("folder", type=_FOLDER)
@click.option(
    "--reference",
    default="human_as_a_judge",
    show_default=True,
    help="The judge whose verdicts count as right: a folder in judgment/SYSTEM.",
)
@click.option(
    "--out", type=_NEW_FOLDER, help="Folder for the tables as CSV, each judge's verdicts, a plot."
)
def devai(**options: Any) -> None:
    """Measure the judgments of DevAI (Agent-as-a-Judge) in FOLDER: what was met, and who agrees.

    FOLDER has `instances` and `judgment`. Every defect of the data is named and counted. Ends with 2
    when there is no judgment.
    """
    _run("bench_devai", **options)


@bench.command()
@click.argument("folder", type=_FOLDER)
@click.option(
    "--out",
    type=_NEW_FOLDER,
    default=Path("assay-prdbench"),
    show_default=True,
    help="Folder for the rows, a JSON line each, and the tables as CSV.",
)
@click.option("--rounds", type=click.IntRange(1, 20), help="Most rounds.  [default: all there are]")
@click.option(
    "--repair-command",
    default="",
    metavar="LINE",
    help="Shell line that makes a round that is not there: run on this machine, outside of the sandbox, "
    "in a copy of the round before; $ASSAY_REPAIR_ROWS names the file that says what to repair.",
)
@click.option("--jobs", type=click.IntRange(1, 64), default=1, show_default=True)
def prdbench(**options: Any) -> None:
    """Judge the submissions in FOLDER by test plans of PRDBench's format, round by round.

    FOLDER has tasks/TASK/evaluation/detailed_test_plan.json and submissions/AGENT/TASK/round-1,
    round-2, … What stands in the rows already is not judged again. Exits with 1 when a submission could
    not be judged.
    """
    _run("bench_prdbench", **options)


@bench.command("criteria")
@click.argument("folder", type=_FOLDER)
@click.option(
    "--out", type=_NEW_FOLDER, help="Folder for the table as CSV, a plot, and new grades."
)
@click.option(
    "--repeats",
    type=click.IntRange(2, 50),
    help="Grade the solutions in FOLDER anew, so many times each; needs a model.",
)
@click.option(
    "--usd", type=click.FloatRange(0), default=2.0, show_default=True, help="Most money for models."
)
def bench_criteria(**options: Any) -> None:
    """Check criteria by their grades: are they stable, and do they tell better from worse?

    FOLDER has grades as *.jsonl. For --repeats it has criteria.json, as `assay criteria` writes it, and
    solutions/TASK with task.md, better/ and worse/.
    """
    _run("bench_criteria", **options)


@assay.command("compare")
@click.argument("repository", type=_FOLDER)
@click.argument("heads", nargs=-1, required=True, metavar="HEAD HEAD...")
@click.option(
    "--base", help="Branch or revision that they start from.  [default: as `assay judge`]"
)
@click.option("--task", type=_FILE, required=True, help="File with what was asked of all of them.")
@click.option(
    "--out",
    type=_NEW_FOLDER,
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
    _run("compare", **options)


@assay.group()
def config() -> None:
    """Check `.github/assay.yml`, a repository's configuration, or print its schema for editors."""


@config.command()
@click.argument("file", type=_NEW_FILE, default=Path(".github/assay.yml"))
def check(**options: Any) -> None:
    """Say what is wrong in FILE (.github/assay.yml by default), with line and key; ends with 2."""
    _run("config", **options)


@config.command()
def schema() -> None:
    """Print the JSON Schema by which editors complete the keys."""
    _run("config")


@assay.command()
@click.option("--task", type=_FILE, required=True, help="File with what was asked.")
@click.option("--good", required=True, help="A good solution: a file, or a branch or revision.")
@click.option("--bad", required=True, help="A bad solution, likewise.")
@click.option(
    "--out",
    type=_NEW_FILE,
    required=True,
    help="File for the kept criteria, to be reviewed and committed below .github/assay/criteria/.",
)
@click.option(
    "--repository",
    type=_FOLDER,
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
    _run("criteria", **options)


@assay.command()
@click.option("--serve", is_flag=True, help="Keep everything up to click through, until Ctrl-C.")
@click.option(
    "--folder",
    type=_NEW_FOLDER,
    help="Where to put everything: a new or empty folder, or an earlier demo's, which is replaced. "
    "[default: a new temporary folder]",
)
def demo(**options: Any) -> None:
    """Start a forge and Assay, open four pull requests, and watch them being judged.

    Ends with 1 when one of them does not come out as it must.
    """
    _run("demo", **options)


@assay.command()
def doctor() -> None:
    """Say what is missing on this machine, and how to mend it; ends with 2 when it is required."""
    _run("doctor")


@assay.command()
@click.argument("repository", default=".")
@click.option(
    "--base",
    help="Branch or revision that the change wants into.  [default: the remote's default branch]",
)
@click.option("--head", help="Branch or revision to judge.  [default: HEAD]")
@click.option("--worktree", is_flag=True, help="Judge what is not committed too.")
@click.option("--task", type=_FILE, help="File with what was asked, as an issue would say it.")
@click.option("--description", type=_FILE, help="File with what the pull request says of itself.")
@click.option("--trajectory", type=_FILE, help="The agent's own log of its work, shown as a claim.")
@click.option(
    "--criteria",
    type=_FILE,
    help="File with a test plan in PRDBench's format, to be run on a folder that needs no git.",
)
@click.option(
    "--given",
    type=_FOLDER,
    help="With --criteria: the files that every submission starts from.  "
    "[default: the folder above the plan's own]",
)
@click.option(
    "--out",
    type=_NEW_FOLDER,
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
    must decide, 2 usage or set-up error.
    """
    asked = Asked(**options)
    asked.check()
    _run("judge", asked)


@assay.group()
def labels() -> None:
    """Take out, or delete, what people said of verdicts: agreements, overrides, merges against them."""


_REPOSITORY = click.option(
    "--repository", default="", metavar="OWNER/NAME", help="Of this one only."
)


@labels.command()
@_REPOSITORY
@click.option("--out", type=_NEW_FILE, required=True, help="File for the labels, a JSON line each.")
def export(**options: Any) -> None:
    """Write the labels to a file, oldest first."""
    _run("labels", **options)


@labels.command()
@_REPOSITORY
@click.option("--pull-request", type=click.IntRange(1), help="Of this number, with --repository.")
@click.option("--person", default="", metavar="LOGIN", help="What this person said.")
@click.option("--all", "is_all", is_flag=True, help="All of them.")
def delete(pull_request: int | None, **options: Any) -> None:
    """Delete labels for good; what is named together narrows it down."""
    _run("labels", pull_request=pull_request or 0, **options)


@assay.command()
@click.argument("folder", type=_FOLDER, default=Path())
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
    _run("mcp", **options)


@assay.command()
@click.argument("bundle", type=_FILE)
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
    _run("replay", **options)


@assay.command()
def serve() -> None:
    """Run web and worker; when one of them ends, the other is stopped too."""
    _run("serve")


@assay.command()
@click.option("--organization", default="", help="Register it for an organization, not for you.")
@click.option("--port", default=0, help="Port of the page on the loopback; 0 picks a free one.")
@click.option("--open", "opens", is_flag=True, help="Open the page in this machine's browser.")
@click.option("--force", is_flag=True, help="Replace credentials that are stored already.")
def setup(**options: Any) -> None:
    """Register the GitHub App in your browser and store its credentials in ASSAY_HOME.

    Set ASSAY_PUBLIC_URL first: GitHub sends its webhooks there.
    """
    _run("setup", **options)


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
    _run("token", "create", **options)


@token.command("list")
def list_tokens() -> None:
    """List all tokens, without their secrets."""
    _run("token", "list")


@token.command("revoke")
@click.argument("identifier", metavar="ID")
def revoke_token(**options: Any) -> None:
    """End the token ID now; exits with 2 when there is none."""
    _run("token", "revoke", **options)


@assay.command()
def web() -> None:
    """Serve the webhook and the pages on ASSAY_HOST:ASSAY_PORT (loopback by default)."""
    _run("web")


@assay.command()
def worker() -> None:
    """Run evaluations. What is not finished when it stops goes on in the next worker."""
    _run("worker")


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
