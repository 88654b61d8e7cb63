"""Detects a Python repository and says how to build and test it, without running any of it."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from packaging.utils import canonicalize_name

from sandbox.base import TREE
from sandbox.toolchains import python_layer as layer
from sandbox.toolchains import python_needs as needs
from sandbox.toolchains import python_runner as runners
from sandbox.toolchains.ecosystem import (
    BuildRequest,
    Downloads,
    Ecosystem,
    SetupHints,
    Toolchain,
    TreeEvidence,
    weighed,
)
from sandbox.toolchains.layers import DEPENDENCIES, INSIDE, PROJECT, UNFETCHED, UV
from sandbox.toolchains.python_ci import TestHints, read_hints
from sandbox.toolchains.python_project import (
    NamedList,
    PythonProject,
    parsed,
    read_project,
    requirement_name,
)
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe

_NAME = "python"
_PIP_ITSELF = (*layer.PIP_INSTALL, "pip", "setuptools", "wheel")
# Compiled now, because layers are read-only when tests run.
_TO_DEPENDENCIES = (*layer.PIP_INSTALL, "--compile-bytecode")
# --no-deps, because the dependencies have their own layer.
_TO_PROJECT = (*layer.PIP_INSTALL, "--no-deps", "--prefix", PROJECT)
_PYTHON = f"{DEPENDENCIES}/bin/python"
_LOCAL = f"{DEPENDENCIES}/local.json"
_DISTRIBUTION = re.compile(r"([A-Za-z0-9][\w.]{0,99})-(\d[\w.+!]{0,59})\.dist-info")
_MOST_KEPT = 1000
# Wheels only, which run nothing; one that cannot be had must not keep the others away.
_WHEELS = "uv pip install -q --no-deps --no-build"
_DOWNLOAD = f'{_WHEELS} "$0" "$@" || for one in "$0" "$@"; do {_WHEELS} "$one"; done; true'
# pip has downloads of its own, and a configured line may call it.
_PIP_DOWNLOAD = f"{_PYTHON} -m pip download -q --no-deps --only-binary :all: -d /tmp/wheels"
_DOWNLOAD_WITH_PIP = (
    f'uv pip install -q pip && for one in "$0" "$@"; do {_PIP_DOWNLOAD} "$one"; done; true'
)
# Their editable installs rebuild at import time with tools of a build environment that is gone.
_NOT_EDITABLE = ("mesonpy",)
# Plug-ins that ask git for the version, and take none from the environment.
_GIT_VERSIONS = frozenset(
    {"setuptools-git-versioning", "versioningit", "setuptools-vcs-versioning"}
)
WITH_VERSION = (
    'printf "Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n" "$0" "$PBR_VERSION" > PKG-INFO'
)


@dataclass(frozen=True, slots=True)
class _ReadProject:
    """All that was read from one tree; `root` is the project's folder in it, "" for the tree.

    `siblings` are the repository's other projects that this one needs, by their folders.
    """

    root: str
    tree: Tree
    project: PythonProject
    hints: tuple[TestHints, ...]
    selection: needs.Selection
    whole: Tree
    siblings: tuple[needs.Sibling, ...]

    @property
    def is_locked(self) -> bool:
        """Whether a lock file of uv says what is installed."""
        return self.tree.has("uv.lock") and self.project.source == "pyproject.toml"

    @property
    def is_read_at_top(self) -> bool:
        """Whether the lists of what is installed are read at the top of the repository."""
        return needs.is_read_at_top(self.whole, self.root, self.selection.files)


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how to build and test the Python project in `tree`, or None when there is none."""
    whole = Tree(tree)
    place = Tree(whole.root / setup.root, without=setup.others)
    project = read_project(place)
    hints = read_hints(place, project.name)
    selection = needs.select(place, project, hints)
    siblings = needs.needed_siblings(
        whole, setup.root, needs.requirement_names(place, project, selection)
    )
    reading = _ReadProject(setup.root, place, project, hints, selection, whole, siblings)
    is_declared = reading.project.source or reading.selection.files
    if not is_declared and not any(path.endswith(".py") for path in reading.tree.files()):
        return None
    asked = reading.project.requires_python
    missing = needs.missing_python(asked, toolchain.python)
    if not missing:
        recipe = _recipe(reading, setup, toolchain)
        said, is_too_new = needs.untested_python(reading.tree, toolchain.python)
        reasons = (*recipe.reasons, *filter(None, (said,)))
        return replace(recipe, reasons=reasons, too_new=said if is_too_new else "")
    release = needs.nearest_release(asked, toolchain.python)
    said = f"The project needs {missing}, but the sandbox has Python {toolchain.python}."
    recipe = _recipe(reading, setup, replace(toolchain, python=release or toolchain.python))
    recipe = replace(recipe, reasons=(said, *recipe.reasons))
    if release:
        return replace(recipe, toolchain=f"{_NAME} {release}", lacks=missing)
    return replace(recipe, install=(), install_project=(), needs=(missing,))


def _recipe(reading: _ReadProject, setup: SetupHints, toolchain: Toolchain) -> Recipe:
    project = reading.project
    names = needs.requirement_names(reading.tree, project, reading.selection)
    chosen = runners.choose_runner(reading.tree, reading.hints, names)
    if not setup.install:  # what such a line installs, nobody knows
        chosen = runners.with_django(reading.tree, reading.hints, chosen, names)
    runner = runners.configured_runner(setup.test) if setup.test else chosen
    if reading.is_locked:  # what tox and CI install besides is not
        locked = replace(reading.selection, files=(), packages=())
        names = needs.requirement_names(reading.tree, project, locked)
    missing, why_missing = runners.missing_runner(runner, names, setup)
    is_fixed = reading.is_locked or setup.install
    got = layer.Versions() if is_fixed else layer.versions(reading.tree, setup, toolchain)
    fill = _filling(reading, setup, missing, got)
    create = ("uv", "venv", "--allow-existing", "--python", toolchain.python, DEPENDENCIES)
    minor = ".".join(toolchain.python.split(".")[:2])
    site = f"{PROJECT}/lib/python{minor}/site-packages"
    named = (project.name,) if project.is_installable and project.name else ()
    settle = (_PYTHON, "-I", f"{INSIDE}/local.py", "settle", _LOCAL, TREE, site, *named)
    install = (create, *fill, settle)
    own = _install_project(reading, configured=bool(setup.install))
    own = layer.Versions(got.before).install(own)
    made, why_made = (
        ((), ()) if setup.install else needs.prepare(reading.tree, toolchain, is_kept=bool(own))
    )
    return Recipe(
        ecosystem=_NAME,
        reasons=(
            *_reasons(reading, setup, got, why_missing),
            *why_made,
            runner.reason,
            *filter(None, (runner.left_out,)),
        ),
        install=install,
        install_project=(*own, *made),
        runner=runner.runner,
        test_arguments=runner.arguments,
        root=reading.root,
        left_out=runner.left_out,
        more_calls=runner.more,
        lock_digest=layer.lock_digest(toolchain, install, _inputs(reading, setup)),
        # Whether installing the dependencies can run code of the tree, such as a build backend.
        runs_tree=bool(setup.install or reading.siblings)
        or (not reading.is_locked and (project.is_dynamic or _installs_local_folders(reading))),
    )


def _filling(
    reading: _ReadProject, setup: SetupHints, missing: runners.Added, got: layer.Versions
) -> tuple[tuple[str, ...], ...]:
    """Return the commands that fill the dependency layer: without what is spare, where that cannot be had."""
    fill = _install(reading, setup, missing.together)
    fill = (*fill, (*_TO_DEPENDENCIES, *missing.after)) if missing.after else fill
    fill = got.install(fill)
    if reading.is_read_at_top and not setup.install and not reading.is_locked:
        lines = [argv[2] if argv[:2] == ("sh", "-c") else shlex.join(argv) for argv in fill]
        fill = tuple(("sh", "-c", f"cd {TREE} && {{ {line}; }}") for line in lines)
    spare = reading.selection.spare
    if not spare or setup.install:
        return fill
    needed = replace(reading, selection=reading.selection.without_spare())
    rows = json.dumps([["list of dependencies", name, "", True] for name in spare])
    noted = f"printf %s {shlex.quote(rows)} > {DEPENDENCIES}/{UNFETCHED}"
    whole, part = (
        " && ".join(
            f"{{ {one[2]}; }}" if one[:2] == ("sh", "-c") else shlex.join(one) for one in commands
        )
        for commands in (fill, _filling(needed, setup, missing, got))
    )
    # 1 is uv's code for what cannot be had; without a network it ends with 2.
    return (("sh", "-c", f"{whole} || {{ [ $? = 1 ] && {part} && {noted}; }}"),)


def _install(
    reading: _ReadProject, setup: SetupHints, missing: tuple[str, ...]
) -> tuple[tuple[str, ...], ...]:
    if setup.install:
        # The configured line may call pip, which a bare environment does not have.
        place = f"{TREE}/{setup.install_root}".rstrip("/")
        return (_PIP_ITSELF, ("sh", "-c", f"cd {shlex.quote(place)} && {setup.install}"))
    if reading.is_locked:
        # `--frozen`: the lock file is the word; nothing local, that is the project layer's part.
        sync = ["uv", "sync", "--frozen", "--no-install-local", "--no-default-groups"]
        sync.append("--compile-bytecode")
        for extra in reading.selection.extras:
            sync += ["--extra", extra]
        for group in reading.selection.groups:
            sync += [] if group.is_loose else ["--group", group.name]
        loose = [r for g in reading.selection.groups if g.is_loose for r in _arguments(g)]
        more = (*loose, *_sibling_arguments(reading), *missing)
        return (tuple(sync), (*_TO_DEPENDENCIES, *more)) if more else (tuple(sync),)
    project, selection = reading.project, reading.selection
    has_dependencies = bool(project.source)
    if project.source == "pyproject.toml":
        has_dependencies = bool(project.dependencies or project.extras or project.is_dynamic)
    above = f"{reading.root}/" if reading.is_read_at_top else ""
    arguments: list[str] = ["-r", f"{above}{project.source}"] if has_dependencies else []
    for extra in selection.extras:
        arguments += ["--extra", extra]
    for group in selection.groups:
        named = f"{above}pyproject.toml:{group.name}" if above else group.name
        arguments += _arguments(group) if group.is_loose else ("--group", named)
    for path in selection.files:
        arguments += ["-r", f"{above}{path}"]
    arguments += [*selection.packages, *_sibling_arguments(reading), *missing]
    return ((*_TO_DEPENDENCIES, *arguments),) if arguments else ()


def _sibling_arguments(reading: _ReadProject) -> tuple[str, ...]:
    """Take what the project needs of the repository itself from there, not from the package index."""
    named = reading.tree.toml("pyproject.toml").table("tool", "uv", "sources").names()
    known = {canonicalize_name(name) for name in named}
    wanted = [one.folder for one in reading.siblings if one.name not in known]
    return tuple(word for folder in wanted for word in ("--editable", f"{TREE}/{folder}"))


def _arguments(group: NamedList) -> tuple[str, ...]:
    return tuple(text for text in group.requirements if parsed(text))


def _install_project(reading: _ReadProject, *, configured: bool) -> tuple[tuple[str, ...], ...]:
    """Editable, so that the tree is what gets imported, whichever files are mixed into it."""
    project = reading.project
    in_place = () if project.backend in _NOT_EDITABLE else ("--editable",)
    own: tuple[tuple[str, ...], ...] = ()
    if project.is_installable:
        own = ((*_TO_PROJECT, *in_place, "."),)
    requires = reading.tree.toml("pyproject.toml").table("build-system").strings("requires")
    asks_git = not _GIT_VERSIONS.isdisjoint(map(requirement_name, requires))
    # Such a build reads its version from git, or from the PKG-INFO of a source release.
    if own and asks_git and not reading.tree.has("PKG-INFO"):
        own = (("sh", "-c", WITH_VERSION, project.name), *own, ("rm", "-f", "PKG-INFO"))
    members: list[str] = []
    if reading.is_locked:
        sources = [one.table("source") for one in reading.tree.toml("uv.lock").tables("package")]
        folders = [source.text("editable") for source in sources if source.text("editable")]
        is_plain = reading.tree.is_plain
        members = [one for one in folders if one != "." and is_plain(one) and ".." not in one]
    # One command for all: uv builds several at a time.
    words = tuple(word for folder in members for word in ("--editable", f"./{folder}"))
    more = ((*_TO_PROJECT, *words),) if words else ()
    is_local = bool(reading.siblings) or configured or _installs_local_folders(reading)
    if not own and not more and not is_local:
        return ()
    done = [str(PurePosixPath(reading.root, folder)) for folder in (*("." for _ in own), *members)]
    rest = (_PYTHON, "-I", f"{INSIDE}/local.py", "install", _LOCAL, TREE, PROJECT, *done)
    return (*own, *more, rest)


def _installs_local_folders(reading: _ReadProject) -> bool:
    files = layer.requirement_files(reading.tree, reading.selection.files)
    return any(layer.names_local_project(text) for _, text in files)


def _reasons(
    reading: _ReadProject, setup: SetupHints, got: layer.Versions, why_missing: tuple[str, ...]
) -> tuple[str, ...]:
    """Say where dependencies come from, why a runner is added, and how the project itself is installed."""
    project, chosen = reading.project, reading.selection.reasons
    if setup.install:
        first = f"Dependencies come from `{setup.install}`, because the repository's configuration says so."
        chosen = ()
    elif reading.is_locked:
        first = "Dependencies come from uv.lock, exactly as they are locked there."
        chosen = tuple(one for one in chosen if not one.startswith("`"))
    elif project.source:
        first = f"Dependencies come from {project.source}, {got.said}"
    else:
        first = "There is no project file; the repository's files are used as they stand."
    backend = project.backend or "setuptools"
    if not project.is_installable:
        own = "Nothing is installed from the tree itself: it has no build system."
    elif project.backend in _NOT_EDITABLE:
        said = f"The project is built and copied, because {backend} cannot be used in place"
        own = f"{said} without its build tools."
    else:
        own = f"The project itself is installed in place with its own build backend ({backend})."
    return (first, *chosen, *why_missing, own)


def _inputs(reading: _ReadProject, setup: SetupHints) -> tuple[str, ...]:
    """Return every input of the dependency layer as text: what uv reads, or what a build may read."""
    tree, project, selection = reading.tree, reading.project, reading.selection
    settings = tree.toml("pyproject.toml").table("tool", "uv").data
    uv_settings = json.dumps(settings, sort_keys=True, default=str)
    if setup.install:
        return (uv_settings, *layer.packaging_inputs(reading.whole))
    near = tuple(text for one in reading.siblings for text in layer.dynamic_inputs(one.tree))
    if reading.is_locked:
        return (uv_settings, tree.read("uv.lock"), *near)
    files = list(layer.requirement_files(tree, selection.files))
    texts = [f"{path}\n{text}" for path, text in files]
    is_static = not project.is_dynamic and not any(
        layer.names_local_project(text) for _, text in files
    )
    if reading.is_read_at_top:
        return (uv_settings, *texts, *layer.packaging_inputs(reading.whole))
    if not is_static:
        return (uv_settings, *near, *texts, *layer.dynamic_inputs(tree))
    lists = [layer.normalised(project.dependencies)]
    lists += [f"[{extra.name}]\n{layer.normalised(extra.requirements)}" for extra in project.extras]
    lists += [layer.normalised(group.requirements) for group in selection.groups]
    return (uv_settings, *near, *lists, *texts)


def downloading(request: BuildRequest, filled: Path) -> Downloads | None:
    """Return how to download again, as wheels, what of a layer came from the index."""
    found = [
        f"{match[1]}=={match[2]}"
        for place in filled.glob("lib/python3*/site-packages/*.dist-info")
        if (match := _DISTRIBUTION.fullmatch(place.name))
        and not (place / "direct_url.json").exists()
    ][:_MOST_KEPT]
    if not found or not request.recipe.install:
        return None
    line = _DOWNLOAD_WITH_PIP if _PIP_ITSELF in request.recipe.install else _DOWNLOAD
    return Downloads((request.recipe.install[0], ("sh", "-c", line, *sorted(found))))


_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt")


def weigh(tree: Tree) -> TreeEvidence | None:
    """Return how much in the tree speaks for Python."""
    declared = any(tree.is_plain(name) for name in _PROJECT_FILES)
    names_test = re.compile(r"(?:.*/)?(?:test[^/]*|[^/]*_tests?\.py)")
    return weighed(
        tree, (".py",), declared=declared, is_test=lambda path: bool(names_test.fullmatch(path))
    )


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=layer.building,
    observing=layer.observing,
    versioning=layer.versioning,
    commands=frozenset({"python", "python3", "pytest", "tox", "nox", "hatch", "uv", "pip"}),
    programs=((UV, "--version"),),
    tools=layer.installer,
    fetching=needs.fetching,
    downloading=downloading,
)
"""Python, with pip, uv, poetry and their lock files."""
