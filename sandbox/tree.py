"""Brings one commit to a host folder without `.git`, with nothing in it that leads out.

Symbolic links that leave the tree become small text files with the link's target, submodules
become empty folders, large-file pointers stay pointers; each is said in a warning.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from packaging.version import InvalidVersion, Version

from sandbox.errors import CheckoutError
from sandbox.git import GitCall, run_git
from sandbox.mirror import Mirror
from sandbox.names import display_name

_MAX_LINK_STEPS = 40
_LFS_MAGIC = b"version https://git-lfs.github.com/spec/"
_LFS_MAX_BYTES = 1024
_SYMLINK = b"120000"
_SUBMODULE = b"160000"


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """How much one commit may unpack to."""

    files: int = 200_000
    total_bytes: int = 4 * 1024**3


@dataclass(frozen=True, slots=True)
class Exported:
    """One commit on disk. `version` is PEP 440, guessed from the nearest tag, or empty."""

    folder: str
    version: str
    total_bytes: int
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: bytes
    sha: bytes
    size: int
    path: bytes


def export(mirror: Mirror, sha: str, entry: Path, limits: TreeLimits) -> Exported:
    """Write the commit to `entry`/tree unless it is there already, and say what is in it.

    The folder appears whole or not at all. Raises CheckoutError for a tree that is too large or
    that has a name git refuses (`.git/config`).
    """
    record = entry / "exported.json"
    if not record.exists():
        entry.parent.mkdir(parents=True, exist_ok=True)
        partial = entry.with_name(f"{entry.name}.partial-{os.getpid()}-{os.urandom(4).hex()}")
        try:
            _write(mirror, sha, partial, limits)
            _rename(partial, entry)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
    stored = json.loads(record.read_text())
    warnings = tuple(str(warning) for warning in stored["warnings"])
    return Exported(
        str(entry / "tree"), str(stored["version"]), int(stored["total_bytes"]), warnings
    )


def _rename(partial: Path, entry: Path) -> None:
    try:
        partial.rename(entry)
    except OSError:
        if not (entry / "exported.json").exists():  # not somebody else who was faster
            raise


def _write(mirror: Mirror, sha: str, partial: Path, limits: TreeLimits) -> None:
    tree = partial / "tree"
    tree.mkdir(parents=True)
    entries = _listed(mirror, sha)
    total_bytes = _checked_size(entries, limits)
    _check_names(entries)
    escaping = _escaping_links(mirror, entries)
    compiled = [entry for entry in entries if b"__pycache__" in entry.path.split(b"/")]
    _unpack(mirror, sha, tree, escaping, compiled)
    warnings = _warnings(entries, escaping) + _pointer_warnings(tree, entries)
    warnings += _said("is compiled Python that nobody can read; it is left out", compiled)
    exported = Exported("", describe_version(mirror, sha), total_bytes, warnings)
    (partial / "exported.json").write_text(json.dumps(asdict(exported)))


def _listed(mirror: Mirror, sha: str) -> list[_Entry]:
    listing = _run(mirror, ("ls-tree", "-r", "-z", "--long", "--full-tree", sha))
    entries = []
    for line in listing.split(b"\0"):
        if line:
            meta, _, path = line.partition(b"\t")
            mode, _, blob, size = meta.split()
            entries.append(_Entry(mode, blob, 0 if size == b"-" else int(size), path))
    return entries


def _checked_size(entries: list[_Entry], limits: TreeLimits) -> int:
    total_bytes = sum(entry.size for entry in entries)
    if len(entries) > limits.files:
        raise CheckoutError(f"The repository has {len(entries)} files; {limits.files} are allowed.")
    if total_bytes > limits.total_bytes:
        raise CheckoutError(
            f"The repository unpacks to {total_bytes // 1024**2} MiB;"
            f" {limits.total_bytes // 1024**2} MiB are allowed."
        )
    return total_bytes


def _check_names(entries: list[_Entry]) -> None:
    """Refuse a forged tree where one name is two things, such as a link and a folder."""
    names = {entry.path for entry in entries}
    folders = {b"/".join(steps[:end]) for steps in _steps(names) for end in range(1, len(steps))}
    if len(names) != len(entries) or not names.isdisjoint(folders):
        raise CheckoutError("The commit's tree is forged: one name stands for two things.")


def _steps(names: set[bytes]) -> Iterator[list[bytes]]:
    return (name.split(b"/") for name in names)


def _unpack(
    mirror: Mirror, sha: str, tree: Path, escaping: list[_Entry], compiled: list[_Entry]
) -> None:
    """Check out by an index of our own; a link that leaves becomes a file that holds its target.

    Python would run what is `compiled` instead of the source beside it, so it is left out.
    """
    index = tree.parent / "index"
    variables = (("GIT_INDEX_FILE", str(index)), ("GIT_WORK_TREE", str(tree)))
    _run(mirror, ("read-tree", "--end-of-options", sha), variables)
    replaced = b"".join(b"100644 " + link.sha + b"\t" + link.path + b"\0" for link in escaping)
    removed = b"".join(b"0 " + b"0" * len(one.sha) + b"\t" + one.path + b"\0" for one in compiled)
    if replaced or removed:
        _run(mirror, ("update-index", "-z", "--index-info"), variables, replaced + removed)
    _run(mirror, ("checkout-index", "--all", "--quiet"), variables)
    index.unlink()


# --- links ----------------------------------------------------------------------------------


def _escaping_links(mirror: Mirror, entries: list[_Entry]) -> list[_Entry]:
    links = [entry for entry in entries if entry.mode == _SYMLINK]
    targets = dict(zip((link.path for link in links), _contents(mirror, links), strict=True))
    return [link for link in links if _leaves(link.path, targets)]


def _contents(mirror: Mirror, links: list[_Entry]) -> list[bytes]:
    if not links:
        return []
    asked = b"".join(link.sha + b"\n" for link in links)
    output = _run(mirror, ("cat-file", "--batch"), stdin=asked)
    contents, position = [], 0
    for _ in links:
        end = output.index(b"\n", position)
        size = int(output[position:end].split()[2])
        contents.append(output[end + 1 : end + 1 + size])
        position = end + 2 + size
    return contents


def _leaves(link: bytes, targets: dict[bytes, bytes]) -> bool:
    """Follow a link as the kernel would, through the tree's other links; loops count as leaving."""
    pending = link.split(b"/")[::-1]
    place: list[bytes] = []
    steps = 0
    while pending:
        part = pending.pop()
        if part == b"..":
            if not place:
                return True
            place.pop()
        elif part not in (b"", b"."):
            target = targets.get(b"/".join((*place, part)))
            if target is None:
                place.append(part)
                continue
            steps += 1
            if steps > _MAX_LINK_STEPS or target.startswith(b"/") or not target:
                return True
            pending += target.split(b"/")[::-1]
    return False


# --- remarks --------------------------------------------------------------------------------


def _warnings(entries: list[_Entry], escaping: list[_Entry]) -> tuple[str, ...]:
    submodules = [entry for entry in entries if entry.mode == _SUBMODULE]
    return _said("is a symbolic link that leaves the repository; it is kept as text", escaping) + (
        _said("is a submodule; its folder is left empty", submodules)
    )


def _pointer_warnings(tree: Path, entries: list[_Entry]) -> tuple[str, ...]:
    if not any(
        entry.path.split(b"/")[-1] == b".gitattributes" and _says_lfs(tree, entry)
        for entry in entries
    ):
        return ()
    small = (entry for entry in entries if entry.mode.startswith(b"100"))
    pointers = [
        entry
        for entry in small
        if entry.size <= _LFS_MAX_BYTES and _starts(tree, entry).startswith(_LFS_MAGIC)
    ]
    return _said("is a large-file (LFS) pointer; its content is not fetched", pointers)


def _says_lfs(tree: Path, entry: _Entry) -> bool:
    return b"filter=lfs" in _starts(tree, entry, 1_000_000)


def _starts(tree: Path, entry: _Entry, size: int = len(_LFS_MAGIC)) -> bytes:
    path = tree / os.fsdecode(entry.path)
    if path.is_symlink() or not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(size)


def _said(remark: str, entries: list[_Entry]) -> tuple[str, ...]:
    if not entries:
        return ()
    more = f" (and {len(entries) - 1} more like it)" if len(entries) > 1 else ""
    return (f"{display_name(entries[0].path)} {remark}{more}.",)


# --- version --------------------------------------------------------------------------------


def describe_version(mirror: Mirror, sha: str) -> str:
    """Return the version a project that asks git would have: the tag's, or the next one's `.devN`.

    Empty without a tag that holds a PEP 440 version.
    """
    arguments = ("describe", "--tags", "--long", "--abbrev=9", "--match", "*[0-9]*", sha)
    result = run_git(GitCall(arguments, mirror.git_dir))
    found = re.fullmatch(r"(.+)-(\d+)-g([0-9a-f]+)", result.stdout.decode(errors="replace").strip())
    if result.exit_code or not found:
        return ""
    tag, distance, commit = found.groups()
    version = _version_of(tag)
    if version is None or distance == "0":
        return str(version or "")
    *first, last = version.release
    following = version.base_version if version.is_prerelease else _joined((*first, last + 1))
    return f"{following}.dev{distance}+g{commit}"


def _joined(release: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in release)


def _version_of(tag: str) -> Version | None:
    for start in re.finditer(r"(?<![\d.])\d", tag):
        try:
            return Version(tag[start.start() :])
        except InvalidVersion:
            continue
    return None


def _run(
    mirror: Mirror,
    arguments: tuple[str, ...],
    variables: tuple[tuple[str, str], ...] = (),
    stdin: bytes = b"",
) -> bytes:
    result = run_git(
        GitCall(arguments, mirror.git_dir, stdin, variables, max_output_bytes=256_000_000)
    )
    if result.exit_code or result.truncated:
        said = result.stderr.strip().splitlines()
        reason = said[-1][:300] if said else "too much output"
        raise CheckoutError(f"The commit cannot be unpacked: {reason}")
    return result.stdout
