"""What can go wrong while a repository is brought to disk, in words for the asker."""

from __future__ import annotations


class CheckoutError(Exception):
    """The repository cannot be checked out as asked: what happened, and what to do next."""

    def __init__(self, what: str, next_step: str = "") -> None:
        super().__init__(f"{what} {next_step}".strip())
        self.what = what
        self.next_step = next_step


class CheckoutUnavailable(CheckoutError):
    """The place where the repository lives did not answer in time; another try may work."""


class MissingRevision(CheckoutError):
    """A branch or commit does not exist (any more): deleted, force-pushed or misspelled."""


class PatchRejected(CheckoutError):
    """A unified diff does not apply to its base; names the file and the hunk."""
