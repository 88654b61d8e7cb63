"""Searches by the library `ddgs` through the proxy that it is told; one JSON object in, a list out.

A process of its own: the library parses strangers' pages, and a search that hangs can be ended.
"""

from __future__ import annotations

import json
import resource
import sys

from ddgs import DDGS  # type: ignore[import-not-found, unused-ignore]
from ddgs.exceptions import DDGSException  # type: ignore[import-not-found, unused-ignore]

_MOST_SECONDS = 20
_MOST_MEMORY_BYTES = 2 << 30


def main() -> int:
    """Answer with titles, addresses and texts; 1 when no search engine answers."""
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, _MOST_MEMORY_BYTES))
    asked = json.load(sys.stdin)
    try:
        engines = DDGS(proxy=asked["proxy"], timeout=8, verify=asked["authority"] or True)
        found = engines.text(asked["words"], max_results=asked["most"])
    except DDGSException:
        return 1
    rows = [{"title": r["title"], "url": r["href"], "text": r["body"]} for r in found]
    json.dump(rows, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
