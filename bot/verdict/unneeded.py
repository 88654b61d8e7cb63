"""What a change does that no test needs, and of which the task does not speak."""

from __future__ import annotations

from bot.evidence.damage import late, unneeded
from bot.task.categories import asks_for_speed
from bot.values import DamageSeen
from bot.verdict.claims import Claim, Gap
from sandbox.damage.values import ALTERED, PARAMETER, PASSED_OVER, REMEMBERED, TERM, UNWRAPPED


def asks_unseen(claim: Claim) -> Gap | None:
    """The change does something of which neither the task nor any test speaks.

    It asks for a value, passes over an error, keeps a result, or does otherwise what base did. What there
    was no time to try is no better.
    """
    seen = claim.case.observed.damage
    if seen is None:
        return None
    found = unneeded(claim.tests, claim.case.groups.proofs, seen)
    if found is None:
        return _not_tried(claim, seen)
    if found.damage.kind == ALTERED and (claim.case.regressions or _is_only_faster(claim)):
        return None  # the tests that it breaks say so; and what is only faster gives what it gave
    damage, count = found.damage, len(found.unnoticed)
    passing = f"all {count} tests pass" if count != 1 else "the only test passes"
    place = f"{damage.path}:{damage.line}"
    where = f"{passing}, too, where {damage.what} ({place}), and the task does not speak of"
    if damage.kind == PASSED_OVER:
        but = f"{where} errors. So nothing shows that this one may be passed over."
        instead = "let the error through"
    elif damage.kind == REMEMBERED:
        but = f"{where} caches. So nothing shows that its result may be kept when what it reads changes."
        instead = "work it out each time"
    elif damage.kind == PARAMETER:
        but = f"{passing}, too, where {damage.what} ({place}). So nothing shows what it is for."
        instead = "take it out"
    elif damage.kind in (ALTERED, UNWRAPPED):
        but = f"{where} it. So nothing shows what this part of the change is for."
        instead = "take this part back"
    else:
        what = "term" if damage.kind == TERM else "condition"
        but = f"{where} this value. So nothing shows what the {what} is for."
        instead = f"take this {what} out"
    step = f"Add a test that fails where {damage.what}, or {instead}"
    return Gap(but, step, (seen.evidence_id,))


def _not_tried(claim: Claim, seen: DamageSeen) -> Gap | None:
    one = late(claim.tests, claim.case.groups.proofs, seen)
    if one is None:
        return None
    return Gap(
        f"the time for damaged copies was over before all tests were run where {one.what} "
        f"({one.path}:{one.line}), and the task does not speak of it. So nobody knows what this is for.",
        "Make the tests quicker, or raise `limits.damage` or `limits.minutes` on the base branch",
        (seen.evidence_id,),
    )


def _is_only_faster(claim: Claim) -> bool:
    """Whether less time is all that a demand asks for, and no call near the tested ones comes otherwise."""
    is_asked = asks_for_speed(claim.requirement)
    return is_asked and not any(near.differs for one in claim.inputs for near in one.near)
