"""What stands around a target branch's configuration: organization's defaults, default branch's file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from bot.configuration import PATH, Layer, PolicyContext
from bot.errors import Transient, UserError
from bot.github import NotThere

if TYPE_CHECKING:
    from bot.github.repository import RepositoryReader


OpenRepository = Callable[[str], AbstractAsyncContextManager["RepositoryReader"]]


async def policy_context(
    open_repository: OpenRepository, repository: str, base_ref: str
) -> PolicyContext:
    """Ask GitHub. Raises UserError and Transient where the repository itself cannot be read."""
    async with open_repository(repository) as reader:
        trusted = await _trusted(reader, base_ref)
    organization = await _organization(open_repository, repository)
    return PolicyContext(organization, trusted, base_is_trusted=trusted is None)


async def branch_layer(reader: RepositoryReader, branch: str) -> Layer:
    """The configuration at a branch's tip; what GitHub refuses to show is a problem of the layer."""
    try:
        return Layer(branch, await reader.file(PATH, await reader.branch_sha(branch)))
    except UserError as error:
        return Layer(branch, None, error.what.rstrip("."))


async def _trusted(reader: RepositoryReader, base_ref: str) -> Layer | None:
    """The default branch's file, unless the target is that branch or a protected one."""
    default = await reader.default_branch()
    if base_ref == default:
        return None
    try:
        if await reader.is_protected(base_ref):
            return None
    except UserError:
        pass  # not known, so it is not trusted
    return await branch_layer(reader, default)


async def _organization(open_repository: OpenRepository, repository: str) -> Layer | None:
    """The file in the owner's `.github` repository; what keeps it away locks nobody out."""
    name = f"{repository.partition('/')[0]}/.github"
    if repository.lower() == name.lower():
        return None
    try:
        async with open_repository(name) as reader:
            sha = await reader.branch_sha(await reader.default_branch())
            text = await reader.file(PATH, sha)
    except NotThere:
        return None
    except (UserError, Transient) as error:
        return Layer(name, None, f"they cannot be read now ({error.what.rstrip('.')})")
    return None if text is None else Layer(f"{name} at {sha[:12]}", text)
