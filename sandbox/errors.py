"""What can go wrong while a repository is brought to disk, in words for the asker."""

from __future__ import annotations

from pathlib import Path


class CheckoutError(Exception):
    """The repository cannot be checked out as asked: what happened, and what to do next."""

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(f"{what} {next_step}".strip())
        self.what = what
        self.next_step = next_step


class CheckoutUnavailable(CheckoutError):
    """The place where the repository lives did not answer in time; another try may work."""


class HostTrouble(Exception):
    """Trouble of the machine that judges: it says nothing about the change, and another try may work.

    `tries` is how often at most; 0 for as long as it takes.
    """

    def __init__(self, what: str, tries: int = 0) -> None:
        super().__init__(what)
        self.what = what
        self.tries = tries


class FilesMissing(HostTrouble):
    """A folder that an earlier stage left is not there (any more): it is made again, never read as empty."""

    def __init__(self, folder: Path | str) -> None:
        super().__init__(f"The folder {folder} is missing on the machine that judges.")


class DiskTrouble(HostTrouble):
    """The disk is full, its quota is spent, or it does not read and write."""


def must_exist(folder: Path) -> Path:
    """Return the folder. Raises FilesMissing where there is none."""
    if not folder.is_dir():
        raise FilesMissing(folder)
    return folder


class MissingRevision(CheckoutError):
    """A branch or commit does not exist (any more): deleted, force-pushed or misspelled."""


class PatchRejected(CheckoutError):
    """A unified diff does not apply to its base; names the file and the hunk."""
