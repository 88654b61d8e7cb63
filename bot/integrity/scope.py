"""Finds what goes beyond the task: files that nothing asked speaks of, and new ways out of the process.

A file belongs to the task when a demand shares a telling word with its name or its changed lines, or when
it shares an identifier in its changed lines, which few files have, with a file that belongs (advice).

Code that opens the network or starts other programs, as no code of base does at all, is a decision of its
own: it is asked for where the task does not ask for it. Seen are Python's and JavaScript's own ways and their
best-known packages; folders of development tools are left out.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.diff.kinds import is_shipped_source
from bot.diff.lines import added_lines, is_gone, removed_lines
from bot.diff.python_source import parse_python
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.languages import SCRIPT
from bot.text.clipping import clip_line
from bot.text.words import Vocabulary, words_of
from bot.values import Category
from bot.values.rules import NETWORK_OPENED, OUT_OF_SCOPE, PROGRAM_STARTED
from sandbox.values import FileChange, Finding

MOST_FILES = 200  # a larger change is about everything, or generated
FEWEST_WORDS = 2  # a demand with fewer telling words says nothing about files
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{3,}")
_COMMON_SHARE = 0.5  # an identifier in more than half of many files ties nothing together


def files_out_of_scope(inspection: Inspection) -> Iterator[Finding]:
    """Changed source files without any tie to the task, where other files do have one."""
    demands = [r for r in inspection.requirements.items if r.category is not Category.BASELINE]
    said = words_of(" ".join(f"{r.text} {r.detail}" for r in demands))
    files = [c for c in inspection.diff.files if c.hunks]
    if len(said) < FEWEST_WORDS or len(files) > MOST_FILES or inspection.diff.truncated:
        return
    shipped: list[FileChange] = []
    names: dict[str, set[str]] = {}
    for change in files:
        lines = [line for _, line in (*added_lines(change), *removed_lines(change))]
        names[change.path] = {name for line in lines for name in _IDENTIFIER.findall(line)}
        # more than blank lines came or went
        if is_shipped_source(change.path) and any(line.strip() for line in lines):
            shipped.append(change)
    asked = Vocabulary(said)
    related = {
        change.path
        for change in files
        if any(map(asked.knows, words_of(f"{change.path} {' '.join(names[change.path])}")))
    }
    spoken = [change for change in shipped if change.path in related]
    if not spoken:
        return  # the demand uses other words than the code: nothing can be told
    _spread(related, names)
    for change in shipped:
        if change.path not in related:
            message = (
                "Nothing that was asked speaks of this file, and no other changed file needs it."
            )
            start = change.hunks[0].new_start
            yield make_finding(OUT_OF_SCOPE, change, start, message)


def _spread(related: set[str], names: dict[str, set[str]]) -> None:
    """Add what shares a telling identifier with a related file, until nothing more does."""
    frequency = Counter(name for found in names.values() for name in found)
    common = {n for n, count in frequency.items() if count > max(2, _COMMON_SHARE * len(names))}
    more = set(related)
    while more:
        known = set().union(*(names[path] for path in more)) - common
        left = ((path, found) for path, found in names.items() if path not in related)
        more = {path for path, found in left if not found.isdisjoint(known)}
        related |= more


# --- ways out of the process ---------------------------------------------------------------------


_MOST_READ = 4_000  # files of base
_SHOWN_CHARS = 60
_TOOLS = re.compile(
    r"(?:^|/)(?:\.[^/]+|scripts?|tools?|dev|bench(?:marks?)?|tasks?|examples?|jakelib|build|ci)/"
    r"|^[^/]*(?:file|\.config)\.[cm]?[jt]s$|^(?:setup|noxfile|tasks|fabfile)\.py$|\.d\.[cm]?ts$"
)


@dataclass(frozen=True, slots=True)
class _Reach:
    """One way out of the process: its rule, what it does, and where it is seen. `said` is a word of it."""

    rule: str
    does: str
    modules: re.Pattern[str]
    calls: re.Pattern[str]
    scripts: re.Pattern[str]
    said: re.Pattern[str]


def _loaded(names: str) -> str:
    """A pattern of what loads one of these packages in JavaScript; types alone run nothing."""
    return (
        r"(?:\brequire\(\s?|\bimport\(\s?|^\s*import\s?|^\s*(?:import|export)\s(?!type\b)[^'\"]{1,200}\sfrom\s?)"
        rf"(?:['\"])(?:node:)?(?:{names})(?:/[\w./-]{{0,80}})?['\"]"
    )


_REACHES = (
    _Reach(
        NETWORK_OPENED,
        "opens the network",
        re.compile(
            r"(?:socket|ssl|urllib\.request(?!\.(?:pathname2url|url2pathname)$)|urllib[23]|http\.client|httplib2?|requests|httpx|aiohttp|ftplib|"
            r"smtplib|telnetlib|xmlrpc|websockets?|paramiko|pycurl)(?:\.|$)"
        ),
        re.compile(r"asyncio\.(?:open_connection|start_server)$"),
        re.compile(
            _loaded(
                "https?|http2|net|tls|dgram|axios|node-fetch|cross-fetch|undici|got|ky|ws|superagent"
            )
            + r"|(?:\bawait|\breturn|\bvoid|=>|[=(,:])\s?(?:globalThis\.)?fetch\("
            r"|\bnew\s(?:XMLHttpRequest|WebSocket|EventSource)\b|\bnavigator\.sendBeacon\("
        ),
        re.compile(
            r"(?i)\b(?:networks?|https?|urls?|requests?|fetch\w*|download\w*|upload\w*|servers?|clients?|sockets?|"
            r"connect\w*|remote\w*|online|web\w*|dns|tls|ssl|proxy|proxies|mail\w*|smtp|ftp|ajax|api)\b"
        ),
    ),
    _Reach(
        PROGRAM_STARTED,
        "starts other programs",
        re.compile(r"(?:subprocess|pty|pexpect|plumbum)(?:\.|$)"),
        re.compile(
            r"os\.(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawnp?)$"
            r"|asyncio\.create_subprocess_\w+$"
        ),
        re.compile(_loaded("child_process|execa|cross-spawn|shelljs|zx")),
        re.compile(
            r"(?i)\b(?:sub-?process\w*|process(?:es)?|commands?|shells?|exec\w*|spawn\w*|programs?|binar(?:y|ies)|"
            r"executables?|launch\w*|terminal|git|script\w*)\b"
        ),
    ),
)


def newly_reached(inspection: Inspection) -> Iterator[Finding]:
    """Changed code that reaches out of its process as no code of base does, and as nobody asks for."""
    wanted = inspection.requirements
    said = "\n".join((*wanted.said, *(f"{one.text}\n{one.detail}" for one in wanted.items)))
    for reach in _REACHES:
        if reach.said.search(said):
            continue
        found: list[tuple[FileChange, int, str]] = []  # the first added line of each file
        for change in inspection.diff.files:
            if is_gone(change) or not ships(change.path):
                continue
            added = dict(added_lines(change))
            lines = _lines(reach, change.path, inspection.after(change) or "")
            found += islice(((change, line, added[line]) for line in lines if line in added), 1)
        if not found:
            continue
        # what code of base that ships does already is nobody's decision now
        shipped = [one for one in inspection.base.paths() if ships(one)][:_MOST_READ]
        if any(any(_lines(reach, one, inspection.base.read(one) or "")) for one in shipped):
            continue
        for change, line, text in found:
            message = (
                f"This {reach.does} (`{clip_line(text.strip(), _SHOWN_CHARS)}`). No code of base does, "
                "and the task does not speak of it."
            )
            yield make_finding(reach.rule, change, line, message)


def ships(path: str) -> bool:
    """Whether a path is source that users of the project get."""
    # tools are what only its developers run
    return is_shipped_source(path) and _TOOLS.search(path) is None


def _lines(reach: _Reach, path: str, text: str) -> Iterator[int]:
    """Yield the lines (from 1) that reach out."""
    if path.endswith(SCRIPT.suffixes):
        for number, line in enumerate(text.splitlines(), 1):
            if not line.lstrip().startswith(("//", "*", "/*")) and reach.scripts.search(
                line[:2_000]
            ):
                yield number
    tree = parse_python(text) if path.endswith(".py") else None
    for node in ast.walk(tree) if tree else ():
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            called = f"{owner.id}.{node.func.attr}" if isinstance(owner, ast.Name) else ""
            if reach.calls.match(called):
                yield node.lineno
            continue
        else:
            continue
        if any(reach.modules.match(name) or reach.calls.match(name) for name in names):
            yield node.lineno
