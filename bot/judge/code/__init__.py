"""What the code graph says for people: where to look, and who uses what changed. It decides nothing."""

from __future__ import annotations

from bot.judge.code.impact import changed_symbols as changed_symbols
from bot.judge.code.impact import impact as impact
from bot.judge.code.index import CodeIndex as CodeIndex
from bot.judge.code.locate import locate as locate
