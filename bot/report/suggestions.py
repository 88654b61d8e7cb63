"""Linters' own fixes as one review: suggestions on lines of the diff that a person can commit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from bot.templates import render_markdown
from bot.text import scrub, suggestion
from bot.values.conclusions import Review, Suggestion
from sandbox.values import Diff, Fix, Hunk

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
