"""On a machine where builds have no network, nothing starts, and one line says what to do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.bot.commands.running import environment
from tests.plain_user import NOBODY, PYTHON, VARIABLES, as_plain_user, plain_users_folder, why_not
from tests.world import World, git

pytestmark = [pytest.mark.real, pytest.mark.skipif(bool(why_not()), reason=why_not())]

REFUSED = """\
assay: The sandbox does not start: builds have no network, because only root may open /dev/net/tun.
       sudo chmod 0666 /dev/net/tun
"""


def as_user(
    place: Path, *arguments: str, tun_mode: str = "0600", **settings: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        as_plain_user(PYTHON, "-m", "bot.cli", *arguments, tun_mode=tun_mode),
        cwd=place,
        env={**environment(place / "home", settings), **VARIABLES, "HOME": str(place)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def change(place: Path) -> Path:
    tree = place / "tree"
    tree.mkdir()
    git(tree, "init", "--quiet", "--initial-branch=main")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "Start")
    git(tree, "commit", "--quiet", "--allow-empty", "-m", "Change")
    return tree


@pytest.mark.parametrize("command", ("demo", "serve", "judge"))
def test_nothing_starts_that_could_not_build(command: str) -> None:
    arguments = {"judge": ("judge", "tree", "--base", "HEAD~1"), "demo": ("demo", "--folder", "d")}
    with plain_users_folder() as place:
        change(place)
        done = as_user(place, *arguments.get(command, (command,)))
        left = {path.name for path in place.iterdir()}

    assert done.returncode == 2
    assert done.stderr.endswith(REFUSED)
    assert "checkout" not in done.stderr
    assert done.stdout == ""
    assert left <= {"tree", "home", "assay-report"}


def test_no_worker_starts_that_could_not_build(world: World) -> None:
    with plain_users_folder() as place:
        key = place / "app.pem"
        key.write_text(world.app.private_key)
        os.chown(key, NOBODY, NOBODY)
        settings = {
            "APP_ID": str(world.app.id),
            "PRIVATE_KEY_PATH": str(key),
            "WEBHOOK_SECRET": "s",
            "GHE_HOST": world.web,
        }
        done = as_user(place, "worker", **settings)

    assert done.returncode == 2
    assert done.stderr.endswith(REFUSED)
    assert "ready" not in done.stderr


def test_the_doctor_tries_the_network_of_a_build() -> None:
    with plain_users_folder() as place:
        closed, opened = (as_user(place, "doctor", tun_mode=mode) for mode in ("0600", "0666"))

    assert closed.returncode == 2
    missing = closed.stdout.partition("MISSING  sandbox")[2].splitlines()
    assert "builds have no network, because only root may open /dev/net/tun" in missing[0]
    assert missing[1].split("→ ")[1] == "sudo chmod 0666 /dev/net/tun"
    assert opened.returncode == 0, opened.stdout + opened.stderr
    assert "bubblewrap works, with a network for builds" in opened.stdout
