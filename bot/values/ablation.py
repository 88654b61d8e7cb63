"""What can be switched off to measure what it adds."""

from __future__ import annotations

from enum import StrEnum


class Part(StrEnum):
    """A part of Assay that can be switched off to measure what it adds."""

    EXECUTION = "execution"  # nothing of the change is built or run; linters and readers look at it
    BASE_SIDE = "base-side"  # nothing is built, run or looked at on base
    BROWSER = "browser"
    WEB = "web"  # judges look nothing up on the web
    GRAPH = "graph"  # nobody knows what uses what the change touches
    NEGOTIATION = "negotiation"  # the panel's first, blind opinions are counted
    RUBRIC = "rubric"


ABLATED = "ablation"
"""The gate's rule where a part was off: no such verdict is one to merge by."""
