"""What an agent may have judged and read: one repository, and the files in its work tree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bot.errors import UserError
from sandbox.repository.local_repository import common_dir, toplevel


@dataclass(frozen=True, slots=True)
class Root:
    """A folder that is named once, at the start. `git_dir` is its own, which may lie elsewhere (a linked
    work tree); None where it was no repository then."""

    folder: Path
    git_dir: Path | None

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return the folder as it stands, links followed."""
        folder = folder.resolve()
        return cls(folder, common_dir(folder))

    def repository(self) -> Path:
        """Return the work tree. Raises UserError where its repository, as it stands now, is outside."""
        top = toplevel(self.folder).resolve()
        if top != self.folder:
            raise UserError(
                f"{self.folder} is a part of the repository {top}.", f"Start `assay mcp {top}`."
            )
        git_dir = common_dir(top)
        if git_dir and git_dir != self.git_dir and not git_dir.is_relative_to(top):
            raise UserError(
                f"The git folder of {top} is {git_dir} now, which is outside of it.",
                f"If that is right, start `assay mcp {top}` again.",
            )
        return top

    def read(self, name: str, most_bytes: int) -> str:
        """Return the text of a file below, as far as it is UTF-8. Raises UserError."""
        try:
            path = (self.folder / name).resolve()  # all links followed
        except (OSError, ValueError) as error:  # a loop of links, a null byte
            raise UserError(f"{name!r} is not a path.", f"Name one below {self.folder}.") from error
        if not path.is_relative_to(self.folder):
            raise UserError(
                f"{name} is outside of {self.folder}, the folder that this server was started for.",
                "Name a path inside of it.",
            )
        if not path.is_file():
            raise UserError(f"{name} is not a file below {self.folder}.", "Name another one.")
        try:
            with path.open("rb") as file:
                text = file.read(most_bytes + 1)
        except OSError as error:
            raise UserError(f"{name} cannot be read: {error.strerror}.", "Name a file.") from error
        if len(text) > most_bytes:
            raise UserError(f"{name} is longer than {most_bytes:,} bytes.", "Name a shorter file.")
        return text.decode(errors="replace")
