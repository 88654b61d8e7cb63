"""A submission that is no repository: what was given on one branch, the submission over it on another."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.configuration import PATH
from bot.errors import UserError
from sandbox.errors import CheckoutError
from sandbox.repository.git import GitCall, expect, run_git
from sandbox.repository.local_repository import AS_ASSAY

GIVEN, SUBMITTED = "given", "submission"
_MOST_FILES = 50_000
_MOST_BYTES = 2 << 30
_LEFT_OUT = (".git", ".venv", "node_modules", "__pycache__")


@dataclass(frozen=True, slots=True)
class SubmittedFolder:
    """The folders, and the plan, which stands below `given`."""

    given: Path
    folder: Path
    plan: Path


@contextmanager
def committed(wanted: SubmittedFolder, below: Path) -> Iterator[Path]:
    """Make a repository with both branches, and remove it in the end. Raises UserError."""
    if not wanted.folder.is_dir():
        raise UserError(f"{wanted.folder} is not a folder.", "Name the submission's folder.")
    if not wanted.plan.is_relative_to(wanted.given):
        raise UserError(
            f"The plan {wanted.plan} does not stand below {wanted.given}.",
            "Name the folder of the given files by --given; the plan must stand in it.",
        )
    for folder in (wanted.given, wanted.folder):
        files = size = 0
        for root, names, found in os.walk(folder):
            names[:] = [name for name in names if name not in _LEFT_OUT]
            files += len(found)
            size += sum(os.lstat(Path(root, name)).st_size for name in found)
            if files > _MOST_FILES or size > _MOST_BYTES:
                raise UserError(
                    f"{folder} has more than {_MOST_FILES} files or {_MOST_BYTES >> 30} GiB.",
                    "Name the folder that holds only the task's files, by --given.",
                )
    repository = below / secrets.token_hex(8)
    repository.mkdir(parents=True)
    try:
        _fill(repository, wanted)
        yield repository
    finally:
        shutil.rmtree(repository, ignore_errors=True)


def _fill(repository: Path, wanted: SubmittedFolder) -> None:
    try:
        _git(repository, "init", "--quiet", f"--initial-branch={GIVEN}", "--template=")
        _lay(wanted.given, repository)
        # The plan is all that the configuration says: JSON is YAML.
        plan, file = wanted.plan.relative_to(wanted.given).as_posix(), repository / PATH
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"criteria": plan}) + "\n")
        _commit(repository, "What is given")
        _git(repository, "checkout", "--quiet", "-b", SUBMITTED)
        _lay(wanted.folder, repository)
        _commit(repository, "The submission")
    except CheckoutError as error:
        raise UserError(error.what, error.next_step) from error
    except (OSError, shutil.Error) as error:
        raise UserError(f"The submission cannot be read: {error}"[:300], "") from error


def _lay(folder: Path, repository: Path) -> None:
    ignore = shutil.ignore_patterns(*_LEFT_OUT)
    shutil.copytree(folder, repository, symlinks=True, dirs_exist_ok=True, ignore=ignore)


def _commit(repository: Path, message: str) -> None:
    _git(repository, "add", "--all", "--force", ".")
    _git(repository, "commit", "--quiet", "--allow-empty", "--message", message)


def _git(repository: Path, *arguments: str) -> None:
    call = GitCall(("-C", str(repository), *arguments), repository / ".git", variables=AS_ASSAY)
    expect(run_git(call), f"{arguments[0]} the submission")
