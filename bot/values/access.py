"""What somebody may see."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadableRepository:
    """A repository that a person can read, as GitHub says, and the installation that covers it.

    The installation tells a repository from an older one of the same name with another owner.
    """

    installation: int
    name: str
    is_administered: bool = False
