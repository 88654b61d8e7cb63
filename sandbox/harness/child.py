"""The process that loads the tree: sets Python up as usual, runs the tests, leaves at once."""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import json
import os
import posix
import sys
from collections.abc import Callable
from types import TracebackType
from typing import NoReturn

from sandbox.harness import describe
from sandbox.harness.chain import Recorder

# The tree gets fresh copies of these, so that patching them does not reach the recorder.
_PRIVATE = ("sandbox", "json", "ast", "traceback", "linecache")


def main(orders_fd: int, records_fd: int) -> NoReturn:
    """Run what the orders say; never returns.

    The process leaves by `_exit`, so neither `atexit` handlers nor forgotten threads hold it up.
    """
    leave = posix._exit
    gc.disable()
    with os.fdopen(orders_fd, "rb") as stream:
        orders = json.loads(stream.read())
    recorder = Recorder(records_fd, bytes.fromhex(orders.pop("key")))
    streams = (sys.stdout, sys.stderr)
    runner = importlib.import_module(f"sandbox.harness.watch_{orders['runner']}").run
    sys.excepthook = _telling(recorder, orders["runner"])
    # The tests get an empty standard input, and do not see the recorder's modules.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    for name in list(sys.modules):
        if name.split(".")[0] in _PRIVATE:
            del sys.modules[name]
    del sys.path[0]
    # `inspect` stays: it has to find the lines of generated code where the tree registers them.
    vars(inspect)["linecache"] = importlib.import_module("linecache")
    _set_up_python(orders["environment"], orders["lent"])
    with contextlib.suppress(Exception):  # who runs it says why it cannot be imported
        importlib.import_module(orders["runner"])
    # What is loaded till here stays to the end: looking through it again and again takes long.
    with contextlib.suppress(AttributeError):  # PyPy has none
        gc.freeze()
    gc.enable()
    status = runner(recorder, orders)
    for stream_out in streams:
        with contextlib.suppress(OSError, ValueError):
            stream_out.flush()
    if not recorder.is_ours:
        leave(status)
    recorder.record("session", status=status)
    leave(status)


def _telling(recorder: Recorder, runner: str) -> Callable[..., None]:
    """Return a hook that records what ended this process, such as a runner that cannot be imported.

    Tests may call it as well; then the process goes on, and what it records next says so.
    """
    shown = sys.excepthook

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        own = describe.is_own(trace)
        who = "Assay's own harness failed" if own else f"{runner} could not be started"
        recorder.record("uncaught", text=f"{who}: {describe.raised(error)}")
        shown(kind, error, trace)

    return tell


def _set_up_python(environment: dict[str, str], lent: list[str]) -> None:
    """Do what the interpreter would have done without -S: environment, PYTHONPATH, site.

    The tree itself comes last on the path: an installed project wins over its own sources, and a
    project that is not installed is still found. After it comes what the other side lends.
    """
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [part for part in environment.get("PYTHONPATH", "").split(os.pathsep) if part]
    import site  # noqa: PLC0415 - runs the .pth files of the environment: nothing before may

    site.main()
    sys.path.append(os.getcwd())  # noqa: PTH109
    sys.path.extend(lent)
