"""GitHub's own JavaScript client speaks with the forge."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.demo.forge.deliveries import signature_of
from tests.contract.npm import cache_folder
from tests.world import Place

pytestmark = pytest.mark.real
PACKAGES = ("@octokit/app@16.1.4", "@octokit/core@7.0.6")
SCRIPT = Path(__file__).with_name("octokit.mjs")


@pytest.fixture(scope="module")
def modules() -> Path:
    """A folder with Octokit installed, kept outside the tree."""
    folder = cache_folder() / "octokit-app-16.1.4"
    if shutil.which("npm") is None or shutil.which("node") is None:
        pytest.skip("node and npm are not installed")
    if not (folder / "complete").exists():
        folder.mkdir(parents=True, exist_ok=True)
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
        try:
            subprocess.run(
                [*install, "--prefix", str(folder), *PACKAGES],
                cwd=folder,
                capture_output=True,
                timeout=120,
                check=True,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            pytest.skip("npm cannot be reached")
        (folder / "complete").touch()
    return folder


def test_octokit_and_the_forge_understand_each_other(place: Place, modules: Path) -> None:
    world = place.world
    payload = '{"action":"opened"}'
    plan = {
        "modules": str(modules),
        "web": world.web,
        "appId": world.app.id,
        "privateKey": world.app.private_key,
        "repository": place.name,
        "number": place.number,
        "secret": "s3cret",
        "payload": payload,
        "signature": signature_of("s3cret", payload.encode()),
    }
    done = subprocess.run(
        ["node", str(SCRIPT)],
        input=json.dumps(plan),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "title": "Greet the world",
        "author": "assay[bot]",
        "via": world.app.id,
        "conclusion": "success",
        "listed": 1,
        "repositories": 1,
        "closing": 0,
        "signed": True,
        "missing": 404,
    }
