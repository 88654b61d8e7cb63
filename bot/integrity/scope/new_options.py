"""Finds changes that do what was asked only for a caller who asks for it in a way of which nobody spoke.

An option: the default stays as on base then, and whoever has the trouble still has it. Seen are parameters,
options and flags that are new in the shipped code, and that each test which the change makes pass gives or
sets. Or a new function that these tests call, and that no shipped code does. Or a parameter that a public
function newly takes, and that no test gives at all.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, removed_lines
from bot.diff.python_source import Function, last_name
from bot.evidence.tests.results import code_of
from bot.integrity.compatibility.callers import functions_on_both
from bot.integrity.compatibility.public_names import may_be_called
from bot.integrity.reading.inspection import Inspection, make_finding, ships, words_of_task
from bot.integrity.reading.languages import SCRIPT
from bot.integrity.reading.signatures import Passing, Signature
from bot.integrity.reading.tokens import end_of_bracket, is_mark, read_tokens
from bot.text.words import Vocabulary, whole_name, words_of
from bot.values.rules import DEFAULT_CHANGED, ONLY_TESTS_CALL, OPTION_UNASKED
from sandbox.values import FileChange, Finding

_NAME = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]{1,60}(?=\s?(?::\s?[\w.\[\]| ]{1,60})?=(?![=>]))")
"""A parameter with a default, or what a flag is bound to."""
_READ = re.compile(
    r"\b(?:options?|opts?|config|settings|params|kwargs|self|cls|this)\.([A-Za-z_$][\w$]{1,60})"
)
_BY_KEY = re.compile(r"\bkwargs(?:\.(?:get|pop)\(|\[)\s?['\"](\w{2,60})['\"]")
_DEFINED = re.compile(r"\b(?:def|function)\s+([A-Za-z_$][\w$]*)")
_SPEAKS_OF_OPTIONS = re.compile(
    r"(?i)\b(?:options?|optional(?:ly)?|opt-?(?:in|out)|param(?:eter)?s?|arg(?:ument)?s?|kwargs?|keywords?|flags?|"
    r"configurable|custom\w*|switch\w*|allow\w*|able to|enabl\w*|disabl\w*|toggle\w*|choose|choice|"
    r"(?:is|was) there (?:an?|any) way)\b"
)
_GIVEN = (
    r"[(,{{]\s{{0,80}}['\"]?{name}['\"]?\s{{0,5}}(?:=(?!=)|:)|\.{name}\s?=(?!=)"
    r"|setattr\([^()\n]{{0,80}}['\"]{name}['\"]"
)
"""How a test gives or sets one."""
_MAKES = re.compile(r"dict$|[A-Z]")
"""What makes something of the words that it is given."""
_SET = r"\.{name}\s?=(?!=)|setattr\([^()\n]{{0,80}}['\"]{name}['\"]"


def unasked_options(inspection: Inspection) -> Iterator[Finding]:
    """New options without which no test shows what was asked."""
    said = words_of_task(inspection)
    turned = [code_of([one]) for one in inspection.turned_green if one.source]
    if not turned or _SPEAKS_OF_OPTIONS.search(said):
        return
    known, for_all = Vocabulary(words_of(said)), _set_up_for_all(inspection)
    for change in inspection.shipped((".py", *SCRIPT.suffixes)):
        before = inspection.before(change)
        own = _own_names(inspection, change) if before else frozenset()
        for name, line in _new_names(change, before or "") if before else ():
            if name in own or _is_spoken_of(name, known, said):
                continue
            given = re.compile(_GIVEN.format(name=re.escape(name)))
            is_set = re.search(_SET.format(name=re.escape(name)), for_all)
            if is_set or all(given.search(code) for code in turned):
                message = (
                    f"Each test that passes with this change only gives `{name}`, which is new. Where it is "
                    "not given, all may be as before, and the task does not speak of it."
                )
                yield make_finding(OPTION_UNASKED, change, line, message)


def _is_spoken_of(name: str, known: Vocabulary, said: str) -> bool:
    """Tell whether a task has a word of a name, or shows that it is given: `on=OSError`, `--on`."""
    shown = rf"(?<![\w$.]){re.escape(name)}\s?=(?![=>])|[`'\"-]{re.escape(name)}[`'\"=]"
    return any(map(known.knows, words_of(name))) or re.search(shown, said) is not None


def _set_up_for_all(inspection: Inspection) -> str:
    """Return what the change has done before any test of a file runs, or of a folder (`conftest.py`)."""
    tests = (one for one in inspection.diff.files if is_test_file(one.path))
    return "\n".join(
        line
        for change in tests
        for _, line in added_lines(change)
        if change.path.endswith("conftest.py") or line[:1].strip()
    )


def _own_names(inspection: Inspection, change: FileChange) -> frozenset[str]:
    """The names of a Python file that nobody can give or set: variables of its functions, words of its calls.

    What it gives to a call (`open(path, encoding=…)`) it does not take; to a table or an object it may.
    """
    is_python = change.path.endswith(".py")
    nodes = [*inspection.trees.nodes(inspection.after(change) if is_python else None)]
    functions = [one for one in nodes if isinstance(one, Function)]
    inside = {id(part) for one in functions for stmt in one.body for part in ast.walk(stmt)}
    calls = [
        one for one in nodes if isinstance(one, ast.Call) and not _MAKES.match(last_name(one.func))
    ]
    given = {word: word.arg for one in calls for word in one.keywords}
    words = {name for name in given.values() if name}
    own, others = set(words), set[str]()
    for one in nodes:
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            (own if id(one) in inside else others).add(one.id)
        elif isinstance(one, ast.arg | ast.keyword) and one.arg and one not in given:
            others.add(one.arg)
        elif isinstance(one, ast.Attribute) and one.attr in words:
            others.add(one.attr)
        elif isinstance(one, ast.Global):
            others.update(one.names)
    return frozenset(own - others)


_LITERAL = r"(?:-?(?=[\d_.]{0,20}[1-9])\d[\d_.]{0,20}|True|true|(['\"])(?!\1)[^'\"\n]{1,40}\1)"
_WITH_DEFAULT = re.compile(
    r"(?:[({,]|^)\s{0,40}(?P<name>[A-Za-z_$][\w$]{1,60})(?:\s?\??:\s?[\w.\[\]| ]{1,60})?\s{0,5}=\s{0,5}"
    rf"(?P<value>{_LITERAL})\s{{0,5}}(?=[,)}}]|$)"
)
_AS_BEFORE = (
    r"(?i)\bwithout (?:the )?`?{name}`?(?![\w-])[^.;\n]{{0,60}}\b(?:nothing (?:else )?changes"
    r"|unchanged|as (?:it (?:is|was)|before|now|today)|stays?|remains?|the same)\b"
    r"|(?<!\w)`?{name}`?(?!\w)[^.;\n]{{0,40}}\b(?:off|disabled) by default\b"
)


def defaults_that_change(inspection: Inspection) -> Iterator[Finding]:
    """New parameters that are something where they are not given, though all is to stay as it was then."""
    said = words_of_task(inspection)
    for change in inspection.shipped((".py", *SCRIPT.suffixes)):
        before = inspection.before(change) or ""
        for number, line in added_lines(change) if before else ():
            for found in _WITH_DEFAULT.finditer(line):
                name, value = found["name"], found["value"]
                is_new = re.search(rf"(?<![\w$.]){re.escape(name)}\s{{0,5}}[:=]", before) is None
                if is_new and re.search(_AS_BEFORE.format(name=re.escape(name)), said):
                    message = (
                        f"`{name}` is `{value}` where it is not given, and the task says that all stays as "
                        "it was then."
                    )
                    yield make_finding(DEFAULT_CHANGED, change, number, message)


def untried_options(inspection: Inspection) -> Iterator[Finding]:
    """What a public function newly takes, though nobody asks for it and nothing that is added gives it."""
    said = words_of_task(inspection)
    if _SPEAKS_OF_OPTIONS.search(said):
        return
    known = Vocabulary(words_of(said))
    added = {c.path: [line for _, line in added_lines(c)] for c in inspection.diff.files}
    tests = [line for path, lines in added.items() if is_test_file(path) for line in lines]
    code = [line for path, lines in added.items() if ships(path) for line in lines]
    for change in inspection.left():
        both = functions_on_both(change, inspection) if may_be_called(change) else ()
        for function, name in _newly_taken(both):
            given = re.compile(_GIVEN.format(name=re.escape(name)))
            calling = [line for line in code if not _DEFINITION.match(line)]
            is_given = any(map(given.search, calling)) or any(map(whole_name(name).search, tests))
            is_given |= any(_gives(function, name, line) for line in (*calling, *tests))
            if not (is_given or _is_spoken_of(name, known, said)):
                message = (
                    f"`{function.name}` newly takes `{name}`. No test of this change gives it, and the task "
                    "does not speak of it."
                )
                yield make_finding(OPTION_UNASKED, change, function.line, message)


def _gives(function: Signature, name: str, line: str) -> bool:
    """Tell whether a line calls a function with so many arguments that this parameter is among them."""
    taken = [one.name for one in function.parameters]
    called = re.search(rf"(?<![\w$]){re.escape(function.name)}\(", line[:2_000])
    if name not in taken or called is None:
        return False
    depth, given, is_open = 0, 0, True
    for sign in line[called.end() : 2_000]:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        given += is_open and not sign.isspace()  # the first sign of an argument
        is_open = sign == "," and not depth if not sign.isspace() else is_open
    return given > taken.index(name)


def _newly_taken(both: Iterable[tuple[Signature, Signature]]) -> Iterator[tuple[Signature, str]]:
    """Yield what callers of a function may give and leave out, and could not give on base."""
    for one, now in both:
        had, has = _taken(one), _taken(now)
        if len(has) <= len(had):
            continue  # it is only called otherwise
        renamed = {new for old, new in zip(had, has, strict=False) if old not in has}
        new = (name for name, is_needed in has.items() if not is_needed and name not in had)
        yield from ((now, name) for name in new if name not in renamed)


def parameters_never_given(inspection: Inspection) -> Iterator[Finding]:
    """What a function newly takes that is not for everybody, and whose calls are all as on base."""
    shipped = inspection.shipped((".py", *SCRIPT.suffixes))
    taken = (
        (change, *one)
        for change in shipped
        for one in _newly_taken(functions_on_both(change, inspection, public=False))
    )
    for change, function, name in islice(taken, _MOST_ASKED):
        owner, _, bare = function.name.rpartition(".")
        placed = [one.name for one in function.parameters]
        # of other methods nobody can tell whose a call is
        if name not in placed or (owner and not bare.startswith("_")):
            continue
        place = placed.index(name)
        if function.is_script:
            calls = [*_given_in_script(inspection.after(change) or "", function, place)]
        else:
            paths = [p for p in inspection.head.paths() if p.endswith(".py") and ships(p)]
            texts = (inspection.head.read(path) or "" for path in paths[:_MOST_READ])
            trees = [inspection.trees.of(text) for text in texts if bare in text]
            calls = [given for tree in trees if tree for given in _given_in(tree, function, place)]
        if calls and not any(calls):
            message = (
                f"`{function.name}` newly takes `{name}`, and no code that ships gives it: what it does "
                "with it happens only in tests."
            )
            yield make_finding(ONLY_TESTS_CALL, change, function.line, message)


def _given_in(tree: ast.Module, function: Signature, place: int) -> Iterator[bool]:
    """Yield, for each use of a function in a module, whether it may give the parameter at a place.

    It may where the function is not called, but handed on, or named in a text.
    """
    bare, name = function.name.rpartition(".")[2], function.parameters[place].name
    nodes = [*ast.walk(tree)]
    calls = {id(one.func): one for one in nodes if isinstance(one, ast.Call)}
    for one in nodes:
        if bare not in [getattr(one, key, "") for key in ("id", "attr", "value")]:
            continue
        call = calls.get(id(one))
        yield (
            call is None
            or len(call.args) > place
            or any(isinstance(given, ast.Starred) for given in call.args)
            or any(given.arg in (None, name) for given in call.keywords)
        )


def _given_in_script(text: str, function: Signature, place: int) -> Iterator[bool]:
    """Yield the same of a script."""
    bare, tokens = function.name.rpartition(".")[2], read_tokens(text, is_script=True)
    for at, token in enumerate(tokens):
        if token.value != bare or token.kind not in ("name", "text"):
            continue
        if token.line == function.line or is_mark(tokens, at - 1, "function", "const", "let"):
            continue
        end = end_of_bracket(tokens, at + 1) if is_mark(tokens, at + 1, "(") else at
        commas, inside, is_spread = 0, at + 2, False
        while inside < end:
            if is_mark(tokens, inside, "(", "[", "{"):
                inside = end_of_bracket(tokens, inside)
            commas += is_mark(tokens, inside, ",")
            is_spread |= is_mark(tokens, inside, ".") and is_mark(tokens, inside + 1, ".")
            inside += 1
        yield end == at or commas >= place or is_spread


def _taken(function: Signature) -> dict[str, bool]:
    """What a caller may give, with the keys of options, and whether it must be given."""
    found: dict[str, bool] = {}
    for one in function.parameters:
        found |= {key.name: False for key in one.entries}
        is_left_out = function.is_script or one.default is not None or one.is_optional
        if one.passing not in (Passing.REST, Passing.NAMED_REST):
            found[one.name] = not is_left_out
    return {name: is_needed for name, is_needed in found.items() if name[:1] not in ("", "_")}


_DEFINITION = re.compile(
    r"\s{0,8}(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:def|class|function\*?)\s+([A-Za-z_$][\w$]*)"
    r"|(?:export\s+)?(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s?=\s?(?:async\s)?(?:function\b|\()"
)
_NO_USE = re.compile(
    r"\s*(?:#|//|\*|import\b|from\b|export\b|__all__\b|module\.exports\b|['\"\w$]+,?\s*$)"
)
"""A line that names a definition, and calls nothing."""
_SPEAKS_OF_NEW = re.compile(
    r"(?i)\b(?:add\w*|new|introduc\w*|implement\w*|provid\w*|support\w*|feat\w*|expos\w*|helpers?|"
    r"utilit\w*|functions?|methods?|class(?:es)?|api)\b"
)
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]{0,200})\(")
_MOST_READ = 400  # files
_MOST_ASKED = 40  # parameters of one change, each of which may take a look at all files of head


def unused_definitions(inspection: Inspection) -> Iterator[Finding]:
    """New functions and classes beside code of base that is as it was, which only the tests bring together.

    Each test that turned green calls both, and no shipped code calls what is new.
    """
    said = words_of_task(inspection)
    turned = [code_of([one]) for one in inspection.turned_green if one.source]
    changes = inspection.shipped()
    if not turned or _SPEAKS_OF_NEW.search(said) or any(map(removed_lines, changes)):
        return
    called = [set(_CALLED.findall(code)) for code in turned]
    known = Vocabulary(words_of(said))
    found = [
        (change, number, name)
        for change in changes
        for number, name in _new_definitions(change, inspection.before(change) or "", called)
        if not any(map(known.knows, words_of(name)))
    ]
    shipped = islice(filter(ships, inspection.head.paths()), _MOST_READ) if found else ()
    texts = [inspection.head.read(path) or "" for path in shipped]
    for change, number, name in found:
        word = whole_name(name)
        lines = (one[:2_000] for text in texts if word.search(text) for one in text.splitlines())
        # nobody uses it whose lines only define, import or export it
        used = (one for one in lines if word.search(one) and not _DEFINITION.match(one))
        if all(map(_NO_USE.match, used)):
            message = (
                f"Each test that passes with this change only calls `{name}`, which is new, and no code "
                "that ships does. Where it is not called, all is as before, and the task does not speak "
                "of it."
            )
            yield make_finding(ONLY_TESTS_CALL, change, number, message)


def _new_definitions(
    change: FileChange, before: str, called: list[set[str]]
) -> Iterator[tuple[int, str]]:
    """Yield what is new in a file and called by each test, where each calls something of base in it, too."""
    there = {name for line in before.splitlines() if (name := _defined(line))}
    is_read = change.path.endswith((".py", *SCRIPT.suffixes))
    if not is_read or any(there.isdisjoint(names) for names in called):
        return
    above = ""
    for number, line in added_lines(change):
        name, is_marked = _defined(line), above.lstrip().startswith("@")  # who marked it calls it
        above = line
        is_new = name and not name.startswith("__") and not whole_name(name).search(before)
        if is_new and not is_marked and all(name in names for names in called):
            yield number, name


def _defined(line: str) -> str:
    """The function or class that a line begins to define; "" for any other line."""
    found = _DEFINITION.match(line[:2_000])
    return (found[1] or found[2]) if found else ""


def _new_names(change: FileChange, before: str) -> Iterator[tuple[str, int]]:
    """Yield the names of possible options that a file of base does not have, with their first lines."""
    seen: set[str] = set()
    for number, line in added_lines(change):
        defined = _DEFINED.search(line[:2_000])
        if defined and defined[1] not in before:
            continue  # of a new function callers know nothing else
        for pattern in (_NAME, _READ, _BY_KEY):
            for found in pattern.finditer(line[:2_000]):
                name = found[found.re.groups]
                if name not in seen and not whole_name(name).search(before):
                    seen.add(name)
                    yield name, number
