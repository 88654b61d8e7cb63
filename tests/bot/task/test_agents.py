"""Which agent wrote a change: by login, branch and trailers, and nobody's name is enough."""

from __future__ import annotations

import pytest

from bot.configuration import Configuration, read
from bot.task.agents import LONGEST_TRAILER, MOST_TRAILERS, agent_of, trailers_of

DEFAULT = Configuration()
OWN = b"""
agents:
  - {name: Patchwork, logins: ["patchwork-*[bot]"], trailers: ["made-with: patchwork**"]}
  - {name: Our Claude, branches: ["claude/**"]}
"""


@pytest.mark.parametrize(
    ("login", "branch", "message", "agent"),
    [
        ("copilot-swe-agent[bot]", "fix-7", "", "GitHub Copilot"),
        ("Copilot", "fix-7", "", "GitHub Copilot"),
        ("mina", "codex/fix-7", "", "Codex"),
        ("mina", "fix", "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>", "Claude Code"),
        ("mina", "fix", "Fix\n\nCo-authored-by: Cursor <cursoragent@cursor.com>", "Cursor"),
        (
            "mina",
            "fix",
            "x\n\nCo-authored-by: openhands <openhands@all-hands.dev>\nSigned-off-by: Mina <m@x>",
            "OpenHands",
        ),
        ("claude[bot]", "codex/fix", "", "Claude Code"),
        ("mina", "fix", "Fix\n\nCo-authored-by: Claude Dupont <claude@dupont.example>", ""),
        ("mina", "fix", "We met <noreply@anthropic.com> there", ""),
        ("claude", "fix-claude/x", "Read https://claude.ai: it says so", ""),
        ("", "", "", ""),
    ],
)
def test_known_agents(login: str, branch: str, message: str, agent: str) -> None:
    assert agent_of(DEFAULT, login, branch, trailers_of(message)) == agent


def test_the_configuration_adds_rows_that_come_first() -> None:
    configuration = read(OWN).configuration
    assert agent_of(configuration, "patchwork-2[bot]", "x", ()) == "Patchwork"
    trailers = trailers_of("Fix\n\nMade-with: Patchwork 2.1/beta")
    assert agent_of(configuration, "mina", "claude/x", trailers) == "Patchwork"
    assert agent_of(configuration, "mina", "claude/x", ()) == "Our Claude"
    assert agent_of(configuration, "mina", "devin/x", ()) == "Devin"


def test_long_messages_are_cut() -> None:
    found = trailers_of("\n".join(f"Key: {n} {'x' * 10_000}" for n in range(10_000)))
    assert len(found) == MOST_TRAILERS
    assert max(map(len, found)) <= LONGEST_TRAILER
