"""The findings as SARIF 2.1.0, for editors and code-scanning services: `report.sarif`.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html (section 3)
"""

from __future__ import annotations

import hashlib
import json
import re
from urllib.parse import quote

from bot.report.model import ReportView
from sandbox.values import Finding, Severity, Side

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
