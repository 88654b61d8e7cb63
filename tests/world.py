"""A forge on loopback with an app, people and repositories; every exchange with it is validated."""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import httpx

from bot.demo.forge.app import HOUR_S, RunningForge
from bot.demo.forge.operator import NewRepository, Person, RegisteredApp
from bot.demo.forge.rows import DeliveryRow
from bot.github.addresses import Addresses
from bot.github.client import GitHubApp
from bot.github.transport import Manners, Pace
from tests.contract.checker import Checker
from tests.contract.graphql import GraphqlDescription
from tests.contract.npm import GRAPHQL, OPENAPI, fetched
from tests.contract.openapi import Description
from tests.forge import Operator, tested_forge

IDENTITY = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
}


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **IDENTITY},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()


@functools.cache
def describe() -> tuple[Description, GraphqlDescription | None] | None:
    """GitHub's descriptions, or None when npm cannot give them."""
    rest, graphql = fetched(OPENAPI), fetched(GRAPHQL)
    if rest is None:
        return None
    return Description(rest), GraphqlDescription(graphql) if graphql else None


@dataclass(slots=True)
class World:
    """One running forge, its owner's door, an app, and people."""

    forge: RunningForge
    operator: Operator
    app: RegisteredApp
    installation: int
    ada: Person  # owns the repositories
    bob: Person  # a stranger
    checker: Checker | None
    folder: Path
    _names: Iterator[int]
    _clients: dict[float, GitHubApp] = field(default_factory=dict)

    @property
    def web(self) -> str:
        return self.forge.web

    def manners(self, timeout_s: float = 30.0, pace_s: float = 0.0) -> Manners:
        return Manners(Addresses.of(self.web), timeout_s, retry_pause_s=0.01, pace=Pace(pace_s))

    def github(self, timeout_s: float = 30.0) -> GitHubApp:
        """The app's client, one for all tests: reading its key takes 0.1 s."""
        if timeout_s not in self._clients:
            self._clients[timeout_s] = self.new_github(timeout_s)
        return self._clients[timeout_s]

    def new_github(self, timeout_s: float = 30.0) -> GitHubApp:
        """A client that knows no token yet."""
        return GitHubApp(self.manners(timeout_s), str(self.app.id), self.app.private_key)

    def get(self, address: str) -> httpx.Response:
        """A page as anybody's browser gets it."""
        return httpx.get(address, timeout=60)

    def post(self, path: str, token: str, body: object) -> httpx.Response:
        """A REST call with a token, whatever comes of it."""
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.post(f"{self.web}/api/{path}", json=body, headers=headers, timeout=60)

    def faults(self) -> list[str]:
        """What was wrong since the last call, by GitHub's descriptions; webhooks included."""
        if self.checker is None:
            return []
        found, self.checker.faults = self.checker.faults, []
        return found

    def submitted_manifest(self) -> str:
        """Posts the App manifest as a browser would; returns the code of the redirect."""
        manifest = {
            "name": "Assay of Ada",
            "url": "https://example.com",
            "redirect_url": "http://127.0.0.1:1/setup/done",
            "hook_attributes": {"url": "http://127.0.0.1:1/webhook"},
            "default_permissions": {"checks": "write", "metadata": "read"},
            "default_events": ["pull_request"],
        }
        form = {"manifest": json.dumps(manifest)}
        reply = httpx.post(f"{self.web}/settings/apps/new?state=s1", data=form, timeout=60)
        query = dict(parse_qsl(urlsplit(reply.headers["location"]).query))
        assert query["state"] == "s1"
        return query["code"]

    def new_place(self, **more: object) -> Place:
        """A repository of ada's with branches `main` and `feature`, and an open pull request."""
        name = f"ada/place{next(self._names)}"
        tree = self.folder / name.replace("/", "-")
        shutil.copytree(self._seed(), tree)
        bare = self.operator.repository(NewRepository(name, **more))  # type: ignore[arg-type]
        git(tree, "push", "--quiet", str(bare), "main", "feature")
        place = Place(self, name, tree, bare)
        place.number = place.open("Greet the world", head="feature")
        return place

    def _seed(self) -> Path:
        """A work tree to copy: starting git a dozen times for each test would take most of the time."""
        tree = self.folder / "seed"
        if not tree.exists():
            tree.mkdir()
            git(tree, "init", "--quiet", "--initial-branch=main")
            for branch, text in (("main", "hello"), ("feature", "hello, world")):
                git(tree, "checkout", "--quiet", "-B", branch)
                (tree / "hello.py").write_text(f"print('{text}')\n")
                git(tree, "add", "--all")
                git(tree, "commit", "--quiet", "-m", "Change")
        return tree


@dataclass(slots=True)
class Place:
    """One repository with a work tree; `number` is its first pull request."""

    world: World
    name: str
    tree: Path
    bare: Path
    number: int = 0

    def commit(self, branch: str, files: dict[str, str]) -> str:
        """Commits on top of the checked out branch and puts it into the bare repository."""
        for path, text in files.items():
            (self.tree / path).write_text(text)
        git(self.tree, "add", "--all")
        git(self.tree, "commit", "--quiet", "--allow-empty", "-m", "Change")
        git(self.tree, "push", "--quiet", str(self.bare), f"HEAD:refs/heads/{branch}")
        self.world.operator.refresh(self.name)
        return git(self.tree, "rev-parse", "HEAD")

    def open(self, title: str, head: str, body: str = "", **more: object) -> int:
        return self.world.operator.pull_request(
            self.world.ada, self.name, title=title, body=body, head=head, base="main", **more
        )

    def head(self) -> str:
        return git(self.tree, "rev-parse", "HEAD")

    def deliveries(self, event: str, action: str = "") -> list[DeliveryRow]:
        """What was sent about this repository, after waiting for the queue."""
        self.world.operator.deliveries()
        return [
            row
            for row in self.world.forge.state.all(DeliveryRow)
            if row.event == event
            and row.action == (action or row.action)
            and json.loads(row.payload).get("repository", {}).get("full_name") == self.name
        ]


@contextmanager
def running_world(
    folder: Path,
    described: tuple[Description, GraphqlDescription | None] | None,
    token_lifetime_s: float = HOUR_S,
) -> Iterator[World]:
    checker = Checker(*described) if described else None
    checked = checker.round if checker else lambda app: app
    forge = tested_forge(folder / "state", token_lifetime_s, checked)
    with forge, Operator(forge.web, folder / "state") as operator:
        ada, bob = operator.person("ada"), operator.person("bob")
        app = operator.app("Assay", "http://127.0.0.1:9/webhook")
        installation = operator.install(app, "ada")
        counter = itertools.count(1)
        yield World(forge, operator, app, installation, ada, bob, checker, folder, counter)
