"""What the ecosystems that build with the machine's own programs have in common.

Their project layer is a trial: the build runs in a copy that is thrown away, to see whether it builds.
What tests need is compiled in the test run, because crosswise runs mix one side's tests with the
other side's code, and file times do not tell make which of the two an object was made of.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import TREE
from sandbox.toolchains.ecosystem import SetupHints, Toolchain, TreeEvidence
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

_FROM = re.compile(r"^FROM\s+(?:--\S+\s+)?(\S{1,100})", re.M | re.I)
_APT = re.compile(r"apt(?:-get)?\s+(?:-\S+\s+)*install\s+((?:[^\n&;|\\]|\\\n)+)")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.\-]{1,60}")
_IMAGE = re.compile(r"\"image\"\s*:\s*\"([\w./:@-]{1,100})\"")
_MOST_PACKAGES = 8
# A configured line that says what Assay does by itself, and tells of single tests.
_PLAIN = re.compile(
    r"go test( -v| -race)?( \./\.\.\.)?|cargo test|ctest|bats( -r)?( tests?/?)?|mvn( -\S+)* test|"
    r"make [\w.-]+"
)
TRIAL = "/tmp/trial"  # noqa: S108 - the sandbox's own
Commands = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How a project is built and tested, and why; `needs` is what this machine lacks for it.

    `install` fetches what it depends on, which `declared` names.
    """

    reasons: tuple[str, ...]
    build: Commands = ()
    tests: TestCall = TestCall(TestRunner.NONE)  # noqa: RUF009 - frozen
    needs: tuple[str, ...] = ()
    install: Commands = ()
    declared: bytes = b""


def in_a_copy(line: str) -> tuple[str, ...]:
    """Return the argv that runs one of our own shell lines in a copy of the tree."""
    return ("sh", "-c", f"cp -a . {TRIAL} && cd {TRIAL} && {line}")


def planned(
    ecosystem: str,
    weigh: Callable[[Tree], TreeEvidence | None],
    plan: Callable[[Tree, TreeEvidence, Toolchain, SetupHints], Plan],
) -> Callable[[Path, SetupHints, Toolchain], Recipe | None]:
    """Return what detects the projects that `weigh` finds: a recipe by their plan.

    A configured test line is run as it stands.
    """

    def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
        place = Tree(tree / setup.root)
        evidence = weigh(place)
        if evidence is None:
            return None
        found = plan(place, evidence, toolchain, setup)
        if found.needs:
            return Recipe(
                ecosystem, found.reasons, (), (), TestRunner.NONE, (), "", found.needs, setup.root
            )
        return _recipe(ecosystem, found, setup)

    return detect


def _recipe(ecosystem: str, plan: Plan, setup: SetupHints) -> Recipe:
    reasons, build, tests = plan.reasons, plan.build, plan.tests
    if setup.test and not _PLAIN.fullmatch(setup.test.strip()):
        tests = TestCall(TestRunner.COMMAND, (setup.test,))
        said = f"Tests run with `{setup.test}`, because the repository's configuration says so."
        reasons = (*reasons, said)
    if setup.install:
        build = (in_a_copy(setup.install),)
        if setup.install_root != setup.root:  # it starts elsewhere than in the project's folder
            place = shlex.quote(f"{TRIAL}/{setup.install_root}")
            line = f"cp -a {TREE} {TRIAL} && cd {place} && {setup.install}"
            build = (("sh", "-c", line),)
        reasons = (*reasons, f"It is built with `{setup.install}`, as the configuration says.")
    digest = hashlib.sha256(json.dumps([ecosystem, setup.root, build]).encode()).hexdigest()
    if plan.install:
        digest = hashlib.sha256(digest.encode() + plan.declared).hexdigest()
    return Recipe(
        ecosystem=ecosystem,
        reasons=reasons,
        install=plan.install,
        install_project=build,
        runner=tests.runner,
        test_arguments=tests.arguments,
        lock_digest=digest,
        root=setup.root,
    )


def container_hints(tree: Tree) -> tuple[str, ...]:
    """Say what a Dockerfile or devcontainer.json asks for. It is only read: Assay builds no image of it."""
    found = []
    text = tree.read("Dockerfile")
    images = _FROM.findall(text)
    if images:
        packages = [word for part in _APT.findall(text) for word in part.split()]
        named = [word for word in packages if _PACKAGE.fullmatch(word)][:_MOST_PACKAGES]
        installs = f" and installs {', '.join(f'`{one}`' for one in named)}" if named else ""
        found.append(
            f"`Dockerfile` starts from `{images[0]}`{installs}; Assay takes that as a hint only."
        )
    for path in (".devcontainer/devcontainer.json", ".devcontainer.json"):
        image = _IMAGE.search(tree.read(path))
        if image:
            said = f"`{path}` names the image `{image.group(1)}`; Assay takes that as a hint."
            found.append(said)
    return tuple(found)
