"""`assay setup` from the first page to stored credentials, against the forge."""

from __future__ import annotations

import html
import json
import os
import re
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.async_api import async_playwright

from bot.demo.forge.rows import AppRow
from bot.demo.forge.state import digest
from bot.github.credentials import load_manifest
from bot.settings import Settings
from tests.bot.commands.running import assay, running_assay
from tests.world import World

pytestmark = pytest.mark.real

PUBLIC = "https://assay.example"
CHROMIUM = "/usr/bin/chromium"


@dataclass(slots=True)
class SetUp:
    """A running `assay setup`: its page's address, and the form that stands there."""

    process: Popen[str]
    address: str
    form: str = field(init=False)
    manifest: str = field(init=False)

    def __post_init__(self) -> None:
        page = httpx.get(self.address, timeout=60).text
        self.form = html.unescape(self._found(r'action="([^"]+)"', page))
        self.manifest = html.unescape(self._found(r'name="manifest" value="([^"]+)"', page))

    def submit(self) -> str:
        """Post the form as the browser does; return where the forge leads back to."""
        reply = httpx.post(self.form, data={"manifest": self.manifest}, timeout=60)
        assert reply.status_code == 302
        return reply.headers["location"]

    def end(self) -> tuple[int, str]:
        """Wait for the command; its exit code and the rest of what it said."""
        said, _ = self.process.communicate(timeout=60)
        return self.process.returncode, said

    @staticmethod
    def _found(pattern: str, text: str) -> str:
        match = re.search(pattern, text)
        assert match, text
        return match[1]


@contextmanager
def running_setup(home: Path, world: World, *options: str) -> Iterator[SetUp]:
    settings = {"GHE_HOST": world.web, "ASSAY_PUBLIC_URL": PUBLIC}
    with running_assay(home, "setup", *options, **settings) as process:
        assert process.stdout
        line = process.stdout.readline()
        match = re.search(r"http://\S+", line)
        assert match, line + process.stdout.read()
        yield SetUp(process, match[0])


def stored(home: Path) -> Settings:
    return Settings(_env_file=home / "app.env")  # type: ignore[call-arg]


def test_the_app_that_app_yml_describes_is_registered(world: World, tmp_path: Path) -> None:
    home = tmp_path / "a home with ' and spaces"
    with running_setup(home, world) as setup:
        back = setup.submit()
        assert "is registered" in httpx.get(back, timeout=60).text
        code, said = setup.end()

    assert code == 0
    settings = stored(home)
    app = world.forge.state.get(AppRow, int(settings.app_id))
    assert app is not None
    assert dict(app.permissions) == load_manifest().default_permissions
    assert app.events == load_manifest().default_events
    assert app.webhook_url == f"{PUBLIC}/webhook"
    assert settings.webhook_secret.get_secret_value() == app.webhook_secret
    assert settings.client_id == app.client_id
    assert digest(settings.client_secret.get_secret_value()) == app.client_secret_digest
    assert app.callback_urls == (f"{PUBLIC}/login/callback",)
    assert settings.ghe_host == world.web
    assert settings.private_key_path is not None
    assert "PRIVATE KEY" in settings.private_key_path.read_text()
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.iterdir()} == {0o600}
    assert f"{world.web}/apps/{app.slug}/installations/new" in said
    assert "PRIVATE" not in said


async def test_a_person_clicks_through_it_in_a_browser(world: World, tmp_path: Path) -> None:
    if not Path(CHROMIUM).is_file():  # noqa: ASYNC240
        pytest.skip("no Chromium is installed: apt-get install chromium")
    home = tmp_path / "home"
    with running_setup(home, world, "--organization", "acme") as setup:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(
                executable_path=CHROMIUM, chromium_sandbox=os.geteuid() != 0
            )
            page = await browser.new_page()
            await page.goto(setup.address)
            await page.get_by_role("button", name="Continue on GitHub").click()
            await page.get_by_role("heading", name="The App is registered").wait_for()
            link = await page.get_by_role("link", name="install it").get_attribute("href")
            await browser.close()
        code, said = setup.end()

    assert code == 0
    assert link
    assert link in said
    app = world.forge.state.get(AppRow, int(stored(home).app_id))
    assert app is not None
    assert app.owner == "acme"


def test_an_answer_with_another_state_is_refused(world: World, tmp_path: Path) -> None:
    with running_setup(tmp_path / "home", world) as setup:
        back = setup.submit()
        state = parse_qs(urlsplit(back).query)["state"][0]
        forged = httpx.get(back.replace(state, "0" * len(state)), timeout=60)
        assert forged.status_code == 400
        assert "does not belong" in forged.text
        assert not (tmp_path / "home" / "app.env").exists()
        assert httpx.get(back, timeout=60).status_code == 200  # the code was not spent
        assert setup.end()[0] == 0


def test_an_expired_code_is_said_and_a_second_try_works(world: World, tmp_path: Path) -> None:
    with running_setup(tmp_path / "home", world) as setup:
        back = setup.submit()
        code = parse_qs(urlsplit(back).query)["code"][0]
        refused = httpx.get(back.replace(code, "expired"), timeout=60)
        assert refused.status_code == 400
        assert "older than an hour" in refused.text
        assert httpx.get(setup.submit(), timeout=60).status_code == 200
        assert setup.end()[0] == 0


def test_a_page_under_another_name_learns_nothing(world: World, tmp_path: Path) -> None:
    with running_setup(tmp_path / "home", world) as setup:
        rebound = httpx.get(setup.address, headers={"Host": "evil.example"}, timeout=60)

    assert rebound.status_code == 400
    assert setup.manifest not in html.unescape(rebound.text)


def test_ctrl_c_ends_it_with_one_clear_line(world: World, tmp_path: Path) -> None:
    with running_setup(tmp_path / "home", world) as setup:
        setup.process.send_signal(signal.SIGINT)
        code, said = setup.end()

    assert code == 2
    assert "no App was registered" in said
    assert "Traceback" not in said
    assert not (tmp_path / "home" / "app.env").exists()


def test_stored_credentials_are_replaced_only_by_force(world: World, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "app.env").write_text("APP_ID='7'\n")
    settings = {"GHE_HOST": world.web, "ASSAY_PUBLIC_URL": PUBLIC}
    refused = assay(home, "setup", **settings)
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (home / "app.env").read_text() == "APP_ID='7'\n"

    with running_setup(home, world, "--force") as setup:
        httpx.get(setup.submit(), timeout=60)
        assert setup.end()[0] == 0
    assert stored(home).app_id != "7"


@pytest.mark.parametrize(
    ("public", "said"),
    (
        ("http://127.0.0.1:8080", "cannot send webhooks"),
        ("assay.example", "must start with http:// or https://"),
    ),
)
def test_an_address_that_github_cannot_reach_is_refused(
    tmp_path: Path, public: str, said: str
) -> None:
    done = assay(tmp_path / "home", "setup", ASSAY_PUBLIC_URL=public)

    assert done.returncode == 2
    assert said in done.stderr
    assert "ASSAY_PUBLIC_URL" in done.stderr


def test_a_taken_port_is_said(world: World, tmp_path: Path) -> None:
    port = str(urlsplit(world.web).port)
    done = assay(tmp_path / "home", "setup", "--port", port, GHE_HOST=world.web)

    assert done.returncode == 2
    assert f"Port {port} is taken" in done.stderr


def test_the_manifest_is_what_github_takes() -> None:
    sent = json.loads(load_manifest().registration(f"{PUBLIC}/", "http://127.0.0.1:1/back"))

    assert sent["hook_attributes"] == {"url": f"{PUBLIC}/webhook", "active": True}
    assert sent["redirect_url"] == "http://127.0.0.1:1/back"
    assert sent["public"] is False


def test_over_ssh_the_tunnel_is_named(world: World, tmp_path: Path) -> None:
    settings = {"GHE_HOST": world.web, "ASSAY_PUBLIC_URL": PUBLIC}
    said = []
    for ssh in ("198.51.100.7 50000 192.0.2.4 22", "198.51.100.7 50000 192.0.2.4 2222"):
        with running_assay(
            tmp_path / "home", "setup", SSH_CONNECTION=ssh, LOGNAME="ada", **settings
        ) as process:
            assert process.stdout
            said.append((process.stdout.readline(), process.stdout.readline()))

    (usual, opened), (other, _) = said
    port = urlsplit(opened.split()[1]).port
    assert usual.rstrip().endswith(f": ssh -N -L {port}:127.0.0.1:{port} ada@192.0.2.4")
    assert "-p 2222 ada@192.0.2.4" in other
