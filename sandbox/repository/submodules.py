"""Brings the submodules that a commit pins, from the forge that the repository itself is on.

`.gitmodules` was written by whoever wrote the commit. Only https addresses on the repository's own
host are followed, with its token; of a local repository only what its clone holds in `.git/modules`.
"""

from __future__ import annotations

import os
import posixpath
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from sandbox.errors import CheckoutError
from sandbox.repository.fetch import fetch_alone
from sandbox.repository.git import GitCall, run_git
from sandbox.repository.mirror import Mirror, RepositorySource, git, open_mirror

MOST_SUBMODULES = 50
MOST_DEEP = 4
_SETTINGS = r"^submodule\..*\.(path|url)$"
_SEARCHED_FILES = 20_000
_SEARCHED_BYTES = 1_000_000
_PROSE = {".md", ".rst", ".txt", ".adoc", ".gitmodules"}


def fetch_submodule(mirror: Mirror, commit: str, path: str, sha: str) -> Mirror:
    """Return a mirror that holds the commit `sha` of the submodule at `path`.

    Raises CheckoutError with the reason as its first sentence, CheckoutUnavailable when another try
    may help.
    """
    name, url = _declared(mirror, commit, path)
    if mirror.source.is_local:
        source = _of_the_clone(mirror.source, name)
    else:
        source = replace(mirror.source, location=_address(mirror.source.location, url))
    root = mirror.git_dir.parent.parent
    # Apart from whole mirrors: these hold single commits without their history.
    inner = open_mirror(root if root.name == "submodules" else root / "submodules", source)
    fetch_alone(inner, sha)
    return inner


def _declared(mirror: Mirror, commit: str, path: str) -> tuple[str, str]:
    """Return the name and the address that .gitmodules gives for a path."""
    asked = ("config", "-z", "--blob", f"{commit}:.gitmodules", "--get-regexp", _SETTINGS)
    settings: dict[str, dict[str, str]] = {}
    for entry in git(mirror, asked).stdout.decode(errors="replace").split("\0"):
        key, _, value = entry.partition("\n")
        name, _, what = key.removeprefix("submodule.").rpartition(".")
        if what:
            settings.setdefault(name, {})[what] = value
    for name, said in settings.items():
        if said.get("path", "").rstrip("/") == path:
            if _is_unsafe(name):
                raise CheckoutError("Its name leads out of the folder of submodules.")
            return name, said.get("url", "")
    raise CheckoutError("`.gitmodules` does not name it.")


def _is_unsafe(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return not name or name.startswith(("-", "/")) or ".." in parts or "\0" in name


def _address(repository: str, url: str) -> str:
    """Return the https address of a submodule on the repository's own host."""
    own = urlsplit(repository)
    if url.startswith(("./", "../")):
        path = posixpath.normpath(posixpath.join(own.path.rstrip("/"), url))
        url = f"{own.scheme}://{own.netloc}{path}"
    try:
        found = urlsplit(url)
        same = (found.scheme, found.netloc) == (own.scheme, own.netloc)
    except ValueError:
        same = False
    if not same or ".." in found.path.split("/"):
        raise CheckoutError(f"Its address is not an {own.scheme} address on {own.netloc}.")
    return url


def _of_the_clone(source: RepositorySource, name: str) -> RepositorySource:
    """Return where a local clone keeps a submodule's repository."""
    folder = Path(source.location.removeprefix("file://")).resolve()
    asked = ("-C", str(folder), "rev-parse", "--path-format=absolute", "--git-common-dir")
    said = run_git(GitCall(asked))
    common = folder if said.exit_code else Path(os.fsdecode(said.stdout.rstrip(b"\n")))
    modules = (common / "modules").resolve()
    found = (modules / name).resolve()
    if not found.is_relative_to(modules) or not (found / "HEAD").is_file():
        raise CheckoutError("It is not in the local clone: run `git submodule update --init`.")
    return RepositorySource(str(found))


def is_named(tree: Path, path: str) -> bool:
    """Tell whether a file that is no prose names the submodule's folder, so that a run may read it."""
    wanted = os.fsencode(posixpath.basename(path))
    seen = 0
    for folder, names, files in os.walk(tree):
        names[:] = [name for name in names if name != ".github"]
        for name in files:
            seen += 1
            file = Path(folder, name)
            if seen > _SEARCHED_FILES:
                return True
            if name in _PROSE or file.suffix.lower() in _PROSE or file.is_symlink():
                continue
            with file.open("rb") as stream:
                if wanted in stream.read(_SEARCHED_BYTES):
                    return True
    return False
