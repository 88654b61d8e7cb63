"""What the host asks for: one JSON line on standard input."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Orders:
    """One run. Paths are relative to `tree`; `root` is the project's folder in it.

    `tests` are the test files by their names, `paths` those to run (empty: all of them). `place` is
    a folder of our own with an unguessable name, for what is built and written.
    """

    runner: str
    arguments: tuple[str, ...]
    tree: str
    root: str
    tests: tuple[str, ...]
    paths: tuple[str, ...]
    environment: dict[str, str]
    time_s: float
    nonce: str = field(default_factory=lambda: secrets.token_hex(8))

    @property
    def top(self) -> Path:
        """The project's folder."""
        return Path(self.tree) / self.root

    def is_asked(self, path: str) -> bool:
        """Tell whether a test file (or the folder of some) is among what shall run."""
        return not self.paths or any(
            one in ("", path) or path.startswith(one + "/") or one.startswith(path.rstrip("/") + "/")
            or path in ("", ".")
            for one in self.paths
        )  # fmt: skip

    def in_tree(self, path: Path | str) -> str:
        """Return a path as the tree names it; "." is the tree itself."""
        try:
            return (self.top / path).resolve().relative_to(Path(self.tree).resolve()).as_posix()
        except (ValueError, OSError):
            return self.root or "."


def read_orders(told: dict[str, object]) -> Orders:
    """Build the orders out of what the host sent. Raises KeyError and TypeError on a bad shape."""
    environment = told["environment"]
    if not isinstance(environment, dict):
        raise TypeError("environment")
    return Orders(
        runner=str(told["runner"]),
        arguments=_texts(told["arguments"]),
        tree=str(told["tree"]),
        root=str(told["root"]),
        tests=_texts(told["tests"]),
        paths=_texts(told["paths"]),
        environment={str(name): str(value) for name, value in environment.items()},
        time_s=float(str(told["time_s"])),
    )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("a list is needed")
    return tuple(str(one) for one in value)
