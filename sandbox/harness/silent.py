"""Laid over what must not run when Python starts."""

from __future__ import annotations
