"""Old commits without a lock file get the packages of their time, from a registry on the loopback."""

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


NAMES = ("old-tool", "old-plugin", "git-tool")
PACKED = {f"{name}-{one}": _packed(name, one) for name in NAMES for one in RELEASES}


class _Registry(BaseHTTPRequestHandler):
    """Serves a tool and its plug-in with two releases each, as npm's registry does."""

    def do_GET(self) -> None:
        asked = self.path.removeprefix("/").removesuffix(".tgz")
        if asked not in PACKED and asked not in NAMES:
            self.send_error(404)
            return
        body = PACKED[asked] if asked in PACKED else self._document(asked)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def _document(self, name: str) -> bytes:
        place = f"http://{self.headers['Host']}/{name}-"
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
def registry() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Registry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


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


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("test.js", "import plugin from 'old-plugin'"),  # the tests need it
        ("package-lock.json", '{"lockfileVersion": 3, "packages": {"": {}}}'),
    ],
)
def test_a_package_that_is_needed_or_locked_is_not_left_out(
    name: str, text: str, registry: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    command = "ci" if name == "package-lock.json" else "install"
    done = _install({"old-plugin": "next"}, (), registry, tmp_path, command)
    assert done.returncode
    assert not (tmp_path / "unfetched.json").exists()


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
    own = {
        "npm_config_registry": registry,
        "npm_config_update_notifier": "false",
        "npm_config_cache": str(tmp_path / "cache"),
        "npm_config_userconfig": str(tmp_path / "npmrc"),
    }
    return subprocess.run(
        [*told, *install],
        cwd=tmp_path,
        env={**os.environ, **own},
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
