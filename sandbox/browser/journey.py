"""One browser for all pages of both sides: makes the command, runs it, reads what it told.

Static pages of both sides are served in one sandbox by our own small server. A project that is served
by a command of its own needs its layers at their one path, so each side gets a sandbox there, and
head's compares its pictures with those that base's took. The browser has no network but its own.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote, urljoin, urlsplit

from sandbox.base import (
    TREE,
    Command,
    Completed,
    Killed,
    Limits,
    Mount,
    MountMode,
    Network,
    Sandbox,
)
from sandbox.browser.records import JourneyRecords, Shot, read_records
from sandbox.browser.script import ScriptAct, Verb
from sandbox.toolchains import layers
from sandbox.values import Environment, Side

_HOME = "/opt/assay"
NODE = f"{_HOME}/playwright/node"
PROGRAMS = f"{_HOME}/browser"
"""Where the programs of `inside` are, inside."""
_AXE = f"{_HOME}/axe.min.js"
_BEFORE = f"{_HOME}/before"
_SIDES = "/work/sides"
_PORT = 8000
_LISTEN_S = 45.0
_CHANNEL_BYTES = 200_000_000
_LIMITS = Limits(timeout_s=240.0, memory_mb=3072, processes=512, output_bytes=100_000)
_TOO_MUCH = (Killed.MEMORY, Killed.DISK, Killed.ENTRIES)
_SPARE_S = 15.0  # of the time limit, to end in order and tell so


@dataclass(frozen=True, slots=True)
class Visit:
    """A page to look at or, with `acts`, a script to follow.

    `path` is a file of the tree, below the folder `root` whose files are the site; or an address
    where the project is served.
    """

    id: str
    path: str
    root: str = ""
    acts: tuple[ScriptAct, ...] = ()


@dataclass(frozen=True, slots=True)
class Served:
    """How the project is served: a shell line of the configuration, and where it answers then."""

    line: str
    url: str


@dataclass(frozen=True, slots=True)
class JourneySide:
    """One side's tree and, where the project is served, what it was built into."""

    side: Side
    tree: str
    environment: Environment | None = None


@dataclass(frozen=True, slots=True)
class Journey:
    """Everything to visit, on base and then on head."""

    places: tuple[JourneySide, ...]
    visits: tuple[Visit, ...]
    served: Served | None = None
    chromium: str = "/usr/bin/chromium"
    network: Network = Network.NONE
    limits: Limits = _LIMITS


@dataclass(frozen=True, slots=True)
class Travelled:
    """What one journey told, and how the sandbox of each side ended."""

    told: JourneyRecords
    ends: dict[Side, Completed] = field(default_factory=dict)


async def travel(sandbox: Sandbox, journey: Journey, again: int = 2) -> Travelled:
    """Visit everything on both sides. Raises SandboxError when isolation cannot be had.

    A page that brings the whole browser's sandbox down costs itself only: the others are visited
    anew, up to `again` times.
    """
    travelled = await _travel(sandbox, journey)
    first = travelled.told
    unseen = [
        visit
        for place in journey.places
        for visit in journey.visits
        if not first.visit(place.side, visit.id).is_whole
    ]
    # Without the visit during which it ended.
    left = tuple(v for v in journey.visits if v in unseen and v != unseen[0])
    ended_early = any(end.killed in _TOO_MUCH for end in travelled.ends.values())
    if not left or not ended_early or not again:
        return travelled
    second = await travel(sandbox, replace(journey, visits=left), again - 1)
    anew = {visit for _, visit in second.told.visits}
    kept = replace(
        first,
        visits={key: seen for key, seen in first.visits.items() if key[1] not in anew},
        shots=[shot for shot in first.shots if shot.visit not in anew],
        differences=[one for one in first.differences if one.visit not in anew],
        ended=True,
    )
    return Travelled(kept.joined(second.told), second.ends)


async def _travel(sandbox: Sandbox, journey: Journey) -> Travelled:
    if journey.served is None:
        completed = await sandbox.run(_command(journey, journey.places))
        ends = {place.side: completed for place in journey.places}
        return Travelled(read_records(completed.channel), ends)
    told, ends = JourneyRecords(ended=True), {}
    with tempfile.TemporaryDirectory(prefix="assay-pictures-") as folder:
        for place in journey.places:
            side = place.side
            ends[side] = await sandbox.run(_command(journey, (place,), told.shots, folder))
            # The sandbox of one side can only speak of its own side.
            more = read_records(ends[side].channel)
            more.visits = {key: seen for key, seen in more.visits.items() if key[0] is side}
            more.shots = [shot for shot in more.shots if shot.side is side]
            more.servers = {key: why for key, why in more.servers.items() if key is side}
            told = told.joined(more)
    return Travelled(told, ends)


def axe_file() -> Path | None:
    """Where the accessibility engine of the package axe-playwright-python is, if it is installed."""
    file = _package("axe_playwright_python") / "axe.min.js"
    return file if file.is_file() else None


def program_mounts() -> tuple[Mount, ...]:
    """Playwright's driver and our own programs for it."""
    return (
        Mount(str(_package("playwright") / "driver"), f"{_HOME}/playwright"),
        Mount(str(Path(__file__).parent / "inside"), PROGRAMS),
    )


def _package(name: str) -> Path:
    """The folder of an installed package, which is not imported; a path without a file if there is none."""
    found = importlib.util.find_spec(name)
    folders = found.submodule_search_locations if found else None
    return Path(folders[0]) if folders else Path("/nonexistent", name)


def _command(
    journey: Journey, places: tuple[JourneySide, ...], shots: Sequence[Shot] = (), folder: str = ""
) -> Command:
    """Make the command for some sides; `shots` are what base's run took, and are laid in `folder`."""
    axe = axe_file()
    mounts = [*program_mounts(), *((Mount(str(axe), _AXE),) if axe else ())]
    if shots:
        Path(folder).chmod(0o755)  # the sandbox's user reads it
        for number, shot in enumerate(shots):
            Path(folder, f"{number}.png").write_bytes(shot.png)
        mounts.append(Mount(folder, _BEFORE))
    if journey.served is None:
        mounts += [Mount(place.tree, f"{_SIDES}/{place.side}") for place in places]
    else:
        (place,) = places
        tree = Mount(place.tree, TREE, MountMode.COPY_ON_WRITE)
        mounts += [tree, *layers.mounts(place.environment)]
    return Command(
        argv=(NODE, f"{PROGRAMS}/main.mjs"),
        mounts=tuple(mounts),
        environment=(("PATH", layers.SYSTEM_PATH), ("LANG", "C.UTF-8")),
        cwd="/tmp",  # noqa: S108 - the sandbox's own
        stdin=json.dumps(_plan(journey, places, shots, has_axe=axe is not None)).encode(),
        network=journey.network,
        limits=journey.limits,
        channel_bytes=_CHANNEL_BYTES,
    )


def _plan(
    journey: Journey, places: tuple[JourneySide, ...], shots: Sequence[Shot], *, has_axe: bool
) -> dict[str, object]:
    base, served = f"http://localhost:{_PORT}/", None
    if journey.served:
        base = journey.served.url
        environment = places[0].environment
        own = dict(environment.variables) if environment else {}
        usual = {"PATH": layers.SYSTEM_PATH, "HOME": "/home/assay", "LANG": "C.UTF-8"}
        served = {
            "line": journey.served.line,
            "url": base,
            "environment": usual | own,
            "folder": str(PurePosixPath(TREE, environment.recipe.root if environment else "")),
            "listen_s": min(_LISTEN_S, journey.limits.timeout_s / 3),
        }
    parts = urlsplit(base)
    return {
        "chromium": journey.chromium,
        "deadline_s": max(1.0, journey.limits.timeout_s - _SPARE_S),
        "port": _PORT,
        "served": served,
        "sides": [{"side": place.side, "folder": f"{_SIDES}/{place.side}"} for place in places],
        "visits": [
            {
                "id": visit.id,
                "root": visit.root,
                "origin": f"{parts.scheme}://{parts.netloc}",
                "base": base,
                "url": urljoin(base, _address(visit.path, visit, journey)),
                "axe": _AXE if has_axe else "",
                "acts": [_act(act, visit, journey) for act in visit.acts] or None,
            }
            for visit in journey.visits
        ],
        "before": [
            {"visit": shot.visit, "title": shot.title, "file": f"{_BEFORE}/{number}.png"}
            for number, shot in enumerate(shots)
        ],
    }


def _address(path: str, visit: Visit, journey: Journey) -> str:
    """A page's address: of a static page its file's path below the root of the site."""
    if journey.served:
        return path
    name, mark, rest = path.partition("?")
    prefix = f"{visit.root}/" if visit.root else ""
    return "/" + quote(name.lstrip("/").removeprefix(prefix)) + mark + rest


def _act(act: ScriptAct, visit: Visit, journey: Journey) -> dict[str, str]:
    target = _address(act.target, visit, journey) if act.verb is Verb.GOTO else act.target
    return {"verb": act.verb, "line": act.line, "target": target, "value": act.value}


def why_ended(completed: Completed) -> str:
    """One sentence about a sandbox that did not come to its end; empty for one that did."""
    if completed.killed is Killed.TIMEOUT:
        return f"The browser was stopped after {completed.seconds:.0f} s."
    if completed.killed:
        return f"The browser was stopped: it used more {completed.killed} than it may."
    if completed.exit_code != 0:
        said = completed.stderr.decode(errors="replace").strip()[-300:]
        return f"The browser ended with code {completed.exit_code}: {said}"
    return ""
