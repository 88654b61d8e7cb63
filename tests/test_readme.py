"""The README tells the truth about keys and settings."""

from __future__ import annotations

from pathlib import Path

from bot.configuration import describe_keys
from bot.settings import Settings

README = (Path(__file__).parent.parent / "README.md").read_text()


def configuration_table() -> str:
    rows = ["| key | default | meaning |", "|---|---|---|"]
    for key in describe_keys():
        default = f"`{key.default}`" if key.default else ""
        rows.append(f"| `{key.path}` | {default} | {key.text} |")
    return "\n".join(rows)


def variable(name: str) -> str:
    alias = Settings.model_fields[name].validation_alias
    choices = getattr(alias, "choices", None)
    return str(choices[0]) if choices else f"ASSAY_{name.upper()}"


def test_every_configuration_key_is_documented() -> None:
    assert configuration_table() in README


def test_every_setting_is_documented() -> None:
    missing = [
        variable(name) for name in Settings.model_fields if f"`{variable(name)}`" not in README
    ]
    assert not missing


if __name__ == "__main__":
    print(configuration_table())
