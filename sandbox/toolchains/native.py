"""What the ecosystems that build with the system's own toolchains have in common.

Their project layer is a trial: the build runs in a copy that is thrown away, to see whether it builds.
What tests need is compiled in the test run, because crosswise runs mix one side's tests with the
other side's code, and file times do not tell make which of the two an object was made of.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex

from sandbox.base import TREE
from sandbox.toolchains.ecosystem import SetupHints
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

C_SUFFIXES = (".c", ".cc", ".cpp", ".cxx")
_FROM = re.compile(r"^FROM\s+(?:--\S+\s+)?(\S{1,100})", re.M | re.I)
_APT = re.compile(r"apt(?:-get)?\s+(?:-\S+\s+)*install\s+((?:[^\n&;|\\]|\\\n)+)")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.\-]{1,60}")
_IMAGE = re.compile(r"\"image\"\s*:\s*\"([\w./:@-]{1,100})\"")
_MOST_PACKAGES = 8
TRIAL = "/tmp/trial"  # noqa: S108 - the sandbox's own
NO_TESTS = TestCall(TestRunner.NONE)


def in_a_copy(line: str) -> tuple[str, ...]:
    """Return the argv that runs one of our own shell lines in a copy of the tree."""
    return ("sh", "-c", f"cp -a . {TRIAL} && cd {TRIAL} && {line}")


def recipe(
    ecosystem: str,
    reasons: tuple[str, ...],
    setup: SetupHints,
    *,
    build: tuple[tuple[str, ...], ...] = (),
    tests: TestCall = NO_TESTS,
) -> Recipe:
    """Return a recipe without a dependency layer; a configured test line is run as it stands."""
    if setup.test and not is_plain(setup.test):
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
    parts = json.dumps([ecosystem, setup.root, build])
    return Recipe(
        ecosystem=ecosystem,
        reasons=reasons,
        install=(),
        install_project=build,
        runner=tests.runner,
        test_arguments=tests.arguments,
        lock_digest=hashlib.sha256(parts.encode()).hexdigest(),
        root=setup.root,
    )


_PLAIN = re.compile(
    r"go test( -v| -race)?( \./\.\.\.)?|cargo test|ctest|bats( -r)?( tests?/?)?|mvn( -\S+)* test|"
    r"make [\w.-]+"
)


def is_plain(line: str) -> bool:
    """Tell whether a configured line says what Assay does by itself, and tells of single tests."""
    return _PLAIN.fullmatch(line.strip()) is not None


def lacking(ecosystem: str, root: str, needs: tuple[str, ...], reasons: tuple[str, ...]) -> Recipe:
    """Return the recipe of a project that this machine cannot build."""
    return Recipe(ecosystem, reasons, (), (), TestRunner.NONE, (), "", needs, root)


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
            found.append(
                f"`{path}` names the image `{image.group(1)}`; Assay takes that as a hint."
            )
    return tuple(found)
