"""One command of a build: what it sees and may reach, and what its failure means.

The driver adds the host's package index and CA settings to every command with the build network.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from sandbox.base import TREE, Command, Completed, Killed, Mount, MountMode, Sandbox
from sandbox.toolchains import ECOSYSTEMS
from sandbox.toolchains.ecosystem import (
    BuildRequest,
    Downloads,
    Ecosystem,
    Variables,
    downloads_folder,
)
from sandbox.toolchains.layers import CACHE, DECLARED, DEPENDENCIES, INSIDE, SYSTEM_PATH, TOOLCHAIN
from sandbox.values import Environment, Observation, Side

_OUTPUT_CHARS = 20_000
_QUOTED_CHARS = 200
_UNREACHABLE = re.compile(
    r"dns error|failed to lookup address|connection (refused|reset|closed)|network is unreachable|"
    r"operation timed out|error sending request|connect error|tcp connect|"
    r"http status (server error|client error \(429)|temporary failure in name resolution|"
    r"could not resolve host|no such host|i/o timeout|tls handshake timeout|max retries exceeded|"
    r"\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ERR_SOCKET_TIMEOUT|E429|E50[0234])\b",
    re.I,
)
# What a build backend prints is quoted below such a line: it cannot pass for the network's failure.
_OWN_FAILURE = re.compile(
    r"no solution found|build backend (returned|failed)|call to `[^`]*` failed|"
    r"npm (err!|error) code (ETARGET|ENOVERSIONS|E404)\b",
    re.I,
)

_ERROR = re.compile(r"(?i)\berror\b")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class BuildRun:
    """What all commands of one build share."""

    sandbox: Sandbox
    request: BuildRequest
    toolchain: str = ""  # the host folder of its layer
    alone: bool = True  # nothing but the project is built

    @property
    def ecosystem(self) -> Ecosystem:
        """What builds it."""
        return ECOSYSTEMS[self.request.recipe.ecosystem]

    def command(
        self, argv: tuple[str, ...], mounts: tuple[Mount, ...], environment: Variables, cwd: str
    ) -> Command:
        """Return a command of the build, which sees the toolchain and what the ecosystem brings along."""
        layer = (Mount(self.toolchain, TOOLCHAIN),) if self.toolchain else ()
        return Command(
            argv,
            mounts=(*mounts, *layer, *self.ecosystem.tools()),
            cwd=cwd,
            environment=environment,
            network=self.request.network,
            limits=self.request.limits,
        )


async def run_step(
    run: BuildRun, argv: tuple[str, ...], shown: tuple[str, ...], mounts: tuple[Mount, ...]
) -> Observation | None:
    """Run one command of a build; return None when it succeeded, else what it showed."""
    request, ecosystem = run.request, run.ecosystem
    downloads = downloads_folder(request)
    os.utime(downloads)  # in use: not to be evicted now
    mounts = (
        Mount(str(request.tree), TREE, MountMode.COPY_ON_WRITE),
        # Code of the tree can run here: what it does to the downloads is thrown away.
        Mount(str(downloads), CACHE, MountMode.COPY_ON_WRITE),
        Mount(str(Path(__file__).parent / "inside"), INSIDE),
        *mounts,
    )
    variables = (*ecosystem.building(request), *ecosystem.versioning(request, run.alone))
    start = f"{TREE}/{request.recipe.root}".rstrip("/")
    done = await run.sandbox.run(run.command(argv, mounts, variables, start))
    return None if done.exit_code == 0 else _observation(request.side, shown, done)


async def install_dependencies(
    run: BuildRun, argv: tuple[str, ...], mounts: tuple[Mount, ...]
) -> Observation | None:
    """Run one command that installs dependencies; return None when it succeeded, else what it showed.

    What is built from its source would take the project's version for its own. Only where that fails, and
    projects of the tree are built along with it, every build is told that version.
    """
    apart = replace(run, alone=False)
    failure = await run_step(apart, argv, typed(argv), mounts)
    is_of_tree = run.request.recipe.runs_tree and failure and failure.exit_code
    told = [run.ecosystem.versioning(run.request, one) for one in (True, False)]
    if not is_of_tree or (failure and failure.problem) or told[0] == told[1]:
        return failure
    return await run_step(run, argv, typed(argv), mounts)


async def keep_downloads(run: BuildRun, wanted: Downloads) -> None:
    """Download into the lasting folder, with no code of the tree there; what fails is not kept."""
    request = run.request
    with TemporaryDirectory(
        dir=downloads_folder(request).parent, prefix=DECLARED, ignore_cleanup_errors=True
    ) as place:
        tree, filled = Path(place, "tree"), Path(place, "filled")
        for folder in (Path(place), tree, filled):
            folder.mkdir(mode=0o755, exist_ok=True)
            folder.chmod(0o755)
        for path, text in wanted.files:
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_text(text, encoding="utf-8")
        mounts = (
            Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),
            Mount(str(downloads_folder(request)), CACHE, MountMode.WRITABLE),
            Mount(str(filled), DEPENDENCIES, MountMode.WRITABLE),
        )
        for argv in wanted.commands:
            command = run.command(argv, mounts, run.ecosystem.building(request), TREE)
            if (await run.sandbox.run(command)).exit_code != 0:
                return


async def fetch_toolchain(run: BuildRun, layer: str) -> Observation | None:
    """Fill an empty toolchain layer from the registry; nothing of a tree is there to take part."""
    wanted, fetching = run.request.recipe.toolchain, run.ecosystem.fetching
    argv = fetching(wanted) if fetching else ("false",)
    empty = (Mount(layer, TOOLCHAIN, MountMode.WRITABLE),)
    done = await run.sandbox.run(run.command(argv, empty, (("PATH", SYSTEM_PATH),), TOOLCHAIN))
    if done.exit_code == 0:
        return None
    seen = _observation(run.request.side, argv, done)
    said = f"{wanted} could not be fetched from the package registry, so nothing was built."
    return replace(seen, problem=seen.problem or said[:1].upper() + said[1:])


def typed(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that a person would type, for one that only keeps what it wrote."""
    if f"{INSIDE}/install.py" not in argv:
        return argv
    first = json.loads(argv[argv.index(f"{INSIDE}/install.py") + 4])[0]
    own = f"{INSIDE}/npm_install.py"
    return tuple(first[first.index(own) + 3 :] if own in first else first)


def _observation(side: Side, shown: tuple[str, ...], done: Completed) -> Observation:
    output = (done.stdout + b"\n" + done.stderr).decode(errors="replace").strip()
    if done.killed:
        output += f"\n[ended by the {done.killed.value} limit]"
    # A build that prints both, its own failure and the network's, is its own fault.
    unreachable = None if _OWN_FAILURE.search(output) else _UNREACHABLE.search(output)
    problem = ""
    if unreachable:
        start = output.rfind("\n", 0, unreachable.start()) + 1
        line, _, _ = output[start : unreachable.end() + _QUOTED_CHARS].partition("\n")
        said = "The package index could not be reached, so this says nothing about the project."
        problem = f"{said} The installer said: {line.strip()[:_QUOTED_CHARS]}"
    return Observation(
        side=side,
        command=shlex.join(shown),
        exit_code=done.exit_code,
        output=output[-_OUTPUT_CHARS:],  # the reason stands at the end
        seconds=done.seconds,
        timed_out=done.killed is Killed.TIMEOUT,
        truncated=done.truncated or len(output) > _OUTPUT_CHARS,
        problem=problem,
    )


# --- a build that the project's own tests do not call: it fails, and they run without it ----------


def can_do_without(base: Environment, head: Environment) -> bool:
    """Tell whether on both sides a command failed in one way, by itself, that tests may do without."""
    sides = [(one.failure, one.recipe.optional) for one in (base, head)]
    for failure, optional in sides:
        if failure is None or not failure.exit_code:
            return False
        if failure.command not in map(shlex.join, optional):
            return False
    # The lines that tell of errors, without their numbers: a change moves lines.
    on_base, on_head = (
        {_NUMBER.sub("", line).strip() for line in one.output.splitlines() if _ERROR.search(line)}
        for one, _ in sides
        if one
    )
    return on_head <= on_base


def tolerating(request: BuildRequest) -> BuildRequest:
    """Return the request, in which what tests may do without ends nothing, with a sentence on that.

    A compiler writes its files in spite of wrong types; the tests show whether they needed more.
    """
    recipe = request.recipe
    told = ", ".join(f"`{shlex.join(argv)}`" for argv in recipe.optional)
    said = f"{told} fails on base and on head. The tests were run all the same."
    own = tuple(
        ("sh", "-c", '"$0" "$@" || echo "It failed; the tests go on." >&2', *argv)
        if argv in recipe.optional
        else argv
        for argv in recipe.install_project
    )
    reasons = (said, *recipe.reasons)
    plain = replace(recipe, install_project=own, optional=(), unbuilt=said, reasons=reasons)
    return replace(request, recipe=plain)
