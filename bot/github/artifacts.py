"""What a workflow left behind for a commit: needs the permission `actions: read`, which is optional."""

from __future__ import annotations

from bot.errors import UserError
from bot.github.addresses import segment
from bot.github.transport import Transport

_MOST_RUNS = 20


async def newest_artifact(
    transport: Transport, root: str, name: str, head_sha: str, most_bytes: int
) -> bytes | None:
    """The newest ZIP archive of that name; None when no run for the commit has one, or it expired.

    Raises UserError above `most_bytes`.
    """
    reply = await transport.get(f"{root}/actions/runs", head_sha=head_sha, per_page=_MOST_RUNS)
    runs = sorted((one.integer("id") for one in reply.items("workflow_runs")), reverse=True)
    for run in runs[:_MOST_RUNS]:
        listed = await transport.get(
            f"{root}/actions/runs/{run:d}/artifacts", name=name, per_page=_MOST_RUNS
        )
        for found in listed.items("artifacts"):
            if found.text("name") != name or found.flag("expired"):
                continue
            if found.integer("size_in_bytes") > most_bytes:
                most = f"{most_bytes // 1_000_000} MB"
                raise UserError(f"The artifact has more than {most}, and was not read.")
            number = segment(str(found.integer("id")))
            return await transport.download(f"{root}/actions/artifacts/{number}/zip", most_bytes)
    return None
