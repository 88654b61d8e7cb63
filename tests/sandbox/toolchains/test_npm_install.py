"""What is installed where a registry has not all that is asked of it: one on the loopback."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sandbox.toolchains import inside

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
]
RELEASES = {"1.0.0": "2016-01-01", "1.1.0": "2020-01-01"}
PROGRAM = Path(inside.__path__[0], "npm_install.py")


def _packed(name: str, version: str) -> bytes:
    packed = io.BytesIO()
    manifest = json.dumps({"name": name, "version": version}).encode()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        entry = tarfile.TarInfo("package/package.json")
        entry.size = len(manifest)
        archive.addfile(entry, io.BytesIO(manifest))
    return packed.getvalue()


NAMES = ("old-tool", "old-plugin", "git-tool", "gone-tool")
GONE = ("gone-tool", "gone-tool-1.0.0", "gone-tool-1.1.0")
PACKED = {f"{name}-{one}": _packed(name, one) for name in NAMES for one in RELEASES}


class _Registry(BaseHTTPRequestHandler):
    """Serves a tool and its plug-in with two releases each, as npm's registry does."""

    def do_GET(self) -> None:
        asked = self.path.removeprefix("/").rpartition("/-/")[2].removesuffix(".tgz")
        is_gone = asked in GONE and not self.server.__dict__.get("has_all")
        if is_gone or (asked not in PACKED and asked not in NAMES):
            self.send_error(404)
            return
        body = PACKED[asked] if asked in PACKED else self._document(asked)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def _document(self, name: str) -> bytes:
        place = f"http://{self.headers['Host']}/{name}/-/{name}-"
        needs = {
            "old-plugin": {"peerDependencies": {"old-tool": "^1.0.0"}},
            "git-tool": {"dependencies": {"part": "git+https://git.invalid/nobody/part.git"}},
        }
        versions = {
            version: {
                "name": name,
                "version": version,
                **needs.get(name, {}),
                "dist": {
                    "tarball": f"{place}{version}.tgz",
                    "shasum": hashlib.sha1(
                        PACKED[f"{name}-{version}"], usedforsecurity=False
                    ).hexdigest(),
                },
            }
            for version in RELEASES
        }
        times = {version: f"{day}T00:00:00.000Z" for version, day in RELEASES.items()}
        tags = {"latest": "1.1.0"}
        told = {"name": name, "dist-tags": tags, "versions": versions, "time": times}
        return json.dumps(told).encode()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def serving() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        server.__dict__["has_all"] = False
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def registry(serving: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{serving.server_port}/"


@pytest.mark.parametrize(
    ("before", "version"),
    [
        ((), "1.1.0"),
        (("--before=2017-05-06",), "1.0.0"),
        (("--before=2021-05-06",), "1.1.0"),
        (("--before=2015-05-06",), "1.1.0"),  # nothing is known of that time
    ],
)
def test_a_release_is_chosen_by_its_date(
    before: tuple[str, ...], version: str, registry: str, tmp_path: Path
) -> None:
    assert _installed({"old-tool": "^1.0.0"}, before, registry, tmp_path) == version


def test_a_release_that_the_project_pins_is_installed_whatever_its_date(
    registry: str, tmp_path: Path
) -> None:
    """A registry that copies another dates releases by the day of the copy: npm finds no peer then."""
    pinned = {"old-tool": "1.1.0", "old-plugin": "^1.0.0"}
    assert _installed(pinned, ("--before=2017-05-06",), registry, tmp_path) == "1.1.0"


def test_an_installation_that_fails_twice_is_told_by_its_last_errors(
    registry: str, tmp_path: Path
) -> None:
    """The errors of the dated one, which was given up, would send people after the wrong package."""
    (tmp_path / "test.js").write_text("require('old-plugin')")
    wanted = {"old-tool": "^1.1.0", "old-plugin": "^9.0.0"}
    done = _install(wanted, ("--before=2017-05-06",), registry, tmp_path)
    assert done.returncode
    assert "old-plugin@^9.0.0" in done.stderr
    assert "with a date before" not in done.stderr
    assert done.stderr.count("code ETARGET") == 1


def test_an_error_that_no_date_is_to_blame_for_is_told(registry: str, tmp_path: Path) -> None:
    done = _install({"not a name": "1"}, ("--before=2017-05-06",), registry, tmp_path)
    assert "EINVALIDPACKAGENAME" in done.stderr


ABSENT = {"old-plugin": "next", "@gone/tool": "^1.0.0"}


def test_a_tool_that_the_registry_lacks_is_left_out_and_told(registry: str, tmp_path: Path) -> None:
    before = ("--before=2017-05-06",)
    assert _installed({"old-tool": "^1.0.0", **ABSENT}, before, registry, tmp_path) == "1.0.0"
    told = json.loads((tmp_path / "unfetched.json").read_text())
    assert sorted(told) == [["package", name, "", True] for name in sorted(ABSENT)]


@pytest.mark.parametrize("wanted", [{"old-plugin": "next"}, {"mocha": "^1.0.0"}])
def test_a_package_that_the_tests_need_is_not_left_out(
    wanted: dict[str, str], registry: str, tmp_path: Path
) -> None:
    (tmp_path / "test.js").write_text("import plugin from 'old-plugin'")
    done = _install(wanted, (), registry, tmp_path)
    assert done.returncode
    assert not (tmp_path / "unfetched.json").exists()


MANAGERS = {  # how each installs as its lock has it, and how without a lock
    "npm": (("npm", "ci"), ("npm", "install")),
    "pnpm@9": (("install", "--frozen-lockfile"), ("install", "--no-frozen-lockfile")),
    "pnpm@10": (("install", "--frozen-lockfile"), ("install", "--no-frozen-lockfile")),
    "yarn@1": (
        ("install", "--frozen-lockfile", "--non-interactive"),
        ("install", "--non-interactive"),
    ),
    "@yarnpkg/cli-dist@4": (("install", "--immutable"), ("install", "--no-immutable")),
}
ONE = {
    "name": "one",
    "version": "1.0.0",
    "dependencies": {"old-tool": "^1.0.0"},
    "devDependencies": {"gone-tool": "^1.0.0"},
}


@pytest.mark.parametrize("is_locked", [True, False])
@pytest.mark.parametrize("manager", MANAGERS)
def test_a_tool_of_a_workspace_that_the_registry_lost_is_left_out(
    manager: str, is_locked: bool, serving: ThreadingHTTPServer, registry: str, tmp_path: Path
) -> None:
    program, project = _program(manager, tmp_path), tmp_path / "project"
    (project / "one").mkdir(parents=True)
    top = {"name": "x", "private": True, "workspaces": ["one"]}
    (project / "package.json").write_text(json.dumps(top))
    listed = "packages: [one]\nminimumReleaseAgeExclude: [gone-tool]\n"
    (project / "pnpm-workspace.yaml").write_text(listed)
    (project / "one/package.json").write_text(json.dumps(ONE))
    (project / "one/one.spec.js").write_text('describe("parse gone-tool", () => {})')
    (project / "one/update-benchmark.js").write_text("require('gone-tool')")
    frozen, loose = MANAGERS[manager]
    wanted = (*program, *(frozen if is_locked else loose))

    def run(*argv: str) -> subprocess.CompletedProcess[str]:
        settings = {**os.environ, **_settings(registry, tmp_path)}
        return subprocess.run(
            argv, cwd=project, env=settings, capture_output=True, text=True, check=False
        )

    if is_locked:
        serving.__dict__["has_all"] = True
        done = run(*program, *loose)
        serving.__dict__["has_all"] = False
        assert done.returncode == 0, done.stdout + done.stderr
        for kept in (*project.rglob("node_modules"), tmp_path / "cache"):
            shutil.rmtree(kept, ignore_errors=True)
    told = (sys.executable, "-I", str(PROGRAM), str(tmp_path / "unfetched.json"), "mocha,jest")
    done = run(*told, *wanted)
    assert done.returncode == 0, done.stdout + done.stderr
    left_out = json.loads((tmp_path / "unfetched.json").read_text())
    assert left_out == [["package", "gone-tool", "", True]]
    (installed,) = {path.resolve() for path in project.rglob("old-tool/package.json")}
    assert json.loads(installed.read_text())["version"] == "1.1.0"

    (project / "one/package.json").write_text(json.dumps(ONE))
    (project / "one/tool.js").write_text("require('gone-tool')")  # now a file names it
    assert run(*told, *wanted).returncode


def _program(manager: str, folder: Path) -> tuple[str, ...]:
    """Install a package manager from npm's registry."""
    if manager == "npm":
        return ()
    argv = ("npm", "install", "--ignore-scripts", "--prefix", folder / "program", manager)
    subprocess.run(argv, check=True, capture_output=True)
    name = "yarn" if "yarn" in manager else "pnpm"
    return (str(folder / "program/node_modules/.bin" / name),)


def _settings(registry: str, folder: Path) -> dict[str, str]:
    return {
        "npm_config_registry": registry,
        "npm_config_update_notifier": "false",
        "npm_config_cache": f"{folder}/cache/npm",
        "npm_config_store_dir": f"{folder}/cache/pnpm",
        "npm_config_userconfig": f"{folder}/npmrc",
        "YARN_REGISTRY": registry,
        "YARN_NPM_REGISTRY_SERVER": registry,
        "YARN_UNSAFE_HTTP_WHITELIST": "127.0.0.1",
        "YARN_NODE_LINKER": "node-modules",
        "YARN_GLOBAL_FOLDER": f"{folder}/cache/yarn",
        "YARN_CACHE_FOLDER": f"{folder}/cache/yarn-files",
    }


def _installed(
    wanted: dict[str, str], before: tuple[str, ...], registry: str, tmp_path: Path
) -> str:
    done = _install(wanted, before, registry, tmp_path)
    assert done.returncode == 0, done.stderr
    installed = (tmp_path / "node_modules/old-tool/package.json").read_text()
    return str(json.loads(installed)["version"])


def _install(
    wanted: dict[str, str],
    before: tuple[str, ...],
    registry: str,
    tmp_path: Path,
    command: str = "install",
) -> subprocess.CompletedProcess[str]:
    manifest = {"name": "x", "version": "1.0.0", "devDependencies": wanted}
    (tmp_path / "package.json").write_text(json.dumps(manifest))
    install = ("npm", command, "--ignore-scripts", "--no-package-lock", *before)
    told = (sys.executable, "-I", str(PROGRAM), str(tmp_path / "unfetched.json"), "mocha")
    return subprocess.run(
        [*told, *install],
        cwd=tmp_path,
        env={**os.environ, **_settings(registry, tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tool_that_needs_what_git_serves_is_left_out_beside_them(
    registry: str, tmp_path: Path
) -> None:
    tools = {"old-tool": "^1.0.0", **ABSENT, "git-tool": "^1.0.0"}
    assert _installed(tools, (), registry, tmp_path) == "1.1.0"
    *told, last = json.loads((tmp_path / "unfetched.json").read_text())
    assert sorted(told) == [["package", name, "", True] for name in sorted(ABSENT)]
    assert last == ["git dependency", "part", "git-tool", True]


def test_peers_are_left_to_the_project_where_npm_stumbles_over_them(
    registry: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """npm 10.9.9 does, with vitest 4.1: the npm here is the real one behind what that one says."""
    stumbling = tmp_path / "bin" / "npm"
    stumbling.parent.mkdir()
    stumbling.write_text(
        f'#!/bin/sh\ncase "$*" in *--legacy-peer-deps*) exec {shutil.which("npm")} "$@";; esac\n'
        "echo \"npm error Cannot read properties of null (reading 'edgesOut')\" >&2\nexit 1\n"
    )
    stumbling.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stumbling.parent}:{os.environ['PATH']}")
    assert _installed({"old-tool": "^1.0.0"}, (), registry, tmp_path) == "1.1.0"
