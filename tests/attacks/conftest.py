"""Prints the table of attack → conclusion at the end of a run."""

from __future__ import annotations

import pytest

from tests.attacks.corpus import REFUSED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    played = [
        dict(report.user_properties)
        for state in ("passed", "failed")
        for report in terminalreporter.getreports(state)
        if any(name == "attack" for name, _ in report.user_properties)
    ]
    if not played:
        return
    terminalreporter.section("attacks")
    for one in sorted(played, key=lambda one: str(one["attack"])):
        held = one["conclusion"] in REFUSED
        word = "held" if held else "WRONG" if one["promised"] == "yes" else "not promised"
        terminalreporter.line(f"{one['conclusion']:16} {word:13} {one['attack']}: {one['about']}")
    wrong = sum(one["conclusion"] not in REFUSED for one in played)
    terminalreporter.line(f"{len(played)} attacks, {len(played) - wrong} held, {wrong} not")
