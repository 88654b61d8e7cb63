"""Finds code that newly opens the network or starts other programs, where nobody speaks of that.

What no code of base does at all is a decision of its own: it is asked for where the task does not ask for it.
Seen are Python's and JavaScript's own ways and their best-known packages; folders of development tools are
left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bot.diff.kinds import is_shipped_source
from bot.diff.lines import added_lines, is_gone
from bot.diff.python_source import parse_python
from bot.integrity.inspection import Inspection, make_finding
from bot.integrity.languages import SCRIPT
from bot.text.clipping import clip_line
from bot.values.rules import NETWORK_OPENED, PROGRAM_STARTED
from sandbox.values import FileChange, Finding

MOST_FILES = 4_000
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
        found = [
            (change, line, text)
            for change in inspection.diff.files
            if not is_gone(change) and ships(change.path)
            for line, text in _added(reach, inspection, change)
        ]
        if found and not _is_known(reach, inspection):
            for change, line, text in found:
                message = (
                    f"This {reach.does} (`{clip_line(text.strip(), _SHOWN_CHARS)}`). No code of base does, "
                    "and the task does not speak of it."
                )
                yield make_finding(reach.rule, change, line, message)


def ships(path: str) -> bool:
    """Whether a path is source that users of the project get."""
    return is_shipped_source(path) and not _is_tool(path)


def _is_tool(path: str) -> bool:
    """Whether a path is where projects keep what only their developers run."""
    return _TOOLS.search(path) is not None


def _added(reach: _Reach, inspection: Inspection, change: FileChange) -> Iterator[tuple[int, str]]:
    """Yield the first added line of a file that reaches out."""
    added = dict(added_lines(change))
    text = inspection.after(change) or ""
    found = ((line, added[line]) for line in _lines(reach, change.path, text) if line in added)
    yield from islice(found, 1)


def _is_known(reach: _Reach, inspection: Inspection) -> bool:
    """Whether code of base that ships does so; what is there already is nobody's decision now."""
    for path in [one for one in inspection.base.paths() if ships(one)][:MOST_FILES]:
        if any(_lines(reach, path, inspection.base.read(path) or "")):
            return True
    return False


def _lines(reach: _Reach, path: str, text: str) -> Iterator[int]:
    """Yield the lines (from 1) that reach out."""
    if path.endswith(".py"):
        yield from _python_lines(reach, text)
    elif path.endswith(SCRIPT.suffixes):
        for number, line in enumerate(text.splitlines(), 1):
            if not line.lstrip().startswith(("//", "*", "/*")) and reach.scripts.search(
                line[:2_000]
            ):
                yield number


def _python_lines(reach: _Reach, text: str) -> Iterator[int]:
    tree = parse_python(text)
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
