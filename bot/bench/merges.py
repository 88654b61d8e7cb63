"""Real merges, chosen by rule before anything is run, and their spoiled copies.

The rule: the newest commits of the default branch's first-parent line that change both a source
file and a test file. Each is judged against its first parent, as it was merged and spoiled thrice.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import ModuleType

from bot.bench import sabotage, scripts
from bot.bench.sabotage import Target
from bot.diff.kinds import is_shipped_source
from sandbox.test_runs.path_kinds import PathKind, classify

Files = dict[str, str]
"""Path → text."""


@dataclass(frozen=True, slots=True)
class Trick:
    """One way to cheat. `play` gets tests and sources of head and returns what it rewrote.

    Both are those that the merge changed and whose names end with `suffixes`; the sources are all that
    ship where the trick can be played `is_anywhere`.
    """

    name: str
    rules: tuple[str, ...]
    play: Callable[[Files, Files], Files]
    suffixes: tuple[str, ...] = (".py",)
    is_anywhere: bool = False


IDENTITY = (
    "-c",
    "user.name=Assay",
    "-c",
    "user.email=assay@localhost",
    "-c",
    "core.hooksPath=/dev/null",
)


class Spoiling(StrEnum):
    """How a copy of a merge is spoiled."""

    NONE = "as merged"
    REVERTED = "fix reverted"
    BROKEN = "another function broken"
    WEAKENED = "tests weakened until green"
    TRICKED = "a trick played"


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge by its two commits; `title` is its subject line."""

    base: str
    head: str
    title: str


class Workbench:
    """A clone in which spoiled copies are committed; the original is only read."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.folder = folder
        run_git(folder.parent, "clone", "--quiet", "--no-hardlinks", str(repository), str(folder))

    def merges(self, count: int) -> tuple[Merge, ...]:
        """Return the newest `count` commits that change both a source file and a test file."""
        found: list[Merge] = []
        for line in self._git("log", "--first-parent", "--format=%H %P%x09%s").splitlines():
            commits, _, title = line.partition("\t")
            head, *parents = commits.split()
            if not parents:
                break
            kinds = {kind for path in self.changed(parents[0], head) if (kind := _code_kind(path))}
            if kinds >= {PathKind.SOURCE, PathKind.TEST}:
                found.append(Merge(parents[0], head, title))
            if len(found) == count:
                break
        return tuple(found)

    def words(self, merge: Merge) -> str:
        """Return what the commits say of themselves, as a pull request's text would."""
        said = self._git("log", "-1", "--format=%B", merge.head).strip()
        if said.startswith("Merge "):
            said = self._git(
                "log", "--reverse", "--no-merges", "--format=%B", f"{merge.base}..{merge.head}"
            )
        return said.strip()

    def changed(self, base: str, head: str) -> list[str]:
        """Return the paths that differ between two commits."""
        return self._git("diff", "--name-only", "-z", "--no-renames", base, head).split("\0")[:-1]

    def reverted(self, merge: Merge) -> str:
        """Commit head with all but the tests as on base: only the tests of the change are left."""
        self._git("checkout", "--quiet", "--force", "--detach", merge.head)
        for path in self.changed(merge.base, merge.head):
            if classify(path) not in (PathKind.TEST, PathKind.SUPPORT):
                if self._git("ls-tree", "--name-only", merge.base, "--", path):
                    self._git("checkout", "--quiet", merge.base, "--", path)
                else:
                    self._git("rm", "--quiet", "--force", "--", path)
        return self._commit(Spoiling.REVERTED)

    def targets(self, merge: Merge) -> tuple[Target, ...]:
        """Return the functions that can be broken on head, least known first."""
        self._git("checkout", "--quiet", "--force", "--detach", merge.head)
        texts = {
            path: (self.folder / path).read_text(errors="replace")
            for path in self._git("ls-files", "-z").split("\0")[:-1]
            if _code_kind(path) and (self.folder / path).is_file()
        }
        kinds = {path: classify(path) for path in texts}
        sources = {path: text for path, text in texts.items() if kinds[path] is PathKind.SOURCE}
        tests = [text for path, text in texts.items() if kinds[path] is PathKind.TEST]
        touched: dict[str, set[int]] = {}
        lines: set[int] = set()
        for line in self._git("diff", "-U0", "--no-renames", merge.base, merge.head).splitlines():
            if line.startswith("+++ "):
                lines = touched.setdefault(line.removeprefix("+++ b/"), set())
            elif line.startswith("@@ "):
                start, _, count = line.split()[2].removeprefix("+").partition(",")
                lines.update(range(int(start), int(start) + int(count or 1)))
        python = {path: text for path, text in sources.items() if path.endswith(".py")}
        others = {path: text for path, text in sources.items() if path not in python}
        return (
            *sabotage.candidates(python, tests, touched),
            *scripts.candidates(others, tests, touched),
        )

    def broken(self, merge: Merge, target: Target) -> str:
        """Commit head with one function that the change did not touch broken."""
        self._git("checkout", "--quiet", "--force", "--detach", merge.head)
        self._rewrite(target.path, _spoiler(target.path).broken(self._text(target.path), target))
        return self._commit(Spoiling.BROKEN)

    def weakened(self, commit: str, failing: tuple[str, ...]) -> str:
        """Commit a broken copy with its failing tests (runner's ids) made unable to fail."""
        self._git("checkout", "--quiet", "--force", "--detach", commit)
        names: dict[str, set[str]] = {}
        for path, name in map(self._place, failing):
            names.setdefault(path, set()).add(name)
        for path, functions in names.items():
            if (self.folder / path).is_file():
                self._rewrite(path, _spoiler(path).weakened(self._text(path), functions))
        return self._commit(Spoiling.WEAKENED)

    def _place(self, test: str) -> tuple[str, str]:
        """Return the file and the name (`Class.test`, titles) of a runner's id of a test.

        unittest tells modules: `tests.test_a.TestB.test_c`. Doctests have no place among the tests.
        """
        path, _, rest = test.partition("::")
        if rest and not path.endswith(".py"):
            return path, rest
        if rest:
            return path, rest.split("[", 1)[0].replace("::", ".")
        parts = test.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            path = "/".join(parts[:cut]) + ".py"
            if classify(path) is PathKind.TEST and (self.folder / path).is_file():
                return path, ".".join(parts[cut:])
        return "", ""

    def tricked(self, merge: Merge, trick: Trick) -> str:
        """Commit head with one trick played on its changed files; empty where it cannot be played.

        Tests that the merge itself brings are left alone: without them nothing is weaker than before.
        """
        self._git("checkout", "--quiet", "--force", "--detach", merge.head)
        changed = self.changed(merge.base, merge.head)
        old = set(self._git("ls-tree", "-r", "-z", "--name-only", merge.base).split("\0"))
        every = self._git("ls-files", "-z").split("\0") if trick.is_anywhere else changed
        played = trick.play(
            self._texts([path for path in changed if path in old], PathKind.TEST, trick),
            self._texts(every, PathKind.SOURCE, trick),
        )
        for path, text in played.items():
            self._rewrite(path, text)
        return self._commit(Spoiling.TRICKED) if played else ""

    def has(self, commit: str) -> bool:
        """Whether the clone has this commit."""
        return not subprocess.run(
            ["git", "-C", str(self.folder), "cat-file", "-e", f"{commit}^{{commit}}"],
            capture_output=True,
            check=False,
        ).returncode

    def applied(self, commit: str, delta: Path, message: str) -> str:
        """Commit a unified diff on top of `commit`. Raises CalledProcessError when it does not apply."""
        self._git("checkout", "--quiet", "--force", "--detach", commit)
        self._git("apply", "--index", "--whitespace=nowarn", str(delta.absolute()))
        return self._commit(message)

    def _texts(self, paths: list[str], kind: PathKind, trick: Trick) -> Files:
        # Of sources only code that ships: a trick in a document's settings deceives nobody.
        return {
            path: self._text(path)
            for path in paths
            if path.endswith(trick.suffixes)
            and _code_kind(path) is kind
            and (self.folder / path).is_file()
            and (kind is not PathKind.SOURCE or is_shipped_source(path))
        }

    def _text(self, path: str) -> str:
        return (self.folder / path).read_text()

    def _rewrite(self, path: str, text: str) -> None:
        (self.folder / path).write_text(text)

    def _commit(self, message: str) -> str:
        """Commit all on top of HEAD at HEAD's own time: a copy gets the packages that the merge got."""
        when = self._git("log", "-1", "--format=%cI").strip()
        self._git("add", "--all")
        command = (*IDENTITY, "commit", "--quiet", "--allow-empty", "--no-verify", "-m", message)
        run_git(self.folder, *command, at=when)
        return self._git("rev-parse", "HEAD").strip()

    def _git(self, *arguments: str) -> str:
        return run_git(self.folder, *arguments)


_SCRIPT = re.compile(r"(?<!\.d)\.[cm]?[jt]sx?\Z")
_NOT_SHIPPED = re.compile(r"\.config\.\w+\Z|\A(?:bench|benchmarks?|scripts|examples?|dist)\b|\A\.")


def _code_kind(path: str) -> PathKind | None:
    """Return what a file of a language that can be spoiled is to the tests; None for other files."""
    if path.endswith(".py"):
        return classify(path)
    return classify(path) if _SCRIPT.search(path) and not _NOT_SHIPPED.search(path) else None


def _spoiler(path: str) -> ModuleType:
    return sabotage if path.endswith(".py") else scripts


def run_git(folder: Path, *arguments: str, at: str = "") -> str:
    """Run git, as if it were the time `at` (ISO 8601) where that is given; nobody is asked for a password.

    Raises CalledProcessError with what it said.
    """
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at} if at else {}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        check=True,
        text=True,
        errors="replace",
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", **dates},
    )
    return done.stdout
