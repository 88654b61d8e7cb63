"""Lists the source files of a tree by content: bounded, no link followed, and told what is left out."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from sandbox.base import Command, Limits, Mount
from sandbox.linters.programs import OWN, OWN_VARIABLES, packages
from sandbox.repository.names import display_name

PACKAGES = (
    "tree-sitter", "tree-sitter-bash", "tree-sitter-c", "tree-sitter-c-sharp", "tree-sitter-cpp",
    "tree-sitter-go", "tree-sitter-java", "tree-sitter-javascript", "tree-sitter-kotlin",
    "tree-sitter-lua", "tree-sitter-php", "tree-sitter-python", "tree-sitter-ruby",
    "tree-sitter-rust", "tree-sitter-scala", "tree-sitter-swift", "tree-sitter-typescript",
)  # fmt: skip
"""The parser and its grammars, each in a wheel that holds the compiled grammar."""

_SUFFIXES = {
    "python": ".py .pyi",
    "javascript": ".js .mjs .cjs .jsx",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "go": ".go",
    "rust": ".rs",
    "java": ".java",
    "c": ".c",
    "cpp": ".cc .cpp .cxx .h .hh .hpp .hxx .ipp",
    "ruby": ".rb .rake",
    "php": ".php",
    "c_sharp": ".cs",
    "bash": ".sh .bash",
    "kotlin": ".kt .kts",
    "scala": ".scala .sc",
    "swift": ".swift",
    "lua": ".lua",
}
_LANGUAGES = {suffix: name for name, all_ in _SUFFIXES.items() for suffix in all_.split()}


def language_of(path: str) -> str:
    """Return the language of a source file; empty for anything else. C's headers are read as C++."""
    return _LANGUAGES.get(PurePosixPath(path).suffix.lower(), "")


MAX_FILES = 20_000
MAX_BYTES = 150_000_000
MAX_FILE_BYTES = 1_000_000
_MAX_ENTRIES = 100_000
_FOREIGN = {
    *(".git", ".venv", "venv", "__pycache__", "site-packages"),
    *("node_modules", "bower_components", "vendor", "third_party"),
}
_MINIFIED_BYTES, _MINIFIED_LINE = 50_000, 1_000


def tree_program(
    module: str, asked: object, limits: Limits, channel_bytes: int, *mounts: Mount
) -> Command:
    """Return the run of a program of ours that reads syntax trees; it is asked on its standard input.

    It is given its own package, the one that parses, and the grammars that are installed.
    """
    home, own = Path(__file__).parents[2], module.rpartition(".")[0].replace(".", "/")
    parts = dict.fromkeys((own, "sandbox/code_map/inside"))
    installed = {one.target: one for name in PACKAGES for one in packages(name)}
    return Command(
        argv=("/usr/bin/python3", "-P", "-s", "-m", module),
        mounts=(
            *mounts,
            *(Mount(str(home / part), f"{OWN}/{part}") for part in parts),
            *installed.values(),
        ),
        environment=OWN_VARIABLES,
        stdin=json.dumps(asked).encode(),
        limits=limits,
        channel_bytes=channel_bytes,
    )


@dataclass(frozen=True, slots=True)
class InventoryFile:
    """One source file. `blob` is git's blob id in its SHA-256 form: two contents never share one."""

    path: str
    language: str
    blob: str


@dataclass(slots=True)
class Inventory:
    """The source files of one side by path, and how many files were left out for which reason."""

    files: dict[str, InventoryFile] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def take_inventory(
    tree: Path,
    known: Inventory | None = None,
    changed: frozenset[str] = frozenset(),
    max_files: int = MAX_FILES,
) -> Inventory:
    """List the source files of a tree; what is `known` and not `changed` is not read again.

    What is `changed` is listed even where the tree is over the limit.
    """
    inventory, total = Inventory(), 0
    for raw, size in _walk(os.fsencode(tree), inventory.left_out):
        path = display_name(raw)
        language = language_of(os.fsdecode(raw))
        if not language:
            continue
        is_over = len(inventory.files) >= max_files or total + size > MAX_BYTES
        if is_over and path not in changed:
            inventory.left_out["over the limit for one repository"] += 1
        elif size > MAX_FILE_BYTES:
            inventory.left_out[f"larger than {MAX_FILE_BYTES // 1_000_000} MB"] += 1
        else:
            total += size
            listed = known.files.get(path) if known and path not in changed else None
            listed = listed or _listed(tree, raw, path, inventory.left_out)
            if listed:
                inventory.files[path] = listed
    return inventory


def _listed(tree: Path, raw: bytes, path: str, left_out: Counter[str]) -> InventoryFile | None:
    try:
        data = (tree / os.fsdecode(raw)).read_bytes()
    except OSError:
        left_out["unreadable"] += 1
        return None
    if len(data) > _MINIFIED_BYTES and data.count(b"\n") * _MINIFIED_LINE < len(data):
        left_out["minified"] += 1
        return None
    if b"\0" in data[:8_000]:
        left_out["no text"] += 1
        return None
    blob = hashlib.sha256(b"blob %d\0" % len(data) + data).hexdigest()
    return InventoryFile(path, language_of(os.fsdecode(raw)), blob)


def _walk(root: bytes, left_out: Counter[str]) -> Iterator[tuple[bytes, int]]:
    """Yield (name below the root, size) of regular files, what is near the root first."""
    waiting, seen = [b""], 0
    for folder in waiting:  # grows while it is walked
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda one: one.name)  # noqa: PTH118
        except OSError:
            left_out["unreadable"] += 1
            continue
        for entry in entries:
            seen += 1
            if seen > _MAX_ENTRIES:
                left_out["over the limit for one repository"] += 1
                return
            name = os.path.join(folder, entry.name)  # noqa: PTH118
            if entry.is_dir(follow_symlinks=False):
                if os.fsdecode(entry.name) not in _FOREIGN:
                    waiting.append(name)
            elif entry.is_file(follow_symlinks=False):
                yield name, entry.stat(follow_symlinks=False).st_size
