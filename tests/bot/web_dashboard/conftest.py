"""The dashboard on a real server, with real records and a validated forge to sign in at."""

from __future__ import annotations

import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from urllib.parse import urljoin

import httpx
import pytest
from werkzeug.serving import make_server

from bot.demo.forge.operator import NewRepository, RegisteredApp
from bot.github.sign_in import SignIn
from bot.queue import EngineClient, EngineOptions
from bot.store import Ended, EvaluationFacts, EvaluationState, Store
from bot.store.artifacts import FileArtifacts
from bot.values import Conclusion, EvaluationRequest, Trigger
from bot.web.api.standing import Streams
from bot.web.app import WebParts, create_app
from bot.web.dashboard.pages import Dashboard, dashboard_pages
from bot.web.dashboard.sign_in import Doors
from bot.web.dashboard.tokens import TokenPages
from bot.web.dashboard.visits import Visits
from bot.web.links import SignedLinks
from bot.web.pages import report_pages
from tests.bot.fixtures import described, place, shared_world, world
from tests.world import World

__all__ = ["described", "place", "shared_world", "site", "world"]
_NAMES = count(1)


@dataclass
class Site:
    """The pages at `address`; ada owns a private repository that only she can read, bob can read another."""

    address: str
    world: World
    app: RegisteredApp
    installation: int
    secret_repository: str
    shared_repository: str
    records: Store
    artifacts: FileArtifacts
    links: SignedLinks
    folder: Path
    visits: Visits

    def browser(self) -> httpx.Client:
        """Somebody's browser that follows nothing by itself."""
        return httpx.Client(base_url=self.address, timeout=60)

    def begun(self, browser: httpx.Client, login: str, following: str = "/") -> str:
        """Sign in at the forge; gives the address that it leads back to."""
        answer = browser.get("/login", params={"next": following})
        assert answer.status_code == 303, answer.text
        asked = httpx.get(f"{answer.headers['location']}&login={login}", timeout=60)
        assert asked.status_code == 302, asked.text
        return str(asked.headers["location"])

    def sign_in(self, browser: httpx.Client, login: str, following: str = "/") -> str:
        """Sign in; gives the address that one is led to."""
        answer = browser.get(self.begun(browser, login, following))
        assert answer.status_code == 303, answer.text
        return urljoin(self.address, answer.headers["location"])

    @contextmanager
    def signed_in(self, login: str) -> Iterator[httpx.Client]:
        """A browser with a session of somebody's."""
        with self.browser() as browser:
            self.sign_in(browser, login)
            yield browser

    def evaluation(self, name: str, repository: str = "", **more: object) -> str:
        """A queued evaluation; gives its id."""
        values = {
            "head_sha": "b" * 40,
            "base_sha": "a" * 40,
            "base_ref": "main",
            "trigger": Trigger.OPENED,
            "number": 9,
            "installation": self.installation,
            "actor": "ada",
            **more,
        }
        request = EvaluationRequest(name, repository or self.secret_repository, **values)  # type: ignore[arg-type]
        self.records.queued(request)
        return name

    def judged(
        self,
        name: str,
        conclusion: Conclusion = Conclusion.SUCCESS,
        facts: EvaluationFacts | None = None,
        **more: object,
    ) -> str:
        """An evaluation with its verdict."""
        title = str(more.pop("title", "All 2 requirements of the task met"))
        self.evaluation(name, str(more.pop("repository", "")), **more)
        how = Ended(EvaluationState.DONE, conclusion, title, facts=facts or EvaluationFacts())
        self.records.ended(name, how)
        return name

    def forget_rights(self) -> None:
        """Let what GitHub said be older than it is believed."""
        with sqlite3.connect(self.folder / "records.db") as database:
            database.execute("update assay_web_sessions set asked_s = asked_s - 400")

    def calls(self, operation: str) -> int:
        """How often the forge was asked so."""
        return self.world.forge._app.extensions["forge-faults"].calls.get(operation, 0)


@pytest.fixture
def site(
    world: World, tmp_path: Path, empty_job_store: Path, empty_records: Path
) -> Iterator[Site]:
    """The pages with sign-in."""
    for store in (empty_job_store, empty_records):
        shutil.copy(store, tmp_path)
    jobs = EngineClient(EngineOptions(f"sqlite:///{tmp_path / 'engine.db'}", tmp_path))
    with Store(f"sqlite:///{tmp_path / 'records.db'}") as records, _served() as server:
        address = f"http://127.0.0.1:{server.server_port}"
        app = world.operator.app(f"Assay {next(_NAMES)}", callback_url=f"{address}/login/callback")
        site = _site(world, app, records, tmp_path, address)
        streams = Streams(8, 20, 2)
        dashboard = Dashboard(records, jobs, site.visits, Doors(site.visits, site.links), streams)
        pages = (
            report_pages(records, site.artifacts, site.links, site.visits),
            dashboard_pages(dashboard, TokenPages(records, site.visits, site.links)),
        )
        server.app = create_app(WebParts("", jobs, records), pages)
        yield site
    jobs.close()


def _site(world: World, app: RegisteredApp, records: Store, folder: Path, address: str) -> Site:
    names = [f"ada/{kind}{next(_NAMES)}" for kind in ("secret", "shared")]
    world.operator.repository(NewRepository(names[0], private=True))
    shared = NewRepository(names[1], private=True, collaborators={"bob": "read"})
    world.operator.repository(shared)
    installation = world.operator.install(app, "ada")
    sign_in = SignIn(world.manners(), app.client_id, app.client_secret)
    return Site(
        address,
        world,
        app,
        installation,
        *names,
        records,
        FileArtifacts((folder / "artifacts").as_uri()),
        SignedLinks(address, lambda: b"k" * 32),
        folder,
        Visits(records, sign_in, is_secure=False),
    )


@contextmanager
def _served() -> Iterator[object]:
    server = make_server("127.0.0.1", 0, lambda *_: [], threaded=True)
    server.RequestHandlerClass.log = lambda *_: None  # type: ignore[method-assign]
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def text_of(page: str) -> str:
    """A page's words, without tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
