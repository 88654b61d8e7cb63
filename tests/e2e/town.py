"""A forge whose every exchange is validated, and Assay's web and worker as real processes beside it."""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import httpx
from flask import Flask, Response, request

from bot.demo.forge.app import RunningForge
from bot.demo.forge.operator import NewRepository, Person
from bot.demo.forge.rows import CheckRow, DeliveryRow
from bot.demo.town import await_ready, environment_of, free_port, running_part
from bot.text.json_reading import Payload
from tests.contract.checker import Checker
from tests.e2e.project import PROJECT
from tests.forge import Operator, tested_forge
from tests.world import describe, git

T = TypeVar("T")
METRICS_TOKEN = "what-prometheus-brings"
PATIENCE_S = 600.0
"""When a test that waits in vain fails: a busy machine is slow, not wrong."""
MARKER = "<!-- assay:"
BOT = "assay[bot]"


def eventually(look: Callable[[], T | None], what: str, timeout_s: float = PATIENCE_S) -> T:
    """Looks until there is something to see; fails with `what` was waited for."""
    end_s = time.monotonic() + timeout_s
    while time.monotonic() < end_s:
        if seen := look():
            return seen
        time.sleep(0.1)
    raise AssertionError(f"waited {timeout_s:g} s in vain for {what}")


@dataclass(slots=True)
class Town:
    """Where everything is; `mara` owns the repositories, `ben` may write, `zoe` is a stranger."""

    folder: Path
    forge: RunningForge
    operator: Operator
    public_url: str
    environment: Mapping[str, str]
    mara: Person
    ben: Person
    zoe: Person
    checker: Checker | None
    shown: Mapping[str, list[str]]  # by sha, all that check runs said in turn: "status: title"
    _names: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def place(self, files: Mapping[str, str] | None = None, **more: object) -> Place:
        """A repository of mara's with the sample project and `files` on main."""
        name = f"mara/place{next(self._names)}"
        wishes = {"collaborators": {"ben": "write"}, **more}
        new = NewRepository(name, **wishes)  # type: ignore[arg-type]
        bare = self.operator.repository(new)
        tree = self.folder / "trees" / name.rpartition("/")[2]
        tree.mkdir(parents=True)
        git(tree, "init", "--quiet", "--initial-branch=main")
        place = Place(self, name, tree, bare)
        place.push("main", {**PROJECT, **(files or {})}, new=False)
        return place

    def metrics(self) -> str:
        """What Prometheus gets of the web process."""
        headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
        return httpx.get(f"{self.public_url}/metrics", headers=headers, timeout=60).text

    def settle(self) -> None:
        """Waits until every webhook was sent and no worker has anything left to do."""
        self.operator.deliveries()

        def idle() -> bool:
            metrics = self.metrics()
            waiting = [line for line in metrics.splitlines() if line.startswith("assay_jobs{")]
            return bool(waiting) and all(line.endswith(" 0.0") for line in waiting)

        eventually(idle, "empty queues")


@dataclass(slots=True)
class Place:
    """One repository and the work tree it is pushed from."""

    town: Town
    name: str
    tree: Path
    bare: Path

    def push(
        self, branch: str, files: Mapping[str, str | bytes | None], *, new: bool = True
    ) -> str:
        """Commits `files` (None removes one) on a branch, from main when it is new; gives the sha."""
        if new:
            git(self.tree, "checkout", "--quiet", "-B", branch, "main")
        for path, content in files.items():
            file = self.tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                file.unlink()
            else:
                file.write_bytes(content.encode() if isinstance(content, str) else content)
        git(self.tree, "add", "--all")
        git(self.tree, "commit", "--quiet", "--allow-empty", "-m", "Change")
        git(self.tree, "push", "--quiet", "--force", str(self.bare), f"HEAD:refs/heads/{branch}")
        self.town.operator.refresh(self.name)
        return git(self.tree, "rev-parse", "HEAD")

    def open(self, head: str, title: str, body: str = "", **more: object) -> int:
        """Opens a pull request as ben."""
        return self.town.operator.pull_request(
            self.town.ben,
            self.name,
            title=title,
            body=body,
            **{"head": head, "base": "main", **more},
        )

    def issue(self, title: str, body: str = "") -> int:
        return self.town.operator.issue(self.town.mara, self.name, title, body)

    def rest(self, method: str, path: str, by: Person | None = None, **wishes: object) -> Payload:
        """A REST call below this repository, by mara unless somebody else is named."""
        path = f"repos/{self.name}/{path}"
        return self.town.operator.as_person(by or self.town.mara, method, path, **wishes)

    def runs(self, sha: str) -> list[CheckRow]:
        """Assay's check runs of a commit, oldest first."""
        rows = self.town.forge.state.all(CheckRow)
        mine = [row for row in rows if row.repository == self.name and row.head_sha == sha]
        return sorted(mine, key=lambda row: row.id)

    def completed(self, sha: str, count: int = 1, timeout_s: float = PATIENCE_S) -> CheckRow:
        """Waits until `count` check runs of a commit are there, all completed; gives the newest."""

        def look() -> CheckRow | None:
            runs = self.runs(sha)
            done = len(runs) >= count and all(run.status == "completed" for run in runs)
            return runs[-1] if done else None

        return eventually(look, f"{count} completed check runs on {sha[:8]}", timeout_s)

    def comments(self, number: int) -> list[Payload]:
        """The comments by Assay, oldest first."""
        everything = self.rest("GET", f"issues/{number}/comments").items()
        return [one for one in everything if one.text("user", "login") == BOT]

    def verdict(self, number: int) -> str:
        """Waits for the one marked comment on a pull request or issue; gives its text."""
        (text,) = eventually(lambda: self.verdicts(number), f"the comment on #{number}")
        return text

    def verdicts(self, number: int) -> list[str]:
        """The texts of the marked comments on a pull request or issue."""
        texts = [one.text("body") for one in self.comments(number)]
        return [text for text in texts if text.startswith(MARKER)]

    def reactions(self, comment: int) -> list[str]:
        path = f"issues/comments/{comment}/reactions"
        return [one.text("content") for one in self.rest("GET", path).items()]

    def command(self, number: int, text: str, by: Person | None = None) -> int:
        return self.town.operator.comment(by or self.town.ben, self.name, number, text)

    def click(self, run: CheckRow, by: Person, identifier: str = "") -> None:
        path = f"check-runs/{run.id}/click"
        self.town.operator.control("POST", path, sender=by.login, identifier=identifier)

    def deliveries(self, event: str, action: str = "") -> list[DeliveryRow]:
        """What was sent about this repository, after waiting for the queue."""
        self.town.operator.deliveries()
        return [
            row
            for row in self.town.forge.state.all(DeliveryRow)
            if row.event == event
            and row.action == (action or row.action)
            and f'"{self.name}"' in row.payload
        ]


def report(run: CheckRow) -> Payload:
    """The machine's report behind a check run's details link."""
    page = httpx.get(run.details_url.replace("?", ".json?", 1), timeout=60)
    assert page.status_code == 200, page.text
    return Payload.parse(page.content)


def verdicts_of(run: CheckRow) -> dict[str, str]:
    """Requirement id → verdict, from the report behind a check run."""
    rows = report(run).items("requirements")
    return {row.text("id"): row.text("verdict") for row in rows}


def deliver(town: Town, event: str, payload: Mapping[str, object]) -> int:
    """Sends a signed webhook of one's own making; gives the answer's status."""
    body, secret = json.dumps(payload).encode(), town.environment["WEBHOOK_SECRET"]
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Delivery": secrets.token_hex(16),
        "X-GitHub-Event": event,
        "X-Hub-Signature-256": "sha256="
        + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest(),
    }
    return httpx.post(
        f"{town.public_url}/webhook", content=body, headers=headers, timeout=300
    ).status_code


def token_for(town: Town, repository: str, *options: str) -> str:
    """A token of the API, made as an operator does."""
    argv = [sys.executable, "-m", "bot.cli", "token", "create", "--repository", repository]
    done = subprocess.run(
        [*argv, *options],
        env={**os.environ, **town.environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout.strip()


@contextmanager
def running_forge(folder: Path) -> Iterator[Town]:
    """A forge with an app and people, and no Assay yet: `environment` is what its parts need."""
    described = describe()
    checker = Checker(*described) if described else None
    shown: dict[str, list[str]] = {}

    def watched(app: Flask) -> Callable[..., Iterable[bytes]]:
        @app.after_request
        def note(response: Response) -> Response:
            if response.is_json and "/check-runs" in request.path and request.method != "GET":
                run = Payload(response.get_json())
                said = f"{run.text('status')}: {run.text('output', 'title')}"
                shown.setdefault(run.text("head_sha"), []).append(said)
            return response

        return checker.round(app) if checker else app

    forge = tested_forge(folder / "forge", wrap=watched)
    with forge, Operator(forge.web, folder / "forge") as operator:
        port, secret = free_port(), secrets.token_hex(20)
        public_url = f"http://127.0.0.1:{port}"
        mara, ben, zoe = (operator.person(name) for name in ("mara", "ben", "zoe"))
        callback = f"{public_url}/login/callback"
        app = operator.app("Assay", f"{public_url}/webhook", secret, callback)
        operator.install(app, "mara")
        environment = {
            **environment_of(folder, forge.web, app),
            "ASSAY_METRICS_TOKEN": METRICS_TOKEN,
            "WEBHOOK_SECRET": secret,
            "ASSAY_PORT": str(port),
            "ASSAY_PUBLIC_URL": public_url,
        }
        yield Town(folder, forge, operator, public_url, environment, mara, ben, zoe, checker, shown)
        if checker:
            assert checker.faults == [], "GitHub would not have said or taken this"


@contextmanager
def running_town(folder: Path, **settings: str) -> Iterator[Town]:
    """A whole town; `settings` are further environment variables of web and worker.

    No PDF is printed unless they say so: it costs as much as a small judgement.
    """
    with running_forge(folder) as town, ExitStack() as stack:
        environment = {**town.environment, "ASSAY_PDF": "false", **settings}
        web = stack.enter_context(running_part("web", folder, environment))
        stack.enter_context(running_part("worker", folder, environment))
        await_ready(town.public_url, folder, web)
        yield town
