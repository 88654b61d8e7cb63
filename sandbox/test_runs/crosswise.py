"""Finds what of two trees belongs to the tests and differs, so that it can be run crosswise."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.test_runs.four_runs import is_below
from sandbox.test_runs.path_kinds import (
    PathKind,
    classify,
    loaded_by_configuration,
    runner_configuration,
    scope,
    speaks_by_absence,
)


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
    loaded = _loaded(base_tree, base) | _loaded(head_tree, head)
    base |= {path for path in loaded if (base_tree / path).is_file()}
    head |= {path for path in loaded if (head_tree / path).is_file()}
    swapped = {path for path in base | head if _differs(base_tree, head_tree, path)}
    made_apart = {path for path in {**made[0], **made[1]} if _is_made_apart(path, *made)}
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


def _loaded(tree: Path, paths: set[str]) -> set[str]:
    return {one for path in paths for one in loaded_by_configuration(tree, path)}


def _is_made_apart(path: str, base: Made, head: Made) -> bool:
    if path not in base or path not in head:
        return True
    return not filecmp.cmp(base[path], head[path], shallow=False)


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
