"""One attack: a pull request that must not get a green check, and what its author hopes for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Files = Mapping[str, str | bytes | None]

REFUSED = ("failure", "action_required", "timed_out")
"""What blocks a merge. `success` and `neutral` do not."""


@dataclass(frozen=True, slots=True)
class Attack:
    """`files` is what the pull request writes over the project (None deletes a file).

    `promised` is false for what the threat model does not promise to stop: it is run and shown all the same.
    """

    id: str
    about: str
    files: Files
    promised: bool = True


@dataclass(frozen=True, slots=True)
class Project:
    """What the attacks of one language are played on, and two honest changes that must pass.

    `task` asks for the honest change; `needs` are the programs that this machine must have.
    """

    language: str
    files: Files
    task: str
    right: Files
    attacks: tuple[Attack, ...]
    needs: tuple[str, ...] = ()
