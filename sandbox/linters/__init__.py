"""Every linter, in one literal table, and how a change or a folder is shown to them.

All run inside the sandbox without a network: a linter executes the repository's configuration. What
counts is what is new on head, by the rules of base: on both sides base's version of a linter's
configuration lies over the tree, and base's environment brings the project's own linters.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from sandbox.base import Command, Limits, Sandbox
from sandbox.concurrently import a_few_at_a_time
from sandbox.linters.automation import (
    ACTIONLINT,
    BASH,
    CSS,
    DATA,
    HADOLINT,
    SHELLCHECK,
    SQLFLUFF,
    STYLELINT,
    TIDY,
    YAMLLINT,
)
from sandbox.linters.base import Linter, LintJob, sources
from sandbox.linters.c import CC, CPP, CPPCHECK, includers
from sandbox.linters.compiled import CLIPPY, GO_VET, GOFMT, GOFMT_DIFF, JAVAC
from sandbox.linters.news import new_on_head, observation, order_of
from sandbox.linters.node import BIOME, ESLINT, NODE, PRETTIER
from sandbox.linters.programs import is_ours
from sandbox.linters.python import RUFF, RUFF_FORMAT, SIGNATURES
from sandbox.linters.run import Linted, lint
from sandbox.repository.combine import combine
from sandbox.values import ChangeStatus, Checkout, Environment, Finding, Fix, Observation, Side

LINTERS: tuple[Linter, ...] = (
    RUFF, SIGNATURES, ESLINT, BIOME, NODE, BASH, SHELLCHECK, HADOLINT, ACTIONLINT, DATA, YAMLLINT,
    GOFMT, GO_VET, CLIPPY, CC, CPP, CPPCHECK, JAVAC, TIDY, STYLELINT, CSS, SQLFLUFF,
)  # fmt: skip

FORMATTERS: tuple[Linter, ...] = (RUFF_FORMAT, PRETTIER, GOFMT_DIFF)
"""What they would do otherwise is a finding with a fix. They are asked only where fixes are wanted."""

_AT_ONCE = 3
MAX_NEW = 500
"""Findings of one change that are told; how many there are is told as well."""
MAX_FIXES = 100


@dataclass(frozen=True, slots=True)
class LintRequest:
    """A change to look at. `workspace` takes a tree of head with base's configuration.

    `with_formatters` asks as well how formatters would lay the change out. Without `with_base` base's
    files are not looked at, so all that head's say is new.
    """

    checkout: Checkout
    workspace: Path
    environment: Environment | None = None  # base's
    with_formatters: bool = False
    with_base: bool = True


@dataclass(frozen=True, slots=True)
class LintedChange:
    """Both sides as the linters see them, the findings that only head has, and linters' fixes of those."""

    base: Observation | None
    head: Observation
    new: tuple[Finding, ...]
    fixes: tuple[Fix, ...] = ()


async def lint_change(sandbox: Sandbox, request: LintRequest) -> LintedChange | None:
    """Show the changed files to every linter that takes them; None when none does.

    A linter that is missing or refuses to run is told of in the observations, and finds nothing.
    Raises SandboxError when isolation cannot be had.
    """
    jobs = await asyncio.to_thread(_jobs, request)
    runs = [lint(sandbox, linter, side, job) for linter, both in jobs for side, job in both.items()]
    done = await a_few_at_a_time(_AT_ONCE, runs)
    pairs = zip(done[::2], done[1::2], strict=True)
    ran = [(base, head) for base, head in pairs if head is not None]
    if not ran:
        return None
    linted = await asyncio.to_thread(_compared, request.checkout, ran)
    return linted if request.with_base else replace(linted, base=None)


def _jobs(request: LintRequest) -> list[tuple[Linter, dict[Side, LintJob]]]:
    """Find the files on both sides: what changed, and C files that include a changed header."""
    checkout, environment = request.checkout, request.environment
    base, head = Path(checkout.base_tree), Path(checkout.head_tree)
    of_base = [c.old_path or c.path for c in checkout.diff.files if c.status is not _ADDED]
    of_head = [c.path for c in checkout.diff.files if c.status is not _DELETED]
    also = includers(head, checkout.diff.changed_paths)
    base_files = sources(base, (*of_base, *also)) if request.with_base else ()
    head_files = sources(head, (*of_head, *also))
    on_base = LintJob(base_files, base, base, environment)
    found = []
    for one in (*LINTERS, *(FORMATTERS if request.with_formatters else ())):
        if any(map(one.takes, head_files)):
            on_head = LintJob(head_files, _by_bases_rules(request, one), base, environment)
            found.append((one, {Side.BASE: on_base, Side.HEAD: on_head}))
    return found


_ADDED, _DELETED = ChangeStatus.ADDED, ChangeStatus.DELETED


def _by_bases_rules(request: LintRequest, linter: Linter) -> Path:
    """Return head's tree with base's version of what configures this linter."""
    checkout = request.checkout
    base, head = Path(checkout.base_tree), Path(checkout.head_tree)
    named = linter.named(base)
    changed = []
    for path in checkout.diff.changed_paths:
        name = path.rpartition("/")[2]
        configures = any(
            fnmatchcase(path if "/" in pattern else name, pattern)
            for pattern in linter.configuration
        )
        if configures or path in named:
            changed.append(path)
    if not changed:
        return head
    digest = hashlib.sha256("\0".join(changed).encode(errors="surrogatepass")).hexdigest()[:12]
    return combine(head, base, tuple(changed), request.workspace / f"lint-{digest}")


def _compared(checkout: Checkout, ran: list[tuple[Linted | None, Linted]]) -> LintedChange:
    new = tuple(one for base, head in ran for one in new_on_head(base, head, checkout))
    added = checkout.diff.added_lines()
    new = tuple(sorted(new, key=lambda one: order_of(one.finding, added)))
    findings = tuple(one.finding for one in new)
    base = observation(Side.BASE, tuple(base for base, _ in ran if base))
    head = observation(Side.HEAD, tuple(head for _, head in ran), findings)
    fixes = [Fix(one.finding, one.replacement) for one in new[:MAX_NEW] if one.replacement]
    return LintedChange(base, head, findings[:MAX_NEW], tuple(fixes[:MAX_FIXES]))


async def missing_linters(sandbox: Sandbox) -> tuple[Linter, ...]:
    """Return the linters that neither the sandbox nor Assay has. Raises SandboxError."""
    wanted = {one.program for one in LINTERS if one.program and not is_ours(one.program)}
    line = 'for name; do command -v "$name" > /dev/null || echo "$name"; done'
    argv = ("/bin/sh", "-c", line, "sh", *sorted(wanted))
    done = await sandbox.run(Command(argv, cwd="/", limits=Limits(timeout_s=10)))
    absent = set(done.stdout.decode(errors="replace").split())
    return tuple(one for one in LINTERS if one.program in absent)
