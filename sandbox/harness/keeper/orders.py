"""What the host asks for: one JSON line on standard input."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path


class Unbelievable(Exception):
    """What was seen shows that results are made up; the sentence says how."""


@dataclass(frozen=True)
class Orders:
    """One run. Paths are relative to `top`, the project's folder.

    `tests` are the test files by their names, `paths` those to run (empty: all of them). `nonce` is
    for names that nobody could know.
    """

    runner: str
    arguments: tuple[str, ...]
    top: Path
    tests: tuple[str, ...]
    paths: tuple[str, ...]
    environment: dict[str, str]
    time_s: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(8))

    def is_asked(self, path: str) -> bool:
        """Tell whether a test file is among what shall run."""
        return not self.paths or any(
            one in ("", path) or path.startswith(one + "/") for one in self.paths
        )

    @property
    def asked(self) -> tuple[str, ...]:
        """The test files that shall run."""
        return tuple(path for path in self.tests if self.is_asked(path))

    def scratch(self, name: str) -> Path:
        """Return a place outside the tree with a name that nobody could know."""
        return Path(f"/tmp/{self.nonce}-{name}")  # noqa: S108 - the sandbox's own


def read_orders(told: dict[str, object]) -> Orders:
    """Build the orders out of what the host sent. Raises KeyError and TypeError on a bad shape."""
    environment = told["environment"]
    if not isinstance(environment, dict):
        raise TypeError("environment")
    return Orders(
        runner=str(told["runner"]),
        arguments=_texts(told["arguments"]),
        top=Path(str(told["top"])),
        tests=_texts(told["tests"]),
        paths=_texts(told["paths"]),
        environment={str(name): str(value) for name, value in environment.items()},
        time_s=float(str(told["time_s"])),
    )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("a list is needed")
    return tuple(str(one) for one in value)
