"""The command lines of `assay bench`; what each does is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bot.commands.asked import FILE, FOLDER, NEW_FILE, NEW_FOLDER, PARTS, run_module


class _BenchGroup(click.Group):
    """`assay bench REPOSITORY…` means `assay bench merges REPOSITORY…`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = ["merges", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_BenchGroup)
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
    run_module("bench", **options)


@bench.command()
@click.argument("folder", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--out",
    type=NEW_FILE,
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
    type=FOLDER,
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

    FOLDER may be a file of `assay labels export`, too: what people said of Assay's own verdicts.
    What stands in the file of rows already is not judged again. Exits with 1 when a wrong change would
    be merged, a right one was stopped, or one has no conclusion.
    """
    run_module("bench_patches", **options)


@bench.command()
@click.argument("before", type=FILE)
@click.argument("after", type=FILE)
def compare(**options: Any) -> None:
    """Compare two files of rows, BEFORE and AFTER: other code, or with models and without.

    The rows are those of `assay bench patches`, or the verdicts of two judges by `assay bench devai`.
    """
    run_module("bench_compare", **options)


@bench.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--reference",
    default="human_as_a_judge",
    show_default=True,
    help="The judge whose verdicts count as right: a folder in judgment/SYSTEM.",
)
@click.option(
    "--out", type=NEW_FOLDER, help="Folder for the tables as CSV, each judge's verdicts, a plot."
)
def devai(**options: Any) -> None:
    """Measure the judgments of DevAI (Agent-as-a-Judge) in FOLDER: what was met, and who agrees.

    FOLDER has `instances` and `judgment`. Every defect of the data is named and counted. Ends with 2
    when there is no judgment.
    """
    run_module("bench_devai", **options)


@bench.command()
@click.argument("folder", type=FOLDER)
@click.option(
    "--out",
    type=NEW_FOLDER,
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
    run_module("bench_prdbench", **options)


@bench.command("criteria")
@click.argument("folder", type=FOLDER)
@click.option("--out", type=NEW_FOLDER, help="Folder for the table as CSV, a plot, and new grades.")
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
    run_module("bench_criteria", **options)
