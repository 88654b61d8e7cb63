"""Adds to a verdict that could not be given where a person may look."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bot.models import Category, Located, Requirement, Verdict, VerdictOutcome


def with_places(verdict: Verdict, requirement: Requirement, located: Iterable[Located]) -> Verdict:
    """Name the best place of an unverified demand of behaviour; every other verdict stays as it is.

    The place is a hint: neither the outcome nor what decided it changes.
    """
    if verdict.outcome is not VerdictOutcome.UNVERIFIED:
        return verdict
    found = next((one for one in located if one.requirement_id == requirement.id), None)
    if requirement.category is not Category.BEHAVIOUR or found is None or not found.places:
        return verdict
    best, *others = found.places
    also = f", then at `{others[0].place.words}`" if others else ""
    said = f"Look at `{best.place.words}` ({best.reason}){also}."
    return replace(verdict, reason=f"{verdict.reason} {said}")
