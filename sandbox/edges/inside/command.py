"""Runs the commands that a task shows, where they are the project's own, and tells what each printed.

The input is JSON: {calls: [{argv, stdin, before: [{argv, stdin}]}]}. The project's own are its console
scripts and bins, `python -m` with a module of the tree, and files of the tree. `cat` before a command with
text to read makes that file. No shell is started. Writes one JSON object a line to the channel, as example.py
does.
"""

from __future__ import annotations

import configparser
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

_SECONDS = 10
_MOST_SAID = 50_000
_PYTHON = re.compile(r"python[\d.]*|py")
_FILE = re.compile(r"[\w.@-]+(?:/[\w.@-]+)*\.[A-Za-z]\w{0,4}")
_TREE = Path.cwd()


class CommandRefused(Exception):
    """A command that shows nothing here, and why."""


def main() -> int:
    """Run every command after those that stand before it. Returns the exit code."""
    channel = os.fdopen(int(os.environ.pop("ASSAY_CHANNEL_FD")), "w")
    orders = json.load(sys.stdin)
    own = _scripts()
    done: set[str] = set()
    for number, call in enumerate(orders["calls"]):
        try:
            for one in call["before"]:
                key = json.dumps(one)
                if key not in done:
                    _run(one, own)
                done.add(key)
            told = {"outcome": "printed", "said": _run(call, own)}
        except CommandRefused as error:
            told = {"outcome": "not-tried", "said": str(error)}
        channel.write(json.dumps({"number": number, **told}) + "\n")
        channel.flush()
    return 0


def _run(call: dict[str, Any], own: dict[str, str]) -> str:
    """Run one command and return what it printed. Raises CommandRefused."""
    argv = list(call["argv"])
    if argv[0] == "cat" and len(argv) == 2 and call["stdin"]:
        place = (_TREE / argv[1]).resolve()
        if _TREE not in place.parents:
            raise CommandRefused(f"{argv[1]} is outside of the tree")
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(call["stdin"])
        return ""
    argv = _of_project(argv, own)
    for word in argv[1:]:
        if _FILE.fullmatch(word) and not Path(word).exists() and argv[0] != word:
            raise CommandRefused(f"there is no {word}")
    try:
        started = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "80"},
        )
    except OSError as error:
        raise CommandRefused(f"{argv[0]} cannot be started: {error.strerror}") from error
    try:
        output, _ = started.communicate(call["stdin"].encode(), timeout=_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise CommandRefused(f"it did not end within {_SECONDS} s") from error
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
    return output.decode(errors="replace")[:_MOST_SAID]


def _of_project(argv: list[str], own: dict[str, str]) -> list[str]:
    """Return how a command of the project is started. Raises CommandRefused for another."""
    first, *rest = argv
    if first == "npx" and rest:
        first, *rest = rest
    if first in own:
        if own[first]:
            return ["node", own[first], *rest]
        found = shutil.which(first)
        if found is None:
            raise CommandRefused(f"{first} was not installed")
        return [found, *rest]
    if _PYTHON.fullmatch(first) and len(rest) > 1 and rest[0] == "-m":
        path = Path(*rest[1].split("."))
        places = (path.with_name(f"{path.name}.py"), path / "__main__.py")
        if any((above / one).is_file() for above in (Path(), Path("src")) for one in places):
            return ["python3", *rest]
    program = "python3" if _PYTHON.fullmatch(first) else first
    if program in ("python3", "node") and rest and (_TREE / rest[0]).is_file():
        return [program, *rest]
    if "/" in first and not first.startswith("/") and os.access(first, os.X_OK):
        return [os.path.abspath(first), *rest]  # noqa: PTH100
    raise CommandRefused(f"{first} is no command of the project")


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _scripts() -> dict[str, str]:
    """What the project installs to be called: its name, and for one of Node its file."""
    found: dict[str, str] = {}
    section = re.compile(r"(?ms)^\[(?:project|tool\.poetry)\.scripts\]\s*$(.*?)(?=^\[|\Z)")
    text = _text("pyproject.toml")
    for lines in section.findall(text):
        found.update(dict.fromkeys(re.findall(r"(?m)^[\"']?([\w.-]+)[\"']?\s*=", lines), ""))
    reader = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        reader.read_string(_text("setup.cfg"))
        lines = reader.get("options.entry_points", "console_scripts", fallback="")
    except (ValueError, configparser.Error):
        lines = ""
    found.update(dict.fromkeys(re.findall(r"(?m)^\s*([\w.-]+)\s*=", lines), ""))
    text = _text("setup.py")
    found.update(dict.fromkeys(re.findall(r"[\"']([\w.-]+)\s*=\s*[\w.]+:[\w.]+[\"']", text), ""))
    try:
        package = json.loads(_text("package.json"))
        bins = package.get("bin", {})
        bins = {str(package["name"]).rpartition("/")[2]: bins} if isinstance(bins, str) else bins
        found.update({str(name): str(_TREE / str(file)) for name, file in bins.items()})
    except (ValueError, AttributeError, KeyError, TypeError):
        pass
    return found


if __name__ == "__main__":
    os._exit(main())
