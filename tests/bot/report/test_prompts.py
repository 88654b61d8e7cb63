"""A run's calls to models for people to read: whole, each text once, harmless, and counted by role."""

from __future__ import annotations

from bot.commands.replay import count_roles, prompts_text
from bot.values import TRIAL, Exchange, Role

SHARED = "\n\n".join(f"Paragraph {n} of the task, which all requirements share." for n in range(12))


def call(role: Role, about: str = "", **fields: object) -> Exchange:
    given = {
        "sample": 0,
        "turn": 0,
        "system": "Judge.",
        "said": "Asked.",
        "reply": "{}",
        "chars": 40,
    }
    return Exchange(role, about, **{**given, **fields})  # type: ignore[arg-type]


def test_every_text_stands_there_once() -> None:
    said = (f"{SHARED}\n\nRequirement R1\n\nEnd.", f"{SHARED}\n\nRequirement R2\n\nEnd.")
    text = prompts_text([call(Role.PANEL, f"R{n}", said=one) for n, one in enumerate(said, 1)])
    assert text.count("Paragraph 3 of the task") == text.count("Judge.") == 1
    assert text.count("Requirement R1") == text.count("Requirement R2") == 1
    assert f"(the first {len(SHARED) + 2} characters are those of call 1)" in text
    assert text.count("End.") == 2


def test_nothing_in_a_prompt_steers_the_terminal() -> None:
    hostile = "\x1b]0;title\x07\x1b[2J\u202eneddih [red]bold[/red] {{ 7 * 7 }} ghp_" + "a1B2" * 9
    text = prompts_text([call(Role.ANALYST, "R1", said=hostile, reply=hostile, system=hostile)])
    assert "\x1b" not in text and "\u202e" not in text and "\x07" not in text
    assert "ghp_a1B2" not in text
    assert text.count("[red]bold[/red] {{ 7 * 7 }}") == 3


def test_tokens_are_counted_a_call_and_a_requirement() -> None:
    analyst = [
        call(Role.ANALYST, about, turn=turn, input_tokens=tokens)
        for about, turn, tokens in (("R1", 0, 100), ("R1", 1, 300), ("R2", 0, 50), ("R3", 0, 90))
    ]
    panel = [call(Role.PANEL, TRIAL, input_tokens=7), call(Role.PANEL, "R1", chars=400)]
    patch = call(Role.PATCH, input_tokens=11)
    counted = {one.role: one for one in count_roles([patch, *panel, *analyst])}
    assert list(counted) == [Role.ANALYST, Role.PANEL, Role.PATCH]
    first = counted[Role.ANALYST]
    assert (first.calls, first.a_call, first.requirements, first.a_requirement) == (4, 95, 3, 90)
    assert first.is_counted
    judges = counted[Role.PANEL]
    assert (judges.requirements, judges.a_requirement, judges.is_counted) == (1, 100, False)
    assert counted[Role.PATCH].a_requirement is None
