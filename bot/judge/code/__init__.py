"""What the code graph says: where to look, who uses what changed, and what must be run because of it."""

from __future__ import annotations

from bot.judge.code.dependents import dependents as dependents
from bot.judge.code.impact import changed_symbols as changed_symbols
from bot.judge.code.impact import impact as impact
from bot.judge.code.index import CodeIndex as CodeIndex
from bot.judge.code.locate import locate as locate
