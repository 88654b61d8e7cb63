"""The configuration that a test's `.github/assay.yml` makes."""

from __future__ import annotations

from bot.configuration import Configuration, read, refusal


def read_configuration(text: bytes | str | None) -> Configuration:
    """Read it; None or nothing but comments gives the defaults. Raises the evaluation's UserError."""
    reading = read(text)
    if reading.problems:
        raise refusal(reading.why())
    return reading.configuration
