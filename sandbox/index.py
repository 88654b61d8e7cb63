"""Where this host gets packages from, so that a build inside can use the same: never its credentials.

Read: pip's configuration files and variables (pip: "Configuration"), uv's variables, and the usual
names for CA files. A user name or password in a URL is cut off.
"""

from __future__ import annotations

import configparser
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

_CA_VARIABLES = (
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
    "GIT_SSL_CAINFO",
)
_URL_VARIABLES = (
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "NPM_CONFIG_REGISTRY",
    "GOPROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
)
_PLAIN_VARIABLES = ("UV_INDEX_STRATEGY", "NO_PROXY", "no_proxy", "PIP_DEFAULT_TIMEOUT")
_PIP_KEYS = ("index-url", "extra-index-url", "find-links", "no-index", "trusted-host", "cert")
_VISIBLE_ANYWAY = ("/usr/", "/etc/ssl/certs")


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Variables for a build, the host folders and files that they name, and the servers' names."""

    variables: tuple[tuple[str, str], ...]
    paths: tuple[str, ...]
    hosts: tuple[str, ...]


def index_settings(environ: Mapping[str, str], home: Path) -> IndexSettings:
    """Read the host's settings; what they name and does not exist is left out of `paths`."""
    pip = {**_pip_files(_pip_config_files(environ, home)), **_pip_variables(environ)}
    variables = {f"PIP_{key.upper().replace('-', '_')}": value for key, value in pip.items()}
    variables |= _uv_from_pip(pip)
    passed = (*_CA_VARIABLES, *_URL_VARIABLES, *_PLAIN_VARIABLES)
    variables |= {name: environ[name] for name in passed if environ.get(name)}
    clean = {name: without_credentials(value) for name, value in variables.items()}
    words = [word for value in clean.values() for word in _words(value)]
    return IndexSettings(
        variables=tuple(sorted(clean.items())),
        paths=tuple(sorted({path for word in words if (path := _path(word))})),
        hosts=tuple(sorted({host for word in words if (host := _host(word))})),
    )


def _pip_config_files(environ: Mapping[str, str], home: Path) -> list[Path]:
    files = [Path("/etc/pip.conf"), Path("/etc/xdg/pip/pip.conf")]
    files += [home / ".pip/pip.conf", home / ".config/pip/pip.conf"]
    return [*files, Path(environ["PIP_CONFIG_FILE"])] if "PIP_CONFIG_FILE" in environ else files


def _pip_files(files: Iterable[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for file in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read(file, encoding="utf-8")
        except (OSError, UnicodeDecodeError, configparser.Error):
            continue  # pip itself will complain about it; a build without it may still work
        for section in ("global", "install"):
            for key in _PIP_KEYS:
                if parser.has_option(section, key):
                    found[key] = " ".join(parser.get(section, key).split())
    return found


def _pip_variables(environ: Mapping[str, str]) -> dict[str, str]:
    named = {key: f"PIP_{key.upper().replace('-', '_')}" for key in _PIP_KEYS}
    return {key: environ[name] for key, name in named.items() if environ.get(name)}


def _uv_from_pip(pip: Mapping[str, str]) -> dict[str, str]:
    """What the same settings are called by uv; it separates several links by a comma."""
    variables = {}
    if "index-url" in pip:
        variables["UV_DEFAULT_INDEX"] = pip["index-url"]
    if "extra-index-url" in pip:
        variables["UV_INDEX"] = pip["extra-index-url"]
        # pip looks at all of its indexes alike; uv by default stops at the first.
        variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    if "find-links" in pip:
        variables["UV_FIND_LINKS"] = ",".join(pip["find-links"].split())
    return variables


def _words(value: str) -> list[str]:
    return value.replace(",", " ").split()


def without_credentials(value: str) -> str:
    """The value with user names and passwords cut out of every URL in it."""
    words = value.split(" ")
    return " ".join(",".join(map(_clean_url, word.split(","))) for word in words)


def _clean_url(word: str) -> str:
    if "://" not in word or "@" not in word:
        return word
    name, equals, url = (
        word.rpartition("=") if word.find("=") < word.find("://") else ("", "", word)
    )
    parts = urlsplit(url)
    clean = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return f"{name}{equals}{clean}"


def _path(word: str) -> str | None:
    if word.startswith("file://"):
        path = Path(unquote(urlsplit(word).path))
        # The pages of a simple index link to files beside it.
        path = path.parent if path.name == "simple" else path
    elif word.startswith("/"):
        path = Path(word)
    else:
        return None
    hidden = not str(path).startswith(_VISIBLE_ANYWAY) and len(path.parts) > 2
    return str(path) if hidden and path.exists() else None


def _host(word: str) -> str | None:
    try:
        return urlsplit(word).hostname if "://" in word else None
    except ValueError:
        return None
