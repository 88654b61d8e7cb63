"""A change from some files to others, shown to every linter in real bubblewrap."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sandbox.base import Sandbox
from sandbox.linters import LintedChange, LintRequest, lint_change
from sandbox.repository.checkout import CheckoutRequest, take
from sandbox.repository.mirror import RepositorySource
from sandbox.values import Checkout, Environment, Finding
from tests.sandbox.repositories import Repository

Content = str | bytes | None
Files = Mapping[str, Content]


def changed(tmp_path: Path, base: Files, head: Files) -> Checkout:
    """Commit two states of a project and check both out; None deletes a file."""
    repository = Repository(tmp_path / "project")
    shas = repository.commit(base), repository.commit(head)
    request = CheckoutRequest("e1", RepositorySource(str(repository.folder)), *shas)
    return take(tmp_path / "root", request)


async def lint(
    sandbox: Sandbox,
    tmp_path: Path,
    base: Files,
    head: Files,
    environment: Environment | None = None,
) -> LintedChange | None:
    """Lint the change from `base` to `head`."""
    checkout = changed(tmp_path, base, head)
    request = LintRequest(checkout, tmp_path / "workspace", environment)
    return await lint_change(sandbox, request)


def told(result: LintedChange | None) -> list[tuple[str, str, int]]:
    """What is new on head, where a linter could look at all."""
    assert result is not None
    assert result.base.problem == result.head.problem == ""
    return [(finding.rule, finding.path, finding.line) for finding in result.new]


def of(result: LintedChange | None, tool: str) -> list[Finding]:
    """What one linter finds new on head."""
    assert result is not None
    return [finding for finding in result.new if finding.tool == tool]
