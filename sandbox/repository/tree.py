"""Brings one commit to a host folder without `.git`, with nothing in it that leads out.

Symbolic links that leave the tree become small text files with the link's target, submodules that
cannot be had become empty folders, large-file pointers stay pointers; each is said in a warning.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from packaging.version import InvalidVersion, Version

from sandbox.errors import CheckoutError, CheckoutUnavailable
from sandbox.folders import leased
from sandbox.repository.fetch import MOST_DEEP, MOST_SUBMODULES, fetch_submodule, is_named
from sandbox.repository.git import GitCall, expect, run_git
from sandbox.repository.mirror import Mirror
from sandbox.repository.names import display_name, inside
from sandbox.values import MissingSubmodule

_MAX_LINK_STEPS = 40
_MOST_FOLDERS = 200  # above one file; what walks a tree takes a call for each
_PATH_BYTES = 4_096  # the kernel's
_LISTED_BYTES = 320  # of one file in a list, on average
_LFS_MAGIC = b"version https://git-lfs.github.com/spec/"
_LFS_MAX_BYTES = 1024
_SYMLINK = b"120000"
_SUBMODULE = b"160000"
_RECORD = "exported.json"


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
    warnings: tuple[str, ...]
    missing: tuple[MissingSubmodule, ...] = ()


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: bytes
    sha: bytes
    size: int
    path: bytes


def export(mirror: Mirror, sha: str, entry: Path, incomplete: Path, limits: TreeLimits) -> Exported:
    """Write the commit to `entry`/tree unless it is there already, and say what is in it.

    The folder appears whole or not at all; where a submodule is missing it is `incomplete`, so that
    another evaluation tries again. Raises CheckoutError for a tree that is too large or that has a
    name git refuses (`.git/config`).
    """
    for place in (entry, incomplete):
        if (place / _RECORD).exists():
            return _read(place)
    entry.parent.mkdir(parents=True, exist_ok=True)
    with leased(entry.parent, f"{entry.name}.partial-") as partial:
        laid, tree = _Laid(limits, partial / "index"), partial / "tree"
        _lay(mirror, sha, tree, laid)
        laid.missing = [replace(one, is_named=is_named(tree, one.path)) for one in laid.missing]
        laid.warnings += [
            f"Submodule {one.path} at {one.sha[:12]} could not be fetched: {one.reason}"
            for one in laid.missing
        ]
        version, warnings = describe_version(mirror, sha), tuple(laid.warnings)
        exported = Exported("", version, warnings, tuple(laid.missing))
        (partial / _RECORD).write_text(json.dumps(asdict(exported)))
        place = incomplete if exported.missing else entry
        try:
            partial.rename(place)
        except OSError:
            if not (place / _RECORD).exists():  # not somebody else who was faster
                raise
    return _read(place)


def _read(entry: Path) -> Exported:
    stored = json.loads((entry / _RECORD).read_text())
    missing = tuple(MissingSubmodule(**one) for one in stored.get("missing", ()))
    warnings = tuple(str(warning) for warning in stored["warnings"])
    return Exported(str(entry / "tree"), str(stored["version"]), warnings, missing)


@dataclass(slots=True)
class _Laid:
    """What one commit and its submodules add up to."""

    limits: TreeLimits
    index: Path
    files: int = 0
    total_bytes: int = 0
    submodules: int = 0
    warnings: list[str] = field(default_factory=list)
    missing: list[MissingSubmodule] = field(default_factory=list)


def _lay(mirror: Mirror, sha: str, tree: Path, laid: _Laid, above: tuple[str, ...] = ()) -> None:
    """Lay one commit at `tree`, and then its submodules; `above` are the paths that lead to it."""
    tree.mkdir(parents=True, exist_ok=True)
    entries = _listed(mirror, sha, laid)

    links = [entry for entry in entries if entry.mode == _SYMLINK]
    targets: dict[bytes, bytes] = {}
    if links:
        asked = b"".join(link.sha + b"\n" for link in links)
        output = _run(mirror, ("cat-file", "--batch"), stdin=asked)
        position = 0
        for link in links:
            end = output.index(b"\n", position)
            size = int(output[position:end].split()[2])
            targets[link.path] = output[end + 1 : end + 1 + size]
            position = end + 2 + size
    escaping = [link for link in links if _leaves(link.path, targets)]
    # Compiled Python would run instead of the source beside it: it is left out.
    compiled = [entry for entry in entries if b"__pycache__" in entry.path.split(b"/")]

    # Checked out by an index of our own, in which a link that leaves is a file that holds its target.
    variables = (("GIT_INDEX_FILE", str(laid.index)), ("GIT_WORK_TREE", str(tree)))
    _run(mirror, ("read-tree", "--end-of-options", sha), variables)
    replaced = b"".join(b"100644 " + link.sha + b"\t" + link.path + b"\0" for link in escaping)
    removed = b"".join(b"0 " + b"0" * len(one.sha) + b"\t" + one.path + b"\0" for one in compiled)
    if replaced or removed:
        _run(mirror, ("update-index", "-z", "--index-info"), variables, replaced + removed)
    _run(mirror, ("checkout-index", "--all", "--quiet"), variables)
    laid.index.unlink()

    laid.warnings += _said(
        "is a symbolic link that leaves the repository; it is kept as text", escaping
    )
    laid.warnings += _pointer_warnings(tree, entries)
    laid.warnings += _said("is compiled Python that nobody can read; it is left out", compiled)
    for entry in entries:
        if entry.mode == _SUBMODULE:
            _lay_submodule(mirror, sha, (tree, entry), laid, above)


def _lay_submodule(
    mirror: Mirror, commit: str, place: tuple[Path, _Entry], laid: _Laid, above: tuple[str, ...]
) -> None:
    """Lay one submodule; what cannot be had leaves an empty folder and a reason."""
    tree, entry = place
    path, sha = display_name(entry.path), entry.sha.decode()
    folder = inside(tree, path)
    laid.submodules += 1
    try:
        if laid.submodules > MOST_SUBMODULES or len(above) >= MOST_DEEP:
            raise CheckoutError(
                f"Only {MOST_SUBMODULES} submodules, {MOST_DEEP} deep, are fetched."
            )
        _lay(fetch_submodule(mirror, commit, path, sha), sha, folder, laid, (*above, path))
    except CheckoutUnavailable:
        raise
    except CheckoutError as error:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        laid.missing.append(MissingSubmodule("/".join((*above, path)), sha, error.what))


def _listed(mirror: Mirror, sha: str, laid: _Laid) -> list[_Entry]:
    """List the files of a commit. Raises CheckoutError for more, or deeper ones, than are allowed."""
    most_bytes = 64_000 + laid.limits.files * _LISTED_BYTES
    asked = ("ls-tree", "-r", "-z", "--long", "--full-tree", sha)
    listing = _run(mirror, asked, max_bytes=most_bytes)
    _check_count(listing.count(b"\0"), laid.limits)
    entries = []
    for line in listing.split(b"\0"):
        if line:
            meta, _, path = line.partition(b"\t")
            if len(path) > _PATH_BYTES or path.count(b"/") > _MOST_FOLDERS:
                raise CheckoutError(
                    f"{display_name(path[:100])}… lies too deep: {_MOST_FOLDERS} folders and "
                    f"{_PATH_BYTES} bytes are allowed.",
                    "Move it up.",
                )
            mode, _, blob, size = meta.split()
            entries.append(_Entry(mode, blob, 0 if size == b"-" else int(size), path))
    laid.files += len(entries)
    laid.total_bytes += sum(entry.size for entry in entries)
    _check_count(laid.files, laid.limits)
    if laid.total_bytes > laid.limits.total_bytes:
        raise CheckoutError(
            f"The repository unpacks to {laid.total_bytes // 1024**2} MiB;"
            f" {laid.limits.total_bytes // 1024**2} MiB are allowed."
        )
    # In a forged tree one name can be two things, such as a link and a folder. Sorted so, everything
    # below a name stands right behind it.
    names = sorted(entry.path.replace(b"/", b"\0") for entry in entries)
    if any(two == one or two.startswith(one + b"\0") for one, two in pairwise(names)):
        raise CheckoutError("The commit's tree is forged: one name stands for two things.")
    return entries


def _check_count(files: int, limits: TreeLimits) -> None:
    if files > limits.files:
        raise CheckoutError(f"The repository has {files} files; {limits.files} are allowed.")


# --- links ----------------------------------------------------------------------------------


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


def _pointer_warnings(tree: Path, entries: list[_Entry]) -> tuple[str, ...]:
    if not any(
        entry.path.split(b"/")[-1] == b".gitattributes"
        and b"filter=lfs" in _starts(tree, entry, 1_000_000)
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
    version = None
    for start in re.finditer(r"(?<![\d.])\d", tag):
        with suppress(InvalidVersion):
            version = Version(tag[start.start() :])
            break
    if version is None or distance == "0":
        return str(version or "")
    *first, last = version.release
    following = ".".join(str(part) for part in (*first, last + 1))
    if version.is_prerelease:
        following = version.base_version
    return f"{following}.dev{distance}+g{commit}"


def _run(
    mirror: Mirror,
    arguments: tuple[str, ...],
    variables: tuple[tuple[str, str], ...] = (),
    stdin: bytes = b"",
    max_bytes: int = 256_000_000,
) -> bytes:
    result = run_git(
        GitCall(arguments, mirror.git_dir, stdin, variables, max_output_bytes=max_bytes)
    )
    if result.truncated:
        raise CheckoutError("The commit cannot be unpacked: too much output")
    return expect(result, "unpack the commit").stdout
