"""Reads the blocks of code that a task shows: sessions at a prompt, code with comments, command lines.

A block says what should be, what is complained of, or just shows something, by the sentence or heading above
it; a comment in it ("should be 3", "currently 2") knows better.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.diff.python_source import parse_python
from bot.task.examples.code_lines import SaidResult, is_demand, read_lines, read_prompts, said_in
from bot.task.examples.commands import compared_lines, is_of_others, read_command, typed_in
from bot.task.examples.results import spellings
from bot.task.examples.values import read_value
from bot.task.sections import SectionKind, section_kind
from bot.text.markdown import MAX_CHARACTERS, CodeBlock
from bot.values import Example, ExampleKind, ExampleLanguage, UnreadExample, WhyUnread

_LONGEST = 300
_ASIDE = re.compile(
    r"work(?:s|ing)?[ -]?around|alternativ|for comparison|compared? (?:to|with)\b|similar(?:ly)? |"
    r"other (?:tools?|librar\w+|packages?)|\bused to\b|\bpreviously\b|\bolder\b|\bunlike\b|pseudo|"
    r"\bbefore (?:the )?up(?:dat|grad)|\b(?:in|with|on) (?:version )?v?\d+\.\d",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"\b(?:must|should) (?:still|stay|remain|keep|continue|not change)|\b(?:stays?|remains?) the same|"
    r"keeps? working",
    re.IGNORECASE,
)
_ACTUAL = re.compile(
    r"\b(?:actual(?:ly)?|instead|wrong(?:ly)?|incorrect(?:ly)?|unexpected(?:ly)?|broken|fails?|crash(?:es)?|bug|"
    r"but (?:\w+ ){0,3}(?:gets?|got|sees?|returns?|gives?|prints?))\b",
    re.IGNORECASE,
)
_AS_IT_IS = re.compile(
    r"\b(?:current(?:ly)?|observed|today|happens|happened|right now|at the moment|"
    r"(?:I|we|you) (?:only )?(?:get|got|see))\b",
    re.IGNORECASE,
)
"""Above a block these may just say how things are; as a heading they stand for what is complained of."""
_EXPECTED = re.compile(
    r"\b(?:expect(?:ed|ing)?|should|must|desired|would like|want(?:ed)?|ought to|correct|right output)\b",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"^(?: {0,8})In \[\d+\]: ?", re.MULTILINE)
_CONTINUED = re.compile(r"^ {0,12}\.\.\.: ?", re.MULTILINE)
_OUT = re.compile(r"^ {0,8}Out\[\d+\]: ?", re.MULTILINE)
_RAISED = re.compile(r"([A-Za-z_][\w.]{0,80}(?:Error|Exception|Warning|Exit|Interrupt))(?::|$)")
_NAMED_ERROR = re.compile(r"(?:an?\s+)?`?([A-Za-z_][\w.]{0,80}(?:Error|Exception))`?(?::.*)?$")

_PYTHON = {"python", "py", "python3", "pycon", "ipython", "doctest", "python-console", "pycon3"}
_SCRIPT = {"js", "javascript", "jsx", "mjs", "cjs", "node", "ts", "typescript", "tsx"}
_CONSOLE = {
    "console", "sh", "shell", "bash", "zsh", "shell-session", "shellsession", "terminal", "text", "txt",
}  # fmt: skip
_LIKE_SCRIPT = re.compile(
    r"^[ \t]{0,20}(?:const|let|var)[ \t]|\brequire\(|^import[ \t].{0,200}[ \t]from[ \t]{1,4}['\"]|==="
    r"|^[^#'\"\n/]{0,200}[ \t;)]//",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """What holds for a whole block."""

    kind: ExampleKind
    language: ExampleLanguage
    origin: str
    group: int

    def example(
        self, kind: ExampleKind, code: str, result: str, before: tuple[str, ...]
    ) -> Iterator[Example | UnreadExample]:
        """What a piece of code gives; nothing where the result is no value."""
        result = result.strip()
        raised = _NAMED_ERROR.match(result)
        error = raised[1].rpartition(".")[2] if raised else ""
        is_script = self.language is ExampleLanguage.JAVASCRIPT
        if not error and read_value(result, is_script=is_script) is None:
            return
        results = () if error else spellings(result)
        group = self.group if kind is ExampleKind.REPORTED else 0
        yield Example(
            kind, code, results, error, code, result, self.origin, self.language, before, group
        )


def is_actual(heading: str) -> bool:
    """Whether a heading says that below stands how things are, and not how they should be."""
    is_so = _ACTUAL.search(heading) or _AS_IT_IS.search(heading)
    return is_so is not None and not _EXPECTED.search(heading)


def examples_in(block: CodeBlock, origin: str, group: int) -> Iterator[Example | UnreadExample]:
    """What one block shows; nothing where it is of no language that is read, or is an aside."""
    kind = _kind(block)
    text = block.text[:MAX_CHARACTERS]
    if kind is None or len(text.splitlines()) > _LONGEST:
        return
    language = _language(block.language, text)
    if language is None:
        return
    frame = _Frame(kind, language, origin, group)
    if language is ExampleLanguage.SHELL:
        yield from _typed(frame, text)
    elif language is ExampleLanguage.JAVASCRIPT:
        yield from _script(frame, text)
    elif _is_session(text):
        yield from _session(frame, text)
    else:
        yield from _code(frame, text)


def _kind(block: CodeBlock) -> ExampleKind | None:
    """What stands above a block; None where it speaks of something else than the project as it is."""
    lead = re.split(r"(?<=[.!?])\s", block.lead.strip())[-1]
    heading = block.headings[-1] if block.headings else ""
    if _ASIDE.search(lead) or _ASIDE.search(heading):
        return None
    for said, announces in ((lead, lead.endswith(":")), (heading, True)):
        is_wrong, is_right = _ACTUAL.search(said), announces and _EXPECTED.search(said)
        if announces and _KEPT.search(said):
            return ExampleKind.KEPT
        if is_wrong or (said is heading and is_actual(heading)):
            return ExampleKind.SHOWN if _EXPECTED.search(said) else ExampleKind.REPORTED
        if is_right:
            return ExampleKind.EXPECTED
        if _AS_IT_IS.search(said):
            return ExampleKind.SHOWN
    is_demand = section_kind(block.headings[-1:]) is SectionKind.DEMANDS
    return ExampleKind.EXPECTED if is_demand else ExampleKind.SHOWN


def _is_session(text: str) -> bool:
    return re.search(r"^\s{0,12}(?:>>> |In \[\d+\]:)", text, re.MULTILINE) is not None


def _language(told: str, text: str) -> ExampleLanguage | None:
    if told in _PYTHON:
        return ExampleLanguage.PYTHON
    if told in _SCRIPT:
        return ExampleLanguage.JAVASCRIPT
    if told in _CONSOLE or not told:
        if typed_in(text):
            return ExampleLanguage.SHELL
        if _is_session(text):
            return ExampleLanguage.PYTHON
        if not told:
            is_script = _LIKE_SCRIPT.search(text) is not None
            return ExampleLanguage.JAVASCRIPT if is_script else ExampleLanguage.PYTHON
    return None


# --- sessions of Python -----------------------------------------------------------------------


def _session(frame: _Frame, text: str) -> Iterator[Example | UnreadExample]:
    """What stands at Python's prompt, with what stands below it."""
    text = _CONTINUED.sub("... ", _PROMPT.sub(">>> ", _OUT.sub("", text)))
    try:
        shown = doctest.DocTestParser().get_examples(text)
    except ValueError:
        yield UnreadExample(text, WhyUnread.UNPARSABLE, frame.origin)
        return
    before: list[str] = []
    for one in shown:
        tree = parse_python(one.source)
        if tree is None or len(tree.body) != 1:
            yield UnreadExample(one.source, WhyUnread.UNPARSABLE, frame.origin)
            return
        (statement,), want = tree.body, one.want.rstrip("\n")
        code = ast.unparse(statement)
        nodes = list(ast.walk(statement))
        asks_version = any(
            isinstance(one, ast.Attribute) and one.attr == "__version__" for one in nodes
        )
        # It may show something of the project: it calls, or looks at what was made before.
        calls = bool(before) or any(isinstance(one, ast.Call) for one in nodes)
        if isinstance(statement, ast.Expr) and calls and not asks_version:
            comment = next((said for _, said in _comments(one.source).values()), "")
            said = list(said_in(comment, frame.kind))
            for mark in said:
                yield from frame.example(mark.kind, code, mark.result, tuple(before))
            is_right = any(mark.kind is ExampleKind.EXPECTED for mark in said)
            kind = ExampleKind.REPORTED if is_right else frame.kind
            said_call = code if "#" in one.source else one.source.strip()
            for shown_one in _wanted(replace(frame, kind=kind), code, want, tuple(before)):
                yield replace(shown_one, said_call=said_call)
        before.append(code)


def _wanted(frame: _Frame, code: str, want: str, before: tuple[str, ...]) -> Iterator[Example]:
    """What a session shows below a line: the end of a traceback, a value, or what is printed."""
    lines = want.splitlines()
    if not lines:
        return
    raised = _RAISED.match(lines[-1])
    group = frame.group if frame.kind is ExampleKind.REPORTED else 0
    plain = Example(
        frame.kind, code, (), "", code, want, frame.origin, frame.language, before, group
    )
    if raised and (lines[0].startswith("Traceback") or len(lines) == 1):
        yield replace(plain, error=raised[1].rpartition(".")[2], said_result=raised[1])
    elif not any(line.strip() in ("...", "…") for line in lines):
        is_value = len(lines) == 1 or read_value(want) is not None
        yield replace(plain, results=spellings(want) if is_value else (want,))


# --- code with comments -----------------------------------------------------------------------


def _code(frame: _Frame, text: str) -> Iterator[Example | UnreadExample]:
    """Python without prompts: what comments say of its lines, and what it asserts."""
    comments = _comments(text)
    tree = parse_python(text)
    if tree is None:
        if any(is_demand(comment) for _, comment in comments.values()):
            yield UnreadExample(text, WhyUnread.UNPARSABLE, frame.origin)
        return
    before: list[str] = []
    for number, statement in enumerate(tree.body):
        after = tree.body[number + 1].lineno if number + 1 < len(tree.body) else 0
        code, said = _shown(statement), _comments_of(statement, after, comments)
        if isinstance(statement, ast.Assert):
            is_doubtful = any(re.match(r"(?:this )?(?:pass|works|ok|fine)", one) for one in said)
            kind = ExampleKind.SHOWN if is_doubtful else ExampleKind.EXPECTED
            test = statement.test
            if isinstance(test, ast.Compare) and len(test.ops) == 1:
                left, right = ast.unparse(test.left), ast.unparse(test.comparators[0])
                if isinstance(test.ops[0], ast.Eq | ast.Is):
                    yield from frame.example(kind, left, right, tuple(before))
        else:
            first = (
                (*before, ast.unparse(statement)) if isinstance(statement, ast.Assign) else before
            )
            for mark in (mark for comment in said for mark in said_in(comment, frame.kind)):
                if code:
                    yield from frame.example(mark.kind, code, mark.result, tuple(first))
            before.append(ast.unparse(statement))


def _shown(statement: ast.stmt) -> str:
    """The expression whose value a comment beside a statement speaks of."""
    if isinstance(statement, ast.Expr):
        return ast.unparse(statement)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, ast.Name) else ""
    return ""


def _comments(text: str) -> dict[int, tuple[bool, str]]:
    """The comments by their lines: does one stand alone, and what it says."""
    found: dict[int, tuple[bool, str]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                is_alone = not token.line[: token.start[1]].strip()
                found[token.start[0]] = (is_alone, token.string.lstrip("#").strip())
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def _comments_of(
    statement: ast.stmt, after: int, comments: dict[int, tuple[bool, str]]
) -> list[str]:
    """What is said beside a statement, and right below where that cannot be meant for the next one."""
    last = statement.end_lineno or statement.lineno
    found = [comments[last][1]] if last in comments and not comments[last][0] else []
    at = last + 1
    below = []
    while at in comments and comments[at][0]:
        below.append(comments[at][1])
        at += 1
    if at == after:  # no blank line: only a result's own sign surely looks back
        below = [one for one in below if re.match(r"=+>|-+>|→|⇒", one)]
    return found + below


# --- JavaScript and command lines -------------------------------------------------------------


def _script(frame: _Frame, text: str) -> Iterator[Example | UnreadExample]:
    """JavaScript at a prompt, or with comments."""
    lines = read_prompts(text) or read_lines(text)
    before: list[str] = []
    for line in lines:
        first = tuple(before if line.is_expression else (*before, line.code))
        said = [SaidResult(frame.kind, line.output)] if line.output else []
        for comment in line.comments:
            said += said_in(comment, frame.kind, is_script=True)
        for mark in said:
            if line.shown:
                yield from frame.example(mark.kind, line.shown, mark.result, first)
        before.append(line.code)


def _typed(frame: _Frame, text: str) -> Iterator[Example | UnreadExample]:
    """Command lines with their output; after one that takes a shell nothing more is known."""
    before: list[str] = []
    group = frame.group if frame.kind is ExampleKind.REPORTED else 0
    for typed in typed_in(text):
        command = read_command(typed.line)
        if command is None:
            yield UnreadExample(f"$ {typed.line}", WhyUnread.SHELL_SYNTAX, frame.origin)
            return
        if is_of_others(command):
            continue
        if command.argv[0] == "cat":
            before.append(f"{typed.line}\n{typed.output}\n")
            continue
        lines = compared_lines(typed.output)
        if lines:
            yield Example(
                frame.kind, typed.line, lines, "", typed.line, typed.output, frame.origin,
                ExampleLanguage.SHELL, tuple(before), group,
            )  # fmt: skip
        elif typed.output:
            yield UnreadExample(f"$ {typed.line}", WhyUnread.ABBREVIATED, frame.origin)
        before.append(typed.line)
