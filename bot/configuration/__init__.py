"""The repository's own configuration, `.github/assay.yml`, read from the base branch only.

The schema is closed: an unknown key, a wrong type or a value out of range is one clear problem
that names line, key path and the way out. Values are never repeated in it: they may be secrets.
"""

from bot.configuration.globs import matches, matches_any
from bot.configuration.layers import (
    Effective,
    Layer,
    PolicyContext,
    effective,
    loosened,
    reading_of,
)
from bot.configuration.pull_requests import ConfiguredAgent
from bot.configuration.reading import MAX_BYTES, PATH, ConfigurationFile, json_schema, read, refusal
from bot.configuration.schema import (
    CheckPolicy,
    Configuration,
    ConfiguredTrigger,
    JudgePolicy,
    NetworkPolicy,
    UnverifiedPolicy,
    Weight,
)
