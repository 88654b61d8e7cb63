"""Shows where in the code the requirements are about, and who uses what the change touches."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import PurePosixPath

from bot.context import EvaluationContext
from bot.diff.paths import is_source_path
from bot.evidence.code_map.impact import changed_symbols, dependents, impact, unreached, untouched
from bot.evidence.code_map.index import CodeIndex
from bot.evidence.code_map.locate import locate
from bot.evidence.seen import Seen
from bot.services import Services
from bot.task.alternatives import asked_subjects, named_together
from bot.values import Dependent, EvaluationRequest, Located, Part, Requirement, Step
from sandbox.code_map.code import KeptFacts, read_code
from sandbox.code_map.facts import Code, SourceFile
from sandbox.toolchains.projects import Projects
from sandbox.values import Checkout, Diff


async def look_for_places(services: Services, case: EvaluationContext, step: Step) -> Seen:
    """Read the code of both sides and look up its names; the result is a hint, not evidence.

    An argument is looked for instead of the requirements' own words.
    """
    asked = [
        (one, step.arguments or (one.text, one.detail))
        for one in case.planned.requirements.items
        if one.id in step.requirement_ids
    ]
    return await find_places(services, case.request, case.checkout, asked)


Asked = tuple[Requirement, tuple[str, ...]]
"""A requirement, and the texts to look for."""


async def find_places(
    services: Services, request: EvaluationRequest, checkout: Checkout, asked: list[Asked]
) -> Seen:
    """Find what the change touches, and where each requirement is about. Raises SandboxError."""
    if Part.GRAPH in request.without:
        return Seen()
    code = await read_both(services, request, checkout)

    def look() -> Seen:
        index = CodeIndex(code.head)
        changed = changed_symbols(code, checkout.diff)
        located: list[Located] = []
        for one, texts in asked:  # each text in turn, until one leads somewhere
            found = (locate(text, index, changed) for text in texts)
            if places := next(filter(None, found), ()):
                located.append(Located(one.id, places))
        together = {names for one, _ in asked for names in named_together(one)}
        left = untouched(together, changed, checkout.diff, index) if together else ()
        subjects = {name for one, _ in asked for name in asked_subjects(one)}
        alone = ((name, "") for name in unreached(subjects, changed, checkout.diff, index))
        seen = replace(impact(code, changed, index), untouched=tuple(sorted({*left, *alone})))
        return Seen(impact=seen, located=tuple(located))

    return await asyncio.to_thread(look)


async def find_dependents(
    services: Services, request: EvaluationRequest, checkout: Checkout, projects: Projects
) -> tuple[Dependent, ...]:
    """Find the projects that use what the change touches in another one. Raises SandboxError."""
    if Part.GRAPH in request.without:
        return ()
    code = await read_both(services, request, checkout)

    def found() -> tuple[Dependent, ...]:
        own: list[SourceFile] = []
        for file in code.head:
            # Without the imports of packages taken from a registry: no file of ours is meant.
            if taken := projects.from_registry(file.path):
                kept = {
                    module: lines
                    for module, lines in file.facts.imports.items()
                    if _package(module, file.path) not in taken
                }
                file = replace(file, facts=replace(file.facts, imports=kept))  # noqa: PLW2901
            own.append(file)
        index = CodeIndex(own, projects.names)
        changed = changed_symbols(code, checkout.diff)
        using = dependents(checkout.diff, changed, index, projects.of)
        return tuple(
            one for one in using if not _has_published(one.folder, checkout.diff, projects)
        )

    return await asyncio.to_thread(found)


def _has_published(folder: str, diff: Diff, projects: Projects) -> bool:
    """Whether a Python project takes all packages that change from an index.

    Its imports alone do not tell: `import charm` may be a file of its own and one of another package.
    """
    changed = [one.path for one in diff.files if is_source_path(one.path)]
    if not all(one.endswith(".py") for one in changed):
        return False
    inside = [PurePosixPath(one).relative_to(projects.of(one)) for one in changed]
    tops = {one.parts[one.parts[0] == "src"].removesuffix(".py").lower() for one in inside}
    return bool(tops) and tops <= projects.from_registry(f"{folder}/-.py")


def _package(module: str, importing: str) -> str:
    """Return the package that an import is of: `@a/b` of `@a/b/c`, in Python `a` of `a.b`."""
    if importing.endswith(".py"):
        return module.partition(".")[0].lower()
    return "/".join(module.split("/")[: 1 + module.startswith("@")])


async def read_both(services: Services, request: EvaluationRequest, checkout: Checkout) -> Code:
    """Read both sides' code, with what is kept of the repository. Raises SandboxError."""
    kept = KeptFacts(services.settings.home.absolute() / "graphs", request.repository)
    return await read_code(services.sandbox, checkout, kept)
