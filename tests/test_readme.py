"""The pages tell the truth about keys and settings, and lead to pages that are there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import yaml

from bot.settings import Settings
from tests.configuration_keys import described_keys

ROOT = Path(__file__).parent.parent
KEYS = (ROOT / "bot/configuration/README.md").read_text()
SETTINGS = (ROOT / "deploy/README.md").read_text()
LINK = re.compile(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)")


def configuration_table() -> str:
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for key in described_keys():
        default = f"`{key.default}`" if key.default else ""
        rows.append(f"| `{key.path}` | {default} | {key.text} |")
    return "\n".join(rows)


def variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    choices = getattr(alias, "choices", None)
    return str(choices[0]) if choices else f"ASSAY_{name.upper()}"


def test_every_configuration_key_is_documented() -> None:
    assert configuration_table() in KEYS


def test_every_setting_is_documented() -> None:
    missing = [
        variable(name) for name in Settings.model_fields if f"`{variable(name)}`" not in SETTINGS
    ]
    assert not missing


def test_the_readme_is_short_and_every_link_leads_somewhere() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    pages = [ROOT / name for name in listed.stdout.split()]
    assert ROOT / "README.md" in pages
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150
    broken = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in LINK.findall(page.read_text())
        if not (page.parent / target).exists()
    ]
    assert not broken


def test_the_map_names_every_package_and_only_paths_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"`((?:bot|sandbox|templates|tests|deploy)/[\w./-]+)`", text))
    assert not {path for path in named if not (ROOT / path).exists()}
    packages = {
        folder.relative_to(ROOT).as_posix()
        for folder in (*ROOT.glob("bot/*"), *ROOT.glob("sandbox/*"))
        if (folder / "__init__.py").is_file()
    }
    assert packages - {"sandbox/docker"} <= named


def test_hooks_workflows_and_pages_call_only_targets_that_make_has() -> None:
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))
    night = yaml.safe_load((ROOT / ".github/workflows/slow.yml").read_text())
    called = set(night["jobs"]["slow"]["strategy"]["matrix"]["target"])
    for path in (".pre-commit-config.yaml", ".github/workflows/check.yml", "CONTRIBUTING.md"):
        called |= set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)?)\b", (ROOT / path).read_text()))
    assert {"lint", "types", "unit", "check", "test", "test-slow"} <= called
    assert called <= targets


if __name__ == "__main__":
    print(configuration_table())
