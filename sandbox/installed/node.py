"""Packs a Node package as it is published, without any script, and loads what it offers.

Beside it lie its dependencies only, as the tests have them: no package of development.
"""

from __future__ import annotations

from pathlib import Path

from sandbox.base import TREE, Command, Limits, Mount, MountMode, Sandbox
from sandbox.installed.values import InstalledSide, Use
from sandbox.streams import json_values, last_line
from sandbox.toolchains.layers import TOOLCHAIN, kept, variables
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment

_PROGRAM = "/opt/assay/load.mjs"
_LIMITS = Limits(timeout_s=120.0, output_bytes=20_000)
_CHANNEL_BYTES = 1_000_000
_CHARACTERS = 300
_OWN_HOME = (("HOME", "/tmp"), ("npm_config_cache", "/tmp/npm"))  # noqa: S108  of the sandbox
_COMMAND = "npm pack --ignore-scripts && cd /tmp/app && npm install --omit=dev /tmp/packed/*.tgz"


def can_be_packed(environment: Environment, tree: Path) -> bool:
    """Whether a side is published from the files of its tree: its entry is there and not built.

    Where none is named, what lies at the top is loaded.
    """
    place = Tree(tree / environment.recipe.root)
    manifest = place.json("package.json")
    if manifest.members.get("private") is True or not (
        manifest.text("name") and manifest.text("version")
    ):
        return False
    main = manifest.text("main") or "index.js"
    ends = ("", ".js", ".cjs", "/index.js", ".json")
    if manifest.has("exports") or any(place.has(f"{main}{end}") for end in ends):
        return True
    at_top = (path for path in place.files() if "/" not in path)
    return not manifest.text("main") and any(
        path.endswith((".js", ".cjs", ".mjs")) for path in at_top
    )


async def load_packed(sandbox: Sandbox, environment: Environment, tree: Path) -> InstalledSide:
    """Pack and load; nothing is built and nothing is fetched. Raises SandboxError."""
    kept_files = kept(environment.dependencies_layer)
    packages = (one for one in kept_files if one.target.endswith("/node_modules"))
    toolchain = environment.toolchain_layer
    program = Path(__file__).parent / "inside" / "load.mjs"
    folder = f"{TREE}/{environment.recipe.root}".rstrip("/")
    done = await sandbox.run(
        Command(
            argv=("node", _PROGRAM, folder),
            mounts=(
                Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),
                Mount(str(program), _PROGRAM),
                *((Mount(toolchain, TOOLCHAIN),) if toolchain else ()),
                *packages,
            ),
            environment=variables(environment, _OWN_HOME),
            limits=_LIMITS,
            channel_bytes=_CHANNEL_BYTES,
        )
    )
    uses: list[Use] = []
    found: dict[str, list[str]] = {"open": [], "closed": []}
    is_whole = False
    for row in json_values(done.channel.splitlines()):
        match row:
            case ["use", str(what), str(error), str(package), bool(counts)]:
                uses.append(Use(what, error[:_CHARACTERS], package, counts))
            case ["open" | "closed" as how, str(path)]:
                found[how].append(path)
            case ["done"]:
                is_whole = True
    problem = "" if is_whole else f"It could not be packed: {last_line(done.stderr)}"
    opened, closed = tuple(found["open"]), tuple(found["closed"])
    return InstalledSide(
        _COMMAND, done.seconds, tuple(uses), open=opened, closed=closed, problem=problem
    )
