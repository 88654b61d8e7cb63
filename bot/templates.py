"""Texts for people and models: one loader, and one environment per place a text goes to."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.text import code, fence, scrub, sentence
from bot.text.clipping import clip, clip_middle

DOWNLOADS = "<!-- downloads -->"
"""Where a stored report page leaves room for links that only the server can sign."""

_INLINED = {
    "style": "page.css",
    "dashboard_style": "dashboard/dashboard.css",
    "script": "dashboard/live.js",
}
_SOURCE = Path(__file__).parent.parent / "templates"
_INSTALLED = Path(__file__).parent / "_templates"


def folder() -> Path:
    """Where the templates are: inside an installed wheel, or at the root of the source tree."""
    return _INSTALLED if _INSTALLED.is_dir() else _SOURCE


def deployed(name: str) -> Path:
    """Where a file of `deploy/` is: inside an installed wheel, or in the source tree."""
    installed = _INSTALLED / "deploy" / name
    return installed if installed.is_file() else _SOURCE.parent / "deploy" / name


def app_manifest() -> Path:
    """Where `app.yml` is: inside an installed wheel, or at the root of the source tree."""
    installed = _INSTALLED / "app.yml"
    return installed if installed.is_file() else _SOURCE.parent / "app.yml"


def _environment(**options: object) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(folder()),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,  # type: ignore[arg-type]
    )
    environment.filters["clip"] = clip
    environment.filters["clip_middle"] = clip_middle
    return environment


def _finalize_html(value: object) -> object:
    """Scrub what is shown; autoescape does the rest."""
    return scrub(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _sentence(text: str) -> Markup:
    """What stands between backticks, as code."""
    parts = re.split(r"`([^`]+)`", scrub(text))
    shown = [
        Markup("<code>{}</code>").format(p) if i % 2 else escape(p) for i, p in enumerate(parts)
    ]
    return Markup("").join(shown)


def _anchor(name: str) -> str:
    """A name as part of an HTML id: letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name)


@cache
def html_environment() -> Environment:
    """For pages: every expression is escaped for HTML; styles and the script are inlined with hashes."""
    environment = _environment(finalize=_finalize_html)
    environment.filters["anchor"] = _anchor
    environment.filters["sentence"] = _sentence
    for name, path in _INLINED.items():
        text = (folder() / path).read_text(encoding="utf-8")
        environment.globals[name] = Markup(text)  # noqa: S704
        environment.globals[f"{name}_hash"] = _hash(text)
    environment.globals["downloads"] = Markup(DOWNLOADS)  # noqa: S704
    return environment


def script_hash() -> str:
    """The hash, as a page's policy names it, of the one script: it refreshes what is shown live."""
    return str(html_environment().globals["script_hash"])


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _url(address: str) -> Markup:
    """An address of our own making as a link target; nothing in it can end the link."""
    return Markup(quote(address, safe=":/?#@!$&',;=%~+-._"))  # noqa: S704


def _finalize_markdown(value: object) -> object:
    return value if isinstance(value, Markup) else sentence(str(value))


@cache
def markdown_environment() -> Environment:
    """For comments: every expression becomes a `sentence` unless it went through `code` or `fence`."""
    environment = _environment(finalize=_finalize_markdown)
    environment.filters["code"] = code
    environment.filters["fence"] = fence
    environment.filters["url"] = _url
    return environment


def render_html(name: str, **values: object) -> str:
    """Render a page from `templates/<name>`. Raises UndefinedError when a value is missing."""
    return html_environment().get_template(name).render(**values)


def render_markdown(name: str, **values: object) -> str:
    """Render a comment from `templates/<name>`. Raises UndefinedError when a value is missing."""
    return markdown_environment().get_template(name).render(**values)


def check_words(template: str, **values: object) -> tuple[str, str]:
    """Render a check run's words: the title is the template's first line, the rest the summary."""
    title, _, summary = render_markdown(f"check/{template}.md.j2", **values).strip().partition("\n")
    return title, summary.strip()


@cache
def text_environment() -> Environment:
    """For the terminal: plain text, of values that are our own."""
    environment = _environment()
    environment.autoescape = False
    return environment


def render_text(name: str, **values: object) -> str:
    """Render plain text from `templates/<name>`. Raises UndefinedError when a value is missing."""
    return text_environment().get_template(name).render(**values)
