"""Prints a document as Markdown: `convert.py FILE`, inside the sandbox with `markitdown` mounted.

The converter is chosen by the file's suffix alone: markitdown's own guess takes a broken document for text.
"""

from __future__ import annotations

import os
import sys
from pathlib import PurePosixPath

from markitdown import StreamInfo
from markitdown.converters import DocxConverter, PdfConverter, PptxConverter, XlsxConverter

_CONVERTERS = {
    ".docx": DocxConverter,
    ".xlsx": XlsxConverter,
    ".pptx": PptxConverter,
    ".pdf": PdfConverter,
}


def main() -> None:
    """Convert the named file; any exception ends in a traceback, whose last line is shown."""
    path = sys.argv[1]
    suffix = PurePosixPath(path).suffix.lower()
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as stream:
        done = _CONVERTERS[suffix]().convert(stream, StreamInfo(extension=suffix))
    sys.stdout.buffer.write(done.markdown.encode(errors="replace"))


if __name__ == "__main__":
    main()
