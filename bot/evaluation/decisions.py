"""What people decided about a pull request: kept with its verdict, and carried over harmless pushes.

An evaluation is kept as it was judged, so that a later decision concludes again without running anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from pydantic import TypeAdapter

from bot.context import EvaluationContext
from bot.evaluation.on_host import trees_here
from bot.evidence.code_map.index import CodeIndex
from bot.evidence.code_map.run import read_both
from bot.report.slim import slim
from bot.services import Services, evaluation_key
from bot.text import scrub_tree
from bot.values import Acceptance, Evaluation, EvaluationRequest, Judgement, MemberVerdict, Trigger
from bot.verdict.acceptance import (
    acceptable,
    after_acceptances,
    checked,
    needs_code,
    of_group,
    touches,
)
from sandbox.base import SandboxError
from sandbox.errors import CheckoutError, CheckoutUnavailable
from sandbox.repository.checkout import read_diff
from sandbox.repository.fetch import fetch
from sandbox.repository.mirror import has, open_mirror
from sandbox.values import Diff

NAME = "evaluation.json"
_EVALUATION = TypeAdapter(Evaluation)


async def keep_evaluation(services: Services, evaluation: Evaluation) -> None:
    """Store what a report is made of, and what was changed. Raises Transient when the storage refuses."""
    kept, observed = slim(evaluation), evaluation.observed
    if kept.observed is not None and observed is not None:
        about = replace(
            kept.observed, changed_paths=observed.changed_paths, located=observed.located
        )
        kept = replace(kept, observed=about)
    text = _EVALUATION.dump_json(scrub_tree(kept, services.secrets))
    key = evaluation_key(evaluation.request.id)
    await asyncio.to_thread(services.artifacts.put, key, NAME, text)


def kept_evaluation(services: Services, request: EvaluationRequest) -> Evaluation | None:
    """Read what was kept; None where there is nothing any more."""
    text = services.artifacts.get(evaluation_key(request.id), NAME)
    return _EVALUATION.validate_json(text) if text else None


def decided_here(services: Services, evaluation: Evaluation) -> Evaluation:
    """The same evaluation with what people decided about its commit until now."""
    request, judgement = evaluation.request, evaluation.judgement
    if judgement is None or not request.number:
        return evaluation
    known = services.store.acceptances(request.repository, request.number)
    here = _newest(one for one in known if one.head_sha == evaluation.head_sha)
    given = [one for one in (checked(one, judgement) for one in here) if one]
    judgement = replace(judgement, acceptances=_in_order(given))
    gate = after_acceptances(judgement)
    return replace(evaluation, judgement=judgement, gate=gate, acceptable=acceptable(gate))


async def decided(
    services: Services,
    case: EvaluationContext,
    judgement: Judgement,
    members: tuple[MemberVerdict, ...],
) -> tuple[Acceptance, ...]:
    """What people decided about this head, or about an earlier one where that still counts.

    What was given for an earlier head is recorded for this one, with why it is void if it is.
    """
    request, head = case.request, case.checkout.head_sha
    if request.trigger is Trigger.MERGE_GROUP:
        return of_group(judgement, members)
    if not request.number:
        return ()
    known = await asyncio.to_thread(services.store.acceptances, request.repository, request.number)
    here = tuple(one for one in known if one.head_sha == head)
    found: list[Acceptance] = []
    for one in _newest((*here, *known)):
        given = checked(one, judgement)
        if given is None or (one.head_sha != head and one.void):  # told when it became void
            continue
        if one.head_sha != head:
            why = given.void or await _why_void(services, case, judgement, one)
            given = replace(
                one,
                head_sha=head,
                carried_from=one.carried_from or one.head_sha,
                source=f"{one.source} carried from {one.head_sha}",
                void=why,
            )
            await asyncio.to_thread(
                services.store.accept, request.repository, request.number, given
            )
        found.append(given)
    return _in_order(found)


def _newest(known: Iterator[Acceptance] | tuple[Acceptance, ...]) -> tuple[Acceptance, ...]:
    """The first of each subject."""
    first: dict[str, Acceptance] = {}
    for one in known:
        first.setdefault(one.subject, one)
    return tuple(first.values())


def _in_order(given: list[Acceptance]) -> tuple[Acceptance, ...]:
    return tuple(sorted(given, key=lambda one: one.subject))


async def _why_void(
    services: Services, case: EvaluationContext, judgement: Judgement, given: Acceptance
) -> str:
    """Why an earlier head's acceptance does not count for this one; empty when nothing touches it."""
    head = case.checkout.head_sha
    diff = await _pushed(services, case, given.head_sha)
    if diff is None or diff.truncated:
        return f"what was pushed between {given.head_sha[:12]} and {head[:12]} cannot be told"
    touched, index = diff.changed_paths, None
    if needs_code(given, touched):
        # Who imports what on head; nothing is said where not everything could be read.
        checkout = await trees_here(services, case.request, case.checkout)
        with suppress(SandboxError):
            code = await read_both(services, case.request, checkout)
            index = None if code.remarks else CodeIndex(code.head)
    path = touches(given, judgement, touched, index)
    return f"{head[:12]} changed “{path}”" if path else ""


async def _pushed(services: Services, case: EvaluationContext, earlier: str) -> Diff | None:
    """What differs between an earlier head and this one; None where the earlier one is gone."""
    code = await services.origin.code(case.request)
    root = services.settings.home / "git"

    def compared() -> Diff | None:
        mirror = open_mirror(root, code.source)
        fetch(mirror, (case.checkout.head_sha,))  # another host's mirror may lack both
        if not has(mirror, earlier):
            fetch(mirror, (earlier,))
        return read_diff(mirror, earlier, case.checkout.head_sha)

    try:
        return await asyncio.to_thread(compared)
    except CheckoutUnavailable:
        raise
    except CheckoutError:  # in doubt it is void
        return None
