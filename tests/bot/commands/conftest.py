"""The validated forge."""

from tests.bot.fixtures import described, place, shared_world, world

__all__ = ["described", "place", "shared_world", "world"]
