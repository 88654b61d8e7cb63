"""Rust packages whose crates are all in the tree: built and tested by cargo, offline."""

from __future__ import annotations

from pathlib import Path

from sandbox.toolchains.ecosystem import (
    SYSTEM,
    Ecosystem,
    SetupHints,
    Toolchain,
    TreeEvidence,
    Variables,
)
from sandbox.toolchains.native import in_a_copy, lacking, recipe
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

_NAME = "rust"
_VARIABLES: Variables = (
    *SYSTEM,
    ("CARGO_HOME", "/tmp/cargo"),  # noqa: S108 - the sandbox's own
    ("CARGO_NET_OFFLINE", "true"),
)
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


def weigh(tree: Tree) -> TreeEvidence | None:
    """A Cargo.toml at the top; any Rust source may hold tests."""
    files = [path for path in tree.files() if path.endswith(".rs")]
    declared = tree.has("Cargo.toml")
    if not declared and not files:
        return None
    tests = any(path.startswith("tests/") or "#[test]" in tree.read(path) for path in files[:300])
    return TreeEvidence(declared, tests, len(files))


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how cargo builds and tests it."""
    place = Tree(tree / setup.root)
    evidence = weigh(place)
    if evidence is None:
        return None
    if not evidence.declared:
        said = "There are Rust files but no Cargo.toml at the top."
        return lacking(_NAME, setup.root, ("a Cargo.toml in the repository",), (said,))
    reasons = ("It is a Rust package, because there is a Cargo.toml.",)
    if not toolchain.version("cargo"):
        return lacking(_NAME, setup.root, ("Rust (cargo, rustc)",), reasons)
    # The crates that stand in no folder of the tree; members of a workspace are read too.
    manifest = place.toml("Cargo.toml")
    workspace = manifest.table("workspace")
    members = [
        place.toml(f"{one}/Cargo.toml") for one in workspace.strings("members") if "*" not in one
    ]
    tables = [one.table(kind) for one in (manifest, workspace, *members) for kind in _TABLES]
    named = [(name, table.table(name)) for table in tables for name in table.names()]
    found = [name for name, own in named if not own.text("path") and not own.has("workspace")]
    foreign = tuple(dict.fromkeys(found))
    if foreign and not place.has("vendor"):
        shown = ", ".join(f"`{name}`" for name in foreign[:5])
        said = f"It needs crates from a registry ({shown}), which Assay does not fetch yet."
        needs = ("the crates that Cargo.toml names, in `vendor/` (cargo vendor)",)
        return lacking(_NAME, setup.root, needs, (said, *reasons))
    runner = TestRunner.CARGO if evidence.tests else TestRunner.NONE
    build = (in_a_copy("cargo build --offline --target-dir /tmp/target"),)
    return recipe(_NAME, reasons, setup, build=build, tests=TestCall(runner))


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=lambda _: _VARIABLES,
    observing=lambda *_: _VARIABLES,
    commands=frozenset({"cargo"}),
    programs=(("cargo", "--version"),),
)
