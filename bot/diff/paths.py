"""Tells by its path what a file is for."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from sandbox.test_runs.path_kinds import PathKind, classify, is_test_file

_TEST = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|__snapshots__)/|^(?:spec|test-d|fixtures?|__fixtures__)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_test|tests|conftest)\.py$|^test\.py$"
    r"|(?:^|[/._-])(?:test|tests|spec)\.[cm]?[jt]sx?$|(?:^|/)test-[^/]*\.[cm]?[jt]sx?$|\.snap(?:shot)?$"
)
_CHANGELOG = re.compile(
    r"(?i)(?:^|/)(?:change(?:s|log)|news|history|release[-_ ]?notes?|newsfragments)[^/]*(?:/|$)"
)
_DOCUMENT = re.compile(r"(?i)(?:^|/)docs?/|\.(?:md|rst|txt|adoc)$|(?:^|/)readme")
_AUTOMATION = re.compile(
    r"(?:^|/)(?:\.github/(?:workflows|actions)|\.circleci|\.ci)/|(?:^|/)(?:tox\.ini|\.gitlab-ci\.ya?ml|"
    r"Makefile|noxfile\.py|\.pre-commit-config\.yaml|azure-pipelines\.yml|\.travis\.yml|appveyor\.yml|"
    r"Jenkinsfile|codecov\.yml|\.coveragerc)$"
)
_POLICY = re.compile(r"\.github/assay(?:\.yml$|/)")
_LINTER = re.compile(
    r"(?:^|/)(?:\.(?:eslintrc|prettierrc|stylelintrc|markdownlint(?:rc)?|jshintrc|jscsrc|xo-config|yamllint)"
    r"(?:\.(?:[cm]?js|jsonc?|ya?ml|toml))?|(?:eslint|prettier|stylelint|\.?xo)\.config\.[cm]?[jt]s|"
    r"\.(?:eslint|prettier|stylelint)ignore|biome\.jsonc?|\.editorconfig|\.flake8|\.pylintrc|\.?ruff\.toml|"
    r"\.?mypy\.ini|\.rubocop\.yml|\.golangci\.ya?ml|\.clang-(?:format|tidy)|\.?rustfmt\.toml)$"
)
_BUILD = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*|[^/]*\.lock|package[^/]*\.json|"
    r"pnpm-lock\.yaml|npm-shrinkwrap\.json|go\.(?:mod|sum)|Cargo\.toml|Pipfile[^/]*|"
    r"\.pre-commit-config\.yaml|[tj]sconfig[^/]*\.json|(?:lerna|nx|turbo|typedoc)\.json|"
    r"\.(?:babelrc|swcrc)(?:\.[cm]?js(?:on)?)?|"
    r"(?:babel|rollup|webpack|vite|tsup|build)\.config\.(?:[cm]?[jt]s|json))$|(?:^|/)requirements/"
)

_RUN_BY = re.compile(r"(?i)(?:^|/)(?:dockerfile|containerfile|\.env)(?:\.[\w.-]*)?$")


def is_test_path(path: str) -> bool:
    """Whether a path belongs to the tests."""
    return _TEST.search(path) is not None or is_test_file(PurePosixPath(path))


def configures_tests(path: str) -> bool:
    """Whether a path holds the settings of what runs the tests."""
    return classify(path) is PathKind.RUNNER_CONFIG


def is_test_module(path: str) -> bool:
    """Whether a path is a Python file that tests are collected from."""
    name = PurePosixPath(path).name
    is_named = name.startswith("test") or name.endswith(("_test.py", "_tests.py"))
    return name.endswith(".py") and is_named


def is_changelog(path: str) -> bool:
    """Whether a path is a changelog or a piece of one."""
    return _CHANGELOG.search(path) is not None


def is_document(path: str) -> bool:
    """Whether a path is documentation."""
    return _DOCUMENT.search(path) is not None and not is_build_file(path)


def is_automation(path: str) -> bool:
    """Whether a path says what continuous integration does, or how Assay judges."""
    return _AUTOMATION.search(path) is not None or is_policy(path)


def is_policy(path: str) -> bool:
    """Whether a path says how Assay judges; base's counts, so a change of it is no trick."""
    return _POLICY.match(path) is not None


def is_workflow(path: str) -> bool:
    """Whether a path is a workflow of GitHub Actions."""
    return ".github/workflows/" in path


def is_build_file(path: str) -> bool:
    """Whether a path says how to build the project and with which dependencies."""
    return _BUILD.search(path) is not None


def is_linter_file(path: str) -> bool:
    """Whether a path says what linters and formatters want, and nothing to the program."""
    return _LINTER.search(path) is not None


def is_source_path(path: str) -> bool:
    """Whether a path is code that ships: neither test, document, build, linter nor automation file."""
    return _ships(path) and PurePosixPath(path).suffix not in ("", ".lock", ".toml")


def is_settings_path(path: str) -> bool:
    """Whether a path may be settings of the code, or says how it is run, and is none of a known tool."""
    is_settings = PurePosixPath(path).suffix == ".toml" or _RUN_BY.search(path) is not None
    return is_settings and _ships(path)


def _ships(path: str) -> bool:
    if is_test_path(path) or is_document(path) or is_automation(path) or is_build_file(path):
        return False
    return not is_linter_file(path) and not is_changelog(path)
