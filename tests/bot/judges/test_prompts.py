"""What every prompt must be, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import meta

from bot.templates import folder, render_text, text_environment

PROMPTS = folder() / "prompts"
SYSTEM = sorted(path.name for path in PROMPTS.glob("*.system.txt.j2"))
MOST_SYSTEM_CHARS = 6_000


def test_there_are_prompts() -> None:
    assert SYSTEM


@pytest.mark.parametrize("name", SYSTEM)
def test_the_system_part_is_ours_alone_and_constant(name: str) -> None:
    """Nothing is put in, so nothing that is not ours can ever stand there, and endpoints can cache it."""
    source = Path(PROMPTS, name).read_text()
    assert meta.find_undeclared_variables(text_environment().parse(source)) == set()
    text = render_text(f"prompts/{name}")
    assert 0 < len(text) <= MOST_SYSTEM_CHARS
    assert text == render_text(f"prompts/{name}")
