"""Folders of Assay's own below somebody's project: git does not see them."""

from __future__ import annotations

from pathlib import Path

from bot.errors import UserError


def make_own_folder(folder: Path, way_out: str, mode: int = 0o777) -> None:
    """Make a folder that ignores itself in git. Raises UserError when it cannot be written."""
    ignore = folder / ".gitignore"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=mode)
        if not ignore.exists():
            ignore.touch(mode & 0o666)
            ignore.write_text("# Made by Assay.\n*\n")
    except OSError as error:
        raise UserError(f"{folder} cannot be written to: {error.strerror}.", way_out) from error


def make_home(home: Path) -> None:
    """Make the folder for Assay's state. Raises UserError when it cannot be written."""
    make_own_folder(home, "Set ASSAY_HOME to a folder that you may write to.", 0o700)
