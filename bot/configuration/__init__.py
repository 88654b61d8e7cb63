"""The repository's own configuration, `.github/assay.yml`, read from the base branch only.

The schema is closed: an unknown key, a wrong type or a value out of range is one clear `UserError`
that names the key path and the way out. Values are never repeated in it: they may be secrets.
"""

from bot.configuration.description import KeyDescription, describe_keys
from bot.configuration.reading import MAX_BYTES, PATH, read_configuration
from bot.configuration.schema import (
    Configuration,
    ConfiguredRequirement,
    ConfiguredTrigger,
    JudgePolicy,
    NetworkPolicy,
    RubricPolicy,
    UnverifiedPolicy,
    Weight,
)

__all__ = [
    "MAX_BYTES",
    "PATH",
    "Configuration",
    "ConfiguredRequirement",
    "ConfiguredTrigger",
    "JudgePolicy",
    "KeyDescription",
    "NetworkPolicy",
    "RubricPolicy",
    "UnverifiedPolicy",
    "Weight",
    "describe_keys",
    "read_configuration",
]
