"""Lets pytest run the tests that a project has for Django's own runner: its plug-in and the settings."""

from __future__ import annotations

import re
from dataclasses import replace

from sandbox.toolchains.ecosystem import Runner
from sandbox.toolchains.python_ci import TestHints
from sandbox.toolchains.tree import Tree
from sandbox.values import TestRunner

_PLUGIN = "pytest-django"
_KEY = "DJANGO_SETTINGS_MODULE"
# The words of a line, or of a list as in noxfile.py: `"django-admin", "test"`.
_CALL = re.compile(
    r"(?:\bdjango-admin(?:\.py)?|\bmanage\.py|-m[\"',\s]{1,9}django)[\"',\s]{1,9}test\b(?P<rest>[^\n]{0,400})"
    r"|\.run_tests\("
)
_OPTION = re.compile(r"--settings[=\s\"',]{1,9}([A-Za-z_][\w.]{0,200})")
_SETTINGS = re.compile(
    rf"\b{_KEY}[\"'\])]{{0,3}}\s{{0,9}}[,=:]\s{{0,9}}[\"']?([A-Za-z_][\w.]{{0,200}})"
)
_REQUIRED = re.compile(r"[\"'\s]django(?=[<>=!~\"'\s;])", re.IGNORECASE)
_PLACES = ("tox.ini", "pyproject.toml", "setup.cfg", "noxfile.py", "Makefile")
_WORKFLOWS = ".github/workflows"
_SCRIPTS = ("runtests.py", "run_tests.py", "manage.py")
# `tests.py` as well, which pytest itself does not look for.
_FILES = "--override-ini=python_files=test*.py"


def with_django(
    tree: Tree, hints: tuple[TestHints, ...], runner: Runner, names: set[str]
) -> Runner:
    """Return the runner with Django's settings and the plug-in that reads them, where the tests need both.

    `names` are the normalised names that get installed. Projects that bring the plug-in, or that call pytest
    and set no settings for it, are left as they are.
    """
    of_tests = runner.runner in (TestRunner.PYTEST, TestRunner.UNITTEST)
    # What setup.py asks for is known only when it is run.
    is_of_django = "django" in names or _REQUIRED.search(tree.read("setup.py"))
    if not (of_tests and is_of_django) or _PLUGIN in names:
        return runner
    if runner.runner is TestRunner.PYTEST and _is_set_for_pytest(tree):
        why = f" `{_PLUGIN}` is added, because pytest's settings have `{_KEY}`."
        return replace(runner, reason=runner.reason + why, plugins=(_PLUGIN,))
    if any(call.runner == "pytest" for hint in hints for call in hint.calls):
        return runner
    place, settings = _called(tree)
    if not settings:
        return runner
    reason = (
        f"Tests run with pytest, `{_PLUGIN}` and the settings `{settings}`, because {place} runs them with "
        "Django."
    )
    arguments = (f"--ds={settings}", _FILES)
    return Runner(TestRunner.PYTEST, arguments, reason, plugins=(_PLUGIN,))


def _is_set_for_pytest(tree: Tree) -> bool:
    return (
        tree.ini("setup.cfg").has_option("tool:pytest", _KEY)
        or tree.ini("pytest.ini").has_option("pytest", _KEY)
        or tree.ini("tox.ini").has_option("pytest", _KEY)
        or tree.toml("pyproject.toml").table("tool", "pytest", "ini_options").has(_KEY)
    )


def _called(tree: Tree) -> tuple[str, str]:
    """Return the first place that starts Django's tests, and the settings, where these are in the tree."""
    workflows = [path for end in (".yml", ".yaml") for path in tree.listing(_WORKFLOWS, end)]
    places = (*_PLACES, *workflows, ".travis.yml", *_SCRIPTS)
    texts = {path: text for path in places if (text := tree.read(path))}
    calling = ((path, found) for path, text in texts.items() if (found := _CALL.search(text)))
    place, call = next(calling, ("", None))
    if call is None:
        return "", ""
    option = _OPTION.search(call["rest"] or "")
    named = [option[1]] if option else []
    for text in (texts[place], *texts.values()):
        named += _SETTINGS.findall(text)
    return place, next((one for one in named if _is_module(tree, one)), "")


def _is_module(tree: Tree, name: str) -> bool:
    path = name.replace(".", "/")
    ends = (f"{path}.py", f"{path}/__init__.py")
    return any(tree.has(f"{top}{end}") for top in ("", "src/") for end in ends)
