"""Git over HTTP by `git http-backend`, with the refusals of GitHub.

https://git-scm.com/docs/git-http-backend
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from typing import IO

from flask import Blueprint, Response, request

from bot.demo.forge.access import LEVELS, Principal, Refused, may_see, principal_of, role_of
from bot.demo.forge.context import context
from bot.demo.forge.git import git_environment
from bot.demo.forge.rows import RepositoryRow

routes = Blueprint("git", __name__)
SERVICES = frozenset({"git-upload-pack", "git-receive-pack"})
CHUNK_BYTES = 64 * 1024
BACKEND_TIMEOUT_S = 120


@routes.route("/<owner>/<repo>.git/<path:rest>", methods=["GET", "POST"], endpoint="git")
def git_served(owner: str, repo: str, rest: str) -> Response:
    """Fetch and push; a private repository without the right token answers 401."""
    repository = context().state.repository(f"{owner}/{repo}")
    service = request.args.get("service") or rest.rpartition("/")[2]
    if service not in SERVICES:
        return Response("dumb HTTP is not served\n", 403, content_type="text/plain")
    refused = _refusal(repository, service)
    if refused or repository is None:
        return refused or _unauthorised()
    return _backend(repository, rest)


def _refusal(repository: RepositoryRow | None, service: str) -> Response | None:
    try:
        principal = _asker()
    except Refused:
        return _unauthorised()
    if repository is None or not may_see(principal, repository):
        # GitHub does not say whether it exists; to git a stranger gets 401 so that it asks for a login.
        return _unauthorised() if principal.token is None else Response("Not Found\n", 404)
    writes = service == "git-receive-pack"
    if writes and principal.token is None:
        return _unauthorised()
    level = "write" if writes else "read"
    if principal.app and principal.token:
        held = dict(principal.token.permissions).get("contents", "none")
    else:
        held = role_of(repository, principal.login)
    is_for_all = not writes and not repository.private
    if not is_for_all and LEVELS[held] < LEVELS[level]:
        return Response("Write access to repository not granted.\n", 403)
    return None


def _asker() -> Principal:
    if not request.headers.get("Authorization"):
        return Principal()
    given = request.authorization
    if given is None or given.type != "basic":
        raise Refused(401, "Bad credentials")
    # The user name does not matter with a token as password; tools write x-access-token.
    return principal_of(context().state, f"Bearer {given.password}")


def _unauthorised() -> Response:
    challenge = {"WWW-Authenticate": 'Basic realm="GitHub"'}
    return Response("Repository not found.\n", 401, challenge, content_type="text/plain")


def _backend(repository: RepositoryRow, rest: str) -> Response:
    with tempfile.TemporaryFile() as received:
        shutil.copyfileobj(request.stream, received)
        length = received.tell()
        received.seek(0)
        replied = tempfile.TemporaryFile()  # noqa: SIM115  # closed by the reply's iterator
        folder = context().state.git_dir(repository.name)
        subprocess.run(
            ["git", "http-backend"],
            env={
                **git_environment(),
                "GIT_PROJECT_ROOT": str(folder.parent.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": f"/{folder.parent.name}/{folder.name}/{rest}",
                "REQUEST_METHOD": request.method,
                "QUERY_STRING": request.query_string.decode(),
                "CONTENT_TYPE": request.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(length),
                "HTTP_CONTENT_ENCODING": request.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": request.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": "127.0.0.1",
            },
            stdin=received,
            stdout=replied,
            stderr=subprocess.DEVNULL,
            timeout=BACKEND_TIMEOUT_S,
            check=False,
        )
    replied.seek(0)
    status, headers = 200, []
    while line := replied.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers.append((name, value.strip()))
    if not headers:
        replied.close()
        return Response("git http-backend failed\n", 500)
    return Response(_chunks(replied), status, headers)


def _chunks(replied: IO[bytes]) -> Iterator[bytes]:
    with replied:
        while chunk := replied.read(CHUNK_BYTES):
            yield chunk
