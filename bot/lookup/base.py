"""The seam to the web: one request of a judge in, text of strangers out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

Web = Callable[[str], Awaitable[str]]
"""A request (an address, search words, or `pip:name`, `npm:name`) → text for a model; raises nothing.

The text is scrubbed and capped, and not enclosed: whoever puts it into a prompt encloses it.
"""
