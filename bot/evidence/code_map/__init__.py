"""What the code graph says: where to look, who uses what changed, and what must be run because of it."""

from __future__ import annotations

from bot.evidence.code_map.impact import changed_symbols as changed_symbols
from bot.evidence.code_map.impact import dependents as dependents
from bot.evidence.code_map.impact import impact as impact
from bot.evidence.code_map.impact import unreached as unreached
from bot.evidence.code_map.impact import untouched as untouched
from bot.evidence.code_map.index import CodeIndex as CodeIndex
from bot.evidence.code_map.locate import locate as locate
