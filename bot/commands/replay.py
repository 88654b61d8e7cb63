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
from bot.llm import SealedMemory, SessionLimits, open_sealed
from bot.models import Judgement
from bot.safety import scrub
from bot.stages.bundle import Bundle, derive_again, read_bundle

DIFFERS = 1


@click.command("replay")
@click.argument("bundle", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(bundle: Path) -> None:
    """Derive the verdicts again from BUNDLE, the replay.json of a run with models.

    Nothing is asked and nothing is run. Exits with 0 when every verdict comes out as it was, with 1
    when one differs, with 2 for a file that is no bundle.
    """
    recorded = _read(bundle)
    derived = asyncio.run(_derive(recorded))
    _print(recorded.judgement, derived)
    same = derived.verdicts == recorded.judgement.verdicts
    sys.exit(0 if same and derived.gate == recorded.judgement.gate else DIFFERS)


def _read(path: Path) -> Bundle:
    try:
        return read_bundle(path.read_bytes())
    except ValidationError as error:
        raise UserError(
            f"{path} is not the record of a run ({error.error_count()} things are wrong in it).",
            "Give the replay.json that lies beside a report whose evaluation asked a model.",
        ) from None


async def _derive(bundle: Bundle) -> Judgement:
    limits = bundle.matter.configuration.limits
    memory = SealedMemory(bundle.replies)
    allowed = SessionLimits(limits.usd, limits.minutes)
    async with open_sealed(bundle.settings(), memory, allowed) as session:
        return await derive_again(bundle, session)


def _print(recorded: Judgement, derived: Judgement) -> None:
    table = Table("requirement", "then", "now", "decided by")
    then = {one.requirement_id: one for one in recorded.verdicts}
    for now in derived.verdicts:
        before = then.get(now.requirement_id)
        was = before.outcome.value if before else "none"
        table.add_row(scrub(now.requirement_id), was, now.outcome.value, now.decided_by.value)
    console = Console()
    console.print(table)
    console.print(f"then: {recorded.gate.conclusion.value}, now: {derived.gate.conclusion.value}")
