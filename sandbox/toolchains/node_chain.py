"""Follows a script of a package.json to the commands that it comes to.

Scripts are followed through whatever only starts something else: other scripts (`npm run`, `run-s`), wrappers
(`nyc`, `cross-env`), shell files and targets of a Makefile.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import chain

from sandbox.toolchains.test_line import Job, ci_jobs
from sandbox.toolchains.tree import Table, Tree, json_table

_TESTED = re.compile(
    r"\b(?:npm|pnpm|yarn|bun)\s+(?:(?:-\S+|run|run-script)\s+)*(?:t|tst|test|tests|cit|unit|coverage)\b"
    r"|\b(?:vitest|jest|mocha|jasmine|ava|tape|tap|uvu|c8|nyc)\b|\bnode\s+(?:-\S+\s+)*--test\b"
)
_SETTING = re.compile(
    r"""(?<![\w.$])(TZ|LANG|LANGUAGE|LC_[A-Z]+)(?:\s*:\s+|=)(?:"([\w./:+@-]+)"|'([\w./:+@-]+)'|([\w./:+@-]+))"""
)
_NODE_KEY = re.compile(
    r"[ \t]*(?:-[ \t]+)?['\"]?(?:node|node_js|nodejs)(?:[-_]?versions?)?['\"]?[ \t]*:(?P<value>.*)",
    re.I,
)
_CODENAMES = {
    "argon": "4", "boron": "6", "carbon": "8", "dubnium": "10", "erbium": "12", "fermium": "14",
    "gallium": "16", "hydrogen": "18", "iron": "20", "jod": "22", "krypton": "24",
}  # fmt: skip
_NEWEST = ("node", "latest", "current", "stable")
_EXACT = re.compile(r"v?(\d{1,3}(?:\.\d{1,4}){0,2})(?:\.[xX*])?")
MAJORS = range(4, 60)
Settings = tuple[tuple[str, str], ...]


def read_settings(tree: Tree) -> tuple[str, Settings]:
    """Return the file that says most and (name, value) of what all jobs that run tests agree about."""
    values: dict[str, set[str]] = {}
    source = ""
    shared = Job("", "")
    for job in ci_jobs(tree):
        if job.is_shared:
            shared = job
        if job.is_of_workflow and (job.is_shared or not _TESTED.search(job.text)):
            continue
        for name, *quoted in _SETTING.findall(f"{shared.text}\n{job.text}"):
            values.setdefault(name, set()).add("".join(quoted))
            source = source or job.path
    agreed = tuple((name, found.pop()) for name, found in values.items() if len(found) == 1)
    return (source, agreed) if agreed else ("", ())


def releases_of_ci(tree: Tree, released_before: str = "") -> dict[str, str]:
    """Return the releases on which CI runs the tests, each with the file that says so.

    A matrix of releases is there for the tests; a single one counts in a job that calls them. Of old commits
    (`released_before`, an ISO date) "the newest" is the one of their time.
    """
    found: dict[str, str] = {}
    newest = ""
    if released_before:
        # The major version with long support that was the newest then: one comes out each April.
        year, month = (int(part) for part in released_before.split("-")[:2])
        newest = str(2 * (year - 2013 - (month < 5)))
    for job in ci_jobs(tree):
        releases: list[str] = []
        is_listing = False
        for line in job.text.splitlines():
            # What a key names, in its line or in the list below it.
            key = _NODE_KEY.fullmatch(line)
            text = (key["value"] if key else line).split("#")[0].strip()
            if key:
                is_listing = not text
            elif is_listing and (not text or text.startswith("-")):
                text = text.removeprefix("-")
            else:
                is_listing, text = False, ""
            words = re.split(r"[\s\[\],'\"]+", text)
            named = (newest if one in _NEWEST else release_named(one) for one in words)
            releases += [one for one in named if one and int(one.split(".")[0]) in MAJORS]
        if len(releases) > 1 or job.path == ".travis.yml" or _TESTED.search(job.text):
            found |= dict.fromkeys(releases, job.path)
    return found


def release_named(text: str) -> str:
    """Return the release that the first line of a text names ("22", "18.12.1"), "" where it names none."""
    word = text.strip().split("\n", 1)[0].strip().lower()
    word = _CODENAMES.get(word.removeprefix("lts/"), word)
    found = _EXACT.fullmatch(word)
    return found.group(1) if found else ""


_ENDS = {"&&", "||", ";", "&", "|", "(", ")"}
_MODULE = re.compile(r"[@\w./-]{1,200}")
VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_EXPRESSION = re.compile(r"/(\^?)((?:[\w:-]|\\[.-]|\.[*+]){1,100})(\$?)/")
RUNNERS = ("mocha", "_mocha", "jest", "vitest", "ava", "jasmine", "tap", "tape", "uvu")
"""Programs that run tests; a package manager starts them by their names alone."""
_BRINGING = {"kcd-scripts": ("jest", "--config=node_modules/kcd-scripts/jest.js", "--rootDir=.")}
"""Programs that start a runner which they bring, with settings of theirs where the project has none."""
_LONGEST = 4000
_DEEPEST = 6
# Programs that only start another one; their own options are left out.
_WRAPPERS = {
    "npx", "cross-env", "c8", "nyc", "env", "cross-env-shell", "bunx", "pnpx", "time", "dotenv", "env-cmd",
    "xvfb-run", "wtfnode", "nice", "exec", "command", "borp-run", "istanbul", "dotenvx", "zx", "bnx",
}  # fmt: skip
_VERBS = {"istanbul": {"cover", "test"}, "dotenvx": {"run"}, "nyc": {"instrument"}}
_WITH_VALUE = {
    "--reporter", "-r", "--reporters", "--reporter-option", "--report-dir", "--reports-dir",
    "--lines", "--functions", "--branches", "--statements", "--include", "--exclude", "--src",
    "-x", "-n", "-e", "-f", "-p", "--package", "-o", "--temp-dir", "--dir",
}  # fmt: skip


class Chain:
    """Opens up what a script runs, command by command."""

    def __init__(self, scripts: Table, read: Callable[[str], str]) -> None:
        self._scripts = scripts
        self._read = read

    def segments(self, name: str, depth: int = 0) -> Iterator[tuple[str, list[str]]]:
        """Yield (script's name, words) of every command of a chain, called scripts opened up."""
        for part in (f"pre{name}", name, f"post{name}"):
            yield from self._lines(part, self._scripts.text(part), depth)

    def _lines(self, script: str, text: str, depth: int) -> Iterator[tuple[str, list[str]]]:
        if depth > _DEEPEST:
            return
        for words in _commands(text):
            variables, inner = bare(words)
            names, extra = _names_called(inner)
            known = [one for one in self._scripts.names() if self._scripts.text(one)]
            found = (one for name in names for one in known if fnmatchcase(one, name))
            called = list(dict.fromkeys(found))
            file = self._of_a_file(inner) or self._brought(inner)
            loaded = self._loaded_by(words[: len(words) - len(inner)])
            if not called and not file:
                yield script, [*loaded, *words]
                continue
            # So that whoever counts commands sees a circle too.
            yield script, ["(scripts)", *called]
            opened = [self.segments(one, depth + 1) for one in called]
            for where, each in chain(*opened, self._lines(script, file, depth + 1)):
                yield where, [*variables, *loaded, *each, *extra]

    def _loaded_by(self, wrappers: list[str]) -> list[str]:
        """Return the variable that has every node load what nyc's settings require; nothing without nyc."""
        if "nyc" not in (one.rsplit("/", 1)[-1] for one in wrappers):
            return []
        settings = (json_table(self._read(path)) for path in (".nycrc", ".nycrc.json"))
        found = [*settings, json_table(self._read("package.json")).table("nyc")]
        modules = (one for table in found for one in table.strings("require"))
        loaded = [f"--require={one}" for one in modules if _MODULE.fullmatch(one)]
        return [f"NODE_OPTIONS={' '.join(dict.fromkeys(loaded))}"] if loaded else []

    def _brought(self, words: list[str]) -> str:
        """Return the command that a program comes to which brings a runner; nothing of any other."""
        if words[1:2] != ["test"] or words[0] not in _BRINGING:
            return ""
        runner, *settings = _BRINGING[words[0]]
        is_set = self._read(f"{runner}.config.js") or json_table(self._read("package.json")).has(
            runner
        )
        return shlex.join([runner, *([] if is_set else settings), *words[2:]])

    def _of_a_file(self, words: list[str]) -> str:
        """Return the commands of a shell file, or of a target of the Makefile, that a command runs."""
        match words:
            case ["sh" | "bash", path] | ["sh" | "bash", "-e" | "-x" | "-ex", path] if (
                not path.startswith("-")
            ):
                return _shell_lines(self._read(path.removeprefix("./")))
            case [path] if path.endswith(".sh"):
                return _shell_lines(self._read(path.removeprefix("./")))
            case ["make", *targets] if all(re.fullmatch(r"[\w-]+", one) for one in targets):
                text = self._read("Makefile")
                return " ; ".join(_target(text, one, set()) for one in targets or ["test"])
        return ""


def _shell_lines(text: str) -> str:
    lines = (line.strip() for line in text[: _LONGEST * 4].replace("\\\n", " ").splitlines())
    return " ; ".join(line for line in lines if line and not line.startswith("#"))[:_LONGEST]


def _target(text: str, name: str, seen: set[str]) -> str:
    """Return the commands of a Makefile's target after those of its prerequisites, variables filled in."""
    found = re.search(
        rf"^{re.escape(name)}:([^=\n]*)\n((?:\t.*\n?)*)", text.replace("\\\n", " "), re.M
    )
    if not found or name in seen:
        return ""
    seen.add(name)
    parts = [_target(text, one, seen) for one in found.group(1).split()[:20]]
    own = " ; ".join(line.strip().lstrip("@-+") for line in found.group(2).splitlines())
    values = dict(re.findall(r"^([A-Z_]+)\s*[:?]?=\s*(.*)$", text, re.M))
    own = re.sub(r"\$[({](\w+)[)}]", lambda one: values.get(one.group(1), ""), own)
    return " ; ".join([*filter(None, parts), own])[:_LONGEST]


def _commands(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line[:_LONGEST], posix=True, punctuation_chars="&|;()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if word in _ENDS:
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:
        return
    yield words


def _names_called(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the names (`*` stands for anything) of the scripts that a command runs, and what they get."""
    own, extra = words, []
    if "--" in words:
        own, extra = words[: words.index("--")], words[words.index("--") + 1 :]
    if any(re.match(r"(-w|--workspaces?|--filter|--cwd|--prefix|-C)\b", word) for word in own):
        return [], []
    plain = [word for word in own if not word.startswith("-")]
    names: list[str] = []
    match plain:
        case ["npm" | "pnpm" | "bun" | "yarn", "run" | "run-script", script, *rest]:
            names = _of_expression(script) if plain[0] == "pnpm" else [_literal(script)]
            # npm takes options for its own until `--`.
            extra = [*(rest if plain[0] == "npm" else own[own.index(script) + 1 :]), *extra]
        case ["npm" | "pnpm", "test" | "t" | "tst", *rest]:
            names, extra = ["test"], [*rest, *extra]
        case ["yarn" | "pnpm", script, *rest]:
            names, extra = [_literal(script)], [*rest, *extra]
        case ["npm-run-all" | "run-s" | "run-p" | "npm-run-all2", *several]:
            patterns = [pattern for one in several for pattern in one.split()[:1]]
            # What such a pattern holds between colons may be anything.
            names = [one.replace("**", "*") if "*" in one else _literal(one) for one in patterns]
            extra = []
        case ["concurrently", *lines]:
            commands = [one.replace("npm:", "npm run ", 1).split() for one in lines]
            names, extra = [name for one in commands for name in _names_called(one)[0]], []
        case ["node", script] if "--run" in own:
            names = [_literal(script)]
    return names, extra


def _of_expression(script: str) -> list[str]:
    """Return the patterns of what pnpm calls a script: a name, or an expression in slashes (`/^test:.*/`).

    Only what a pattern can say is read: an expression of a repository may take forever to be matched.
    """
    found = _EXPRESSION.fullmatch(script)
    if not found:
        return [_literal(script)]
    start, inner, end = found.groups()
    inner = re.sub(r"\.[*+]", "*", inner).replace("\\", "")
    return [f"{'' if start else '*'}{inner}{'' if end else '*'}"]


def _literal(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def bare(words: list[str]) -> tuple[list[str], list[str]]:
    """Split a command into its variables and the words behind all wrappers."""
    variables: list[str] = []
    rest = list(words)
    while rest:
        word = rest[0].rsplit("/", 1)[-1]
        if VARIABLE.match(rest[0]):
            variables.append(rest.pop(0))
        elif word in _WRAPPERS:
            rest = _unwrapped(rest[1:], _VERBS.get(word, set()))
        elif (
            rest[0] in ("yarn", "pnpm", "npm")
            and rest[1:2]
            and rest[1] in ("exec", "dlx", *RUNNERS)
        ):
            rest = rest[2:] if rest[1] in ("exec", "dlx") else rest[1:]
            rest = rest[1:] if rest[:1] == ["--"] else rest
        elif word == "timeout" and len(rest) > 2:
            rest = rest[2:]
        elif (  # Node with the script of a wrapper: node_modules/.bin/nyc
            word == "node"
            and len(rest) > 1
            and "node_modules/" in rest[1]
            and rest[1].rsplit("/", 1)[-1].split(".", maxsplit=1)[0] in _WRAPPERS
        ):
            rest = rest[1:]
        else:
            break
    return variables, rest


def _unwrapped(words: list[str], verbs: set[str]) -> list[str]:
    """Leave out a wrapper's own options, and what it is told to do."""
    rest = list(words)
    while rest and (rest[0].startswith("-") or rest[0] in verbs):
        word = rest.pop(0)
        if word == "--":
            break
        if word in _WITH_VALUE and rest and not rest[0].startswith("-"):
            rest.pop(0)
    return rest
