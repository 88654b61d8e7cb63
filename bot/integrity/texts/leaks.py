"""Finds secrets that a change adds; a finding shows their place, never the secret."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines
from bot.diff.paths import is_document
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.text import redact
from bot.values.rules import SECRET_ADDED
from sandbox.values import Finding

_NAMED = re.compile(r"\[redacted: ([\w ]{1,40})\]")
_NO_VALUE = re.compile(
    r"\(\?|\[\^|\\[sSwWdDb]|\]\+|\{\{|\$\{|<\w+>"
    r"|@(?:[\w-]+\.){0,5}(?:example|localhost|invalid|test)\b"  # hosts of RFC 2606
)
"""A line with one of these is a regular expression, a template or an example, not a value."""
_WEAK = ("secret", "credentials", "authorization", "cookie", "password", "bearer token")
"""Shapes known by the name before them only: in tests and documents those are examples."""


def secrets_added(inspection: Inspection) -> Iterator[Finding]:
    """One finding for each kind of secret in a file's new lines."""
    for change in inspection.left():
        lines = added_lines(change)
        clean = redact("\n".join(line for _, line in lines))
        before = inspection.before(change) or ""
        for kind in dict.fromkeys(_NAMED.findall(clean)):
            if kind in _WEAK and (is_test_file(change.path) or is_document(change.path)):
                continue
            places = (
                (number, line.strip())
                for number, line in lines
                if kind in _NAMED.findall(redact(line))
                and not (kind in _WEAK and _NO_VALUE.search(line))
            )
            place = next(places, None)
            if place is None and kind == "private key":
                # of several lines: it begins with its header
                place = next(((number, "") for number, line in lines if "-----" in line), None)
            if place is None or (place[1] and place[1] in before):
                continue
            message = (
                f"This looks like a secret ({kind}) that the change adds; revoke it if it is real."
            )
            finding = make_finding(SECRET_ADDED, change, place[0], message)
            yield replace(finding, hunk=redact(finding.hunk))
