"""Programs with their versions, the sandbox, the browser, the disk."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bot.report.pdf import pdf
from bot.settings import Settings
from sandbox import open_sandbox
from sandbox.base import Command, Limits, Sandbox, SandboxError
from sandbox.bubblewrap.selfcheck import as_root, ways_out
from sandbox.linters import LINTERS, missing_linters
from sandbox.toolchains import ECOSYSTEMS
from sandbox.toolchains.ecosystem import toolchain

PROGRAM_TIMEOUT_S = 20.0  # a cold disk on a busy machine
BROWSER_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class NeededProgram:
    """A program that Assay starts, with the oldest version that was tried; docker needs some not."""

    name: str
    package: str
    least: tuple[int, ...] = ()
    of_bubblewrap: bool = False


PROGRAMS = (
    NeededProgram("git", "git", (2, 36)),
    NeededProgram("bwrap", "bubblewrap", (0, 8), of_bubblewrap=True),
    NeededProgram("slirp4netns", "slirp4netns", of_bubblewrap=True),
    NeededProgram("/usr/bin/python3", "python3", (3, 11)),
)

TOOLCHAIN_PACKAGES = {
    "bats": "bats",
    "cargo": "cargo",
    "cc": "gcc",
    "cmake": "cmake",
    "go": "golang-go",
    "javac": "default-jdk-headless junit4 junit5",
    "make": "make",
    "node": "nodejs",
    "npm": "npm",
}
"""Debian's packages of what projects are built with, by program; uv comes with Assay."""


async def look_at_machine(settings: Settings) -> tuple[Diagnosis, ...]:
    """Look at everything that is installed."""
    in_docker = settings.sandbox == "docker"
    programs = [one for one in PROGRAMS if not (in_docker and one.of_bubblewrap)]
    outside = asyncio.gather(
        *(asyncio.to_thread(_look_at_program, program) for program in programs),
        *(() if in_docker else (asyncio.to_thread(_look_at_namespaces),)),
    )
    disk = asyncio.to_thread(_look_at_disk, settings)
    programs_seen, inside, of_disk = await asyncio.gather(
        outside, _look_into_sandbox(settings), disk
    )
    return (*programs_seen, *inside, of_disk)


def _look_at_program(program: NeededProgram) -> Diagnosis:
    path, remedy = shutil.which(program.name), installing(program.package)
    if path is None:
        return Diagnosis(program.name, False, "not found", remedy)
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, timeout=PROGRAM_TIMEOUT_S, check=False
        )
        said = done.stdout.decode(errors="replace")
    except (OSError, subprocess.TimeoutExpired):
        said = ""
    match = re.search(r"\d+(?:\.\d+)+", said)
    found = tuple(int(part) for part in match[0].split(".")) if match else ()
    shown = ".".join(map(str, found)) or "version unknown"
    if found < program.least:
        least = ".".join(map(str, program.least))
        return Diagnosis(program.name, False, f"{shown}, needs {least} or newer", remedy)
    return Diagnosis(program.name, True, f"{shown} ({path})")


def _look_at_namespaces() -> Diagnosis:
    """Name the kernel's switch that is off; the sandbox itself has the last word."""
    commands = ways_out()
    seen = "forbidden by the kernel's settings" if commands else "allowed"
    remedy = " && ".join(map(as_root, commands))
    return Diagnosis("user namespaces", not commands, seen, remedy, Importance.USEFUL)


async def _look_into_sandbox(settings: Settings) -> tuple[Diagnosis, ...]:
    """Open the sandbox once, and look at all that is in it."""
    try:
        sandbox = await asyncio.to_thread(open_sandbox, settings.sandbox, settings.home / "sandbox")
        looks = (
            _try(sandbox),
            _look_at_toolchains(sandbox),
            _look_at_linters(sandbox),
            _look_at_browser(sandbox, settings),
        )
        return tuple(await asyncio.gather(*looks))
    except SandboxError as error:
        closed = [
            Diagnosis(subject, False, "the sandbox does not start", "", Importance.USEFUL)
            for subject in ("toolchains", "linters", "chromium")
        ]
        return (Diagnosis("sandbox", False, error.what, error.next_step), *closed)


async def _try(sandbox: Sandbox) -> Diagnosis:
    limits = Limits(timeout_s=PROGRAM_TIMEOUT_S)
    completed = await sandbox.run(Command(argv=("/usr/bin/id", "-u"), cwd="/", limits=limits))
    if completed.exit_code != 0:
        said = completed.stderr.decode(errors="replace").strip()[:200]
        return Diagnosis("sandbox", False, f"a trial failed: {said}", installing("bubblewrap"))
    uid = completed.stdout.decode(errors="replace").strip()
    seen = f"{sandbox.name} works, with a network for builds (runs as uid {uid} inside)"
    return Diagnosis("sandbox", True, seen)


async def _look_at_toolchains(sandbox: Sandbox) -> Diagnosis:
    """List what projects can be built with in the sandbox; what is missing there is optional."""
    there = await toolchain(sandbox, ECOSYSTEMS.values())
    absent = [name for name in TOOLCHAIN_PACKAGES if not there.version(name)]
    found = [("python", there.python), *there.programs]
    seen = ", ".join(f"{Path(name).name} {version}" for name, version in found)
    if not absent:
        return Diagnosis("toolchains", True, seen, "", Importance.USEFUL)
    remedy = installing(*(TOOLCHAIN_PACKAGES[name] for name in absent))
    if sandbox.name == "docker":
        remedy = "docker build -f deploy/sandbox.Dockerfile -t assay-sandbox deploy"
    seen += f"; optional, for projects that need them: {', '.join(absent)}"
    return Diagnosis("toolchains", True, seen, remedy, Importance.USEFUL)


async def _look_at_linters(sandbox: Sandbox) -> Diagnosis:
    """Name the linters that the sandbox lacks, all in one line: none of them is needed to be well."""
    absent = await missing_linters(sandbox)
    if not absent:
        return Diagnosis("linters", True, f"all {len(LINTERS)} are there", "", Importance.USEFUL)
    names = ", ".join(linter.name for linter in absent)
    seen = f"{len(LINTERS) - len(absent)} are there; optional: {names}"
    remedy = "; ".join(dict.fromkeys(linter.install for linter in absent))
    return Diagnosis("linters", True, seen, remedy, Importance.USEFUL)


async def _look_at_browser(sandbox: Sandbox, settings: Settings) -> Diagnosis:
    """Print one line as every report is printed; without it there is no PDF, that is all."""
    try:
        async with asyncio.timeout(BROWSER_TIMEOUT_S):
            printed = await pdf(sandbox, "<p>Assay</p>", settings.chromium)
    except TimeoutError:
        seen = f"Chromium does not answer within {BROWSER_TIMEOUT_S} s"
        return Diagnosis("chromium", False, seen, "try again", Importance.USEFUL)
    if printed.content is None:
        remedy = installing("chromium", "libatomic1", "fonts-dejavu-core")
        return Diagnosis("chromium", False, printed.remark, remedy, Importance.USEFUL)
    return Diagnosis("chromium", True, f"prints PDF ({settings.chromium})", "", Importance.USEFUL)


def _look_at_disk(settings: Settings) -> Diagnosis:
    home = settings.home.absolute()
    folder = next(path for path in (home, *home.parents) if path.exists())
    free_gb = shutil.disk_usage(folder).free / 1e9
    enough = free_gb >= settings.disk_gb
    if free_gb < settings.disk_floor_gb:
        seen = f"{free_gb:.2f} GB free at {folder}: no new evaluation is begun"
        remedy = f"free some, or set ASSAY_DISK_FLOOR_GB below {settings.disk_floor_gb:g}"
        return Diagnosis("disk", False, seen, remedy)
    remedy = "" if enough else f"free some, or set ASSAY_DISK_GB below {settings.disk_gb}"
    return Diagnosis(
        "disk", enough, f"{free_gb:.0f} GB free at {folder}", remedy, Importance.USEFUL
    )


# --- one thing that was looked at -----------------------------------------------------------------


class Importance(StrEnum):
    """Whether Assay cannot work without it."""

    REQUIRED = "required"
    USEFUL = "useful"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was seen of one subject. `remedy` is the command or sentence that mends it."""

    subject: str
    is_well: bool
    seen: str
    remedy: str = ""
    weight: Importance = Importance.REQUIRED

    @property
    def is_fatal(self) -> bool:
        """Whether something required is missing."""
        return not self.is_well and self.weight is Importance.REQUIRED


def installing(*packages: str) -> str:
    """Return the command that installs Debian packages, as this user would type it."""
    return as_root(f"apt-get install {' '.join(packages)}")
