"""Tells whether a tree has nothing that looks like a test, in any language or by any build file's words."""

from __future__ import annotations

import os
import re
from pathlib import Path

_ASIDE = {".git", ".venv", "venv", "node_modules", "vendor", "third_party", "__pycache__"}
_NAME = re.compile(
    r"(?i)(?:^|[^a-z])(?:tests?|testing|unittests?|testsuites?|specs?|checks?|doctests?|conftest)(?:[^a-z]|$)"
    r"|(?-i:Tests?|Spec|IT)(?:[^a-z]|$)|\.(?:t|bats|feature)$"
)
_BUILD = re.compile(
    r"(?i)^(?:.*makefile.*|.*\.mk|package\.json|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|noxfile\.py|pytest\.ini|"
    r"justfile|taskfile.*|build\.gradle.*|pom\.xml|cmakelists\.txt|meson\.build|rakefile|gemfile|jenkinsfile|"
    r"composer\.json|.*\.ya?ml|dune.*|build(?:\.bazel)?|.*\.cabal|mix\.exs|deno\.jsonc?|.*\.csproj)$"
)
_SAYS_TEST = re.compile(
    rb"(?i)(?:^|[^a-z])(?:py)?(?:unit|doc|integration)?(?:tests?|testing|specs?|checks?)(?:[^a-z]|$)"
)
_NPM_DEFAULT = re.compile(
    rb'"test"\s*:\s*"echo (?:[^"\\\n]|\\.)*no test specified(?:[^"\\\n]|\\.)*"'
)
_RUST_TEST = re.compile(rb"#\[(?:\w+::)*test\b|cfg\(test\)")
_MOST_ENTRIES, _MOST_BYTES = 50_000, 1_000_000


def is_untested(tree: Path) -> bool:
    """Return whether no file's name, no build file and no Rust source speaks of tests.

    Where there are too many files to look at them all, it may well have some.
    """
    seen = 0
    for folder, below, names in os.walk(tree):
        below[:] = [name for name in below if name not in _ASIDE]
        seen += len(names) + len(below)
        if seen > _MOST_ENTRIES or any(map(_NAME.search, (*below, *names))):
            return False
        if any(_speaks_of_tests(Path(folder, name)) for name in names):
            return False
    return True


def _speaks_of_tests(file: Path) -> bool:
    says = _RUST_TEST if file.suffix == ".rs" else _SAYS_TEST if _BUILD.match(file.name) else None
    if says is None or file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as stream:
        text = stream.read(_MOST_BYTES)
    return says.search(_NPM_DEFAULT.sub(b"", text)) is not None
