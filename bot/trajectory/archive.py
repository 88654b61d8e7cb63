"""Finds an agent's log in a ZIP archive that anybody may have made."""

from __future__ import annotations

import io
import zipfile
import zlib

from bot.trajectory.reading import MOST_CHARACTERS

_ENDINGS = (".json", ".jsonl", ".ndjson", ".traj")
_MOST_ENTRIES = 1_000
_MOST_RATIO = 500
"""A log is text that repeats itself, but not as often as a bomb."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)
"""RuntimeError is of encrypted entries; OSError and ValueError are of offsets that lead nowhere."""


def log_in_archive(data: bytes) -> str:
    """Return the largest log's text; "" where there is none that can be read within the limits.

    Nothing is written to disk, and no name of an entry is used for anything.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            logs = [one for one in entries[:_MOST_ENTRIES] if _may_be_log(one)]
            largest = max(logs, key=lambda one: one.file_size, default=None)
            if largest is None:
                return ""
            with archive.open(largest) as opened:
                # What an entry says of its size may be a lie: reading ends here in any case.
                text = opened.read(MOST_CHARACTERS + 1)
    except _BROKEN:
        return ""
    return text.decode(errors="replace") if len(text) <= MOST_CHARACTERS else ""


def _may_be_log(entry: zipfile.ZipInfo) -> bool:
    return (
        entry.filename.lower().endswith(_ENDINGS)
        and entry.compress_type in _METHODS
        and 0 < entry.file_size <= MOST_CHARACTERS
        and entry.file_size <= _MOST_RATIO * max(entry.compress_size, 1)
    )
