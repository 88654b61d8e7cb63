"""Sees a test program or script that the tested code ended with success before its own end.

In C and C++ a small library is loaded into what the tests start (see exits.c). A call of `exit(0)`
counts against a program that is named after a test file when the calling function is defined in a
source that is no test: frameworks and tests may end their program as they like. Static programs and
those with sanitizers, which want to be loaded first, are not looked at. Bash tells by itself.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from sandbox.harness.supervisor.orders import Orders
from sandbox.harness.supervisor.steps import Program, Steps
from sandbox.harness.supervisor.suite import read_text

_SOURCE = Path(__file__).with_name("exits.c")
_SHELL = Path(__file__).with_name("exits.sh")
_SOURCES = re.compile(r"(?:^|[;&|({\s])(?:\.|source)\s+\S", re.M)
_C = (".c", ".cc", ".cpp", ".cxx", ".h", ".hpp")
_BUILD_FILES = ("Makefile", "makefile", "GNUmakefile", "CMakeLists.txt")
_MOST_CALLS = 20
_MOST_FILES = 500
_EXECUTABLE = 2  # ELF's e_type of a program that stands at a fixed address


class Exits:
    """Watches from the moment it is made; `environment` goes to what runs tests."""

    def __init__(self, steps: Steps, orders: Orders) -> None:
        self._steps, self._orders = steps, orders
        self._notes = orders.scratch("exits")
        library = orders.scratch("exits.so")
        self.environment: tuple[tuple[str, str], ...] = ()
        texts = "".join(read_text(orders.top / name) for name in _BUILD_FILES)
        if "fsanitize" in texts or not any(path.endswith(_C) for path in orders.tests):
            return
        made = steps.run("cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl")
        if made.status == 0:
            self.environment = (("LD_PRELOAD", str(library)), ("ASSAY_EXITS", str(self._notes)))

    def early(self) -> str:
        """Say who ended a test program too early since the last time; "" when nobody did."""
        text = read_text(self._notes)
        self._notes.unlink(missing_ok=True)
        stems = {PurePosixPath(path).stem for path in self._orders.tests}
        for line in list(dict.fromkeys(text.splitlines()))[:_MOST_CALLS]:
            words = line.split("\t")
            if len(words) == 4 and PurePosixPath(words[0]).name in stems:
                name = self._function(words[1], words[2], words[3])
                place = self._defined_in(name)
                if place:
                    return (
                        f"`{name}` ({place}) ended {PurePosixPath(words[0]).name} with exit(0) "
                        "before its end."
                    )
        return ""

    def _function(self, program: str, base: str, caller: str) -> str:
        """Return the bare name of the function that holds an address; "" when it cannot be told."""
        try:
            with Path(program).open("rb") as stream:
                kind = stream.read(18)[16]
            address = int(caller, 16) - 1 - (0 if kind == _EXECUTABLE else int(base, 16))
        except (OSError, ValueError, IndexError):
            return ""
        told = self._steps.run("addr2line", "-f", "-C", "-e", program, hex(address)).out
        name = told.split("\n", 1)[0].partition("(")[0].rpartition("::")[2]
        return name if re.fullmatch(r"\w{1,200}", name) and name != "main" else ""

    def _defined_in(self, name: str) -> str:
        """Return the source, no test, that defines a function; "" when none does."""
        if not name:
            return ""
        definition = re.compile(
            rf"^[A-Za-z_][^;{{}}()=]*\b{name}\s*\([^;{{}}]*\)[^;{{}}]*\{{", re.M
        )
        top = self._orders.top
        files = sorted(path for path in top.rglob("*") if path.suffix in _C)[:_MOST_FILES]
        for path in files:
            place = path.relative_to(top).as_posix()
            if not _is_test_side(self._orders, place) and definition.search(read_text(path)):
                return place
        return ""


def _is_test_side(orders: Orders, place: str) -> bool:
    return place in orders.tests or bool({"test", "tests"} & set(place.split("/")[:-1]))


class ScriptEnds:
    """Sees a test script that a file it sources ended with success; bash knows where it stands.

    A script for `sh` that sources something runs in bash once more, only to be asked that.
    """

    def __init__(self, steps: Steps, orders: Orders) -> None:
        self._steps, self._orders = steps, orders
        self._notes = orders.scratch("ends")

    def program(self, interpreter: str, path: str) -> Program:
        """Return how to start a script; the variables mean nothing to `sh`."""
        watched = (
            ("BASH_ENV", str(_SHELL)),
            ("ASSAY_EXITS", str(self._notes)),
            ("ASSAY_SCRIPT", f"./{path}"),
        )
        return Program((interpreter, f"./{path}"), environment=watched)

    def early(self, path: str, text: str) -> str:
        """Say which file ended the script that just succeeded; "" when it was the script itself."""
        told = self._ended_in()
        if not told and _SOURCES.search(text):
            again = self._steps.start(self.program("bash", path))
            told = self._ended_in() if again.status == 0 else ""
        top = self._orders.top.resolve()
        try:
            place = (top / told).resolve().relative_to(top).as_posix() if told else path
        except (ValueError, OSError):
            return ""
        if place == path or _is_test_side(self._orders, place):
            return ""
        return f"{place} ended the script with success before its end."

    def _ended_in(self) -> str:
        lines = read_text(self._notes).splitlines()
        self._notes.unlink(missing_ok=True)
        return lines[-1] if lines else ""
