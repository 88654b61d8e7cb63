"""Where builds download from: the host's own index settings and CA file, never with credentials.

Read are pip's configuration files and `PIP_*`, `UV_*`, npm's global configuration and
`npm_config_registry` (pnpm and yarn classic heed it too), and the usual CA and proxy variables
(https://pip.pypa.io/en/stable/topics/configuration/). Local folders are mounted read-only.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sandbox.base import Mount

_CA_TARGET, _NPM_CA_TARGET = "/env/ca.pem", "/env/npm-ca.pem"
# Where nothing of it is seen inside.
_NPM_FILES = (Path("/usr/etc/npmrc"), Path("/usr/local/etc/npmrc"))
_CA_READERS = (
    "SSL_CERT_FILE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "NODE_EXTRA_CA_CERTS",
)
_CA_SOURCES = ("UV_SSL_CERT_FILE", "PIP_CERT", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """What a build gets of the host's settings."""

    variables: tuple[tuple[str, str], ...]
    mounts: tuple[Mount, ...]


def host_index_settings() -> IndexSettings:
    """Return the settings of this host and user."""
    return index_settings(os.environ, pip_configuration_files(os.environ), _NPM_FILES)


def pip_configuration_files(environ: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the files that pip reads, the weakest first."""
    named = environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return ()
    home = Path(environ.get("HOME", "/nonexistent"))
    user = Path(environ.get("XDG_CONFIG_HOME", "") or home / ".config")
    files = (Path("/etc/pip.conf"), home / ".pip/pip.conf", user / "pip/pip.conf")
    return (*files, Path(sys.prefix, "pip.conf"), *([Path(named)] if named else []))


def index_settings(
    environ: Mapping[str, str], pip_files: Iterable[Path], npm_files: Iterable[Path] = ()
) -> IndexSettings:
    """Translate the host's settings to uv's, without URLs with credentials: builds are not trusted."""
    pip = _pip_values(environ, pip_files)
    default = environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL") or pip["index-url"]
    extra = environ.get("UV_INDEX") or environ.get("UV_EXTRA_INDEX_URL") or pip["extra-index-url"]
    links = environ.get("UV_FIND_LINKS", "").replace(",", " ") or pip["find-links"]
    urls = {"UV_DEFAULT_INDEX": default, "UV_INDEX": extra, "UV_FIND_LINKS": links}
    safe = {
        name: [u for u in text.split() if not _has_credentials(u)] for name, text in urls.items()
    }
    proxies = {n: environ.get(n) or environ.get(n.lower(), "") for n in _PROXIES}
    variables = {n: ("," if n == "UV_FIND_LINKS" else " ").join(u) for n, u in safe.items() if u}
    variables |= {n: url for n, url in proxies.items() if url and not _has_credentials(url)}
    if pip["extra-index-url"] and "UV_INDEX" in variables:
        variables["UV_INDEX_STRATEGY"] = "unsafe-best-match"  # pip's own way with many indexes
    local = sorted({path for found in safe.values() for u in found if (path := _local_folder(u))})
    mounts = [Mount(path, path) for path in local]
    authority = next((environ[n] for n in _CA_SOURCES if environ.get(n)), "") or pip["cert"]
    if authority and Path(authority).is_file():
        mounts.append(Mount(authority, _CA_TARGET))
        variables |= dict.fromkeys(_CA_READERS, _CA_TARGET)
    npm: dict[str, str] = {}
    for file in npm_files:
        with suppress(OSError, UnicodeDecodeError):
            pairs = (line.partition("=") for line in file.read_text().splitlines())
            npm |= {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}
    registry = environ.get("npm_config_registry") or environ.get("NPM_CONFIG_REGISTRY") or ""
    registry = registry or npm.get("registry", "")
    if registry and not _has_credentials(registry):
        variables["npm_config_registry"] = registry
    if Path(npm.get("cafile", "")).is_file():
        mounts.append(Mount(npm["cafile"], _NPM_CA_TARGET))
        variables["npm_config_cafile"] = _NPM_CA_TARGET
    interpreters = environ.get("UV_PYTHON_INSTALL_MIRROR", "")
    if interpreters and not _has_credentials(interpreters):
        variables["UV_PYTHON_INSTALL_MIRROR"] = interpreters
    return IndexSettings(tuple(sorted(variables.items())), tuple(mounts))


def _pip_values(environ: Mapping[str, str], files: Iterable[Path]) -> dict[str, str]:
    found = dict.fromkeys(("index-url", "extra-index-url", "find-links", "cert"), "")
    for path in files:
        parser = ConfigParser(interpolation=None, strict=False)
        try:
            parser.read(path)
        except (ConfigError, UnicodeDecodeError):
            continue
        for section in ("global", "install"):
            found |= {key: parser.get(section, key, fallback=found[key]) for key in found}
    for key in found:
        found[key] = environ.get(f"PIP_{key.upper().replace('-', '_')}", "") or found[key]
    return found


def _has_credentials(url: str) -> bool:
    return bool(re.match(r"[\w+.-]+://[^/]*@", url))


def _local_folder(url: str) -> str:
    """Return the folder to mount: for an index the one above, since its pages link to files beside."""
    path = unquote(urlsplit(url).path) if url.startswith("file:") else url
    if not path.startswith("/") or not Path(path).is_dir():
        return ""
    above = Path(path).parent
    return str(above if Path(path).name == "simple" and above != Path("/") else path)
