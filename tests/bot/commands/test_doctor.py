"""What the doctor sees, on this machine and at the forge."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from werkzeug.serving import make_server

from bot.doctor import Diagnosis, examine
from bot.github.credentials import load_manifest
from bot.queue import EngineClient, engine_options, migrate
from bot.settings import Settings
from bot.store import Store
from bot.values import Delivery
from bot.web.app import WebParts, create_app
from tests.bot.commands.running import assay
from tests.world import World

pytestmark = pytest.mark.real


def registered(world: World, home: Path, **more: object) -> Settings:
    home.mkdir(exist_ok=True)
    key = home / "app.pem"
    key.touch(mode=0o600)
    key.write_text(world.app.private_key)
    values: dict[str, object] = {
        "home": home,
        "app_id": str(world.app.id),
        "private_key_path": key,
        "webhook_secret": "s",
        "ghe_host": world.web,
        "disk_gb": 1,
    }
    return Settings(**{**values, **more})  # type: ignore[arg-type]


async def seen(settings: Settings) -> dict[str, Diagnosis]:
    return {diagnosis.subject: diagnosis for diagnosis in await examine(settings)}


@contextmanager
def web_process(home: Path) -> Iterator[str]:
    """Serve the real web application of `home`; yields its address."""
    with Store(f"sqlite:///{home / 'records.db'}") as records:
        options = engine_options(Settings(home=home))
        migrate(options)
        records.migrate()
        with closing(EngineClient(options)) as jobs:
            server = make_server("127.0.0.1", 0, create_app(WebParts("s", jobs, records)))
            serving = threading.Thread(target=server.serve_forever)
            serving.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}"
            finally:
                server.shutdown()
                serving.join()
                server.server_close()


async def test_all_is_well_with_a_registered_app(world: World, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with web_process(home) as address:
        settings = registered(world, home, public_url=address)
        silent = await seen(settings)
        with closing(EngineClient(engine_options(settings))) as jobs:
            jobs.submit_delivery(Delivery("d-1", "pull_request", "opened", "{}"))
        found = await seen(settings)

    assert not [one for one in found.values() if not one.is_well]
    assert {"git", "bwrap", "sandbox", "linters", "chromium", "database", "GitHub App"} <= set(
        found
    )
    assert "Assay" in found["GitHub App"].seen
    assert found["public address"].seen == f"{address}/healthz answers"
    assert re.search(r"python 3\.\d+.*node \d+", found["toolchains"].seen)
    assert silent["webhooks"].seen == "none has come yet"
    assert f"{datetime.now(UTC):%Y-%m-%d}" in found["webhooks"].seen


async def test_a_public_address_that_does_not_lead_here(world: World, tmp_path: Path) -> None:
    foreign = await seen(registered(world, tmp_path / "home", public_url=world.web))
    closed = await seen(registered(world, tmp_path / "home", public_url="http://127.0.0.1:1"))

    assert "not as Assay does" in foreign["public address"].seen
    assert "ASSAY_PUBLIC_URL" in foreign["public address"].remedy
    assert "does not answer" in closed["public address"].seen
    assert not closed["public address"].is_fatal


async def test_missing_permissions_and_events_are_named(world: World, tmp_path: Path) -> None:
    events = [event for event in load_manifest().default_events if event != "merge_group"]
    reply = world.operator.control(
        "POST",
        "apps",
        name="Poor",
        permissions={"checks": "read", "metadata": "read", "contents": "read"},
        events=events,
    )
    settings = registered(
        world,
        tmp_path / "home",
        app_id=str(reply.integer("id")),
        private_key_path=None,
        private_key=reply.text("private_key"),
    )
    found = await seen(settings)

    assert found["App's permissions"].is_fatal
    assert "checks: write" in found["App's permissions"].seen
    assert "issues: write" in found["App's permissions"].seen
    assert "contents" not in found["App's permissions"].seen
    assert found["App's events"].seen == "missing: merge_group"


async def test_docker_needs_no_bubblewrap(world: World, tmp_path: Path) -> None:
    settings = registered(world, tmp_path / "home", sandbox="docker", github_timeout_s=30)
    found = await seen(settings)
    assert not {"bwrap", "slirp4netns", "user namespaces"} & set(found)
    assert "sandbox" in found


async def test_a_hanging_github_is_one_clear_line_in_time(world: World, tmp_path: Path) -> None:
    world.operator.fault("apps/get-authenticated", "hang", seconds=8)
    found = await seen(registered(world, tmp_path / "home", github_timeout_s=2))

    assert not found["GitHub App"].is_well
    assert not found["GitHub App"].is_fatal
    assert "GHE_HOST" in found["GitHub App"].remedy


async def test_what_is_wrong_comes_with_what_mends_it(world: World, tmp_path: Path) -> None:
    settings = registered(
        world, tmp_path / "home", webhook_secret="", disk_gb=10**9, chromium="/nowhere/chromium",
        database_url="postgresql://nobody@127.0.0.1:1/none",
    )  # fmt: skip
    key = settings.private_key_path
    assert key
    key.chmod(0o644)
    found = await seen(settings)

    assert found["private key"].remedy == f"chmod 600 {key}"
    assert "WEBHOOK_SECRET" in found["webhook secret"].remedy
    assert "ASSAY_DISK_GB" in found["disk"].remedy
    assert "apt-get install chromium" in found["chromium"].remedy
    assert "ASSAY_DATABASE_URL" in found["database"].remedy
    assert [one.subject for one in found.values() if one.is_fatal] == ["database", "webhook secret"]


async def test_a_key_that_is_not_there_is_said(world: World, tmp_path: Path) -> None:
    found = await seen(registered(world, tmp_path / "home", private_key_path=Path("/nowhere/key")))

    assert found["GitHub App"].is_fatal
    assert "/nowhere/key" in found["GitHub App"].seen


def test_the_command_ends_with_two_only_for_what_is_required(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fresh = assay(home, "doctor", ASSAY_CHROMIUM="/nowhere")
    broken = assay(home, "doctor", ASSAY_SANDBOX="none-such")

    assert fresh.returncode == 0, fresh.stdout
    assert "assay setup" in fresh.stdout
    assert broken.returncode == 2
    assert "MISSING  sandbox" in broken.stdout
    assert not broken.stderr
