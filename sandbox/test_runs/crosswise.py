"""Finds what of two trees belongs to the tests and differs, so that it can be run crosswise."""

from __future__ import annotations

import filecmp
import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import TREE, Mount
from sandbox.test_runs.four_runs import is_below
from sandbox.test_runs.path_kinds import (
    PathKind,
    classify,
    loaded_by_configuration,
    runner_configuration,
    scope,
    speaks_by_absence,
)
from sandbox.toolchains import layers
from sandbox.toolchains.layers import DEPENDENCIES, PROJECT
from sandbox.toolchains.tree import Tree
from sandbox.values import Environment


@dataclass(frozen=True, slots=True)
class Crosswise:
    """`swapped` are the paths that travel with the tests; the others are what has to run.

    `base_paths` run with base's tests on head's code, `head_paths` the other way round; files or
    folders, "" is everything, and an empty tuple means that nothing differs.
    """

    swapped: tuple[str, ...]
    base_paths: tuple[str, ...]
    head_paths: tuple[str, ...]


Made = Mapping[str, Path]
"""Files that a build wrote among the tests, by their paths in the tree."""


def find_crosswise(
    base_tree: Path, head_tree: Path, made: tuple[Made, Made] = ({}, {})
) -> Crosswise:
    """Compare the tests, their support files and the runner's configuration of two trees.

    The trees speak, not the diff: a diff is capped, and renames do not matter here. `made` is what the
    builds of base and head added to them; it is not swapped here, but it decides what has to run.
    """
    base, head = _test_side(base_tree), _test_side(head_tree)
    sides = ((base_tree, base), (head_tree, head))
    found = (loaded_by_configuration(tree, path) for tree, paths in sides for path in paths)
    loaded = {one for paths in found for one in paths}
    base |= {path for path in loaded if (base_tree / path).is_file()}
    head |= {path for path in loaded if (head_tree / path).is_file()}
    swapped = {path for path in base | head if _differs(base_tree, head_tree, path)}
    made_alike = {
        path
        for path, file in made[0].items()
        if path in made[1] and filecmp.cmp(file, made[1][path], shallow=False)
    }
    made_apart = {*made[0], *made[1]} - made_alike
    base_paths: set[str] = set()
    head_paths: set[str] = set()
    for path in swapped | made_apart:
        kind = classify(path)
        reach = path if kind is PathKind.TEST else scope(path)
        if path in loaded and kind is PathKind.SOURCE:
            reach = ""
        # Data that one side does not have changes nothing for that side's tests; code might.
        always = speaks_by_absence(path)
        if path in base or path in made[0] or always:
            base_paths.add(reach)
        if path in head or path in made[1] or always:
            head_paths.add(reach)
    return Crosswise(tuple(sorted(swapped)), _least(base_paths, base), _least(head_paths, head))


def _test_side(tree: Path) -> set[str]:
    """Return every file that is not source, as paths relative to the tree."""
    found = set()
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), tree)  # noqa: PTH118
            if classify(path) is not PathKind.SOURCE:
                found.add(path)
    return found


def _differs(base_tree: Path, head_tree: Path, path: str) -> bool:
    if classify(path) is PathKind.RUNNER_CONFIG:
        return runner_configuration(base_tree, path) != runner_configuration(head_tree, path)
    one, other = base_tree / path, head_tree / path
    if one.is_symlink() or other.is_symlink():
        return not (one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink())
    if not (one.is_file() and other.is_file()):
        return True
    return not filecmp.cmp(one, other, shallow=False)


def _least(paths: set[str], files: set[str]) -> tuple[str, ...]:
    """Drop what another entry holds already, and what has no file on this side."""
    kept = {path for path in paths if not any(is_below(path, (other,)) for other in paths - {path})}
    return tuple(sorted(path for path in kept if any(is_below(file, (path,)) for file in files)))


# --- what surrounds the tests beside the tree ------------------------------------------------------
# All of it comes out of a build, which the side under test can bend. Where the two sides differ in
# it, base's tests run once more with base's, on head's code.


_SILENT = str(Path(__file__).parent.parent / "harness" / "silent.py")
_SITE = "lib/python3*/site-packages"
_GROUP = "pytest11"
_RUNNER = {"pytest": ("pytest", "_pytest"), "pluggy": ("pluggy",), "iniconfig": ("iniconfig",)}
_MOST = 2000
_NAME = re.compile(r"[\w.:-]{1,100}")
_AT_START = ("sitecustomize*", "usercustomize*", "sitecustomize/*", "usercustomize/*", "*.pth")
# What an installation in place needs: a folder of the tree, or the finder that its build backend wrote.
_IN_PLACE = re.compile(
    rf"{re.escape(TREE)}(/[^\n]*)?|import (?P<finder>__editable__\w+_finder); (?P=finder)\.install\(\)"
    r"|import _virtualenv|import _assay_project"
)


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point that pytest loads by itself: its name, its module, and is it the project's own."""

    name: str
    module: str
    is_own: bool


def plugins(environment: Environment) -> frozenset[Plugin]:
    """Return what pytest loads by itself in an environment."""
    found: set[Plugin] = set()
    both = ((environment.project_layer, True), (environment.dependencies_layer, False))
    for layer, is_own in both:
        files = Path(layer).glob(f"{_SITE}/*-info/entry_points.txt") if layer else ()
        for file in sorted(files)[:_MOST]:
            listed = Tree(file.parent).ini(file.name)
            pairs = listed.items(_GROUP) if listed.has_section(_GROUP) else ()
            found |= {Plugin(*pair, is_own) for pair in pairs if all(map(_NAME.fullmatch, pair))}
    return frozenset(found)


def plugin_arguments(base: Environment, head: Environment) -> tuple[str, ...] | None:
    """Return what loads base's plug-ins on head by name; None where head's are the same.

    A name of base's dependencies that head's own project claims is loaded as base's module.
    """
    wanted, there = plugins(base), plugins(head)
    if wanted == there:
        return None
    claimed = {one.name for one in there if one.is_own} - {one.name for one in wanted if one.is_own}
    names = sorted(one.module if one.name in claimed else one.name for one in wanted)
    return tuple(word for name in dict.fromkeys(names) for word in ("-p", name))


def silenced_at_start(base: Environment, head: Environment) -> tuple[Mount, ...]:
    """Return mounts that lay nothing over what runs when head's Python starts and not in base's."""
    known = {digest for _, digest in _at_start(base)}
    return tuple(Mount(_SILENT, path) for path, digest in _at_start(head) if digest not in known)


def runner_of_base(base: Environment, head: Environment) -> tuple[Mount, ...]:
    """Return mounts of base's pytest where head's is the same version and code of head ran beside it."""
    layers_differ = base.dependencies_layer != head.dependencies_layer
    if not (head.recipe.runs_tree and layers_differ and base.dependencies_layer):
        return ()
    theirs = {name.name for name in Path(head.dependencies_layer).glob(f"{_SITE}/*.dist-info")}
    found = []
    for info in Path(base.dependencies_layer).glob(f"{_SITE}/*.dist-info"):
        for name in _RUNNER.get(info.name.partition("-")[0], ()) if info.name in theirs else ():
            place = info.with_name(name).relative_to(base.dependencies_layer)
            if (Path(head.dependencies_layer) / place).is_dir():
                found.append(Mount(str(info.with_name(name)), f"{DEPENDENCIES}/{place}"))
    return tuple(found)


def _at_start(environment: Environment) -> Iterator[tuple[str, str]]:
    places = ((environment.project_layer, PROJECT), (environment.dependencies_layer, DEPENDENCIES))
    for layer, target in places:
        files = (f for name in _AT_START for f in Path(layer).glob(f"{_SITE}/{name}") if layer)
        for file in files:
            if not file.is_file() or file.is_symlink():
                continue
            folder = Tree(file.parent)
            lines = folder.read(file.name).splitlines()
            bare = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
            if file.suffix == ".pth" and all(map(_IN_PLACE.fullmatch, bare)):
                continue
            content = folder.read_bytes(file.name)
            digest = hashlib.sha256(file.name.encode() + b"\0" + content).hexdigest()
            yield f"{target}/{file.relative_to(layer)}", digest


def made_for_tests(environment: Environment) -> dict[str, Path]:
    """Return the files that a build wrote among the tests, by their paths in the tree."""
    found: dict[str, Path] = {}
    for layer in (environment.dependencies_layer, environment.project_layer):
        for mount in layers.kept(layer, of_tests=True):
            path, source = mount.target.removeprefix(f"{TREE}/"), Path(mount.source)
            files = [f for f in source.rglob("*") if f.is_file()] if source.is_dir() else []
            found |= {f"{path}/{f.relative_to(source).as_posix()}": f for f in files[:_MOST]}
            if source.is_file():
                found[path] = source
    return found
