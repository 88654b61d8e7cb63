"""The demo's surroundings as real processes on the loopback: a forge, Assay's web and its worker."""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bot.demo.forge.operator import ForgeOperator, NewRepository, Person, RegisteredApp
from bot.errors import UserError
from bot.values import Conclusion

OWNER, AUTHOR = "mara", "patchwork-agent"
REPOSITORY = f"{OWNER}/tally"
START_TIMEOUT_S = 180
STOP_TIMEOUT_S = 25

_COMPILED = shutil.ignore_patterns("__pycache__")  # by pip, where Assay is installed from a wheel


@dataclass(frozen=True, slots=True)
class OpenedScene:
    """A scene's pull request on the forge."""

    scene: Scene
    number: int
    head_sha: str


@dataclass(frozen=True, slots=True)
class Town:
    """What runs: addresses, the folder with everything in it, and the forge's owner."""

    folder: Path
    forge: str
    public_url: str
    operator: ForgeOperator
    owner: Person
    author: Person
    parts: Mapping[str, subprocess.Popen[bytes]]

    def check(self) -> None:
        """Raise UserError, with the end of its log, when a part of Assay has ended."""
        for name, process in self.parts.items():
            if process.poll() is not None:
                raise _failed(name, "ended early", self.folder)

    def open_scenes(self) -> tuple[OpenedScene, ...]:
        """Open the issues and the four pull requests; their webhooks reach Assay at once."""
        for issue in ISSUES:
            self.operator.issue(self.owner, REPOSITORY, issue.title, issue.body)
        opened = []
        for scene in SCENES:
            number = self.operator.pull_request(
                self.author,
                REPOSITORY,
                title=scene.title,
                body=scene.body,
                head=scene.name,
                base="main",
            )
            path = f"repos/{REPOSITORY}/pulls/{number}"
            reply = self.operator.as_person(self.author, "GET", path)
            opened.append(OpenedScene(scene, number, reply.text("head", "sha")))
        return tuple(opened)

    def page(self, number: int) -> str:
        """Return the address of a pull request's page."""
        return f"{self.forge}/{REPOSITORY}/pull/{number}"


@contextmanager
def running_town(folder: Path) -> Iterator[Town]:
    """Start everything below `folder`; stop it, in the other order, on the way out.

    Raises UserError when a part does not come up, with the end of its log.
    """
    with ExitStack() as stack:
        forge = stack.enter_context(_forge(folder))
        operator = stack.enter_context(ForgeOperator(forge, folder / "forge"))
        owner, author = operator.person(OWNER), operator.person(AUTHOR)
        wanted = NewRepository(REPOSITORY, required_check="Assay", collaborators={AUTHOR: "write"})
        _push_project(operator.repository(wanted), folder / "work")
        port, secret = free_port(), secrets.token_hex(20)
        public_url = f"http://127.0.0.1:{port}"
        app = operator.app("Assay", f"{public_url}/webhook", secret, f"{public_url}/login/callback")
        operator.install(app, OWNER)
        environment = environment_of(folder, forge, app)
        environment |= {
            "WEBHOOK_SECRET": secret,
            "ASSAY_PORT": str(port),
            "ASSAY_PUBLIC_URL": public_url,
        }
        parts = {
            name: stack.enter_context(running_part(name, folder, environment))
            for name in ("web", "worker")
        }
        await_ready(public_url, folder, parts["web"])
        yield Town(folder, forge, public_url, operator, owner, author, parts)


def environment_of(folder: Path, forge: str, app: RegisteredApp) -> dict[str, str]:
    """Name what Assay's parts need to know of a forge and its app; stores the app's key."""
    key = folder / "app.pem"
    key.touch(mode=0o600)
    key.write_text(app.private_key)
    return {
        "APP_ID": str(app.id),
        "PRIVATE_KEY_PATH": str(key),
        "GHE_HOST": forge,
        "GITHUB_CLIENT_ID": app.client_id,
        "GITHUB_CLIENT_SECRET": app.client_secret,
        "ASSAY_HOME": str(folder / "assay"),
        "ASSAY_WORKERS": "2",
        "ASSAY_WEB_WORKERS": "1",
        "ASSAY_WRITE_PAUSE_S": "0",  # this forge counts no requests
    }


@contextmanager
def _forge(folder: Path) -> Iterator[str]:
    argv = [sys.executable, "-m", "bot.demo.forge.app", "--state", str(folder / "forge")]
    log = (folder / "forge.log").open("wb")
    with log, subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=log, text=True) as process:
        try:
            line = process.stdout.readline().strip() if process.stdout else ""
            if not line:
                raise _failed("forge", "did not start", folder)
            yield line
        finally:
            _stop(process)


@contextmanager
def running_part(
    name: str, folder: Path, environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `assay <name>` until the block ends; its log is `<name>.log` in the folder."""
    argv = [sys.executable, "-m", "bot.cli", name]
    log = (folder / f"{name}.log").open("wb")
    with (
        log,
        subprocess.Popen(
            argv, stdout=log, stderr=log, env={**os.environ, **environment}
        ) as process,
    ):
        try:
            yield process
        finally:
            _stop(process)


def _stop(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()


def await_ready(public_url: str, folder: Path, web: subprocess.Popen[bytes]) -> None:
    """Wait until the web process takes webhooks. Raises UserError with the end of its log."""
    deadline_s = time.monotonic() + START_TIMEOUT_S
    while web.poll() is None and time.monotonic() < deadline_s:
        try:
            if httpx.get(f"{public_url}/readyz", timeout=2).is_success:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)
    raise _failed("web", "did not start", folder)


def _failed(name: str, how: str, folder: Path) -> UserError:
    log = (folder / f"{name}.log").read_text(errors="replace")[-2000:]
    return UserError(f"The demo's {name} {how}.", f"Its log ends:\n{log}")


def free_port() -> int:
    """Find a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _push_project(bare: Path, work: Path) -> None:
    """Commit the sample project as main and each scene as a branch, and push all of it."""
    shutil.copytree(PROJECT, work, ignore=_COMPILED)
    _git(work, "init", "--quiet", "--initial-branch=main")
    _commit(work, OWNER, "Start the project")
    for scene in SCENES:
        _git(work, "checkout", "--quiet", "-b", scene.name, "main")
        shutil.copytree(scene.files, work, ignore=_COMPILED, dirs_exist_ok=True)
        _commit(work, AUTHOR, scene.title)
    _git(work, "push", "--quiet", "--all", str(bare))


def _commit(work: Path, author: str, message: str) -> None:
    who = ("-c", f"user.name={author}", "-c", f"user.email={author}@users.invalid")
    _git(work, "add", "--all")
    _git(work, *who, "commit", "--quiet", "--no-verify", "--message", message)


def _git(work: Path, *arguments: str) -> None:
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(work)}
    subprocess.run(["git", "-C", str(work), *arguments], check=True, env=environment)


# --- the sample project's issues and the four pull requests that the demo opens on it -------------


SAMPLE = Path(__file__).parent / "sample"
PROJECT = SAMPLE / "project"


@dataclass(frozen=True, slots=True)
class SampleIssue:
    """An issue of the sample project; they are numbered from 1 in the order given."""

    title: str
    body: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One pull request: `name` is the folder laid over the project and the branch's name."""

    name: str
    title: str
    body: str
    expected: Conclusion
    met: str  # requirements met, of all; a bot that failed would meet none and conclude the same
    lesson: str  # what a person should see, in one line
    found: Conclusion | None = None  # what else it may be where judges find out what no test shows

    @property
    def files(self) -> Path:
        """The changed files, at their paths in the project."""
        return SAMPLE / "scenes" / self.name


ISSUES = (
    SampleIssue(
        "parse_amount should cope with what people type",
        "Customers paste amounts from their bank.\n\n"
        "## Acceptance criteria\n"
        "- [ ] `parse_amount` accepts thousands separators, such as `1,234.50`\n"
        "- [ ] `parse_amount` raises `ValueError` for negative amounts\n",
    ),
    SampleIssue(
        "split should refuse zero people",
        "`split(1000, 0)` ends in a ZeroDivisionError. It should raise a ValueError that says "
        "that at least one person must pay.\n",
    ),
    SampleIssue(
        "discount accepts impossible percentages",
        "`discount` should raise ValueError for a percentage below 0 or above 100.\n",
    ),
)

SCENES = (
    Scene(
        "right_fix",
        "Accept thousands separators and refuse negative amounts",
        "Closes #1.",
        Conclusion.SUCCESS,
        "5 of 5",
        "both requirements are met, each by a test that failed before",
    ),
    Scene(
        "half_done",
        "Accept thousands separators",
        "Closes #1. All done, please merge!",
        Conclusion.ACTION_REQUIRED,
        "4 of 5",
        "one of two requirements has no evidence: could not tell is never pass",
        found=Conclusion.FAILURE,
    ),
    Scene(
        "weakened",
        "Refuse to split between zero people",
        "Fixes #2.",
        Conclusion.FAILURE,
        "1 of 4",
        "the suite is green because a test was weakened; its base version fails on head",
    ),
    Scene(
        "breaks_another",
        "Refuse impossible discounts",
        "Fixes #3.",
        Conclusion.FAILURE,
        "3 of 4",
        "the new tests pass, and a test of another function fails now",
    ),
)
