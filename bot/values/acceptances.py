"""What people decide about a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

ACCEPT_BUTTON = "accept"
"""Identifies the button "Accept unverified" on a check run (GitHub allows 20 characters)."""


class AcceptanceKind(StrEnum):
    """How far a person goes."""

    ACCEPTED = "accepted"  # what could not be verified may be merged
    OVERRIDDEN = "overridden"  # an administrator lets it pass although a check fails


@dataclass(frozen=True, slots=True)
class Acceptance:
    """One person's decision about one requirement, or about one rule of the gate, at one commit.

    `subject` is the requirement's id or the rule's name, and `text` what it said then. `places` are the
    files that it is about; empty where that is everything but documentation. `void` says why it does not
    count any more. `source` names the comment or the click; `carried_from` is the earlier commit that it
    was given for. `given_s` is Unix time.
    """

    subject: str
    kind: AcceptanceKind
    actor: str
    reason: str
    head_sha: str
    text: str
    source: str
    given_s: float = 0.0
    places: tuple[str, ...] = ()
    by_author: bool = False
    carried_from: str = ""
    void: str = ""
