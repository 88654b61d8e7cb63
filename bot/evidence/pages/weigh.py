"""Judges what a browser saw of a page on both sides: what is wrong on head and was not on base."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from sandbox.browser.records import (
    AXE,
    CONSOLE_ERROR,
    COVERED_CONTROL,
    FAILED_REQUEST,
    HAS_EFFECT,
    NEEDS_NETWORK,
    NO_EFFECT,
    NOT_EXAMINED,
    NOT_LOADED,
    NOT_RESPONDING,
    NOT_SETTLED,
    QUICK,
)
from sandbox.values import Finding, Observation

_BINDING = (NOT_LOADED, NOT_RESPONDING, CONSOLE_ERROR, FAILED_REQUEST, COVERED_CONTROL, AXE)
_WORDS = {
    CONSOLE_ERROR: "a new error: ",
    FAILED_REQUEST: "a request that fails: ",
    COVERED_CONTROL: "",
    AXE: "a new serious accessibility violation: ",
    NOT_LOADED: "",
    NOT_RESPONDING: "",
}


@dataclass(frozen=True, slots=True)
class PageChanges:
    """Sentences about head: what an oracle says is wrong, and what could not be told."""

    broken: tuple[str, ...]
    doubts: tuple[str, ...]


def compare_pages(base: Observation | None, head: Observation) -> PageChanges:
    """Compare by page, rule and message; numbers in messages do not count, nor where an element is."""
    known = base.findings if base and not base.problem else ()
    unseen = _paths(known, NOT_EXAMINED)
    broken: list[str] = []
    loaded_nowhere = _paths(known, NOT_LOADED) & _paths(head.findings, NOT_LOADED)
    doubts = [f"{path} loads on neither side" for path in sorted(loaded_nowhere)]
    doubts += [f"{f.path}: {f.message}" for f in _new(known, head.findings, (NOT_SETTLED,))]
    doubts += [f"{f.path}: {f.message}" for f in head.findings if f.rule == NOT_EXAMINED]
    worked = _only(known, HAS_EFFECT, NO_EFFECT)
    lost = worked & _only(head.findings, NO_EFFECT, HAS_EFFECT)
    doubts += [
        f"{path}: {control} did something on base and does nothing on head"
        for path, control in sorted(lost)
    ]
    # What loads on head alone was never more accessible; what it lacks stands in the evidence.
    is_first = _paths(known, NOT_LOADED)
    new = [
        one
        for one in _new(known, head.findings, _BINDING)
        if one.rule != AXE or one.path not in is_first
    ]
    for finding in sorted(new, key=lambda finding: _BINDING.index(finding.rule)):
        told = f"{finding.path}: {_WORDS[finding.rule]}{finding.message}"
        why = _why_doubtful(finding, known, head.findings)
        if base is None or base.problem or finding.path in unseen:
            doubts.append(f"{told} (base could not be opened)")
        elif why:
            doubts.append(f"{told} ({why})")
        else:
            broken.append(told)
    return PageChanges(tuple(broken), tuple(doubts))


def _only(findings: tuple[Finding, ...], rule: str, other: str) -> set[tuple[str, str]]:
    """The controls of which one thing was seen and never the other: several may share a name."""
    seen = {f.rule: set[tuple[str, str]]() for f in findings}
    for finding in findings:
        seen[finding.rule].add((finding.path, finding.message))
    return seen.get(rule, set()) - seen.get(other, set())


def _why_doubtful(finding: Finding, base: tuple[Finding, ...], head: tuple[Finding, ...]) -> str:
    """An error may come from what only the network has; a page that never loaded shows nothing."""
    if finding.rule == NOT_LOADED:
        return ""
    if finding.rule == NOT_RESPONDING:
        is_quick = finding.path in _paths(base, QUICK)
        return "" if is_quick else "on base it was slow too, which may be the machine"
    if finding.path in _paths(base, NOT_LOADED) and finding.path in _paths(head, NOT_LOADED):
        return "it loads on neither side"
    lacking = [f.message for f in head if f.rule == NEEDS_NETWORK and f.path == finding.path]
    if lacking and finding.rule == CONSOLE_ERROR:
        return f"it lacks what only the network has: {lacking[0]}"
    asked = [f.message for f in head if _asks_a_server(f) and f.path == finding.path]
    if asked and finding.rule == CONSOLE_ERROR:
        return f"a server may be missing here: {asked[0]}"
    return "a server may be missing here" if _asks_a_server(finding) else ""


def _asks_a_server(finding: Finding) -> bool:
    """Whether data was asked for, and not a part of the page: a file that is opened has no server."""
    return finding.rule == FAILED_REQUEST and finding.message.startswith(("fetch ", "xhr "))


def _new(
    base: tuple[Finding, ...], head: tuple[Finding, ...], rules: tuple[str, ...]
) -> list[Finding]:
    """What head has and base had not; of accessibility violations, what it has more of."""
    known = Counter(_key(finding) for finding in base if finding.rule in rules)
    new = []
    for finding in head:
        key = _key(finding)
        if finding.rule in rules and not known[key]:
            new.append(finding)
        elif finding.rule == AXE:
            known[key] -= 1
    return new


def _key(finding: Finding) -> tuple[str, str, str]:
    """What makes two the same: an element's place changes, so a violation is counted by its rule."""
    message = finding.message.partition(" at ")[0] if finding.rule == AXE else finding.message
    if finding.rule == NOT_LOADED:
        message = ""
    return finding.rule, finding.path, re.sub(r"\d+", "0", message)


def _paths(findings: tuple[Finding, ...], rule: str) -> set[str]:
    return {finding.path for finding in findings if finding.rule == rule}
