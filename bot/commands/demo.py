"""`assay demo`: four pull requests are judged on a forge of this machine, before your eyes."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

import httpx
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from bot.demo.town import REPOSITORY, OpenedScene, Town, running_town
from bot.errors import UserError
from bot.evaluation.upkeep import refuse_full_disk
from bot.settings import load_settings
from bot.text.json_reading import Payload
from sandbox import open_sandbox

MADE_BY_DEMO = ".made-by-assay-demo"
"""A file in each folder that a demo made: such a folder may be replaced."""
TIMEOUT_S = 600
PDF_TIMEOUT_S = 60
POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """One row of the progress display, from the check run as the forge has it."""

    opened: OpenedScene
    status: str = "waiting for the webhook"
    conclusion: str = ""
    title: str = ""
    link: str = ""
    met: str = ""
    has_judges: bool = False  # a model was asked: it may list more requirements, and find out more

    @property
    def is_expected(self) -> bool:
        """Whether it was judged, and came out as the scene's author knows it must."""
        scene = self.opened.scene
        if self.has_judges:
            return bool(self.met) and self.conclusion in (scene.expected, scene.found)
        return (self.conclusion, self.met) == (scene.expected, scene.met)


def run(serve: bool, folder: Path | None) -> None:
    """Run the demo; ends with 1 when a conclusion does not come out as it must."""
    console, settings = Console(), load_settings()
    # Where nothing can be built or begun, it is said before anything is started.
    with tempfile.TemporaryDirectory(prefix="assay-demo-") as state:
        open_sandbox(settings.sandbox, Path(state))
    refuse_full_disk(folder or Path(tempfile.gettempdir()), settings.disk_floor_gb)
    with running_town(_folder(folder)) as town:
        console.print(f"A forge runs at {town.forge}, Assay at {town.public_url}.", highlight=False)
        shown = [ProgressRow(opened) for opened in town.open_scenes()]
        deadline_s = time.monotonic() + TIMEOUT_S
        with Live(_table(shown), console=console, refresh_per_second=4) as live:
            while time.monotonic() < deadline_s and not all(row.conclusion for row in shown):
                time.sleep(POLL_S)
                town.check()
                shown = [_look(town, row.opened) for row in shown]
                live.update(_table(shown))
        # A PDF is printed after the verdict, and the worker ends with the demo.
        links = [_in_format("pdf", row.link) for row in shown if row.link]
        deadline_s = time.monotonic() + PDF_TIMEOUT_S
        while any(map(_is_being_printed, links)) and time.monotonic() < deadline_s:
            time.sleep(POLL_S)
        _print(console, town, shown)
        if serve:
            console.print("Everything stays up until Ctrl-C.")
            stop = threading.Event()
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stop.set())
            stop.wait()
    sys.exit(int(not all(row.is_expected for row in shown)))


def _folder(wanted: Path | None) -> Path:
    """Make an empty folder; what the demo leaves there stays for whoever wants to look.

    Only a folder that an earlier demo made is replaced. Raises UserError for any other that holds something.
    """
    if wanted is None:
        return Path(tempfile.mkdtemp(prefix="assay-demo-"))
    place, way_out = wanted.resolve(), "Name a folder that does not exist yet."
    if (place / MADE_BY_DEMO).is_file():
        shutil.rmtree(place)
    is_new = not place.exists()
    try:
        place.mkdir(parents=True, exist_ok=True)
        is_empty = not any(place.iterdir())
    except OSError as error:
        raise UserError(f"{wanted} cannot be used: {error.strerror}.", way_out) from error
    if not is_empty:
        raise UserError(f"{wanted} is not empty, and no demo made it.", way_out)
    if is_new:
        (place / MADE_BY_DEMO).touch()
    return place


def _look(town: Town, opened: OpenedScene) -> ProgressRow:
    path = f"repos/{REPOSITORY}/commits/{opened.head_sha}/check-runs"
    runs = town.operator.as_person(town.owner, "GET", path).items("check_runs")
    if not runs:
        return ProgressRow(opened)
    run, met = runs[0], ""
    link = run.text("details_url")
    report = None
    if run.text("status") == "completed":
        with suppress(httpx.HTTPError, ValueError):
            report = Payload.parse(httpx.get(_in_format("json", link), timeout=10).content)
    if report and report.flag("judged"):
        rows = report.items("requirements")
        satisfied = [row for row in rows if row.text("verdict") == "satisfied"]
        met = f"{len(satisfied)} of {len(rows)}"
    return ProgressRow(
        opened,
        run.text("status"),
        run.text("conclusion"),
        run.text("output", "title"),
        link,
        met,
        bool(report and report.items("usage")),
    )


def _in_format(kind: str, link: str) -> str:
    """Return the link to a report in another format."""
    return link.replace("?", f".{kind}?", 1)


def _is_being_printed(link: str) -> bool:
    try:
        return httpx.get(link, timeout=10).status_code == HTTPStatus.ACCEPTED
    except httpx.HTTPError:
        return False


def _table(shown: list[ProgressRow]) -> Table:
    table = Table(box=None, padding=(0, 2))
    for heading in ("", "pull request", "check run", "what it says"):
        table.add_column(heading)
    for row in shown:
        colour = {"success": "green", "failure": "red"}.get(row.conclusion, "yellow")
        state = f"[{colour}]{row.conclusion}[/{colour}]" if row.conclusion else row.status
        table.add_row(f"#{row.opened.number}", row.opened.scene.title, state, escape(row.title))
    return table


def _print(console: Console, town: Town, shown: list[ProgressRow]) -> None:
    for row in shown:
        scene, verdict = row.opened.scene, "as expected"
        if not row.is_expected:
            wanted = f"expected {scene.expected} with {scene.met} requirements met"
            verdict = f"[red]{wanted}[/red], see {town.folder / 'worker.log'}"
        console.print()
        console.print(
            f"[bold]#{row.opened.number} {row.conclusion or row.status}[/bold] ({verdict})"
        )
        console.print(f"  {scene.lesson}")
        for name, value in (
            ("pull request", town.page(row.opened.number)),
            ("report", row.link),
            ("report as JSON", _in_format("json", row.link)),
            ("report as PDF", _in_format("pdf", row.link)),
        ):
            console.print(f"  {name:14} {value}", highlight=False, soft_wrap=True)
    console.print(f"\nFiles and logs: {town.folder}", highlight=False)
