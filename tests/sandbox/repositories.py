"""Real git repositories, made on the fly, friendly and hostile ones."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "2026-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2026-01-01T00:00:00Z",
}


class Repository:
    """A work tree with history; `commit` writes files (None deletes) and returns the sha."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "-c", "core.fsync=none", *arguments],
            cwd=self.folder,
            env=ENVIRONMENT,
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode(errors="surrogateescape").strip()

    def commit(self, files: Mapping[str, str | bytes | None] = {}, message: str = "change") -> str:
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def commit_tree(self, lines: str, parent: str = "") -> str:
        """Commit a tree that `git add` would never make, from `ls-tree` lines."""
        tree = self.git("mktree", "--missing", stdin=lines.encode())
        parents = ("-p", parent) if parent else ()
        return self.git("commit-tree", tree, *parents, "-m", "odd")

    def blob(self, content: str) -> str:
        return self.git("hash-object", "-w", "--stdin", stdin=content.encode())


@dataclass
class Served:
    """A repository behind `git http-backend`; `asked` are the Authorization headers that came.

    `leaks` are the processes that showed the token in their arguments or variables meanwhile.
    """

    url: str
    asked: list[str] = field(default_factory=list)
    leaks: list[str] = field(default_factory=list)


def _processes_that_show(secret: str) -> list[str]:
    shown = []
    for name in ("cmdline", "environ"):
        for path in Path("/proc").glob(f"[0-9]*/{name}"):
            try:
                content = path.read_bytes()
            except OSError:  # it ended, or is not ours to look at
                continue
            if secret.encode() in content:
                shown.append(f"{path}: {content!r}")
    return shown


@contextmanager
def served(folder: Path, token: str) -> Iterator[Served]:
    """Serve the repositories below `folder` on the loopback to whoever shows the token."""
    state = Served("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(b"")

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", "0"))
            self.answer(self.rfile.read(length))

        def answer(self, body: bytes) -> None:
            given = self.headers.get("Authorization", "")
            state.asked.append(given)
            state.leaks.extend(_processes_that_show(token))
            expected = base64.b64encode(f"x-access-token:{token}".encode()).decode()
            if given != f"Basic {expected}":
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="git"')
                self.end_headers()
                return
            self.run_backend(body)

        def run_backend(self, body: bytes) -> None:
            url = urlsplit(self.path)
            variables = ENVIRONMENT | {
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_USER": "x",
            }
            done = subprocess.run(
                ["git", "-c", "safe.directory=*", "http-backend"],
                env=variables,
                input=body,
                capture_output=True,
                check=False,  # it ends with 1 after it told the client "not our ref"
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            return

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
