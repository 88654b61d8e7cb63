"""Which coding agent wrote a change, by what it leaves behind: its login, its branches, its commit trailers.

It is a plain fact for the report, and claims no more than that: whoever likes can write a trailer. Nothing
is decided by it. `agents` in the configuration adds rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bot.configuration import Configuration, ConfiguredAgent, matches_any

MOST_TRAILERS = 40
LONGEST_TRAILER = 200
_KEY = re.compile(r"[A-Za-z][A-Za-z-]{1,40}")


def _agent(name: str, logins: str = "", branches: str = "", mail: str = "") -> ConfiguredAgent:
    """One row; several patterns are apart by spaces. Names can be people's, so trailers go by address."""
    return ConfiguredAgent(
        name=name,
        logins=tuple(logins.split()),
        branches=tuple(branches.split()),
        trailers=tuple(f"co-authored-by: **{one}**" for one in mail.split()),
    )


KNOWN = (
    _agent(
        "GitHub Copilot",
        "copilot-swe-agent[bot] copilot-swe-agent copilot[bot] copilot",
        "copilot/**",
        "+copilot@users.noreply.github.com> +copilot[bot]@users.noreply.github.com>",
    ),
    _agent("Claude Code", "claude[bot]", "claude/**", "<noreply@anthropic.com>"),
    _agent(
        "Codex",
        "chatgpt-codex-connector[bot]",
        "codex/**",
        "<codex@openai.com> +chatgpt-codex-connector[bot]@users.noreply.github.com>",
    ),
    _agent("Cursor", "cursor[bot]", "cursor/**", "<cursoragent@cursor.com>"),
    _agent(
        "Devin",
        "devin-ai-integration[bot]",
        "devin/**",
        "+devin-ai-integration[bot]@users.noreply.github.com>",
    ),
    _agent(
        "Jules", "google-labs-jules[bot]", "", "+google-labs-jules[bot]@users.noreply.github.com>"
    ),
    _agent(
        "OpenHands", "openhands-agent", "openhands/** openhands-**", "<openhands@all-hands.dev>"
    ),
    _agent("Aider", "", "", "<noreply@aider.chat> <aider@aider.chat>"),
    _agent("Amp", "", "", "<amp@ampcode.com>"),
    _agent("Windsurf", "", "windsurf/**", "<noreply@windsurf.com>"),
    _agent("SWE-agent", "", "swe-agent/**"),
)
"""Addresses and prefixes as public commits of these agents have them (looked up in November 2026)."""


def trailers_of(messages: str) -> tuple[str, ...]:
    """Return what may be a trailer in commit messages, `Key: value` each, without its letters' case."""
    found: list[str] = []
    for line in messages.split("\n"):
        key, colon, value = line[:LONGEST_TRAILER].partition(": ")
        if colon and value.strip() and _KEY.fullmatch(key):
            found.append(f"{key}: {value.strip()}".lower())
    return tuple(dict.fromkeys(found))[:MOST_TRAILERS]


def agent_of(
    configuration: Configuration, login: str, branch: str, trailers: tuple[str, ...]
) -> str:
    """Name the agent, or return an empty text. The configuration's rows come first; a login says most."""
    rows = (*configuration.agents, *KNOWN)
    names = (
        *(row.name for row in rows if login and _fits(row.logins, (login,))),
        *(row.name for row in rows if _fits(row.trailers, trailers)),
        *(row.name for row in rows if branch and _fits(row.branches, (branch,))),
    )
    return next(iter(names), "")


def _fits(patterns: tuple[str, ...], texts: Iterable[str]) -> bool:
    lower = tuple(pattern.lower() for pattern in patterns)
    return any(matches_any(lower, text.lower()) for text in texts)
