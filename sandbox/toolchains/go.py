"""Go modules: built and tested by the go command; what they require is fetched once."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from sandbox.toolchains.ecosystem import (
    SYSTEM,
    Ecosystem,
    SetupHints,
    Toolchain,
    TreeEvidence,
    Variables,
    weighed,
)
from sandbox.toolchains.layers import DEPENDENCIES, SYSTEM_PATH
from sandbox.toolchains.native import lacking, recipe
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

_NAME = "go"
_GO = re.compile(r"^go\s+1\.(\d{1,3})", re.M)
_REQUIRE = re.compile(r"^[^\S\n]*(?:require\s+)?(?=[\w-]*\.)[\w.-]+/\S+\s+v\d", re.M)
_SHARED: Variables = (
    ("GOCACHE", "/tmp/go-build"),  # noqa: S108 - the sandbox's own
    ("GOPATH", "/tmp/go"),  # noqa: S108
    ("GOTOOLCHAIN", "local"),
    ("GOMODCACHE", f"{DEPENDENCIES}/modules"),
)
# Nothing is fetched any more when tests run.
_OBSERVING: Variables = (("PATH", SYSTEM_PATH), ("GOPROXY", "off"), ("GOFLAGS", ""), *_SHARED)


def weigh(tree: Tree) -> TreeEvidence | None:
    """A go.mod at the top, and Go files."""
    declared = tree.has("go.mod")
    return weighed(tree, (".go",), declared=declared, is_test=lambda p: p.endswith("_test.go"))


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how the go command builds and tests it."""
    place = Tree(tree / setup.root)
    text = place.read("go.mod")
    evidence = weigh(place)
    if evidence is None:
        return None
    reasons = ("It is a Go module, because there is a go.mod.",)
    if not text:
        said = "There are Go files but no go.mod, so the go command cannot build them."
        return lacking(_NAME, setup.root, ("a go.mod file in the repository",), (said,))
    asked, version, needs = _GO.search(text), toolchain.version("go"), ""
    if not version:
        needs = f"Go{f' 1.{asked.group(1)} or later' if asked else ''} (golang-go)"
    elif asked and int(asked.group(1)) > int(version.split(".")[1]):
        needs = f"Go 1.{asked.group(1)} or later (the sandbox has {version})"
    if needs:
        return lacking(_NAME, setup.root, (needs,), reasons)
    runner = TestRunner.GO if evidence.tests else TestRunner.NONE
    why = (
        "Tests are the functions of the `_test.go` files." if evidence.tests else "It has no tests."
    )
    build = (("go", "build", "-o", "/dev/null", "./..."),)
    made = recipe(_NAME, (*reasons, why), setup, build=build, tests=TestCall(runner))
    if not _REQUIRE.search(text) or place.has("vendor"):
        return made
    inputs = place.read_bytes("go.mod") + b"\0" + place.read_bytes("go.sum")
    return replace(
        made,
        install=(("go", "mod", "download"),),
        lock_digest=hashlib.sha256(made.lock_digest.encode() + inputs).hexdigest(),
        reasons=(*made.reasons, "`go mod download` fetches what go.mod requires."),
    )


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    building=lambda _: (*SYSTEM, *_SHARED, ("GOFLAGS", "-modcacherw")),
    observing=lambda *_: _OBSERVING,
    commands=frozenset({"go"}),
    programs=(("go", "version"),),
)
