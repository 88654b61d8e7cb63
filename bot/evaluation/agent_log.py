"""The agent's own log: as it was sent, else where the target branch's configuration says that it is.

It is a hint. That it is not there is no remark, that it cannot be read is one, and neither ends anything.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

from bot.apart import apart
from bot.context import EvaluationContext
from bot.errors import Superseded, Transient, UserError
from bot.integrity.instructions import orders_in_text
from bot.judges.citations import words_to_judges
from bot.services import Services
from bot.trajectory.claims import Held, SeenFacts, facts_of, hold
from bot.trajectory.reading import MOST_CHARACTERS, log_in_archive
from bot.values import Claims, Observed
from bot.values.rules import INSTRUCTION_IN_LOG
from sandbox.errors import CheckoutError
from sandbox.repository.names import inside

_TIMEOUT_S = 120.0
_MOST_ARCHIVE_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class _Log:
    text: str = ""
    problem: str = ""


async def with_claims(services: Services, case: EvaluationContext, observed: Observed) -> Observed:
    """Hold the agent's log, where there is one, against what was seen."""
    timeout_s = min(case.policy.configuration.limits.minutes * 60, _TIMEOUT_S)
    try:
        log = await _found(services, case, timeout_s)
        if log.problem:
            return replace(observed, claims=Claims("", problem=log.problem))
        if not log.text:
            return observed
        facts = facts_of(case.planned.requirements, observed)
        held = await apart(timeout_s, _held, log.text, facts)
    except UserError:
        held = Held(Claims("", problem="It takes too long or too much memory to read."))
    return replace(observed, claims=held.claims, integrity=(*observed.integrity, *held.findings))


def _held(text: str, facts: SeenFacts) -> Held:
    """Hold a log; one that tells judges what to say is shown to people only."""
    held = hold(text, facts)
    shown = "\n".join(
        text
        for one in held.claims.steps
        for text in (one.step.thought, one.step.action, one.step.observation)
    )
    orders = tuple(orders_in_text("The agent's log", shown, INSTRUCTION_IN_LOG))
    claims = replace(held.claims, for_judges=not (orders or words_to_judges(shown)))
    return Held(claims, (*held.findings, *orders))


async def _found(services: Services, case: EvaluationContext, timeout_s: float) -> _Log:
    """The log as it was sent, of head's tree, or of a workflow's artifact, in this order."""
    where = case.policy.configuration.trajectory
    if case.request.trajectory:
        return _Log(case.request.trajectory)
    if where.path:
        tree = Path(case.checkout.head_tree)
        log = await asyncio.to_thread(_in_tree, tree, where.path)
        if log.text or log.problem:
            return log
    if where.artifact:
        return await _in_artifact(services, case, where.artifact, timeout_s)
    return _Log()


def _in_tree(tree: Path, path: str) -> _Log:
    try:
        file = inside(tree, path)
    except CheckoutError:
        return _Log()
    if not file.is_file() or not file.resolve().is_relative_to(tree.resolve()):
        return _Log()
    with file.open("rb") as opened:
        data = opened.read(MOST_CHARACTERS + 1)
    if len(data) > MOST_CHARACTERS:
        return _Log(
            problem=f"It has more than {MOST_CHARACTERS // 1_000_000} MB, and was not read."
        )
    return _Log(data.decode(errors="replace"))


async def _in_artifact(
    services: Services, case: EvaluationContext, name: str, timeout_s: float
) -> _Log:
    """Read the artifact, which is an archive of a stranger's making, in a process of its own."""
    request = replace(case.request, head_sha=case.checkout.head_sha)
    try:
        archive = await services.origin.artifact(request, name, _MOST_ARCHIVE_BYTES)
    except UserError as error:
        return _Log(problem=f"{error.what} {error.next_step}".strip())
    except (Transient, Superseded):  # nothing is looked at again for a hint
        return _Log(problem="GitHub could not be asked for it.")
    if archive is None:
        return _Log()
    text = await apart(timeout_s, log_in_archive, archive)
    return _Log(text) if text else _Log(problem=_NO_LOG)


_NO_LOG = (
    "The artifact holds no `.json`, `.jsonl` or `.traj` file of at most 32 MB that can be read."
)
