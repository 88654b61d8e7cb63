"""`assay replay`: derives the verdicts of a run with models again, without a model and without a sandbox."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from statistics import median

import click
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from bot.errors import UserError
from bot.evaluation.recording import Bundle, derive_again, read_bundle
from bot.judges.model import SealedMemory, SessionLimits, open_session
from bot.templates import render_text
from bot.text import scrub, scrub_tree
from bot.values import TRIAL, Exchange, Judgement, Role

DIFFERS = 1
CHARS_A_TOKEN = 4
_PARAGRAPH = "\n\n"
LEAST_SHARED_CHARS = 400
"""A shorter beginning is shown again: pointing at another call would be harder to read."""


def run(bundle: Path, prompts: bool) -> None:
    """Derive the verdicts again, or show the prompts; ends with 1 when a verdict differs."""
    try:
        recorded = read_bundle(bundle.read_bytes())
    except ValidationError as error:
        raise UserError(
            f"{bundle} is not the record of a run ({error.error_count()} things are wrong in it).",
            "Give the replay.json that lies beside a report whose evaluation asked a model.",
        ) from None
    if prompts:
        _print_prompts(recorded.exchanges)
        return
    derived = asyncio.run(_derive(recorded))
    table = Table("requirement", "then", "now", "decided by")
    then = {one.requirement_id: one for one in recorded.judgement.verdicts}
    for now in derived.verdicts:
        before = then.get(now.requirement_id)
        was = before.outcome.value if before else "none"
        table.add_row(scrub(now.requirement_id), was, now.outcome.value, now.decided_by.value)
    console = Console()
    console.print(table)
    console.print(
        f"then: {recorded.judgement.gate.conclusion.value}, now: {derived.gate.conclusion.value}"
    )
    same = derived.verdicts == recorded.judgement.verdicts
    sys.exit(0 if same and derived.gate == recorded.judgement.gate else DIFFERS)


async def _derive(bundle: Bundle) -> Judgement:
    limits = bundle.judging.configuration.limits
    memory = SealedMemory(bundle.replies)
    allowed = SessionLimits(limits.usd, limits.minutes)
    async with open_session(bundle.settings(), memory, allowed) as session:
        return await derive_again(bundle, session)


def _print_prompts(exchanges: tuple[Exchange, ...]) -> None:
    """What is shown is scrubbed, and no markup is read in it."""
    if not exchanges:
        raise UserError(
            "This bundle holds no prompts: it was made by an older version.",
            "Judge the change again; what models answered then is remembered and costs nothing.",
        )
    click.echo(prompts_text(exchanges))
    table = Table("role", "calls", "a call", "requirements", "a requirement", "counted by")
    for row in count_roles(exchanges):
        each = f"{row.a_requirement:,.0f}" if row.a_requirement is not None else ""
        counted = "the endpoint" if row.is_counted else "characters / 4"
        requirements = str(row.requirements) if row.requirements else "the whole change"
        calls, a_call = str(row.calls), f"{row.a_call:,.0f}"
        table.add_row(row.role.value, calls, a_call, requirements, each, counted)
    console = Console()
    console.print("Input tokens, medians:")
    console.print(table)


# --- the calls to models, one by one and counted by role, for people to read --------------------------


@dataclass(frozen=True, slots=True)
class CallView:
    """One call, numbered from 1. Of `said`, the first `shared_chars` stand at call `like` already."""

    number: int
    exchange: Exchange
    system: str
    said: str
    tools: str = ""
    like: int = 0
    shared_chars: int = 0


@dataclass(frozen=True, slots=True)
class RoleCount:
    """Tokens in of one role. A call of a conversation sends all that was said in it before, and counts so.

    `a_requirement` is the median over requirements of all calls about one; None where the role is
    asked about the whole change. `is_counted` says that the endpoint counted every call.
    """

    role: Role
    calls: int
    a_call: float
    requirements: int
    a_requirement: float | None
    is_counted: bool


def input_tokens(exchange: Exchange) -> int:
    """The endpoint's count, else a quarter of the characters."""
    return exchange.input_tokens or round(exchange.chars / CHARS_A_TOKEN)


def count_roles(exchanges: Iterable[Exchange]) -> tuple[RoleCount, ...]:
    """One row a role, in the order of the roles; the trial of the judges is about no requirement."""
    rows = []
    for role, group in groupby(in_order(exchanges), lambda one: one.role):
        calls, about = list(group), dict[str, int]()
        for one in calls:
            if one.about not in ("", TRIAL):
                about[one.about] = about.get(one.about, 0) + input_tokens(one)
        row = RoleCount(
            role=role,
            calls=len(calls),
            a_call=median(map(input_tokens, calls)),
            requirements=len(about),
            a_requirement=median(about.values()) if about else None,
            is_counted=all(one.input_tokens for one in calls),
        )
        rows.append(row)
    return tuple(rows)


def in_order(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """By role, then by requirement and judge; within one, as they were made."""
    roles = list(Role)
    return sorted(exchanges, key=lambda one: (roles.index(one.role), one.about, one.sample))


def call_views(exchanges: Iterable[Exchange]) -> tuple[CallView, ...]:
    """Every call, scrubbed; a system part and tools stand at their first call, a long beginning likewise."""
    shown: list[CallView] = []
    told: set[str] = set()
    for number, one in enumerate(scrub_tree(tuple(in_order(exchanges))), start=1):
        system, tools = ("" if text in told else text for text in (one.system, one.tools))
        told |= {one.system, one.tools}
        call = CallView(number, one, system, one.said, tools)
        # Point at the call that begins with the most of the same text, cut where a paragraph ends.
        common = [(_common_chars(one.said, past.exchange.said), past.number) for past in shown]
        cut, like = max(common, key=lambda found: (found[0], -found[1]), default=(0, 0))
        if cut >= LEAST_SHARED_CHARS:
            call = replace(call, said=one.said[cut:], like=like, shared_chars=cut)
        shown.append(call)
    return tuple(shown)


def prompts_text(exchanges: Sequence[Exchange]) -> str:
    """All calls as one text for a terminal or a pager; nothing in it steers either."""
    return render_text("replay/prompts.txt.j2", calls=call_views(exchanges))


def _common_chars(one: str, other: str) -> int:
    """How long the paragraphs are with which both begin."""
    chars = 0
    for own, others in zip(one.split(_PARAGRAPH), other.split(_PARAGRAPH), strict=False):
        if own != others:
            break
        chars += len(own) + len(_PARAGRAPH)
    return min(chars, len(one))
