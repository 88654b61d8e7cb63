"""`assay replay`: derives the verdicts of a run with models again, without a model and without a sandbox."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

from bot.errors import UserError
from bot.evaluation.recording import Bundle, derive_again, read_bundle
from bot.judges.model import SealedMemory, SessionLimits, open_sealed
from bot.report.prompts import count_roles, prompts_text
from bot.text import scrub
from bot.values import Exchange, Judgement

DIFFERS = 1


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
    limits = bundle.matter.configuration.limits
    memory = SealedMemory(bundle.replies)
    allowed = SessionLimits(limits.usd, limits.minutes)
    async with open_sealed(bundle.settings(), memory, allowed) as session:
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
