"""Repositories, collaborators' permissions, branches, file contents, dispatches."""

from __future__ import annotations

import base64
import hashlib
from pathlib import PurePosixPath
from urllib.parse import quote

from flask import Blueprint, Response, request

from bot.demo.forge import git
from bot.demo.forge.access import Refused, not_found, permissions_of, role_of
from bot.demo.forge.context import answer, context, granted, page_of
from bot.demo.forge.shapes import Json, node_id

routes = Blueprint("repositories", __name__)
ROOT = "/repos/<owner>/<repo>"
# The old `permission` field knows fewer levels than `role_name`.
OLD_LEVEL = {"maintain": "write", "triage": "read"}


@routes.get(ROOT, endpoint="repos/get")
def repository_shown(owner: str, repo: str) -> Response:
    """The repository."""
    at = granted(owner, repo, "metadata:read")
    return answer(context().shapes.full_repository(at.repository))


@routes.get(
    f"{ROOT}/collaborators/<path:username>/permission",
    endpoint="repos/get-collaborator-permission-level",
)
def permission_shown(owner: str, repo: str, username: str) -> Response:
    """What a user may do here."""
    at, forge = granted(owner, repo, "metadata:read"), context()
    user = forge.state.user(username)
    if user is None:
        raise Refused(404, f"{username} is not a user")
    role = role_of(at.repository, user.login)
    level = OLD_LEVEL.get(role, role)
    shape: Json = {
        **forge.shapes.user(user),
        "role_name": role,
        "permissions": permissions_of(role),
    }
    return answer({"permission": level, "role_name": role, "user": shape})


@routes.get(f"{ROOT}/git/ref/heads/<path:branch>", endpoint="git/get-ref")
def branch_shown(owner: str, repo: str, branch: str) -> Response:
    """The commit at a branch's tip."""
    at, forge = granted(owner, repo, "contents:read"), context()
    sha = git.branch_sha(forge.state, at.repository.name, branch)
    if not sha:
        raise not_found()
    url = f"{forge.shapes.rest}/repos/{at.repository.name}/git"
    commit: Json = {"type": "commit", "sha": sha, "url": f"{url}/commits/{sha}"}
    return answer(
        {
            "ref": f"refs/heads/{branch}",
            "node_id": node_id("Ref", int(sha[:8], 16)),
            "url": f"{url}/refs/heads/{quote(branch)}",
            "object": commit,
        }
    )


@routes.get(f"{ROOT}/branches", endpoint="repos/list-branches")
def branches_listed(owner: str, repo: str) -> Response:
    """The branches, with `protected=true` only those that have a rule."""
    at, forge = granted(owner, repo, "contents:read"), context()
    name, wanted = at.repository.name, request.args.get("protected") == "true"
    rest = f"{forge.shapes.rest}/repos/{name}"
    shapes: list[Json] = []
    for branch in git.branches(forge.state, name):
        protected = branch in at.repository.protected
        if protected or not wanted:
            sha = git.branch_sha(forge.state, name, branch)
            commit: Json = {"sha": sha, "url": f"{rest}/commits/{sha}"}
            shapes.append({"name": branch, "commit": commit, "protected": protected})
    return page_of(shapes)


@routes.get(f"{ROOT}/contents/<path:path>", endpoint="repos/get-content")
def contents_shown(owner: str, repo: str, path: str) -> Response:
    """One file at a branch or commit; directories are not answered."""
    at, forge = granted(owner, repo, "contents:read"), context()
    revision = request.args.get("ref") or at.repository.default_branch
    sha = git.resolve(forge.state, at.repository.name, revision)
    content = git.blob(forge.state, at.repository.name, sha, path) if sha else None
    if content is None:
        raise not_found()
    rest, web = (
        f"{root}/{at.repository.name}" for root in (f"{forge.shapes.rest}/repos", forge.shapes.web)
    )
    blob_sha = hashlib.sha1(
        b"blob %d\0" % len(content) + content, usedforsecurity=False
    ).hexdigest()
    links: Json = {
        "self": f"{rest}/contents/{quote(path)}?ref={quote(revision)}",
        "git": f"{rest}/git/blobs/{blob_sha}",
        "html": f"{web}/blob/{quote(revision)}/{quote(path)}",
    }
    return answer(
        {
            "type": "file",
            "encoding": "base64",
            "content": base64.encodebytes(content).decode(),
            "size": len(content),
            "name": PurePosixPath(path).name,
            "path": path,
            "sha": blob_sha,
            "url": links["self"],
            "git_url": links["git"],
            "html_url": links["html"],
            "download_url": f"{web}/raw/{quote(revision)}/{quote(path)}",
            "_links": links,
        }
    )
