"""Assay as people install it: a wheel in a fresh environment, with no source tree in reach."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests.bot.commands.running import OWN

pytestmark = pytest.mark.real

ROOT = Path(__file__).parent.parent
TEST = """import unittest
from answer import answer


class TestAnswer(unittest.TestCase):
    def test_the_answer_is_{what}(self):
        self.assertTrue({line})
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment that holds Assay's wheel, and its libraries from the running one."""

    folder: Path

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs in an empty place."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
        kept.pop("PYTHONPATH", None)
        return subprocess.run(
            [str(self.folder / "bin" / program), *arguments],
            cwd=self.folder.parent,
            env={**kept, "ASSAY_HOME": str(self.folder.parent / "home")},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    def says(self, code: str) -> str:
        """What a line of Python prints there."""
        done = self.run("python", "-c", code)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, built without isolation and installed without an index."""
    place = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place / "dist")])
    (wheel,) = (place / "dist").glob("*.whl")
    folder = place / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    python = str(folder / "bin" / "python")
    _run([find_uv_bin(), "pip", "install", "--quiet", "--no-deps", "--offline", "--no-cache",
          "--python", python, str(wheel)])  # fmt: skip
    purelib = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    # Behind the wheel's own files; .pth files of that folder (our editable install) are not read.
    (purelib / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    for program in ("uv", "ruff"):
        (folder / "bin" / program).symlink_to(Path(find_uv_bin()).with_name(program))
    return Installed(folder)


def _run(argv: list[str]) -> None:
    subprocess.run(argv, cwd=ROOT, check=True, timeout=120, stdout=subprocess.DEVNULL)


def test_the_command_comes_from_the_wheel(installed: Installed) -> None:
    assert installed.says("import bot; print(bot.__file__)").startswith(str(installed.folder))
    done = installed.run("assay", "--help")
    assert done.returncode == 0, done.stderr
    assert "judge" in done.stdout


def test_every_file_of_the_tree_is_in_the_wheel(installed: Installed) -> None:
    packages = Path(installed.says("import bot; print(bot.__path__[0])")).parent
    tracked = subprocess.run(
        ["git", "ls-files", "bot", "sandbox", "templates"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    places = [name.replace("templates/", "bot/_templates/", 1) for name in tracked]

    assert tracked
    assert not [name for name in places if not (packages / name).is_file()]


def test_files_that_are_no_code_are_found(installed: Installed) -> None:
    found = installed.says(
        "from bot.templates import folder, deployed, app_manifest; "
        "from bot.github.credentials import load_manifest; "
        "print(folder(), deployed('gunicorn.conf.py'), app_manifest(), load_manifest().name)"
    ).split()

    assert all(path.startswith(str(installed.folder)) for path in found[:3])
    assert all(Path(path).exists() for path in found[:3])
    assert found[3] == "Assay"


def test_the_doctor_runs(installed: Installed) -> None:
    done = installed.run("assay", "doctor")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "ok       sandbox" in done.stdout


def test_a_change_is_judged(installed: Installed, tmp_path: Path) -> None:
    _git(tmp_path, "init", "--quiet", "--initial-branch=main")
    (tmp_path / "answer.py").write_text("def answer():\n    return 41\n")
    (tmp_path / "test_answer.py").write_text(TEST.format(what="a_number", line="answer() > 0"))
    _commit(tmp_path, "Start")
    _git(tmp_path, "checkout", "--quiet", "-b", "fix")
    (tmp_path / "answer.py").write_text("def answer():\n    return 42\n")
    (tmp_path / "test_right.py").write_text(TEST.format(what="right", line="answer() == 42"))
    _commit(tmp_path, "The answer is right")
    out = tmp_path / "out"

    done = installed.run("assay", "judge", str(tmp_path), "--base", "main", "--out", str(out))

    assert done.returncode == 0, done.stdout + done.stderr
    assert (out / "report.html").stat().st_size


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "--all")
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    _git(folder, *who, "commit", "--quiet", "-m", message)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)
