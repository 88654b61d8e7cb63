"""Reads what test runners print or write: pure functions from hostile text to `SeenTest` results.

They run inside the sandbox, beside what they read (Python >= 3.8, standard library only): what a
document of a hostile runner can cost is bounded there. A reader never raises on bad input; what it
could not read stands in `problem`.
"""

from __future__ import annotations
