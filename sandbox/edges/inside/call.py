"""Calls functions of the tree with empty inputs and tells what each call did.

The input is a JSON list of {path, name, arguments: {name: literal}}. Writes one JSON object a line to
the channel: {number, outcome, said}, with the end of the traceback where it divided by zero.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

_EMPTY = {"[]": list, "{}": dict, "()": tuple, "set()": set, '""': str}
_SECONDS = 5
_SAID_CHARACTERS = 1_500


class TooLong(BaseException):
    """A call did not end; nothing of the tree catches it by accident."""


def main() -> int:
    """Make every call in its order. Returns the exit code."""
    channel = os.fdopen(int(os.environ.pop("ASSAY_CHANNEL_FD")), "w")
    wanted = json.load(sys.stdin)
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123  until the end
    signal.signal(signal.SIGALRM, too_long)
    for number, one in enumerate(wanted):
        outcome, said = tried(one["path"], one["name"], one["arguments"])
        line = {"number": number, "outcome": outcome, "said": said[-_SAID_CHARACTERS:]}
        channel.write(json.dumps(line) + "\n")
        channel.flush()
    return 0


def tried(path: str, name: str, arguments: dict[str, str]) -> tuple[str, str]:
    """Make one call: (divides-by-zero | answers | not-tried, what it said)."""
    try:
        with limited():
            function = _found(path, name)
    except (Exception, SystemExit, TooLong) as error:  # whatever the tree does when it is imported
        return "not-tried", last_line(error)
    given = {key: _EMPTY[literal]() for key, literal in arguments.items()}
    try:
        if callable(function):
            inspect.signature(function).bind(**given)
    except (TypeError, ValueError) as error:
        return "not-tried", last_line(error)
    try:
        with limited():
            return "answers", _shown(function(**given) if callable(function) else function)
    except ZeroDivisionError as error:
        frames = traceback.extract_tb(error.__traceback__)
        if Path(frames[-1].filename).resolve() != Path(path).resolve():
            return "answers", last_line(error)  # a library's own way to refuse
        # The traceback as Python prints it, without our own frames.
        own = traceback.TracebackException.from_exception(error)
        here = Path(__file__).resolve()
        kept = [one for one in own.stack if Path(one.filename).resolve() != here]
        own.stack = traceback.StackSummary.from_list(kept)
        return "divides-by-zero", "".join(own.format(chain=False))
    except (Exception, SystemExit, TooLong) as error:  # whatever the tree's function raises
        return ("not-tried" if isinstance(error, TooLong) else "answers"), last_line(error)


def _found(path: str, name: str) -> object:
    """Import a file by the name that its package has, and return what is called."""
    value: object = imported(path)
    *owners, last = name.split(".")
    for owner in owners:
        value = getattr(value, owner)
    if not isinstance(value, type):
        return getattr(value, last)
    if isinstance(inspect.getattr_static(value, last), (staticmethod, classmethod)):
        return getattr(value, last)
    made = value()
    if isinstance(inspect.getattr_static(value, last), property):
        return lambda: getattr(made, last)
    return getattr(made, last)


def imported(path: str) -> ModuleType:
    """Import a file of the tree by the name that its package has. Raises ImportError."""
    file = Path(path).resolve()
    folder, names = file.parent, [] if file.stem == "__init__" else [file.stem]
    while (folder / "__init__.py").is_file():
        names.insert(0, folder.name)
        folder = folder.parent
    for entry in (str(folder), os.getcwd()):  # noqa: PTH109
        if entry not in sys.path:
            sys.path.insert(0, entry)
    module = importlib.import_module(".".join(names))
    if Path(module.__file__ or "").resolve() == file:
        return module
    raise ImportError(f"{module.__name__} is {module.__file__}, not {path}")


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Within seconds; what is printed goes where nobody takes it for a result."""
    signal.alarm(_SECONDS)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        signal.alarm(0)


def too_long(number: int, frame: FrameType | None) -> None:
    """Handle SIGALRM. Raises TooLong."""
    raise TooLong(f"it did not end within {_SECONDS} s")


def _shown(value: object) -> str:
    if inspect.isgenerator(value):
        value = list(value)
    try:
        return repr(value)[:200]
    except Exception as error:  # whatever the value's own `__repr__` raises
        return last_line(error)


def last_line(error: BaseException) -> str:
    """The class of an error and what it says, in one line."""
    return traceback.format_exception_only(type(error), error)[-1].strip()[:300]


if __name__ == "__main__":
    # The tree may leave threads and handlers behind; there is nothing to tidy up here.
    os._exit(main())
