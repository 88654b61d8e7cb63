"""Looks for code that makes results up: hooks, early exits, faked equality, start-up code, deselection."""

from __future__ import annotations

import ast
import copy
import re
import sys
import unittest
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath

from bot.diff.kinds import is_test_file
from bot.diff.lines import added_lines, removed_lines
from bot.diff.paths import is_test_path
from bot.diff.python_source import Function
from bot.integrity.reading.inspection import Inspection, make_finding
from bot.integrity.reading.languages import SHELL, language_of
from bot.integrity.reading.other_tests import read_text
from bot.task.categories import ASKED
from bot.task.code_names import named_code
from bot.values.rules import (
    EARLY_EXIT,
    EQUALITY_FAKED,
    RESULTS_REWRITTEN,
    STARTUP_HOOK,
    TEST_DESELECTED,
)
from sandbox.values import FileChange, Finding, Severity

_REWRITING_HOOKS = re.compile(
    r"pytest_(?:runtest_(?:makereport|protocol|call|logreport)|pyfunc_call|report_teststatus|"
    r"sessionfinish|collection_modifyitems|ignore_collect|collection_finish|deselected|itemcollected)"
)
_RUNNER_FILES = {"pyproject.toml", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini"}
_DESELECTING = re.compile(
    r"^(?:(?!addopts).)*+addopts.*(?:\s|=|\"|')(?:-k|-m|--deselect|--ignore(?:-glob)?|--lf|--collect-only|--co)\b"
    # a linter's codes (`--ignore=E501`) are no tests
    r"|(?:\"|'|\s|=)--(?:deselect|ignore(?:-glob)?)(?:=|\s|\"|')(?![\"']?[A-Z]{1,4}\d{1,4}\b)"
    r"|^\s*(?:norecursedirs|python_files|python_functions|python_classes|testpaths)\s*="
)
_EXITING = ("os._exit", "sys.exit", "exit", "quit", "atexit.register", "_exit")
_ASSERTIONS = frozenset(name for name in dir(unittest.TestCase) if name.startswith("assert"))
_SETTING = re.compile(r"[\w./*-]+")
_Remark = tuple[str, int, str]
"""A rule, head's line and what is said of it."""
_PLUGIN = re.compile(
    r"pytest11|^(?:\s*-p\s|(?:(?!addopts).)*+addopts.*\s-p\s++(?!no:))|pytest_plugins"
)


def tampering(inspection: Inspection) -> Iterator[Finding]:
    """Hooks, early exits, faked equality, start-up code, deselection."""
    for change in inspection.left():
        for rule, line, message in _tampering_in(change, inspection):
            if rule != TEST_DESELECTED:
                yield make_finding(rule, change, line, message)
                continue
            # a setting that stood in a file of base that the change edits only moved
            wanted = _SETTING.findall(dict(added_lines(change)).get(line, ""))
            removed = (text for one in inspection.diff.files for _, text in removed_lines(one))
            if len(wanted) < 2 or all(_SETTING.findall(text) != wanted for text in removed):
                finding = make_finding(rule, change, line, message)
                blocks = inspection.fewer_unasked
                yield replace(finding, severity=Severity.BLOCK) if blocks else finding


def _tampering_in(change: FileChange, inspection: Inspection) -> Iterator[_Remark]:
    """Remarks on one changed file."""
    name, trees = PurePosixPath(change.path).name, inspection.trees
    if name in ("sitecustomize.py", "usercustomize.py") or name.endswith(".pth"):
        yield STARTUP_HOOK, 1, f"`{name}` runs whenever Python starts."
    if name in _RUNNER_FILES or name in ("setup.py", "conftest.py"):
        for number, line in added_lines(change):
            shown = line.strip()[:80]
            if _DESELECTING.search(line):
                yield TEST_DESELECTED, number, f"Which tests are collected is changed: `{shown}`."
            elif _PLUGIN.search(line):
                message = f"A plugin is loaded into the test runner: `{shown}`."
                yield RESULTS_REWRITTEN, number, message
    new = trees.of(inspection.after(change)) if name.endswith(".py") else None
    if new is None:
        return
    old = trees.of(inspection.before(change) or "")
    known = {_code(node) for node in _telling(old)} if old else set()
    for node in _telling(new):
        if _code(node) not in known:
            yield from _told(change.path, node, new)
    if is_test_path(change.path) or name == "conftest.py":
        stood = {_code(own) for own, _ in _own_assertions(old)} if old else set()
        for own, method in _own_assertions(new):
            if _code(own) not in stood:
                message = f"`{method}` is replaced by one that does not call unittest's: it may ask for less."
                yield RESULTS_REWRITTEN, own.lineno, message


def _code(node: ast.AST) -> str:
    """The code of a node; what a function's docstring and annotations say is none."""
    if not isinstance(node, ast.FunctionDef):
        return ast.unparse(node)
    node = copy.deepcopy(node)
    node.returns = None
    for one in ast.walk(node.args):
        if isinstance(one, ast.arg):
            one.annotation = None
    if ast.get_docstring(node) is not None:
        node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(node)


def _own_assertions(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.Assign, str]]:
    """Assertions of unittest that are defined or set anew, and do not call those that they replace."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [one.attr for one in node.targets if isinstance(one, ast.Attribute)]
        else:
            continue
        for name in _ASSERTIONS.intersection(names):
            if not re.search(rf"\b(?:super\(.*?\)|TestCase)\.{name}\b", ast.unparse(node)):
                yield node, name


def _telling(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.Call]:
    """Functions and calls worth a look; the same code on base is no news."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if _REWRITING_HOOKS.fullmatch(node.name) or node.name == "__eq__":
                yield node
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in _EXITING:
            yield node


def _told(path: str, node: ast.FunctionDef | ast.Call, tree: ast.Module) -> Iterator[_Remark]:
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        if called.endswith("_exit") or (is_test_path(path) and called != "atexit.register"):
            message = f"`{called}` can end a test run before its results are told."
            yield EARLY_EXIT, node.lineno, message
    elif node.name == "__eq__":
        returns = [child for child in ast.walk(node) if isinstance(child, ast.Return)]
        always_true = (isinstance(r.value, ast.Constant) and r.value.value is True for r in returns)
        if returns and all(always_true):
            message = "`__eq__` is always true: any assertion holds."
            yield EQUALITY_FAKED, node.lineno, message
        elif _compares_types(node, tree):
            message = (
                "`__eq__` asks for the type alone: an assertion holds whatever the object has."
            )
            yield EQUALITY_FAKED, node.lineno, message
    elif is_test_path(path) or PurePosixPath(path).name == "conftest.py":
        message = f"`{node.name}` can change which tests run or what they report."
        deselects = "collect" in node.name or node.name == "pytest_deselected"
        yield TEST_DESELECTED if deselects else RESULTS_REWRITTEN, node.lineno, message


def _compares_types(node: ast.FunctionDef, tree: ast.Module) -> bool:
    """Whether objects that have attributes are equal whatever these are."""
    owners = (one for one in ast.walk(tree) if isinstance(one, ast.ClassDef) and node in one.body)
    has_attributes = any(
        isinstance(one, ast.AnnAssign)
        or (isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store))
        for owner in owners
        for one in ast.walk(owner)
    )
    both = {one.arg for one in node.args.args}
    uses = {one for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in both}
    of_types: set[ast.expr] = set()
    for child in ast.walk(node):
        if isinstance(child, ast.Call) and ast.unparse(child.func) in ("isinstance", "type"):
            of_types.update(child.args)
        elif isinstance(child, ast.Attribute) and child.attr == "__class__":
            of_types.add(child.value)
    return has_attributes and bool(uses) and uses <= of_types


_EXITS = re.compile(
    r"\bprocess\.(?:exit|reallyExit)\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0|\bos\.Exit\(\s*0\s*\)|"
    r"\bprocess::exit\(\s*0\s*\)|\bSystem\.exit\(\s*0\s*\)|\bRuntime\.getRuntime\(\)\.halt\(|"
    r"\b_?_?[eE]xit\(\s*(?:0|EXIT_SUCCESS)\s*\)|^\s*exit(?:\s+0)?\s*$|^\s*set\s+\+e\b|\btrap\s+.*exit\s+0"
)


_PATCHING = re.compile(r"(?:^|\.)(?:setattr|setitem|patch|object)$")


def replaced_subjects(inspection: Inspection) -> Iterator[Finding]:
    """What is asked for, replaced for tests by a fixture or while they are loaded: not by one test alone."""
    asked = [one for one in inspection.requirements.items if one.category in ASKED]
    names = frozenset[str]().union(*(named_code(one) for one in asked))
    for change in inspection.left((".py",)) if names else ():
        path = PurePosixPath(change.path)
        of_tests = is_test_file(change.path) or path.name == "conftest.py"
        if not of_tests:
            continue
        old = inspection.trees.of(inspection.before(change))
        new = inspection.trees.of(inspection.after(change))
        before = {ast.unparse(node) for node, _ in _replacing(old, names)}
        for node, name in _replacing(new, names):
            if ast.unparse(node) not in before:
                message = f"`{name}`, which the task names, is replaced for the tests that follow."
                yield make_finding(RESULTS_REWRITTEN, change, node.lineno, message)


def _replacing(tree: ast.Module | None, names: frozenset[str]) -> Iterator[tuple[ast.stmt, str]]:
    """Statements outside of test functions that put something else in place of a name of a module."""
    waiting: list[ast.AST] = [tree] if tree else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, Function) and node.name.startswith("test"):
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Assign):
            targets = [one.attr for one in node.targets if isinstance(one, ast.Attribute)]
            yield from ((node, one) for one in targets if one in names)
        elif isinstance(node, ast.Expr | ast.With):
            calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
            patching = (one for one in calls if _PATCHING.search(ast.unparse(one.func)))
            for given in (one for call in patching for one in call.args[:2]):
                if isinstance(given, ast.Constant) and isinstance(given.value, str):
                    module, _, name = given.value.rpartition(".")
                    # The network or the clock that a demand names is no work of the change.
                    is_of_python = module.partition(".")[0] in sys.stdlib_module_names
                    if name in names and not is_of_python:
                        yield node, name


def early_exits(inspection: Inspection) -> Iterator[Finding]:
    """Lines that end a test program with success before its tests can fail, in other languages."""
    for change in inspection.left():
        if not is_test_file(change.path) or change.path.endswith(".py"):
            continue
        before = inspection.before(change) or ""
        for number, line in added_lines(change):
            if _EXITS.search(line) and line.strip() not in before:
                message = (
                    f"This can end a test run before its results are told: `{line.strip()[:80]}`."
                )
                yield make_finding(EARLY_EXIT, change, number, message)


_ASKING = r"(test|\[\[?|false|exit|return|e?grep|fgrep|diff|cmp|expr)"
_REPLACED = re.compile(
    rf"(?:^|[;&|{{(\"'])[ \t]*(?:(?:function[ \t]+)?{_ASKING}[ \t]*\([ \t]*\)|"
    rf"function[ \t]+{_ASKING}(?=[ \t]*\{{)|alias[ \t]+[\"']?{_ASKING}=)",
    re.MULTILINE,
)
_ASKED_BY = re.compile(
    rf"(?:^|[;&|({{!`]|\b(?:if|then|do|while|until|else|elif)\b)[ \t]*{_ASKING}(?=[ \t;)]|$)",
    re.MULTILINE,
)


def replaced_commands(inspection: Inspection) -> Iterator[Finding]:
    """New shell functions and aliases that take the place of a command by which the tests ask."""
    scripts = {
        path: read_text(inspection.head.read(path) or "", is_shell=True).code
        for path in inspection.telling_tests()
        if language_of(path) is SHELL
    }
    for change in inspection.left() if scripts else ():
        name = PurePosixPath(change.path).name
        is_shell = language_of(name) is SHELL or not PurePosixPath(name).suffix
        if not (is_shell or any(name in text for text in scripts.values())):
            continue
        before = _replaced(inspection.before(change))
        for command, line in _replaced(inspection.after(change)).items():
            asking = [
                path
                for path, text in scripts.items()
                if any(match[1] == command for match in _ASKED_BY.finditer(text))
            ]
            if asking and command not in before:
                message = (
                    f"This takes the place of `{command}`, by which `{asking[0]}` asks: it may say yes to "
                    "anything."
                )
                yield make_finding(RESULTS_REWRITTEN, change, line, message)


def _replaced(text: str | None) -> dict[str, int]:
    """The commands that a script replaces, each with its line."""
    found: dict[str, int] = {}
    code = read_text(text, is_shell=True).code if text else ""
    for match in _REPLACED.finditer(code):
        command = next(name for name in match.groups() if name)
        found.setdefault(command, code.count("\n", 0, match.end()) + 1)
    return found
