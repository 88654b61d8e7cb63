"""Linters' findings for others: their own fixes as suggestions that a person can commit, and SARIF."""

from __future__ import annotations

import hashlib
import json
import re
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
        beside = [one for one in chosen if one.path == made.path]
        overlaps = any(made.first <= one.last and one.first <= made.last for one in beside)
        if len(chosen) < MOST and not overlaps:
            chosen.append(made)
        else:
            others.append(fix)
    if not chosen:
        return None
    named = [
        f"{found.path}:{found.line} {found.tool} {found.rule}"
        for found in (fix.finding for fix in others[:MOST_NAMED])
    ]
    body = render_markdown(
        "report/suggestions.md.j2",
        count=len(chosen),
        named=[scrub(line, secrets) for line in named],
        more=max(0, len(others) - MOST_NAMED),
    )
    return Review(body.strip(), tuple(chosen))


def _fits(fix: Fix, hunk: Hunk) -> bool:
    """Whether the lines are the hunk's, letter by letter, and some of them came with the change."""
    what, is_added = fix.replacement, False
    of_head = (line for line in hunk.lines if not line.startswith(("-", "\\")))
    lines = dict(enumerate(of_head, hunk.new_start))
    for number, text in enumerate(what.before, what.first):
        if number not in lines or lines[number][1:] != text:
            return False
        is_added = is_added or lines[number].startswith("+")
    return is_added


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
    runs = []
    for tool, found in (by_tool or {"assay": []}).items():
        rules = list(dict.fromkeys(finding.rule or _NO_RULE for finding in found))
        run = {
            "tool": {"driver": {"name": tool, "rules": [{"id": rule} for rule in rules]}},
            "automationDetails": {"id": f"assay/{tool}/"},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {_ROOT: {"description": {"text": "The repository's root."}}},
            "properties": {"evaluation": view.id, "head": view.subject.head_sha},
            "results": [_result(finding, rules) for finding in found],
        }
        runs.append(run)
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": runs}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _result(finding: Finding, rules: list[str]) -> _Json:
    rule = finding.rule or _NO_RULE
    place: _Json = {"artifactLocation": {"uri": quote(finding.path), "uriBaseId": _ROOT}}
    if finding.line > 0:
        last = max(finding.line, finding.end_line)
        place["region"] = {"startLine": finding.line, "endLine": last}
    plain = _LINK.sub(r"\\[\1\\]", finding.message)  # no link: 3.11.6, brackets are escaped
    told = "\0".join((finding.tool, finding.rule, finding.path, finding.message))
    fingerprint = hashlib.sha256(told.encode(errors="replace")).hexdigest()[:32]
    found: _Json = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": "error" if finding.severity is Severity.BLOCK else "warning",
        "message": {"text": plain or rule},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"assay/v1": fingerprint},
    }
    if finding.side is Side.BASE:
        return found | {"properties": {"side": "base"}}
    return found | {"baselineState": "new"}
