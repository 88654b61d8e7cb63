"""Plain pages for people: a repository's pull requests, one of them with its checks, commits and files,
and the App form.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import nh3
from flask import Blueprint, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape
from markdown_it import MarkdownIt
from markupsafe import Markup

from bot.demo.forge import git
from bot.demo.forge.access import not_found
from bot.demo.forge.api_checks import checks_of
from bot.demo.forge.context import context
from bot.demo.forge.rows import CheckRow, RepositoryRow
from bot.demo.forge.shapes import iso

routes = Blueprint("_pages", __name__)
MOST_SHOWN = 400_000  # characters of a file or diff
PASSING = frozenset({"success", "neutral", "skipped"})
# Nothing on these pages runs or loads anything: what they show was written by strangers.
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
}


_source = Path(__file__).parents[3] / "templates"
_templates = _source if _source.is_dir() else Path(__file__).parents[2] / "_templates"
_markdown = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable(
    ["table", "strikethrough"]
)
_pages = Environment(
    loader=FileSystemLoader(_templates / "forge"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def rendered(text: str) -> Markup:
    """Markdown as sanitised HTML."""
    html = nh3.clean(_markdown.render(text), link_rel="nofollow noopener noreferrer")
    return Markup(html)  # noqa: S704  # nh3 cleaned it


_pages.filters["markdown"] = rendered
_pages.filters["iso"] = iso


@dataclass(frozen=True, slots=True)
class MergeBox:
    """What stands above the merge button."""

    blocked: bool
    reason: str


@routes.get("/<owner>/<repo>/")
def repository_page(owner: str, repo: str) -> Response:
    """The repository's pull requests and issues."""
    row = _public(owner, repo)
    issues = context().state.issues(row.name)
    return page("repository.html", repository=row, issues=issues[::-1])


@routes.get("/<owner>/<repo>/pull/<int:number>")
@routes.get("/<owner>/<repo>/issues/<int:number>")
def issue_page(owner: str, repo: str, number: int) -> Response:
    """A pull request or issue with its conversation and checks."""
    repository, state = _public(owner, repo), context().state
    issue = state.issue(repository.name, number)
    if issue is None:
        raise not_found()
    checks = checks_of(repository, issue.pull.head_sha) if issue.pull else []
    checks = list({(one.app_id, one.name): one for one in reversed(checks)}.values())  # the latest
    return page(
        "issue.html",
        repository=repository,
        issue=issue,
        comments=state.comments(repository.name, number),
        checks=checks,
        box=merge_box(repository, checks),
    )


@routes.get("/<owner>/<repo>/runs/<int:check_run>")
def check_run_page(owner: str, repo: str, check_run: int) -> Response:
    """One check run with its text and annotations."""
    repository = _public(owner, repo)
    row = context().state.get(CheckRow, check_run)
    if row is None or row.repository != repository.name:
        raise not_found()
    return page("check_run.html", repository=repository, check=row)


@routes.get("/<owner>/<repo>/commit/<sha>")
def commit_page(owner: str, repo: str, sha: str) -> Response:
    """One commit with its message and diff."""
    repository, state = _public(owner, repo), context().state
    found = git.commit(state, repository.name, sha)
    if found is None:
        raise not_found()
    shown = found.diff[:MOST_SHOWN]
    return page(
        "commit.html",
        repository=repository,
        commit=found,
        lines=shown.splitlines(),
        is_cut=len(found.diff) > len(shown),
    )


@routes.get("/<owner>/<repo>/blob/<sha>/<path:path>")
def file_page(owner: str, repo: str, sha: str, path: str) -> Response:
    """One file at a commit, with an anchor for every line."""
    repository, state = _public(owner, repo), context().state
    content = git.blob(state, repository.name, sha, path) if git.SHA.fullmatch(sha) else None
    if content is None:
        raise not_found()
    shown = content[:MOST_SHOWN]
    return page(
        "file.html",
        repository=repository,
        sha=sha,
        path=path,
        lines=[] if b"\0" in shown else shown.decode(errors="replace").splitlines(),
        is_binary=b"\0" in shown,
        is_cut=len(content) > len(shown),
    )


def merge_box(repository: RepositoryRow, checks: list[CheckRow]) -> MergeBox:
    """Whether the required check lets the pull request through."""
    required = repository.required_check
    if not required:
        return MergeBox(False, "No check is required.")
    for check in checks:
        if check.name == required:
            if check.conclusion in PASSING:
                return MergeBox(False, f"The required check {required} passed.")
            if check.status != "completed":
                return MergeBox(True, f"The required check {required} is {check.status}.")
            return MergeBox(True, f"The required check {required} says {check.conclusion}.")
    return MergeBox(True, f"The required check {required} has not reported yet.")


def _public(owner: str, repo: str) -> RepositoryRow:
    row = context().state.repository(f"{owner}/{repo}")
    # Pages know no login, so they show what anybody may see.
    if row is None or row.private:
        raise not_found()
    return row


def page(template: str, **values: object) -> Response:
    """One of the forge's own templates."""
    return Response(
        _pages.get_template(template).render(values), headers=SECURITY, mimetype="text/html"
    )
