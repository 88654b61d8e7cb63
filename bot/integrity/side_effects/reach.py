"""Finds what a change newly does to what is outside of it, as no code of base does and nobody asks for.

Code that opens the network, starts programs, deletes files, changes something for the whole process, prints,
runs what data say, asks where it runs, or leaves something to chance is a decision of its own. Seen are
Python's and JavaScript's own ways and their best-known packages; folders of development tools are left out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from bot.diff.lines import added_lines
from bot.integrity.reading.imported_names import loaded_by, python_names, script_lines, written
from bot.integrity.reading.inspection import Inspection, Trees, make_finding, ships
from bot.integrity.reading.languages import SCRIPT
from bot.text.clipping import clip_line
from bot.values.rules import (
    CHANCE_ASKED,
    DATA_RUN,
    FILES_DELETED,
    NETWORK_OPENED,
    OUTPUT_WRITTEN,
    PLACE_ASKED,
    PROCESS_CHANGED,
    PROGRAM_STARTED,
)
from sandbox.values import FileChange, Finding

_MOST_READ = 4_000  # files of base
_SHOWN_CHARS = 60


@dataclass(frozen=True, slots=True)
class _Reach:
    """One way to what is outside: its rule, what it does, and where it is seen. `said` is a word of it.

    Of Python `modules` are imported, `calls` are called, read or assigned to ("sys.stdout="), or a text
    ("'/proc"), and may have what counts of it in a group; `scripts` are JavaScript. Base knows one that
    `is_each` by what is written there, any other by its kind.
    """

    rule: str
    does: str
    modules: re.Pattern[str]
    calls: re.Pattern[str]
    scripts: re.Pattern[str]
    said: re.Pattern[str]
    is_each: bool = False

    def known_by(self, written: str) -> str:
        """What base has to have, too, to know it."""
        return written if self.is_each else ""


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
            r"smtplib|imaplib|poplib|nntplib|telnetlib|socketserver|http\.server|xmlrpc|webbrowser|websockets?|paramiko|"
            r"pycurl)(?:\.|$)"
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
    _Reach(
        FILES_DELETED,
        "deletes files",
        re.compile(r"(?:send2trash)(?:\.|$)"),
        re.compile(
            r"os\.(?:remove|unlink|rmdir|removedirs|truncate)$|shutil\.rmtree$|\A(?:[\w.()\[\]]*\.)?(?:unlink|rmtree)$"
        ),
        re.compile(
            _loaded("rimraf|del|trash")
            + r"|\b(?:fs\w*|promises)\.(?:unlink|rm|rmdir|truncate)(?:Sync)?\("
            r"|(?<![.\w])(?:unlink|unlinkSync|rmSync|rmdir|rmdirSync)\("
        ),
        re.compile(
            r"(?i)\b(?:delet\w*|remov\w*|unlink\w*|clean\w*|clear\w*|purg\w*|prun\w*|expir\w*|rotat\w*|temp\w*|tmp|"
            r"mov(?:e|es|ed|ing)|renam\w*|replac\w*|overwrit\w*|atomic\w*|discard\w*|trash|evict\w*|wip\w*|uninstall\w*|"
            r"drop\w*|lock\w*|leftover\w*|reset\w*)\b"
        ),
    ),
    _Reach(
        PROCESS_CHANGED,
        "changes something for the whole process",
        re.compile(r"(?:sitecustomize|usercustomize)(?:\.|$)"),
        re.compile(
            r"(?:locale\.setlocale|calendar\.setfirstweekday|random\.seed|os\.(?:chdir|umask|putenv|unsetenv|set[ug]id)|"
            r"signal\.(?:signal|alarm|setitimer)|socket\.setdefaulttimeout|logging\.(?:basicConfig|disable)|"
            r"sys\.(?:setrecursionlimit|settrace|setprofile)|threading\.(?:settrace|setprofile)|decimal\.setcontext|"
            r"gc\.(?:disable|set_threshold|freeze)|time\.tzset|resource\.setrlimit|sys\.path\.(?:insert|append|extend)|"
            r"os\.environ\.(?:update|setdefault|pop|clear))$"
            r"|(?:sys\.(?:excepthook|stdout|stderr|stdin|displayhook|path|meta_path)|builtins\.\w+|os\.environ\[.*|"
            r"sys\.modules\[.*|(?:decimal\.)?getcontext\(\)\.\w+|(?:ssl|socket|json|random|threading|subprocess)\.\w+)=$"
        ),
        re.compile(
            r"\bprocess\.(?:on|once|addListener|prependListener)\(\s?['\"](?:uncaughtException|unhandledRejection|SIG\w+)"
            r"|\bprocess\.(?:chdir|umask|setuid)\(|\bprocess\.env(?:\.\w+|\[[^\]\n]{1,80}\])\s?=(?![=>])"
            r"|\b(?:Object|Array|String|Number|Function|Promise|Date|RegExp|Map|Set|Error|Buffer|JSON|Math|globalThis|global|console)"
            r"\.(?:prototype\.)?\w+\s?=(?![=>])"
            r"|\bObject\.(?:defineProperty|assign)\(\s?(?:globalThis|global|(?:Object|Array|String|Function)\.prototype)\b"
        ),
        re.compile(
            r"(?i)\b(?:process|global\w*|environ\w*|env|locale|signals?|sig\w+|exits?|handlers?|seed\w*|cwd|"
            r"working director(?:y|ies)|(?:monkey)?patch\w*|hooks?|polyfills?|prototypes?|logg(?:er|ing)|"
            r"stdout|stderr|stdin|uncaught|unhandled|shut ?down|interrupt\w*|ctrl-c|week ?days?|recursion|"
            r"precision|random\w*|time ?outs?|trac(?:e|ing)|import path|interpreter)\b"
        ),
    ),
    _Reach(
        OUTPUT_WRITTEN,
        "prints",
        re.compile(r"(?!)"),
        re.compile(r"(?:pprint\.)?p?print$|sys\.std(?:out|err)\.write$"),
        re.compile(r"\bconsole\.(?:log|error|warn|info|debug|table|dir)\("),
        re.compile(
            r"(?i)\b(?:p?print\w*|outputs?|log\w*|shows?|shown|display\w*|cli|commands?|console|verbos\w*|debug\w*|warn\w*|"
            r"report\w*|messages?|tells?|told|stdout|stderr|stdin|deprecat\w*|progress|terminal|dump\w*|writes?|written|says?)\b"
        ),
    ),
    _Reach(
        DATA_RUN,
        "runs what data say",
        re.compile(r"(?:c?[pP]ickle|dill|cloudpickle|marshal|shelve|jsonpickle|joblib)(?:\.|$)"),
        re.compile(r"yaml\.(?:unsafe|full)_load(?:_all)?$|(?:builtins\.)?(?:eval|exec)$"),
        re.compile(
            _loaded("vm|vm2|node-serialize|serialize-to-js")
            + r"|\bnew Function\(|(?<![.\w])(?:(?:globalThis|window)\.)?eval\(|\(0, ?eval\)\("
        ),
        re.compile(
            r"(?i)\b(?:eval|exec|\w*pickl\w*|\w*seriali[sz]\w*|marshal\w*|shel(?:f|ve)\w*|persist\w*|copy|copies|"
            r"deep ?copy|yaml|evaluat\w*|templat\w*|compil\w*|plugins?|sandbox\w*)\b"
        ),
    ),
    _Reach(
        PLACE_ASKED,
        "asks where it runs",
        re.compile(r"(?:_?pytest|unittest|nose|hypothesis)(?:\.|$)"),
        re.compile(
            r"(?:os\.(?:uname|getlogin|get[eg]?uid|getgid|getpp?id|getpgid|getsid|getcwdb?|cpu_count|"
            r"process_cpu_count|"
            r"getloadavg|environb?|getenvb?|getpriority|getgroups|sched_getaffinity|ttyname|ctermid|isatty)|"
            r"platform\.(?:node|uname|release|version|platform|machine|processor|architecture|\w+_ver|"
            r"freedesktop_os_release)|"
            r"uuid\.(?:getnode|uuid1)|socket\.(?:gethostname|getfqdn)|getpass\.getuser|pwd\.getpw\w+|"
            r"resource\.getr\w+|"
            r"threading\.(?:current_thread|currentThread|main_thread|get_ident|get_native_id|active_?[cC]ount|"
            r"enumerate)|"
            r"_thread\.get_\w+|multiprocessing\.(?:current_process|parent_process|active_children|cpu_count)|"
            r"sys\.(?:__)?std(?:in|out|err)(?:__)?\.(?:isatty|fileno)|"
            r"tempfile\.gettempdirb?|sys\.(?:_getframe|gettrace|getprofile|_current_frames|argv|orig_argv|modules|"
            r"flags|executable|prefix)|faulthandler\.is_enabled|asyncio\.current_task|os\.get_terminal_size|"
            r"shutil\.disk_usage|inspect\.(?:stack|currentframe|getouterframes)|gc\.get_\w+|"
            r"traceback\.(?:extract|walk|format|print)_stack|(?:pathlib\.)?Path\.cwd|importlib\.util\.find_spec|"
            r"shutil\.which)$|'/(?:proc|sys|etc|opt/assay|work/tree|env|home/assay)\b"
        ),
        re.compile(
            r"\bos\.(?:hostname|userInfo|networkInterfaces|cpus|availableParallelism|totalmem|freemem|"
            r"loadavg|uptime|release|"
            r"machine|arch|version|getPriority|tmpdir)\("
            r"|\bprocess\.(?:argv|ppid|pid|execArgv|execPath|title|env\.NODE_ENV|env|cwd\(|get(?:e?[ug]id|"
            r"groups)\(|"
            r"memoryUsage|resourceUsage|std(?:in|out|err)\.isTTY|connected|report)|\brequire\.main\b"
            r"|\bworker_threads\.(?:parentPort|workerData)|\b(?:isMainThread|threadId)\b|\bcluster\.is(?:Primary|"
            r"Master|Worker)"
            r"|\bmodule\.(?:parent|children)\b|\bimport\.meta\.main\b|['\"`]/(?:proc|sys|etc)/"
            r"|\btypeof (?:describe|it|test|expect|jest|vi|mocha|suite|beforeEach)\b|"
            + _loaded("mocha|chai|jest|@jest/globals|vitest|ava|tap|tape|uvu|node:test|sinon")
        ),
        re.compile(
            r"(?i)\b(?:machines?|hosts?|hostnames?|logins?|process(?:es)?|pids?|cwd|director(?:y|ies)|temp(?:orary)?|tmp|"
            r"platforms?|argv|cli|command.?line|frames?|stack\w*|trac(?:e|es|ing)\w*|debug\w*|environ\w*|\w*env|cpus?|"
            r"cores?|(?:is_?a?)?tty|terminals?|colou?rs?|interactive\w*|"
            r"(?:\w*thread|worker)\w*|mac address\w*|interpreters?|executables?|install(?:ed)?|optional|"
            r"lazy|lazily|plugins?|testing|pytest|unittest|"
            r"(?:environment|shell) variables?|(?:resource|memory) limits?|user names?|test runners?)\b"
        ),
        is_each=True,
    ),
    _Reach(
        PLACE_ASKED,
        "asks how long it runs",
        re.compile(r"(?!)"),
        re.compile(
            r"time\.(?:perf_counter|monotonic|process_time|thread_time)(?:_ns)?$|time\.clock_gettime\w*$|"
            r"os\.times$"
        ),
        re.compile(
            r"\bperformance\.(?:now\(|timeOrigin)|\bprocess\.(?:uptime\(|hrtime|cpuUsage\()"
        ),
        re.compile(
            r"(?i)\b(?:\w*tim(?:e|es|ed|ing|ings|er|ers|estamps?|e ?outs?)|clocks?|elaps\w*|durations?|"
            r"how long|"
            r"seconds?|ms|milliseconds?|expir\w*|ttl|cach\w*|wait\w*|sleep\w*|delay\w*|deadlines?|poll\w*|"
            r"retr(?:y|ies|ying)|"
            r"debounc\w*|throttl\w*|rate.?limit\w*|animat\w*|profil\w*|perf\w*|latency|speed\w*|slow\w*|"
            r"fast\w*|"
            r"benchmarks?|measur\w*|metrics?|progress|uptime)\b"
        ),
        is_each=True,
    ),
    _Reach(
        CHANCE_ASKED,
        "draws random numbers",
        re.compile(r"(?:secrets|numpy\.random)(?:\.|$)"),
        re.compile(
            r"random\.(?!seed$|Random$|random_)\w+$|secrets\.(?:randbelow|randbits|choice)$|"
            r"(?:np|numpy)\.random\.\w+$"
        ),
        re.compile(r"\bMath\.random\b|\b(?:crypto\.)?randomInt\("),
        re.compile(
            r"(?i)\b(?:(?:every|each) (?:time|call)|different\w*|distinct\w*|unpredictab\w*|guess\w*|"
            r"random\w*|chance|\w*uuids?|guids?|nano.?id|ids?|identifiers?|unique\w*|shuffl\w*|"
            r"sampl\w*|jitter\w*|"
            r"back.?off|retr(?:y|ies|ying)|tokens?|nonces?|salt\w*|secrets?|passwords?|seed\w*|dice|noise|"
            r"prob\w*|simulat\w*|"
            r"temp(?:orary)?|tmp|boundar(?:y|ies)|crypto\w*|encrypt\w*|keys?|collision\w*|atomic\w*|"
            r"lotter\w*|pick\w*|games?|mock\w*|fak(?:e|er|es)|demo|generat\w*|weight\w*|balanc\w*|fuzz\w*|"
            r"stochastic|monte|guess\w*|noisy|chances)\b"
        ),
        is_each=True,
    ),
    _Reach(
        PROCESS_CHANGED,
        "reaches into what runs it",
        re.compile(r"(?:_?ctypes)(?:\.|$)"),
        re.compile(r"\A(?:[\w.()\[\]]*\.)?(__subclasses__|f_back|tb_frame)(?:\(\))?$"),
        re.compile(
            r"\baddEqualityTesters\b|\brequire\.cache\b[^\n=]{0,200}=(?![=>])"
            r"|\bmodule\.(?:_load|_cache|_extensions|_resolveFilename)\b[^\n=]{0,200}=(?![=>])"
        ),
        re.compile(
            r"(?i)\b(?:ctypes|native|windows|win32|dlls?|(?:shared )?librar(?:y|ies)|ffi|"
            r"bindings?|frames?|\w*stack\w*|trac(?:e|es|ing|ebacks?)\w*|debug\w*|callers?|subclass\w*|"
            r"plug.?ins?|registr\w*|regist\w*|"
            r"discover\w*|equality|testers?|matchers?|reload\w*|require|modules?|(?:module )?cach(?:e|es|"
            r"ing)|hooks?|interpreter)\b"
        ),
        is_each=True,
    ),
)


def newly_reached(inspection: Inspection) -> Iterator[Finding]:
    """Changed code that reaches what is outside as no code of base does, and as nobody asks for."""
    of_base = partial(filter, ships, inspection.base.paths())
    yield from reached_by(inspection.shipped(), inspection, of_base)


def reached_by(
    changes: Sequence[FileChange], inspection: Inspection, of_base: Callable[[], Iterable[str]]
) -> Iterator[Finding]:
    """What some changes do of that, and none of these files of base does."""
    wanted = inspection.requirements
    said = "\n".join((*wanted.said, *(one.with_detail for one in wanted.items)))
    told: set[tuple[str, int]] = set()
    for reach in _REACHES:
        if reach.said.search(said):
            continue
        found: list[tuple[FileChange, int, str, str]] = []
        for change in changes:
            added = dict(added_lines(change))
            done = _done_in(reach, change.path, inspection.after(change) or "", inspection.trees)
            found += ((change, line, added[line], what) for line, what in done if line in added)
        if not found:
            continue
        # what such code of base does already is nobody's decision now
        asked, known = {what for *_, what in found}, set[str]()
        for path in islice(of_base(), _MOST_READ):
            there = inspection.base.read(path) or ""
            known.update(what for _, what in _done_in(reach, path, there, inspection.trees))
            if asked <= known:
                break
        first: set[str] = set()  # of each file the first line
        for change, line, text, what in found:
            place = change.path, line
            is_shown = what and re.search(rf"(?<![\w.]){re.escape(what)}(?!\w)", said)
            if what in known or is_shown or change.path in first or place in told:
                continue
            first.add(change.path)
            told.add(place)
            message = (
                f"This {reach.does} (`{clip_line(text.strip(), _SHOWN_CHARS)}`). No code of base does, "
                "and the task does not speak of it."
            )
            yield make_finding(reach.rule, change, line, message)


def _done_in(reach: _Reach, path: str, text: str, trees: Trees) -> Iterator[tuple[int, str]]:
    """Yield the lines (from 1) that reach out, and what base has to have, too, to know it."""
    if path.endswith(SCRIPT.suffixes):
        for number, line in script_lines(text):
            match = reach.scripts.search(line)
            if match and not line.lstrip().startswith(("//", "*", "/*")):
                yield number, reach.known_by(match[0])
    tree = trees.of(text) if path.endswith(".py") else None
    names = python_names(tree) if tree else {}
    for node in ast.walk(tree) if tree else ():
        loaded: list[str] = []
        if isinstance(node, ast.Import):
            loaded = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            loaded = [f"{node.module}.{one.name}" for one in node.names]
        elif isinstance(node, ast.Call):
            loaded = [loaded_by(node)]
        done = map(reach.calls.match, (*loaded, *_done(node, names, with_reads=reach.is_each)))
        found = [
            *filter(reach.modules.match, loaded),
            *(one[one.lastindex or 0] for one in done if one),
        ]
        yield from ((node.lineno, reach.known_by(one)) for one in found)  # type: ignore[attr-defined]


def _done(node: ast.AST, names: dict[str, str], *, with_reads: bool) -> list[str]:
    """What a node calls, assigns to (with "=" behind it) or reads; a text has "'" before it."""
    if isinstance(node, ast.Call):
        return [written(node.func, names), written(node, names)]
    if isinstance(node, ast.Assign):
        return [f"{written(one, names)}=" for one in node.targets]
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return [f"{written(node.target, names)}="]
    if isinstance(node, ast.Attribute) and with_reads:
        return [written(node, names)]
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return [f"'{node.value[:_SHOWN_CHARS]}"] if is_text else []  # type: ignore[attr-defined]
