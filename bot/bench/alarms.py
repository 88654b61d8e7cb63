"""Runs the integrity checks alone on real merges and on spoiled copies: which speak, and when wrongly.

Nothing of the projects is run: both sides are exported and read. Without test results no finding can
block, so what is counted is every remark, also one that would only advise.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bot.bench.merges import Merge, Workbench
from bot.bench.tricks import PYTHON_TRICKS, SCRIPT_TRICKS
from bot.configuration import Configuration
from bot.integrity import inspect_integrity
from bot.task.requirements import comprehend
from bot.values import FourWay, Task, TaskSource, Trust
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource, release
from sandbox.repository.names import TreeReader
from sandbox.values import Finding

AS_MERGED = "as merged"
TRICKS = (*PYTHON_TRICKS, *SCRIPT_TRICKS)
MOST_TRICKED = 5
"""On how many merges of a repository, the newest, the tricks are played."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """What the checks said of one copy of one merge; `expected` are the rules that a trick calls for."""

    repository: str
    merge: str
    title: str
    copy: str
    findings: tuple[Finding, ...]
    seconds: float
    expected: tuple[str, ...] = ()

    @property
    def is_hit(self) -> bool:
        """Whether a rule spoke that the trick calls for."""
        return any(finding.rule in self.expected for finding in self.findings)


@dataclass(frozen=True, slots=True)
class StaticTrial:
    """One repository's merges under the integrity checks; `root` is where both sides are exported."""

    name: str
    bench: Workbench
    root: Path

    def run(self, merge: Merge, with_tricks: bool) -> Iterator[Alarm]:
        """Inspect a merge as it was, then perhaps with every trick that can be played on it."""
        merged = self._inspected(merge, AS_MERGED, merge.head)
        yield merged
        known = {(finding.rule, finding.path, finding.message) for finding in merged.findings}
        for trick in TRICKS if with_tricks else ():
            commit = self.bench.tricked(merge, trick)
            if commit:
                seen = self._inspected(merge, trick.name, commit, trick.rules)
                fresh = tuple(f for f in seen.findings if (f.rule, f.path, f.message) not in known)
                yield replace(seen, findings=fresh)

    def _inspected(
        self, merge: Merge, copy: str, commit: str, expected: tuple[str, ...] = ()
    ) -> Alarm:
        started = time.monotonic()
        holder = f"bench-{secrets.token_hex(8)}"
        source = RepositorySource(str(self.bench.folder))
        checkout = take(self.root, CheckoutRequest(holder, source, merge.base, commit))
        words = TaskSource("commit", merge.title, self.bench.words(merge), Trust.AUTHOR)
        findings = inspect_integrity(
            checkout.diff,
            TreeReader(Path(checkout.base_tree)),
            TreeReader(Path(checkout.head_tree)),
            FourWay(()),
            comprehend(Task(merge.title, (words,)), Configuration(), ()),
        )
        release(self.root, holder)
        seconds = round(time.monotonic() - started, 2)
        return Alarm(self.name, merge.head[:10], merge.title, copy, findings, seconds, expected)


def summary(alarms: list[Alarm]) -> Iterator[str]:
    """Lines for people: how often each rule spoke of real merges, and how often each trick was seen."""
    merged = [alarm for alarm in alarms if alarm.copy == AS_MERGED]
    silent = sum(not alarm.findings for alarm in merged)
    yield f"Real merges: {len(merged)}, without any remark {silent}."
    spoken = Counter(rule for alarm in merged for rule in {f.rule for f in alarm.findings})
    for rule, count in spoken.most_common():
        yield f"  {rule:26} in {count} of {len(merged)}"
    yield "Tricks:"
    for trick in TRICKS:
        played = [alarm for alarm in alarms if alarm.copy == trick.name]
        if not played:
            continue
        yield f"  {trick.name:34} seen {sum(a.is_hit for a in played)} of {len(played)}"
