"""Linters' findings for others: their own fixes as suggestions that a person can commit, and SARIF."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from urllib.parse import quote

from bot.report.model import ReportView
from bot.templates import render_markdown
from bot.text import scrub, suggestion
from bot.values.conclusions import Review, Suggestion
from sandbox.values import Diff, Finding, Fix, Hunk, Severity, Side

MOST = 10
"""Suggestions that stand at a time; as they are committed, others take their place."""
MOST_NAMED = 20


def review(fixes: tuple[Fix, ...], diff: Diff, secrets: tuple[str, ...] = ()) -> Review | None:
    """Return the first suggestions, and name the others above them; None where there is nothing to commit.

    Left out are fixes that reach beyond one hunk of the diff (GitHub refuses them), and those that cannot
    be shown letter by letter: with hidden characters, secrets, or words to a bot.
    """
    hunks = {file.path: file.hunks for file in diff.files}
    chosen: list[Suggestion] = []
    others: list[Fix] = []
    for fix in fixes:
        if not any(_fits(fix, hunk) for hunk in hunks.get(fix.finding.path, ())):
            continue
        made = _suggestion(fix, secrets)
        if made is None:
            continue
        if len(chosen) < MOST and not any(_overlap(made, one) for one in chosen):
            chosen.append(made)
        else:
            others.append(fix)
    if not chosen:
        return None
    body = render_markdown(
        "report/suggestions.md.j2",
        count=len(chosen),
        named=[scrub(_named(fix), secrets) for fix in others[:MOST_NAMED]],
        more=max(0, len(others) - MOST_NAMED),
    )
    return Review(body.strip(), tuple(chosen))


def _fits(fix: Fix, hunk: Hunk) -> bool:
    """Whether the lines are the hunk's, letter by letter, and some of them came with the change."""
    what, is_added = fix.replacement, False
    lines = dict(_lines_of_head(hunk))
    for number, text in enumerate(what.before, what.first):
        if number not in lines or lines[number][1:] != text:
            return False
        is_added = is_added or lines[number].startswith("+")
    return is_added


def _lines_of_head(hunk: Hunk) -> Iterator[tuple[int, str]]:
    number = hunk.new_start
    for line in hunk.lines:
        if not line.startswith(("-", "\\")):
            yield number, line
            number += 1


def _overlap(one: Suggestion, other: Suggestion) -> bool:
    return one.path == other.path and one.first <= other.last and other.first <= one.last


def _suggestion(fix: Fix, secrets: tuple[str, ...]) -> Suggestion | None:
    found, what = fix.finding, fix.replacement
    after = "\n".join(what.after)
    block = suggestion(what.after) if scrub(after, secrets) == after else None
    if block is None or scrub(found.path, secrets) != found.path or found.path.startswith('"'):
        return None
    message = scrub(found.message, secrets)
    body = render_markdown("report/suggestion.md.j2", finding=found, message=message, block=block)
    identity = json.dumps((found.path, found.tool, found.rule, what.before, what.after))
    digest = hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:32]
    mark = f"<!-- assay:suggestion {digest} -->"
    return Suggestion(found.path, what.first, what.last, mark, body.strip())


def _named(fix: Fix) -> str:
    found = fix.finding
    return f"{found.path}:{found.line} {found.tool} {found.rule}"


# --- SARIF 2.1.0 -----------------------------------------------------------------------------------
# Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (section 3)


_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"
_LINK = re.compile(r"\[([^\[\]]*)\](?=\()")
_NO_RULE = "remark"

_Json = dict[str, object]


def sarif(view: ReportView) -> str:
    """Linter findings that are new on head and integrity findings, one run a tool, as JSON text.

    `view` is scrubbed already. A report without findings has one empty run: the check was made.
    """
    by_tool: dict[str, list[Finding]] = {}
    for finding in (*view.integrity, *view.findings):
        by_tool.setdefault(finding.tool or "assay", []).append(finding)
    runs = [_run(tool, found, view) for tool, found in (by_tool or {"assay": []}).items()]
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _run(tool: str, findings: list[Finding], view: ReportView) -> _Json:
    rules = list(dict.fromkeys(finding.rule or _NO_RULE for finding in findings))
    return {
        "tool": {"driver": {"name": tool, "rules": [{"id": rule} for rule in rules]}},
        "automationDetails": {"id": f"assay/{tool}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The repository's root."}}},
        "properties": {"evaluation": view.id, "head": view.subject.head_sha},
        "results": [_result(finding, rules) for finding in findings],
    }


def _result(finding: Finding, rules: list[str]) -> _Json:
    rule = finding.rule or _NO_RULE
    place: _Json = {"artifactLocation": {"uri": quote(finding.path), "uriBaseId": _ROOT}}
    if finding.line > 0:
        last = max(finding.line, finding.end_line)
        place["region"] = {"startLine": finding.line, "endLine": last}
    found: _Json = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": "error" if finding.severity is Severity.BLOCK else "warning",
        "message": {"text": _plain(finding.message) or rule},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"assay/v1": _fingerprint(finding)},
    }
    if finding.side is Side.BASE:
        return found | {"properties": {"side": "base"}}
    return found | {"baselineState": "new"}


def _plain(message: str) -> str:
    """Return a message in which nothing is a link (3.11.6: brackets are escaped)."""
    return _LINK.sub(r"\\[\1\\]", message)


def _fingerprint(finding: Finding) -> str:
    told = "\0".join((finding.tool, finding.rule, finding.path, finding.message))
    return hashlib.sha256(told.encode(errors="replace")).hexdigest()[:32]
