"""Documents of other formats, made by hand."""

from __future__ import annotations

import zipfile
from pathlib import Path


def write_document(path: Path, text: str) -> None:
    """The least that is a Word document."""
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    link = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    body = f"<w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
        f'package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="{kind}"/>'
        "</Types>",
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        f'relationships"><Relationship Id="r1" Type="{link}" Target="word/document.xml"/>'
        "</Relationships>",
        "word/document.xml": f'<w:document xmlns:w="{space}">{body}</w:document>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
