"""What detection is told from outside the tree: the trusted configuration and the toolchain."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SetupHints:
    """The `setup` part of the repository's trusted configuration; empty lines mean "find out".

    `install` and `test` are shell lines. They come from the base branch, never from a pull request.
    `root` is the project's folder in the tree, as `Projects` finds it; "" is the tree itself. `install`
    starts in `install_root`: a line for the whole repository does not start in a project's folder.
    `released_before` (an ISO date) is set for old commits: what no lock file fixes is installed as it was
    offered then.
    """

    install: str = ""
    test: str = ""
    root: str = ""
    install_root: str = ""
    released_before: str = ""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What the sandbox has: its `python3` ("3.11.2"), the `uv` mounted into it, and other programs.

    `programs` are (name, version) of what answered; the name is the first word of the argv that an
    ecosystem asks with. What is absent is not installed.
    """

    python: str
    uv: str = ""
    programs: tuple[tuple[str, str], ...] = ()

    def version(self, program: str) -> str:
        """Return a program's version, "" when the sandbox does not have it."""
        return dict(self.programs).get(program, "")
