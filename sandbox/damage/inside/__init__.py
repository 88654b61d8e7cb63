"""What runs inside the sandbox, where the text of the tree is read."""

from pathlib import PurePosixPath

MOST_BYTES = 500_000
"""Of one file: longer ones are not damaged."""

BY_ROWS = (
    ".sql", ".html", ".htm", ".jinja", ".jinja2", ".j2", ".mustache", ".hbs", ".handlebars", ".ejs", ".njk",
    ".liquid", ".twig", ".pug", ".tmpl", ".tpl", ".dockerfile",
)  # fmt: skip
"""How names of queries, templates and Dockerfiles end (`suffix_of`): no grammar of ours reads them."""


def suffix_of(path: str) -> str:
    """Return how a file's name ends, in small letters; Dockerfiles and `.env` are known by their names."""
    file = PurePosixPath(path.lower())
    stem, _, behind = file.name.partition(".")
    if stem in ("dockerfile", "containerfile"):
        return ".dockerfile"
    return ".env" if not stem and behind.partition(".")[0] == "env" else file.suffix
