"""Reads the command lines that a task shows: one program with plain words, perhaps fed by `echo`.

No shell is ever started with them, so a line that needs one is left alone.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST = 500
_PLAIN = re.compile(
    r"(?:[^'\"\\$`|&;<>(){}*?~#]|\\[ \\\"'])+|'[^']*'|\"[^\"\\$`]*\"|(?<!\s)[#?{}~]"
)
_PROMPT = re.compile(r"\$ (?P<line>\S.*)")
_PLACE = re.compile(r"(?:/home/|/Users/|/tmp/|/root/|(?<!\w)[A-Z]:\\)")
_CUT = re.compile(r"\s*(?:\.\.\.|…|\[\.\.\.\]|\[…\]|<snip>|\(snip\))\s*")
_VERSION = {"--version", "-V", "version"}
_OTHERS = {
    "pip", "pip3", "pipx", "uv", "npm", "yarn", "pnpm", "brew", "apt", "apt-get", "conda", "sudo", "uname",
    "which", "type", "ls", "pwd", "lsb_release", "sw_vers",
}  # fmt: skip
"""Programs that surround a report: what they do or print is nothing of the project."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """One program with its arguments, and what it is given to read."""

    argv: tuple[str, ...]
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that somebody typed at a prompt, and what came below."""

    line: str
    output: str


def read_command(line: str) -> CommandLine | None:
    """Return what a line runs; None where it takes a shell, or more than one program."""
    if len(line) > _LONGEST:
        return None
    parts, at = [""], 0  # the commands between single pipes
    line = re.split(r"\s#(?:\s|$)", line, maxsplit=1)[0].strip()
    while at < len(line):
        found = _PLAIN.match(line, at)
        if found:
            parts[-1] += found[0]
            at = found.end()
        elif line[at] == "|" and line[at : at + 2] != "||":
            parts.append("")
            at += 1
        else:
            return None
    words = [shlex.split(part.strip()) for part in parts]
    if not all(words) or len(words) > 2 or "=" in words[-1][0]:
        return None
    if len(words) == 1:
        return CommandLine(tuple(words[0]))
    feeding = words[0]
    if feeding[0] == "echo" and not (len(feeding) > 1 and feeding[1].startswith("-")):
        return CommandLine(tuple(words[1]), " ".join(feeding[1:]) + "\n")
    return None


def typed_in(text: str) -> tuple[Typed, ...]:
    """The lines after a `$` prompt, each with what stands below; empty where the first line is none."""
    lines = text.strip("\n").splitlines()
    if not lines or not _PROMPT.match(lines[0].strip()):
        return ()
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        prompt = _PROMPT.fullmatch(line.strip())
        if prompt:
            found.append((prompt["line"].strip(), []))
        else:
            found[-1][1].append(line.rstrip())
    return tuple(Typed(line, "\n".join(below).strip("\n")) for line, below in found)


def is_of_others(command: CommandLine) -> bool:
    """Whether a command belongs to what surrounds a report: an installation, a version."""
    return command.argv[0] in _OTHERS or not _VERSION.isdisjoint(command.argv[1:])


def compared_lines(output: str) -> tuple[str, ...]:
    """The lines of output that can be compared; of a traceback the last, and none of what is abbreviated."""
    lines = [line for line in output.splitlines() if line.strip()]
    if "Traceback (most recent call last):" in output:
        lines = lines[-1:]
    if any(_CUT.fullmatch(line) or _PLACE.search(line) for line in lines):
        return ()
    return tuple(lines)


def is_shown_in(lines: Iterable[str], output: str) -> bool:
    """Whether some lines stand together in an output; blank lines and space at an end do not judging."""
    wanted = [line.rstrip() for line in lines]
    had = [line.rstrip() for line in output.splitlines() if line.strip()]
    last = len(had) - len(wanted)
    return any(had[at : at + len(wanted)] == wanted for at in range(last + 1))
