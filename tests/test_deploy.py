"""What stands in deploy/ is true: it parses, and every setting that it names exists."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from bot.doctor.machine import TOOLCHAIN_PACKAGES
from bot.github.credentials import load_manifest
from bot.settings import Settings

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
GUNICORN_ONLY = {"ASSAY_WEB_WORKERS", "ASSAY_WEB_THREADS"}
"""Read by gunicorn's own configuration file, which cannot import Assay."""
SANDBOX_ONLY = {"ASSAY_DOCKER_IMAGE"}
"""Read by the docker driver."""
LEAST_PERMISSIONS = {
    "checks": "write",
    "contents": "read",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
}
NAMED = re.compile(
    r"\b(?:ASSAY_[A-Z_]+|APP_ID|PRIVATE_KEY(?:_PATH)?|WEBHOOK_SECRET|GITHUB_CLIENT_(?:ID|SECRET)|GHE_HOST)\b"
)


def known_settings() -> set[str]:
    names = GUNICORN_ONLY | SANDBOX_ONLY
    for name, field in Settings.model_fields.items():
        choices = getattr(field.validation_alias, "choices", None)
        names.add(str(choices[0]) if choices else f"ASSAY_{name.upper()}")
    return names


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted(DEPLOY.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".pyc")
    ],
    ids=lambda path: path.name,
)
def test_every_setting_that_is_named_exists(path: Path) -> None:
    assert set(NAMED.findall(path.read_text())) <= known_settings()


def test_gunicorns_own_variables_are_read_there() -> None:
    configuration = (DEPLOY / "gunicorn.conf.py").read_text()
    assert all(name in configuration for name in GUNICORN_ONLY)


def test_the_compose_file_starts_commands_and_names_secrets_that_exist() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yml").read_text())

    assert compose["services"]["web"]["command"] == ["assay", "web"]
    assert compose["services"]["worker"]["command"] == ["assay", "worker"]
    for service in compose["services"].values():
        assert set(service.get("secrets", ())) <= set(compose["secrets"])
        volumes = {volume.partition(":")[0] for volume in service.get("volumes", ())}
        assert volumes <= set(compose["volumes"])
    for name in ("web", "worker"):
        build = compose["services"][name]["build"]
        image = (DEPLOY / build["context"] / build["dockerfile"]).read_text()
        assert f" AS {build['target']}\n" in image


def test_the_workers_image_has_the_toolchains_of_the_sandbox_image() -> None:
    worker, sandbox = (DEPLOY / name for name in ("Dockerfile", "sandbox.Dockerfile"))
    toolchains = re.compile(r'^ARG TOOLCHAINS="(.+)"$', re.MULTILINE)
    assert toolchains.findall(worker.read_text()) == toolchains.findall(sandbox.read_text()) != []
    packages = set(re.findall(r"[a-z0-9+-]+", worker.read_text()))
    wanted = {word for names in TOOLCHAIN_PACKAGES.values() for word in names.split()} - {"gcc"}
    assert wanted <= packages | {"gcc"}  # g++ brings it


def test_the_image_copies_files_that_exist() -> None:
    copied = re.findall(r"^COPY (.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    sources = [source for line in copied for source in line.split()]

    assert sources
    assert all((ROOT / source).exists() for source in sources)


def test_the_image_and_the_script_install_the_same_packages() -> None:
    script = (DEPLOY / "install.sh").read_text().partition('if [ "${1:-run}" = test ]')[0]
    wanted = set(
        re.findall(r"^need \S+ (\S+)$|missing=\"\$missing ([a-z0-9-]+)\"", script, re.MULTILINE)
    )
    packages = {one or other for one, other in wanted}
    image = (DEPLOY / "Dockerfile").read_text()

    assert {"bubblewrap", "libatomic1"} <= packages
    assert not [package for package in packages if not re.search(rf"\s{package}\s", image)]


UNITS = sorted(DEPLOY.glob("systemd/*"))


def analyze(path: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run systemd-analyze on a unit whose program and account are those of a finished installation."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed: apt-get install systemd")
    text = path.read_text().replace("/opt/assay/.venv/bin/assay", "/bin/true")
    unit = folder / path.name.replace("@", "@1")
    unit.write_text(text.replace("User=assay", "User=daemon"))
    done = subprocess.run(
        ["systemd-analyze", *arguments, str(unit)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    about_it = [line for line in done.stderr.splitlines() if str(unit) in line]
    assert not about_it
    return done


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_accepts_the_units(path: Path, tmp_path: Path) -> None:
    assert analyze(path, tmp_path, "verify", "--man=no").returncode == 0


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_the_units_are_hardened(path: Path, tmp_path: Path) -> None:
    done = analyze(path, tmp_path, "security", "--offline=true", "--threshold=39")
    assert done.returncode == 0, done.stdout[-200:]


def test_the_app_asks_for_the_least_permissions() -> None:
    assert load_manifest().default_permissions == LEAST_PERMISSIONS
