"""Pages for the tests, and one journey over them in the real sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.evidence.pages.run import SCRIPT, tell
from bot.evidence.seen import Both
from sandbox import open_sandbox
from sandbox.base import Limits
from sandbox.browser.journey import Journey, JourneySide, Served, Travelled, Visit, travel
from sandbox.browser.records import QUICK
from sandbox.browser.script import read_script
from sandbox.values import Finding, Observation, Side

CHROMIUM = Path("/usr/bin/chromium")
HEAD = '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>'


def page(body: str) -> str:
    """A page without faults around a body."""
    return f"{HEAD}<main><h1>Shop</h1>{body}</main>"


@dataclass(frozen=True, slots=True)
class Seen:
    """What one journey showed, and its pictures by name."""

    observed: Both[Observation]
    travelled: Travelled
    pictures: Mapping[str, bytes]

    def faults(self, side: Side, path: str) -> list[str]:
        """`rule: message` of each finding of a page, without how quickly it was there."""
        found = (f for f in self.findings(side) if f.path == path and f.rule != QUICK)
        return [f"{f.rule}: {f.message}" for f in found]

    def findings(self, side: Side) -> tuple[Finding, ...]:
        return (self.observed.base if side is Side.BASE else self.observed.head).findings


@dataclass(frozen=True, slots=True)
class Trees:
    """Both sides on disk."""

    folder: Path
    driver: str = "bubblewrap"

    def write(self, side: Side, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = self.folder / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def places(self) -> tuple[JourneySide, JourneySide]:
        for side in Side:
            (self.folder / side).mkdir(exist_ok=True)
        base, head = (JourneySide(side, str(self.folder / side)) for side in Side)
        return base, head

    async def visit(self, *paths: str, served: Served | None = None) -> Seen:
        visits = tuple(Visit(path, path) for path in paths)
        return await self._travel(Journey(self.places(), visits, served))

    async def visit_head(self, *paths: str) -> Seen:
        _, head = self.places()
        journey = Journey((head,), tuple(Visit(path, path) for path in paths), limits=Limits(500))
        return await self._travel(journey)

    async def follow(self, *lines: str, served: Served | None = None) -> Seen:
        acts = read_script(lines)
        visit = Visit(SCRIPT, acts[0].target, acts=acts)
        return await self._travel(Journey(self.places(), (visit,), served))

    async def _travel(self, journey: Journey) -> Seen:
        sandbox = open_sandbox(self.driver, self.folder / "state")
        travelled = await travel(sandbox, journey)
        pictures: dict[str, bytes] = {}
        return Seen(tell("E1", journey, travelled, pictures.__setitem__), travelled, pictures)
