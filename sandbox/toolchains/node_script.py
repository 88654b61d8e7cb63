"""Which runner tests a Node project, and how: as its `test` script calls it, or as is declared."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import PurePosixPath

from sandbox.test_runs.path_kinds import SCRIPTS
from sandbox.toolchains.ecosystem import Runner, SetupHints
from sandbox.toolchains.node_chain import Chain, bare
from sandbox.toolchains.node_workspace import BUILDS, TABLES
from sandbox.toolchains.tree import Table, Tree
from sandbox.values import TestCall, TestRunner

SUFFIXES = (*SCRIPTS, ".vue", ".svelte")
_TEST_NAME = re.compile(r"(^|[.\-_])(test|spec|tests)\.[cm]?[jt]sx?$|^test[-_].*\.[cm]?[jt]sx?$")
_TEST_FOLDERS = {"test", "tests", "__tests__", "spec"}
_NAMED_TEST = re.compile(r"[._-](?:test|spec)\.[cm]?[jt]sx?$")
_NODE_TEST = re.compile(r"""['"]node:test['"]""")
_ASSERTS = re.compile(
    r"\b(?:assert|test|it|describe|expect|should)\s{0,9}[.(]|\bassert['\"]|\btap(?:e)?['\"]"
)
_MOCHA_CALLED = re.compile(r"\bnew Mocha\(")
_MOCHA_SAID = (
    (re.compile(r"\btimeout: {0,9}(\d{1,9})\b"), "--timeout"),
    (re.compile(r"""\bui: {0,9}['"](\w{1,20})['"]"""), "--ui"),
)
"""What such a program tells mocha, and the option of its command that says the same."""
_BY_DEPENDENCY = (
    ("vitest", TestRunner.VITEST),
    ("jest", TestRunner.JEST),
    ("ava", TestRunner.AVA),
    ("mocha", TestRunner.MOCHA),
    ("jasmine", TestRunner.JASMINE),
    ("tap", TestRunner.TAP),
)
_BY_SETTINGS = (
    (re.compile(r"jest\.config\.([cm]?[jt]s|json)"), "jest", TestRunner.JEST),
    (re.compile(r"vitest\.config\.[cm]?[jt]s"), "vitest", TestRunner.VITEST),
    (re.compile(r"ava\.config\.[cm]?js"), "ava", TestRunner.AVA),
    (re.compile(r"\.mocharc\.([cm]?js|jsonc?|ya?ml)"), "mocha", TestRunner.MOCHA),
)
"""A runner's own file of settings, and its key in package.json."""
_LOADED = re.compile(r"""^[ \t]*(?:import|require\()[ \t]*['"]\./([\w./-]+)['"]""", re.M)
_NO_RUNNER = (
    "No runner that Assay knows (node --test, mocha, jest, vitest, ava, jasmine, tap, tape, uvu) is called"
    " by the test script"
)
READ_TEST_FILES = 200
_MOST_CALLS = 8
_MOST_COMMANDS = 200  # scripts can call each other again and again
_RUNNERS = {
    "mocha": TestRunner.MOCHA,
    "_mocha": TestRunner.MOCHA,
    "jest": TestRunner.JEST,
    "vitest": TestRunner.VITEST,
    "ava": TestRunner.AVA,
    "jasmine": TestRunner.JASMINE,
    "tap": TestRunner.TAP,
    "tape": TestRunner.TAPE,
    "uvu": TestRunner.UVU,
}
# Each of their files runs by itself, so of their command line only the files count.
_BY_FILE = {TestRunner.TAP, TestRunner.TAPE, TestRunner.UVU, TestRunner.NODE}
# Programs that load something into Node and then run a script with it.
_LOADERS = {
    "tsx": ("--import=tsx",),
    "ts-node": ("-r", "ts-node/register"),
    "ts-node-esm": ("--loader=ts-node/esm",),
    "babel-node": ("-r", "@babel/register"),
    "tsm": ("-r", "tsm"),
    "esno": ("--import=tsx",),
    "swc-node": ("-r", "@swc-node/register"),
}
# What takes a value on the command lines of tap, tape and uvu, and speaks of no file.
_BY_FILE_WITH_VALUE = {
    "-R", "--reporter", "-t", "--timeout", "-j", "--jobs", "--coverage-report", "-i", "--ignore",
    "--ignore-pattern", "-C", "--cwd", "--before", "--after", "-x", "--exclude", "-o", "--output-file",
}  # fmt: skip
_TEST_SCRIPT = re.compile(r"(^|[/_.-])(tests?|specs?|__tests__)([/_.-]|$)", re.I)
_NODE_WITH_VALUE = {
    "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions",
}  # fmt: skip
# About looks, speed, coverage and leaving out what is unchanged, of any runner: no result depends on them.
_DROPPED = re.compile(
    r"--(no-)?(reporters?|test-reporter|test-reporter-destination|watch\w*|coverage|collect-?coverage"
    r"|experimental-test-coverage|bail|fail-fast|verbose|parallel|color|colors|silent|tap|ci"
    r"|test-coverage-[\w-]+|reporter-options?|update-snapshots|updateSnapshot|update|run|node-arguments"
    r"|test-update-snapshots|coverage\.[\w.-]+|ui|open|onlyChanged|lastCommit|changed)(=.*)?|-[RutwvsbOo]"
)
_COLORED = re.compile(r"--colors?(=(true|always))?")
_COLORLESS = ("FORCE_COLOR=0", "FORCE_COLOR=false")
_DROPPED_WITH_VALUE = {
    "--reporter", "-R", "--reporters", "--test-reporter", "--test-reporter-destination",
    "--reporter-option", "--reporter-options", "-O",
}  # fmt: skip

# What of it is something else to one runner: with a value, that stays, too (`mocha -s 0`, `jest -w 2`).
_NOT_DROPPED = {
    TestRunner.MOCHA: re.compile(r"(--ui|-u|-t|-s)(=.*)?"),
    TestRunner.JEST: re.compile(r"-[tw]"),
}
_NEVER = re.compile(r"(?!)")
_CHECKS = re.compile(r"(?i)lint|type-?(?:s\b|check)|^(?:pre|post)?check")
"""Names of scripts whose compiler only looks at types."""


def read_script(
    scripts: Table, name: str = "test", read: Callable[[str], str] = lambda _: ""
) -> Runner | None:
    """Return the first call of a known runner in a script and those that it runs; None without one.

    `read` returns the text of a file of the project, "" when there is none. A script of tests that is
    run by `node` itself counts only where no runner is called.
    """
    found: list[Runner] = []
    before: list[str] = []
    compiles: list[tuple[str, ...]] = []
    builds = set(BUILDS)  # and what these call
    for script, words in islice(Chain(scripts, read).segments(name), _MOST_COMMANDS):
        variables, rest = bare(words)
        call = _runner(rest, [*variables, *_colors(variables, rest)]) if rest else None
        if call is None and not found:
            if words[:1] == ["(scripts)"] and script in builds:
                builds.update(words[1:])
            no_output = any(word.lower() == "--noemit" for word in words)
            is_check = "tsc" in words and (no_output or _CHECKS.search(script) is not None)
            before += [] if is_check else words[:3]
            if rest[:1] == ["tsc"] and not is_check and script not in builds:
                compiles.append(tuple(rest))
        if call is None:
            continue
        if any(call == (one.runner, one.arguments) for one in found):
            continue
        joined = [_joined(one, *call) for one in found]
        at = next((n for n, one in enumerate(joined) if one), None)
        if at is None:
            first = Runner(*call, before=tuple(before), script=script)
            found.append(replace(first, compiles=tuple(compiles)))
        else:
            found[at] = joined[at] or found[at]
    strong = [one for one in found if one.runner is not TestRunner.NODE] or found
    more = tuple(TestCall(one.runner, one.arguments) for one in strong[1:_MOST_CALLS])
    return replace(strong[0], more=more) if strong else None


def _colors(variables: list[str], words: list[str]) -> list[str]:
    """Return what lets tests print in colors where their call asks for it: their snapshots have them then."""
    forced = next((one for one in variables if one.startswith("FORCE_COLOR=")), "")
    if forced in _COLORLESS or not (forced or any(map(_COLORED.fullmatch, words))):
        return []
    return ["NO_COLOR=", *(() if forced else ("FORCE_COLOR=1",))]


def _joined(found: Runner, runner: TestRunner, arguments: tuple[str, ...]) -> Runner | None:
    """Return one call for two of the same runner that differ in nothing but their files, else None."""
    at, other = found.arguments.index("--"), arguments.index("--")
    ours, theirs = found.arguments[at + 1 :], arguments[other + 1 :]
    has_files = ours and theirs and not any(word.startswith("-") for word in (*ours, *theirs))
    if runner is not found.runner or found.arguments[:at] != arguments[:other] or not has_files:
        return None
    return replace(found, arguments=(*found.arguments, *theirs))


def _runner(rest: list[str], variables: list[str]) -> tuple[TestRunner, tuple[str, ...]] | None:
    program, arguments = rest[0].rsplit("/", 1)[-1], rest[1:]
    node: list[str] = []
    if program in _LOADERS:
        program, node = "node", list(_LOADERS[program])
    path = program
    if program == "node":
        own, arguments = _node_options(arguments)
        node += own
        if "--test" in node:
            kept = [word for word in node if word != "--test" and not _DROPPED.fullmatch(word)]
            tests = [word for word in kept if word.startswith("--test-")]
            node = [word for word in kept if not word.startswith("--test-")]
            return TestRunner.NODE_TEST, (*variables, *node, "--", *tests, *arguments)
        path = arguments[0] if arguments else ""
        program = re.sub(r"\.\w+$", "", path.rsplit("/", 1)[-1])
        if "node_modules/" not in path:
            # `node FILE` counts where the file is a test by its name and takes no arguments.
            if len(arguments) != 1 or not _TEST_SCRIPT.search(arguments[0]):
                return None
            return TestRunner.NODE, (*variables, *node, "--", arguments[0])
        package = path.rsplit("node_modules/", 1)[1].partition("/")[0]
        program = program if program in _RUNNERS else package  # vitest/dist/cli-wrapper.js
        arguments = arguments[1:]
    runner = _RUNNERS.get(program)
    if runner is None:
        return None
    if runner in _BY_FILE:
        loaded, files = _files(arguments)
        if runner is TestRunner.UVU:  # what it passes over, each in one word with its option
            found = [word for word in arguments if word.startswith(("-i=", "--ignore="))]
            found += [f"={two}" for one, two in pairwise(arguments) if one in ("-i", "--ignore")]
            files += [f"--ignore={word.partition('=')[2]}" for word in found]
        return runner, (*variables, *node, *loaded, "--", *files)
    return runner, (*variables, *node, "--", *_kept(arguments, runner))


def _files(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Split the arguments of tap, tape or uvu into what Node shall load, and files."""
    loaded: list[str] = []
    files: list[str] = []
    rest = list(arguments)
    if rest[:1] == ["run"]:
        rest.pop(0)
    while rest:
        word = rest.pop(0)
        if word in ("-r", "--require") and rest:
            loaded += ["-r", rest.pop(0)]
        elif word.startswith("--node-arg="):
            loaded.append(word.split("=", 1)[1])
        elif word in _BY_FILE_WITH_VALUE:
            rest = rest[1:]
        elif not word.startswith("-"):
            files.append(word)
    return loaded, files


def _node_options(words: list[str]) -> tuple[list[str], list[str]]:
    """Split into node's own options (with their values joined on) and the rest."""
    own: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in _DROPPED_WITH_VALUE:
            rest = rest[1:]
        elif word in _NODE_WITH_VALUE and rest:
            own += [word, rest.pop(0)] if word in ("-r", "-C") else [f"{word}={rest.pop(0)}"]
        else:
            own.append(word)
    return own, rest


def _kept(arguments: list[str], runner: TestRunner) -> list[str]:
    own = _NOT_DROPPED.get(runner, _NEVER)
    kept: list[str] = []
    rest = list(arguments)
    # vitest knows what it shall do behind its options, too: left there it would be a filter of files.
    first = rest if runner is TestRunner.VITEST else rest[:1]
    if verb := next((word for word in first if word in ("run", "watch", "dev")), ""):
        rest.remove(verb)
    while rest:
        word = rest.pop(0)
        if word in _DROPPED_WITH_VALUE:
            rest = rest[1:]
        elif own.fullmatch(word) or not _DROPPED.fullmatch(word):
            kept.append(word)
    return kept


# --- the runner: as configured, as the script calls it, or by what is declared ---------------------


def choose_runner(tree: Tree, manifest: Table, setup: SetupHints) -> Runner:
    """Return the configured line's runner, else the script's, else the one that is declared."""
    scripts = manifest.table("scripts")
    if setup.test:
        # A runner is looked for in the configured line as in a script; else it is run as it stands.
        configured = Table({**scripts.members, "assay": setup.test})
        call = read_script(configured, "assay", read=tree.read)
        said = f"Tests run with `{setup.test}`, because the repository's configuration says so."
        if not call:
            return Runner(TestRunner.COMMAND, (setup.test,), said)
        return replace(_by_its_library(tree, call), reason=said)
    call = read_script(scripts, read=tree.read)
    if call:
        call = _by_its_library(tree, call)
        said = (
            f"Tests run with {call.runner}, as the script `{call.script}` of package.json calls it."
        )
        said += "".join(
            f" Then {name} runs{f' {count} times' if count > 1 else ''}, called there too."
            for name, count in Counter(str(more.runner) for more in call.more).items()
        )
        return _beside_scripts(tree, call) or replace(call, reason=said)
    declared = {name for field in TABLES for name in manifest.table(field).names()}
    tests = tests_of(tree)
    # Where a program that Assay does not know runs the tests, it runs what has settings here.
    files = [path for path in tree.files() if "/" not in path]
    found = [
        (runner, f"Tests run with {name}, because it is configured here and no script says how.")
        for pattern, name, runner in _BY_SETTINGS
        if scripts.text("test") and (name in manifest.names() or any(map(pattern.fullmatch, files)))
    ]
    found += [
        (runner, f"Tests run with {name}, because package.json names it and no script says how.")
        for name, runner in _BY_DEPENDENCY
        if name in declared
    ]
    if found and tests:
        return Runner(found[0][0], ("--",), found[0][1])
    if any(_NODE_TEST.search(tree.read(path)) for path in tests[:READ_TEST_FILES]):
        said = "Tests run with node --test, because the test files import node:test."
        return Runner(TestRunner.NODE_TEST, ("--",), said)
    return Runner(TestRunner.NONE, (), f"{_NO_RUNNER}, so no tests are run.")


def _by_its_library(tree: Tree, call: Runner) -> Runner:
    """Let `node --test` run the files that `node` is called with, where they use node:test.

    What a program of the project gives to mocha is run by mocha's own command.
    """

    def runner(one: TestCall) -> TestRunner:
        texts = (text for path in _files_of_node(one) for text in _loaded_with(tree, path))
        return TestRunner.NODE_TEST if any(map(_NODE_TEST.search, texts)) else one.runner

    calls = [TestCall(call.runner, call.arguments), *call.more]
    others = {path for one in calls for path in _files_of_node(one)}
    programs = {path for path in others if _MOCHA_CALLED.search(tree.read(path))}
    if programs and (mocha := _of_mocha(tree, min(programs), others)):
        calls = [mocha, *(left for one in calls if (left := _without(one, programs)))]
    first, *more = (replace(one, runner=runner(one)) for one in calls)
    return replace(call, runner=first.runner, arguments=first.arguments, more=tuple(more))


def _beside_scripts(tree: Tree, call: Runner) -> Runner | None:
    """Let `node --test` run the test files of node:test where the script calls `node` with no test at all.

    A program that Assay does not know runs them, or such a file does.
    """
    calls = [TestCall(call.runner, call.arguments), *call.more]
    named = {path.removeprefix("./") for one in calls for path in _files_of_node(one)}
    texts = [text for path in named for text in _loaded_with(tree, path)]
    is_node = all(one.runner is TestRunner.NODE for one in calls)
    if not is_node or not any(texts) or any(map(_ASSERTS.search, texts)):
        return None
    patterns = {
        "/".join((*PurePosixPath(path).parts[:-1][:1], "**", f"*{found[0]}"))
        for path in tests_of(tree)[:READ_TEST_FILES]
        if (found := _NAMED_TEST.search(path))
        and path not in named
        and _NODE_TEST.search(tree.read(path))
    }
    if not patterns:
        return None
    reason = (
        "Tests run with node --test, because test files import node:test and the script calls no runner that "
        "Assay knows. Then node runs the files that the script names."
    )
    files, more = ("--", *sorted(patterns)), tuple(calls[:_MOST_CALLS])
    return replace(call, runner=TestRunner.NODE_TEST, arguments=files, reason=reason, more=more)


def _loaded_with(tree: Tree, path: str) -> tuple[str, ...]:
    """Return a script's text, and those of what it loads out of its own folder: it may be a list of tests."""
    text, folder = tree.read(path), PurePosixPath(path).parent
    loaded = dict.fromkeys(_LOADED.findall(text)[:READ_TEST_FILES])
    return (text, *(tree.read(str(folder / name)) for name in loaded))


def _files_of_node(call: TestCall) -> tuple[str, ...]:
    is_node = call.runner is TestRunner.NODE
    return call.arguments[call.arguments.index("--") + 1 :] if is_node else ()


def _without(call: TestCall, programs: set[str]) -> TestCall | None:
    """Return a call without some of the files that `node` gets; None where none is left."""
    files = _files_of_node(call)
    left = tuple(one for one in files if one not in programs)
    if len(left) == len(files):
        return call
    before = call.arguments[: len(call.arguments) - len(files)]
    return replace(call, arguments=(*before, *left)) if left else None


def _of_mocha(tree: Tree, program: str, others: set[str]) -> TestCall | None:
    """Return the call of mocha for a program that gives it the files named as tests; None without any.

    They are named by folder and ending; `others` are files that are run by themselves.
    """
    tests = [path for path in tree.files() if path.endswith(SUFFIXES) and path not in others]
    named = [(PurePosixPath(one), end[0]) for one in tests if (end := _NAMED_TEST.search(one))]
    patterns = {f"{path.parts[0]}/**/*{end}" for path, end in named if len(path.parts) > 1}
    text = tree.read(program)
    said = ((option, found[1]) for known, option in _MOCHA_SAID if (found := known.search(text)))
    options = (word for pair in said for word in pair)
    arguments = ("--", *options, *sorted(patterns))
    return TestCall(TestRunner.MOCHA, arguments) if patterns else None


def is_test(path: str) -> bool:
    """Tell whether a script is a test by its name or its folder."""
    pure = PurePosixPath(path)
    return bool(_TEST_NAME.search(pure.name)) or bool(_TEST_FOLDERS.intersection(pure.parts[:-1]))


def tests_of(tree: Tree) -> list[str]:
    """Return the scripts of a tree that are tests."""
    return [path for path in tree.files() if path.endswith(SUFFIXES) and is_test(path)]
