"""Starts a Node test run: `python3 -I -S launch_node.py`, told what to do by one JSON line on standard input.

The keeper holds the channel and never loads a line of the tree; `sandbox/harness/node/README.md` says
what the reporters can and cannot promise. Orders: `package` and `bin` (the runner's, "" for node itself),
`node` (arguments of node), `before` (commands that build what the tests run), `arguments` (of the
runner), `globs` (patterns to expand as the last arguments), `environment`, `cwd`.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import hmac
import json
import os
import subprocess
import sys

if not __package__:
    sys.path[0:0] = [os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))]  # noqa: PTH100, PTH120

from sandbox.harness import chain
from sandbox.harness.launch import Keeper, shut_the_door

RECORDS_FD = 3
KEY_FD = 4
_HIGH = 100
_NOT_STARTED = 127


class NodeReader(chain.Reader):
    """Verifies what `recorder.cjs` writes: Node has HMAC-SHA256, not keyed BLAKE2."""

    @staticmethod
    def _tag(key: bytes, body: bytes) -> bytes:
        return hmac.new(key, body, hashlib.sha256).digest()

    @staticmethod
    def _following(key: bytes) -> bytes:
        return hmac.new(key, b"next", hashlib.sha256).digest()


def main() -> None:
    """Start the runner; keep its records until it has ended."""
    shut_the_door()
    channel = int(os.environ.pop("ASSAY_CHANNEL_FD"))
    os.set_inheritable(channel, False)
    orders = json.loads(sys.stdin.buffer.readline())
    records_read, records_write = os.pipe()
    key_read, key_write = os.pipe()
    key, child_key = os.urandom(chain.KEY_BYTES), os.urandom(chain.KEY_BYTES)
    os.write(channel, key)
    os.write(key_write, child_key)
    os.close(key_write)
    os.chdir(orders["cwd"])
    for argv in orders["before"]:
        prepare(argv, orders["environment"])
    argv = program(orders)
    pid = os.fork()
    if pid == 0:
        os.close(channel)
        start(argv, orders["environment"], (records_write, key_read))
    os.close(records_write)
    os.close(key_read)
    Keeper(channel, key).keep(pid, records_read, NodeReader(child_key))
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
        high = [os.dup2(descriptor, _HIGH + n, False) for n, descriptor in enumerate(pipes)]
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.closerange(RECORDS_FD, _HIGH)
        for target, descriptor in zip((RECORDS_FD, KEY_FD), high):  # noqa: B905 - Python 3.8
            os.dup2(descriptor, target, True)
        os.closerange(_HIGH, _HIGH + len(high))
        os.execvpe(argv[0], argv, {**environment, "ASSAY_RECORDER": str(os.getpid())})  # noqa: S606
    os._exit(_NOT_STARTED)


def program(orders: dict[str, object]) -> list[str]:
    """Return the whole command line."""
    package, name = str(orders["package"]), str(orders["bin"])
    script = [] if not package else [runner_script(os.getcwd(), package, name)]  # noqa: PTH109
    found = [path for pattern in orders["globs"] for path in expanded(pattern)]  # type: ignore[attr-defined]
    own = [*orders["node"], *script, *orders["arguments"]]  # type: ignore[misc]
    return ["node", *own, *dict.fromkeys(found)]


def expanded(pattern: str) -> list[str]:
    """Return the files of a pattern, or the pattern itself where there are none, as a shell does."""
    names = glob.glob(pattern, recursive=True)  # noqa: PTH207 - as text, relative
    found = [path for path in names if "node_modules" not in path.split("/")]
    return sorted(found) or [pattern]


def runner_script(start_folder: str, package: str, name: str) -> str:
    """Return the script of an installed runner, looked for upwards as Node does."""
    folder = start_folder
    while True:
        place = os.path.join(folder, "node_modules", package)  # noqa: PTH118
        with contextlib.suppress(OSError, ValueError, AttributeError):
            with open(os.path.join(place, "package.json"), "rb") as file:  # noqa: PTH118, PTH123
                bins = json.loads(file.read())["bin"]
            script = bins if isinstance(bins, str) else bins.get(name) or bins.get(package)
            if script:
                return os.path.join(place, script)  # noqa: PTH118
        if folder == os.path.dirname(folder):  # noqa: PTH120
            print(f"{package} is not installed.", file=sys.stderr)
            return package
        folder = os.path.dirname(folder)  # noqa: PTH120


if __name__ == "__main__":
    main()
