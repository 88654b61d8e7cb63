"""Says what of a Node project is built before its tests: what they or the sources load and the tree lacks."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from itertools import pairwise
from pathlib import PurePosixPath

from sandbox.toolchains.ecosystem import Runner
from sandbox.toolchains.node_chain import Chain
from sandbox.toolchains.node_script import READ_TEST_FILES, SUFFIXES, is_test, tests_of
from sandbox.toolchains.node_workspace import BUILDS, build_script, is_workspace
from sandbox.toolchains.tree import Table, Tree
from sandbox.values import TestRunner

Commands = tuple[tuple[str, ...], ...]
_LOADED = re.compile(
    r"(?m)^(?:import|export)\b(?:[^'\"]{0,300}\bfrom)?\s{0,9}['\"](\.[^'\"\n]{1,300})['\"]"
    r"|^(?:const|let|var)\b[^'\"\n]{0,300}\brequire\(['\"](\.[^'\"\n]{1,300})['\"]\)"
)
_LOADS = r"\b(?:from|import|require|resolve|mock)\b[\s(]{0,9}['\"]"
_IN_FOLDER = re.compile(r"(?:\./)?([\w-][\w.-]*)(?:/|$)")
_MOST_READ = 300
_NO_OUTPUT = re.compile(r"\"noEmit\"\s*:\s*true\b")
_SETTINGS = re.compile(r"(?:vite|vitest|jest)\.config\.\w+")


def build_first(
    tree: Tree, manifest: Table, runner: Runner
) -> tuple[Commands, Commands, tuple[str, ...]]:
    """Build before the tests where the chain does, or where tests use what is not in the tree.

    Returns the commands, those of them that tests may do without, and why.
    """
    scripts = manifest.table("scripts")
    named = [name for name in BUILDS if scripts.text(name)]
    compiles = tuple(argv for argv in runner.compiles if _emits(tree, argv))
    if runner.runner is TestRunner.NONE or not (named or compiles):
        return (), (), ()
    script = build_script(scripts)
    build: Commands = (("npm", "run", script),)
    said = f"`npm run {script}` runs first, because"
    if compiles or any(word in BUILDS for word in runner.before):
        own = [tuple(words) for _, words in Chain(scripts, tree.read).segments(script)]
        compiles = tuple(argv for argv in compiles if argv not in own)
        build = (*(build if named else ()), *compiles)
        told = ", then ".join(f"`{shlex.join(argv)}`" for argv in build)
        said = f"{told} runs first, because the test script builds before it tests."
        # A package of today may have types that yesterday's sources do not fit.
        return build, build, (said,)
    tests = tests_of(tree)[:READ_TEST_FILES]
    texts = [tree.read(path) for path in tests]
    output = _missing_output(tree, manifest, runner, texts) or _missing_package(tree, texts)
    if output:
        return build, build, (f"{said} tests use `{output}`, which is built.",)
    made = _missing_source(tree) if "prepare" in named else ""
    if made:
        build = (("npm", "run", "prepare"),)
        said = "`npm run prepare` runs first, as npm does, because sources load"
        return build, build, (f"{said} `{made}`, which is not in the tree.",)
    return (), (), ()


def _emits(tree: Tree, argv: tuple[str, ...]) -> bool:
    """Whether a call of TypeScript's compiler writes files, and does not only check types."""
    named = dict(pairwise(argv))
    project = PurePosixPath(named.get("-p") or named.get("--project") or ".")
    path = project if project.suffix == ".json" else project / "tsconfig.json"
    return _NO_OUTPUT.search(tree.read(str(path))) is None


def _missing_source(tree: Tree) -> str:
    """Return a file that a source loads by a relative path and that is not in the tree; "" where all are."""
    paths = [path for path in tree.files() if path.endswith(SUFFIXES)]
    known = {path.split(".", 1)[0] for path in tree.files()}
    for path in [one for one in paths if not is_test(one)][:_MOST_READ]:
        for loaded in map("".join, _LOADED.findall(tree.read(path))):
            wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), loaded))
            is_inside = not wanted.startswith("..")
            if is_inside and wanted.split(".", 1)[0] not in known and not tree.has(wanted):
                return wanted
    return ""


def _missing_output(tree: Tree, manifest: Table, runner: Runner, texts: list[str]) -> str:
    """Return the built folder that the runner's files are in, or what tests import by path or by name."""
    output = _folder(manifest.text("main") or manifest.table("exports").data)
    given = {found[1] for found in map(_IN_FOLDER.match, runner.arguments) if found}
    for folder in (*output, "dist", "lib", "build", "out"):
        loaded = re.compile(rf"['\"](\.\./)+{re.escape(folder)}\b")
        if not tree.has(folder) and (folder in given or any(map(loaded.search, texts))):
            return folder
    name = manifest.text("name")
    # By its own name, unless what runs the tests takes the sources for it; or by the folder that it is in.
    words = [r"\.\.?/?", *([re.escape(name)] if not _is_aliased(tree, manifest, name) else [])]
    by_name = re.compile(rf"{_LOADS}(?:{'|'.join(words)})['\"]") if name else None
    if by_name and output and not tree.has(output[0]) and any(by_name.search(t) for t in texts):
        return output[0]
    return _missing_part(tree, manifest, texts)


def _missing_package(tree: Tree, texts: list[str]) -> str:
    """Return the built folder, not in the tree, of a workspace's package that tests load by name; else ""."""
    paths = [path for path in tree.files() if PurePosixPath(path).name == "package.json"]
    unbuilt: dict[str, str] = {}
    for path in paths if is_workspace(tree, "") else ():
        own, folder = tree.json(path), PurePosixPath(path).parent
        entry = _folder(own.text("main") or own.table("exports").data)
        if entry and own.text("name") and folder.parts and not tree.has(str(folder / entry[0])):
            unbuilt[own.text("name")] = str(folder / entry[0])
    text = "\n".join(texts)
    loaded = (n for n in unbuilt if re.search(rf"{_LOADS}{re.escape(n)}['\"/]", text))
    return next((unbuilt[name] for name in loaded), "")


def _missing_part(tree: Tree, manifest: Table, texts: list[str]) -> str:
    """Return the folder, not in the tree, of a part of `exports` that is loaded as `shop/price`; else ""."""
    name = manifest.text("name")
    parts = manifest.table("exports").members if name else {}
    scripts = (path for path in tree.files() if path.endswith(SUFFIXES) and not is_test(path))
    sources = [path for path in scripts if not path.endswith(".d.ts")]
    no_types = r"(?m)^(?!(?:im|ex)port type\b)[^*/\n]{0,300}"
    loaded = re.compile(rf"{no_types}{_LOADS}{re.escape(name)}/([\w./-]{{1,200}})['\"]")
    for text in (*texts, *map(tree.read, sources[:_MOST_READ])) if parts else ():
        for part in loaded.findall(text):
            folder = _folder(parts.get(f"./{part}", parts.get("./*")))
            if folder and not tree.has(folder[0]):
                return folder[0]
    return ""


def _folder(entry: object) -> tuple[str, ...]:
    """Return the top folder of the first path of `main` or `exports`, however deep; nothing without one."""
    for _ in range(9):
        if isinstance(entry, dict) and entry:
            inner = entry.get(".") or entry.get("default") or entry.get("import")
            entry = inner or next(iter(entry.values()))
    path = entry if isinstance(entry, str) else ""
    return PurePosixPath(path.removeprefix("./")).parts[:1]


def _is_aliased(tree: Tree, manifest: Table, name: str) -> bool:
    """Whether the settings of vitest, vite or jest lay something else under a package's name."""
    settings = [path for path in tree.files() if _SETTINGS.fullmatch(path)]
    texts = [*map(tree.read, settings), json.dumps(manifest.table("jest").data)]
    own = re.escape(name).replace("/", r"\\?/")
    key = re.compile(rf"['\"]\^?{own}\$?['\"]\s*:\s*|\bfind\s*:\s*['\"/]\^?{own}\$?['\"/]")
    return any(key.search(text) for text in texts)
