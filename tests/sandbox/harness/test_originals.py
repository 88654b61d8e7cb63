"""A test runner is laid again as it was after a build, also where pnpm made it a link."""

from __future__ import annotations

from pathlib import Path

import pytest

import sandbox.harness
from sandbox import open_sandbox
from sandbox.base import TREE, Command, Mount, MountMode

pytestmark = pytest.mark.real

OWN = "/opt/assay/own/sandbox"
PACKAGES = "/opt/assay/original/packages"
LAY = f"""
import sys
sys.path.insert(0, "/opt/assay/own")
from sandbox.harness.launch_node import Originals
Originals("/nowhere", "{PACKAGES}", []).lay_runner("vitest")
"""
REAL = ".pnpm/vitest@4/node_modules/vitest/dist/node.js"


def packages(folder: Path) -> Path:
    (folder / REAL).parent.mkdir(parents=True)
    (folder / REAL).write_text("good")
    (folder / ".pnpm/vitest@4/node_modules/vite").mkdir()
    (folder / "vitest").symlink_to(".pnpm/vitest@4/node_modules/vitest")
    return folder


@pytest.mark.parametrize("left", ["nothing", "content", "a-folder", "another-link"])
async def test_a_runner_that_is_a_link_stays_one(tmp_path: Path, left: str) -> None:
    original = packages(tmp_path / "packages")
    tree = tmp_path / "tree"
    built = packages(tree / "node_modules")
    if left == "content":
        (built / REAL).write_text("evil")
    elif left != "nothing":
        (built / "vitest").unlink()
        (built / "own").mkdir()
        (built / "own/evil.js").write_text("evil")
        if left == "a-folder":
            (built / "own").rename(built / "vitest")
        else:
            (built / "vitest").symlink_to("own")
    harness = Path(sandbox.harness.__file__).parent
    look = "import os; os.chdir('node_modules/vitest/dist'); print(os.getcwd(), open('node.js').read())"
    done = await open_sandbox("bubblewrap", tmp_path / "state").run(
        Command(
            argv=("python3", "-I", "-c", LAY + look),
            mounts=(
                Mount(str(tree), TREE, MountMode.COPY_ON_WRITE),
                Mount(str(original), f"{PACKAGES}/node_modules"),
                Mount(str(harness), f"{OWN}/harness"),
            ),
            cwd=TREE,
        )
    )
    said = done.stdout.decode() + done.stderr.decode()
    assert said.split() == [f"{TREE}/node_modules/{REAL.rpartition('/')[0]}", "good"], said
