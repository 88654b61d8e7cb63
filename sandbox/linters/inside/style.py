"""Reads style sheets as the CSS standard says and prints where that fails; a JSON list of paths as input.

Runs inside the sandbox with `tinycss2` mounted. One JSON object a line, as of `parse.py`.
Source: CSS Syntax Level 3, https://www.w3.org/TR/css-syntax-3/
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tinycss2  # type: ignore[import-untyped]

_TEMPLATE = re.compile(r"\{%|\{\{|<%")
_MAX_OF_ONE_FILE = 200
_WITH_RULES = {"media", "supports", "layer", "container", "scope", "document", "starting-style"}


def main() -> int:
    """Look at every named file. Returns the exit code."""
    for path in json.load(sys.stdin):
        text = Path(path).read_text(errors="replace")
        if _TEMPLATE.search(text):
            continue
        rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        for number, (line, message) in enumerate(_of_rules(rules, depth=0)):
            if number == _MAX_OF_ONE_FILE:
                break
            print(json.dumps({"rule": "css", "path": path, "line": line, "message": message}))
    return 0


def _of_rules(nodes: list[Any], depth: int) -> Iterator[tuple[int, str]]:
    """Go through rules, and through what stands in their blocks."""
    for node in nodes:
        if node.type == "error":
            yield node.source_line, node.message
        elif node.type in ("qualified-rule", "at-rule") and node.content is not None and depth < 20:
            name = getattr(node, "lower_at_keyword", "")
            if name in _WITH_RULES:
                inner = tinycss2.parse_rule_list(node.content)
            else:
                inner = tinycss2.parse_blocks_contents(
                    node.content, skip_comments=True, skip_whitespace=True
                )
            yield from _of_rules(inner, depth + 1)


if __name__ == "__main__":
    sys.exit(main())
