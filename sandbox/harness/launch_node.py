"""Starts a Node test run: `python3 -I -S launch_node.py`, told what to do by one JSON line on standard input.

The supervisor holds the channel and never loads a line of the tree; `sandbox/harness/node/README.md` says
what the reporters can and cannot promise. Orders: `runner` (its name), `package` and `bin` (the
runner's, "" for node itself), `node` (arguments of node), `before` (commands that build what the tests
run), `original`, `packages` and `tests` (what is laid again after them: see `Originals`), `arguments`
(of the runner), `editions` (what only some of its major versions take), `globs` (patterns to expand as
the last arguments), `each` (every file runs in a process of its own), `only` (then: the files to run),
`time_s`, `environment`, `cwd`.

The run is told to the host as records: `runner` (what is installed), `file` begun (for `each`), what the
reporter says, how the process ended; `again` when ava hung and the tests run once more, one by one (what was
told before does not count then); and `plain`, when the reporter never came to speak: what the runner
prints without it, which tells Assay's own failure from the project's, and which node it had and wants.
"""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import hmac
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

if not __package__:
    sys.path[0:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]  # noqa: PTH100, PTH120

from sandbox.harness import chain
from sandbox.harness.launch import NO_TRACES, ORPHANS, Supervisor, ask_kernel
from sandbox.harness.node_start import (
    CLI_OF_MOCHA,
    TAP_OF_MODULES,
    Installed,
    Start,
    ask,
    expanded,
    test_files,
)
from sandbox.harness.supervisor.steps import end_descendants

TREE = Path("/work/tree")
_SCRIPT = re.compile(r"(\.d)?\.[cm]?[jt]sx?(\.map)?$")
_TEST_SIDE = re.compile(
    r"(^|/)(__tests__|__mocks__|tests?|specs?)/.*\.[cm]?[jt]sx?$"
    r"|(^|[._/-])(tests?|specs?|setup)\.[cm]?[jt]sx?$"
    r"|(^|/)(jest|vitest|ava|karma|playwright|babel|vite)\.(config|workspace|setup)\.[\w.]+$"
    r"|(^|/)(\.mocharc|\.babelrc|\.swcrc|\.taprc|\.env|\.npmrc|\.?jasmine)[\w.]*$|\.snap$"
)


class Originals:
    """The tree and the packages as they were, and which files (relative to the tree) are the tests'.

    Both stand a second time, read-only, out of the reach of a build that may have written to them.
    """

    def __init__(self, tree: str, packages: str, tests: list[str]) -> None:
        self._tree = Path(tree)
        self._packages = Path(packages)
        self._tests = tests

    def lay_tests(self) -> None:
        """Lay every file of the tests, and remove what was added among them without a source there.

        What a compiler makes of a test has that test's name.
        """
        for path in self._tests:
            lay(self._tree / path, path)
        stems = {_stem(path) for path in self._tests}
        for folder, names, files in os.walk(TREE):
            names[:] = [name for name in names if name not in ("node_modules", ".git")]
            for name in files:
                path = Path(folder, name).relative_to(TREE).as_posix()
                is_compiled = _SCRIPT.search(path) and _stem(path) in stems
                is_added = not os.path.lexists(self._tree / path)
                if is_added and _TEST_SIDE.search(path) and not is_compiled:
                    with contextlib.suppress(OSError):
                        (TREE / path).unlink()

    def lay_runner(self, package: str) -> None:
        """Lay the runner's own packages again, wherever packages are installed."""
        for folder, names, _ in os.walk(self._packages) if package else ():
            if Path(folder).name == "node_modules":
                own = (package, f"{package}-", f"@{package}")
                found = [one for one in names if one == package or one.startswith(own[1:])]
                names.clear()
                for name in found:
                    self._lay_package(Path(folder, name))

    def _lay_package(self, folder: Path) -> None:
        """Lay a package; of one that is a link (pnpm's) the link, and what it leads to."""
        if folder.is_symlink():
            lay_link(folder, folder.relative_to(self._packages).as_posix())
            folder = folder.resolve()
        if not folder.is_relative_to(self._packages):
            return
        for place, _, files in os.walk(folder):
            for name in files:
                original = Path(place, name)
                lay(original, original.relative_to(self._packages).as_posix())


def _stem(path: str) -> str:
    return _SCRIPT.sub("", path.rpartition("/")[2])


def lay(original: Path, path: str) -> None:
    """Lay one file of the tree as it was, through no link that a build made."""
    target = TREE / path
    if original.is_symlink():
        return
    with contextlib.suppress(OSError):
        if target.resolve() == target and filecmp.cmp(original, target, shallow=False):
            return
    with contextlib.suppress(OSError):
        _clear(path)
        shutil.copy2(original, target)


def lay_link(original: Path, path: str) -> None:
    """Lay one link of the packages as it was."""
    target = TREE / path
    with contextlib.suppress(OSError):
        if not target.is_symlink() or target.readlink() != original.readlink():
            _clear(path)
            target.symlink_to(original.readlink())


def _clear(path: str) -> None:
    """Make the folders of a path, through no link, and remove what stands in its place."""
    at = TREE
    for part in path.split("/")[:-1]:
        at /= part
        if at.is_symlink() or not at.is_dir():
            _remove(at)
            at.mkdir()
    _remove(TREE / path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


RECORDS_FD = 3
KEY_FD = 4
_HIGH = 100
_NOT_STARTED = 127
_HERE = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
_SHORTEST_S = 20.0
_SAID_BYTES = 100_000
_TOLD = b'{"kind":"test"'
_HUNG = b'{"kind":"hung"'
_BY_PATH = "--runTestsByPath"
_JEST_OF_PATHS = 21  # the first version with that option


class NodeReader(chain.Reader):
    """Verifies what `recorder.cjs` writes: Node has HMAC-SHA256, not keyed BLAKE2."""

    has_spoken = False
    has_told = False
    has_hung = False

    def feed(self, data: bytes) -> list[bytes]:
        """Return the bodies that are now whole; remember whether any told a test, and that ava hung."""
        bodies = super().feed(data)
        self.has_spoken = self.has_spoken or bool(bodies)
        self.has_told = self.has_told or any(body.startswith(_TOLD) for body in bodies)
        self.has_hung = self.has_hung or any(body.startswith(_HUNG) for body in bodies)
        return bodies

    @staticmethod
    def _tag(key: bytes, body: bytes) -> bytes:
        return hmac.new(key, body, hashlib.sha256).digest()

    @staticmethod
    def _following(key: bytes) -> bytes:
        return hmac.new(key, b"next", hashlib.sha256).digest()


class NodeRun:
    """One run of a project's tests: the channel, the orders and what is installed."""

    def __init__(self, orders: dict, channel: int) -> None:  # type: ignore[type-arg]
        self.orders = orders
        self.channel = channel
        self.supervisor = Supervisor(channel)
        self.installed = Installed(orders["package"], orders["bin"])
        self.deadline = time.monotonic() + orders["time_s"]
        self.start = Start(orders, self.installed)

    def go(self) -> None:
        """Run everything that was ordered."""
        installed, orders = self.installed, self.orders
        self.supervisor.tell(
            {"kind": "runner", "name": orders["runner"], "version": installed.version}
        )
        if orders["package"] and not installed.folder:
            print(f"{orders['package']} is not installed.", file=sys.stderr)
            self.supervisor.tell({"kind": "absent"})
            return
        if orders["each"]:
            self.each()
            return
        status, reader = self.observed(self.program())
        if reader.has_hung:
            self.supervisor.tell({"kind": "again"})
            status, reader = self.observed([*self.program(), "--serial"])
        if status and not reader.has_spoken:
            node = ask(["--version"], orders["environment"]).strip()
            said, wanted = self.plainly(), installed.wanted_node
            self.supervisor.tell({"kind": "plain", "said": said, "node": node, "wanted": wanted})

    def each(self) -> None:
        """Run every test file in a process of its own, one after another."""
        node, words = self.start.words(), self.orders["globs"]
        if self.orders["runner"] == "tap" and self.installed.major >= TAP_OF_MODULES:
            # It lists its own.
            said = ask([self.installed.script, "list", *words], self.orders["environment"])
            words = [line for line in said.splitlines() if line.strip()] or words
        files = test_files(self.orders["runner"], words, self.orders["only"])
        if self.start.is_unknown:
            self.supervisor.tell({"kind": "unknown start"})
        ended = {path: self.one_file(node, path) for path in files.run}
        helpers = [
            path
            for path in files.helpers
            if not ended[path][1] and not (ended[path][0] and path in files.found)
        ]
        for path in files.found if helpers else []:
            if path not in ended:
                self.one_file(node, path)
        for path in helpers:
            is_found = path in files.found
            self.supervisor.tell({"kind": "helper", "file": path, "found": is_found})

    def one_file(self, node: list[str], path: str) -> tuple[int, bool]:
        """Run one test file; return its wait status, and whether it told a test."""
        self.supervisor.tell({"kind": "begun", "file": path})
        left_s = self.deadline - time.monotonic()
        argv = ["node", *node, os.path.abspath(path), *self.orders["arguments"]]  # noqa: PTH100
        status, reader = self.observed(argv, max(_SHORTEST_S, min(left_s / 2, self.start.file_s)))
        return status, reader.has_told

    def program(self) -> list[str]:
        """Return the whole command line, reporter and all."""
        orders, installed = self.orders, self.installed
        own = []
        for first, before, _, arguments in orders["editions"]:
            if first <= installed.major and (not before or installed.major < before):
                own += arguments
        found = [path for pattern in orders["globs"] for path in expanded(pattern)]
        node = [*self.start.words(), *orders["through"]]
        words = [*orders["reporter"], *own, *orders["arguments"]]
        script = [installed.script] if installed.script else []
        if orders["runner"] == "mocha" and installed.major >= CLI_OF_MOCHA:
            # Its own command would start a second process.
            script = [f"{installed.folder}/lib/cli/cli.js"]
        return ["node", *node, *script, *self.with_files(words, list(dict.fromkeys(found)))]

    def with_files(self, words: list[str], files: list[str]) -> list[str]:
        """Return a runner's words with the files to run.

        An option of vitest that may have a value (`--typecheck`) takes the first file behind it for one.
        Before jest 21 a file is a pattern.
        """
        is_vitest = self.orders["runner"] == "vitest"
        if words[-1:] == [_BY_PATH] and self.installed.major < _JEST_OF_PATHS:
            return [*words[:-1], *(f"/{re.escape(path)}$" for path in files)]
        at = int(words[:1] == ["run"]) if is_vitest else len(words)
        return [*words[:at], *files, *words[at:]]

    def observed(self, argv: list[str], time_s: float = 0.0) -> tuple[int, NodeReader]:
        """Run a command with the recorder's pipes; return its wait status, and who heard what it said."""
        records_read, records_write = os.pipe()
        key_read, key_write = os.pipe()
        child_key = os.urandom(chain.KEY_BYTES)
        os.write(key_write, child_key)
        os.close(key_write)
        pid = os.fork()
        if pid == 0:
            os.close(self.channel)
            variables = {**self.orders["environment"], **self.start.variables}
            start(argv, variables, (records_write, key_read))
        os.close(records_write)
        os.close(key_read)
        reader = NodeReader(child_key)
        status = self.supervisor.keep(pid, records_read, reader, time_s)
        os.close(records_read)
        return status, reader

    def plainly(self) -> str:
        """Run the runner as the project does, without anything of ours; return the end of its output."""
        orders = self.orders
        found = [path for pattern in orders["globs"] for path in expanded(pattern)]
        words = self.with_files(orders["arguments"], found)
        argv = ["node", *orders["own_node"], self.installed.script, *words]
        time_s = max(_SHORTEST_S, (self.deadline - time.monotonic()) / 2)
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            done = subprocess.run(
                [word for word in argv if word],
                env=orders["environment"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=time_s,
                check=False,
            )
            return done.stdout[-_SAID_BYTES:].decode("utf-8", "replace")
        return ""


def main() -> None:
    """Start the runner; keep its records until it has ended."""
    ask_kernel(*NO_TRACES)
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    os.set_inheritable(channel, False)
    orders = json.loads(sys.stdin.buffer.readline())
    os.chdir(orders["cwd"])
    run = NodeRun(orders, channel)
    if orders["before"]:
        ask_kernel(*ORPHANS)
        for argv in orders["before"]:
            prepare(argv, orders["environment"])
        end_descendants()  # what a build left running could write once more
        originals = Originals(orders["original"], orders["packages"], orders["tests"])
        originals.lay_tests()
        originals.lay_runner(orders["package"])
    run.go()
    os._exit(0)


def prepare(argv: list[str], environment: dict[str, str]) -> None:
    """Build in the tree; tests that a failing build leaves without their code fail by themselves."""
    with contextlib.suppress(OSError):
        done = subprocess.run(argv, env=environment, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            print(f"{' '.join(argv)} ended with {done.returncode}.", file=sys.stderr)


def start(argv: list[str], environment: dict[str, str], pipes: tuple[int, int]) -> None:
    """Become the runner, with the pipes where `recorder.cjs` looks for them; never returns."""
    with contextlib.suppress(OSError):
        signal.set_wakeup_fd(-1)
        high = [os.dup2(descriptor, _HIGH + n, False) for n, descriptor in enumerate(pipes)]
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.closerange(RECORDS_FD, _HIGH)
        for target, descriptor in zip((RECORDS_FD, KEY_FD), high):  # noqa: B905 - Python 3.8
            os.dup2(descriptor, target, True)
        os.closerange(_HIGH, _HIGH + len(high))
        os.execvpe(argv[0], argv, {**environment, "ASSAY_RECORDER": str(os.getpid())})  # noqa: S606
    os._exit(_NOT_STARTED)


if __name__ == "__main__":
    main()
