"""Real builds of tiny projects in the real sandbox, with the host's package index."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import TREE, Command, Completed, Mount, MountMode, Sandbox
from sandbox.environments import SetupHints, Toolchain, detect
from sandbox.environments.build import BuildRequest, build, toolchain
from sandbox.environments.layers import mounts, variables
from sandbox.models import Environment, Side, TestRunner
from tests.sandbox.environments.projects import MODULE, PROJECTS, TEST, project, write

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]


@dataclass
class Workshop:
    """Where builds happen: one state for the whole module, so that downloads are shared."""

    sandbox: Sandbox
    state: Path
    tools: Toolchain

    async def build(self, tree: Path, side: Side = Side.BASE, setup: SetupHints | None = None,
                    sha: str = "") -> Environment:
        recipe = detect(tree, setup or SetupHints(), self.tools)
        assert recipe is not None
        request = BuildRequest(
            side=side,
            tree=tree,
            recipe=recipe,
            version="7.8.9",
            repository="tests/tally",
            sha=sha or str(tree),
            state=self.state,
            evaluation_folder=tree.parent / "evaluation",
        )
        return await build(self.sandbox, request)

    async def run(self, tree: Path, environment: Environment, *argv: str) -> Completed:
        tree_mount = Mount(str(tree), TREE, MountMode.COPY_ON_WRITE)
        return await self.sandbox.run(
            Command(
                argv,
                mounts=(tree_mount, *mounts(environment)),
                environment=variables(environment),
                cwd="/",
            )
        )

    async def text(self, tree: Path, environment: Environment, *argv: str) -> str:
        done = await self.run(tree, environment, *argv)
        assert done.exit_code == 0, (done.stdout + done.stderr).decode()
        return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture
async def workshop(state: Path) -> Workshop:
    sandbox = open_sandbox("bubblewrap", state)
    return Workshop(sandbox, state, await toolchain(sandbox))


WHERE = "import tally, importlib.metadata as m; print(tally.__file__, m.version('tally'))"


@pytest.mark.parametrize("backend", PROJECTS)
async def test_every_backend_imports_from_the_tree(
    backend: str, workshop: Workshop, tmp_path: Path
) -> None:
    tree = project(tmp_path / "tree", backend)
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    folder = PROJECTS[backend][0]
    said = await workshop.text(tree, environment, "python", "-c", WHERE)
    assert said == f"{TREE}/{folder}tally/__init__.py 1.2.3"
    assert await workshop.text(tree, environment, "tally") == "tally runs"
    tests = await workshop.text(tree, environment, "python", "-m", "pytest", "-q", f"{TREE}/tests")
    assert "1 passed" in tests
