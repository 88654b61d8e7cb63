"""What a Python build and what looks at it afterwards find in their environment."""

from __future__ import annotations

from uv import find_uv_bin

from sandbox.base import TREE, Mount, Network
from sandbox.toolchains.build_request import BuildRequest
from sandbox.toolchains.ecosystem import Variables
from sandbox.toolchains.layers import (
    CACHE,
    DEPENDENCIES,
    PROJECT,
    SYSTEM_PATH,
    TOOLCHAIN,
    TOOLS,
    UV,
)
from sandbox.values import Recipe


def installer() -> tuple[Mount, ...]:
    """Return the mount of the package installer from Assay's own installation."""
    return (Mount(find_uv_bin(), UV),)


def building(request: BuildRequest) -> Variables:
    """Return the environment of the build commands."""
    path = f"{PROJECT}/bin:{DEPENDENCIES}/bin:{TOOLS}:{SYSTEM_PATH}"
    return (
        ("PATH", path),
        ("VIRTUAL_ENV", DEPENDENCIES),
        ("UV_PROJECT_ENVIRONMENT", DEPENDENCIES),
        ("UV_CACHE_DIR", CACHE),
        ("PIP_CACHE_DIR", f"{CACHE}/pip"),
        ("UV_LINK_MODE", "copy"),
        ("UV_NO_CONFIG", "1"),  # the repository does not choose where from
        ("UV_PYTHON_DOWNLOADS", "never"),
        ("UV_PYTHON_INSTALL_DIR", TOOLCHAIN),  # what was fetched before, if anything was
        ("UV_NO_PROGRESS", "1"),
        ("NO_COLOR", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        *((("UV_OFFLINE", "1"),) if request.network is Network.NONE else ()),
        *_versions(request.version),
    )


def _versions(version: str) -> Variables:
    """Tell the plug-ins that read git's tags what the version is, since there is no git here."""
    names = ("SETUPTOOLS_SCM_PRETEND_VERSION", "PDM_BUILD_SCM_VERSION", "PBR_VERSION")
    bypass = ("POETRY_DYNAMIC_VERSIONING_BYPASS", "UV_DYNAMIC_VERSIONING_BYPASS")
    return tuple((name, version or "0.0.0") for name in (*names, *bypass))


def observing(recipe: Recipe, has_project: bool) -> Variables:
    """Return the environment of what looks at a built project."""
    path = f"{PROJECT}/bin:{DEPENDENCIES}/bin:{SYSTEM_PATH}"
    start = f"{TREE}/{recipe.root}".rstrip("/")
    variables = (("PATH", path), ("VIRTUAL_ENV", DEPENDENCIES))
    return variables if has_project else (*variables, ("PYTHONPATH", f"{start}:{start}/src"))
