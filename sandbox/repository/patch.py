"""Turns a unified diff into a commit on top of base, without a work tree."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from sandbox.errors import CheckoutError, PatchRejected
from sandbox.repository.git import GitCall, GitResult, expect, run_git
from sandbox.repository.mirror import Mirror, locked

_MAX_PATCH_BYTES = 20_000_000
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_FAILED = re.compile(r"^error: patch failed: (?P<path>.+):(?P<line>\d+)$", re.MULTILINE)
_CORRUPT = re.compile(r"^error: corrupt patch at line (?P<line>\d+)", re.MULTILINE)
_HUNK = re.compile(r"@@ -(\d+)")


def commit_patch(mirror: Mirror, base: str, patch: str, identifier: str) -> str:
    """Apply a unified diff to `base` and return the sha of the commit, kept under refs/assay/patch.

    The same patch on the same base gives the same commit. Raises PatchRejected.
    """
    if not _ID.fullmatch(identifier):
        raise CheckoutError(f"{identifier!r} cannot name a patch.")
    raw = patch.encode(errors="surrogatepass")
    if len(raw) > _MAX_PATCH_BYTES:
        raise PatchRejected("The diff is larger than 20 MB.", "Split it.")
    if not raw.strip():
        raise PatchRejected("The diff is empty.", "Send a unified diff, as `git diff` prints it.")
    raw = raw if raw.endswith(b"\n") else raw + b"\n"
    with locked(mirror) as lock, tempfile.TemporaryDirectory(prefix="assay-index-") as folder:
        index = (("GIT_INDEX_FILE", str(Path(folder, "index"))),)
        expect(_git(mirror, ("read-tree", base), index), "read the base")
        applied = run_git(
            GitCall(("apply", "--cached", "--whitespace=nowarn", "-"), mirror.git_dir, raw, index)
        )
        if applied.exit_code:
            raise _rejection(applied.stderr, patch)
        tree = expect(_git(mirror, ("write-tree",), index), "write the tree")
        sha = _commit(mirror, tree.stdout.decode().strip(), base, lock)
        pin = ("update-ref", f"refs/assay/patch/{identifier}", sha)
        expect(_git(mirror, pin), "keep the patch")
    return sha


def _commit(mirror: Mirror, tree: str, base: str, lock: int) -> str:
    dated = _git(mirror, ("show", "-s", "--format=%ct", base))
    date = f"{expect(dated, 'read the base').stdout.decode().strip()} +0000"
    person = {"NAME": "Assay", "EMAIL": "assay@localhost", "DATE": date}
    variables = tuple(
        (f"GIT_{role}_{part}", value)
        for role in ("AUTHOR", "COMMITTER")
        for part, value in person.items()
    )
    made = GitCall(
        ("commit-tree", tree, "-p", base, "-m", "The patch under judgement"),
        mirror.git_dir,
        variables=variables,
        inherit=(lock,),
    )
    return expect(run_git(made), "commit the patch").stdout.decode().strip()


def _rejection(stderr: str, patch: str) -> PatchRejected:
    way_out = "Make the diff against the base commit, as `git diff` prints it."
    if failed := _FAILED.search(stderr):
        path, line = failed["path"], int(failed["line"])
        hunk = _hunk_number(patch, path, line)
        return PatchRejected(
            f"The diff does not apply: {path}, hunk {hunk} (at line {line} of base) does not match.",
            way_out,
        )
    if corrupt := _CORRUPT.search(stderr):
        return PatchRejected(f"The diff is broken at its line {corrupt['line']}.", way_out)
    if "No valid patches" in stderr:
        return PatchRejected("The text is not a unified diff.", way_out)
    reasons = [line.removeprefix("error: ") for line in stderr.splitlines() if "error:" in line]
    return PatchRejected(f"The diff does not apply: {(reasons or [stderr])[0][:300]}.", way_out)


def _hunk_number(patch: str, path: str, line: int) -> int:
    """Return which hunk (from 1) of `path` in the patch starts at `line` of base; 1 when unsure."""
    number, here = 0, False
    for text in patch.splitlines():
        if text.startswith(("--- ", "+++ ")):
            here = text[4:].split("\t")[0].strip().partition("/")[2] == path or (
                here and text.startswith("+++ ")
            )
            number = 0
        elif here and (match := _HUNK.match(text)):
            number += 1
            if int(match.group(1)) == line:
                return number
    return 1


def _git(
    mirror: Mirror, arguments: tuple[str, ...], variables: tuple[tuple[str, str], ...] = ()
) -> GitResult:
    return run_git(GitCall(arguments, mirror.git_dir, variables=variables))
