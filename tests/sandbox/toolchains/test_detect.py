"""What is read off a tree without running any of it."""

from __future__ import annotations

import os
import shlex
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sandbox.toolchains import SetupHints, Toolchain
from sandbox.toolchains.projects import Projects
from sandbox.toolchains.python_project import read_project
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestRunner
from tests.sandbox.toolchains.projects import PROJECTS, TEST, detect, project, write

TOOLS = Toolchain(python="3.11.2", uv="0.13.9")
HATCHLING = PROJECTS["hatchling"][1]["pyproject.toml"]


def recipe(tree: Path, **setup: str) -> Recipe:
    found = detect(tree, SetupHints(**setup), TOOLS)
    assert found is not None
    return found


def installs(found: Recipe) -> list[str]:
    """The words of the commands that fill the dependency layer."""
    lines = [shlex.split(argv[2]) if argv[:2] == ("sh", "-c") else argv for argv in found.install]
    return [word for argv in lines if argv[1] in {"pip", "sync"} for word in argv]


def test_a_folder_without_any_project_has_no_recipe(tmp_path: Path) -> None:
    write(tmp_path, {"README.md": "", "notes.txt": ""})
    assert detect(tmp_path, SetupHints(), TOOLS) is None


def test_tests_and_development_lists_are_found_by_name_and_content(tmp_path: Path) -> None:
    text = HATCHLING + (
        'docs = ["sphinx"]\n[dependency-groups]\ndev = ["ruff", {include-group = "qa"}]\n'
        'qa = ["pytest-cov", "pytest"]\nlint = ["mypy"]\nunit = ["trio"]\nintegration = ["jubilant"]\n'
    )
    found = recipe(write(tmp_path, {"pyproject.toml": text, "tests/test_a.py": TEST}))
    words = installs(found)
    assert words[words.index("--extra") + 1] == "test"
    named = [words[n + 1] for n, word in enumerate(words) if word == "--group"]
    assert list(dict.fromkeys(named)) == ["dev", "unit"]
    assert "docs" not in words
    assert "lint" not in words
    assert "Extra `test` is installed, because its name says that it is for tests." in found.reasons
    assert (
        "Dependency group `dev` is installed, because it is for development and brings pytest."
        in found.reasons
    )


def test_tox_names_extras_files_and_how_tests_are_called(tmp_path: Path) -> None:
    tox = (
        "[testenv]\nextras = fast\ndeps =\n    -rci/needs.txt\n    coverage\n    py38: typing\n"
        "commands =\n    coverage run -m pytest -v {posargs:checks} --cov=tally\n"
    )
    text = HATCHLING + 'fast = ["cython"]\n'
    files = {"pyproject.toml": text, "tox.ini": tox, "ci/needs.txt": "trio\n"}
    found = recipe(write(tmp_path, {**files, "checks/test_a.py": TEST}))
    words = installs(found)
    assert {"fast", "ci/needs.txt", "coverage"} <= set(words)
    assert "typing" not in words
    assert found.test_arguments == ("checks",)
    assert "Extra `fast` is installed, because tox.ini installs it." in found.reasons


def test_a_dependency_of_tox_is_one_with_its_marker(tmp_path: Path) -> None:
    deps = "trio; python_version < '4' and os_name != 'nt'  # for async"
    tree = project(tmp_path, "hatchling")
    write(tree, {"tox.ini": f"[testenv]\ndeps =\n    {deps}\ncommands = pytest\n"})
    assert installs(recipe(tree))[-1] == deps.partition("  #")[0]


def test_a_developers_list_is_not_for_tests_that_tox_runs_without_it(tmp_path: Path) -> None:
    tree = write(project(tmp_path, "setup.py"), {"requirements.txt": "pytest==3.2.0\n"})
    assert "requirements.txt" in installs(recipe(tree))
    tox = "[testenv]\ndeps = pytest{}\ncommands = pytest\n"
    assert "requirements.txt" not in installs(recipe(write(tree, {"tox.ini": tox.format("")})))
    own = tox.format("\n  -rrequirements.txt")
    assert "requirements.txt" in installs(recipe(write(tree, {"tox.ini": own})))


def test_a_job_that_makes_a_target_with_the_tests_is_their_place(tmp_path: Path) -> None:
    job = "jobs:\n  a:\n    steps:\n      - run: pip install -r needs-full.txt\n      - run: make lint test\n"
    files = {
        ".github/workflows/ci.yml": job,
        "Makefile": "PYTHON = python\ntest:\n\t$(PYTHON) -m pytest checks\nlint:\n\tpylint src\n",
        "needs-full.txt": "attrs==2\n",
        "requirements-dev.txt": "attrs==1\n",
        "checks/test_a.py": TEST,
    }
    found = recipe(write(project(tmp_path, "setup.py"), files))
    assert "needs-full.txt" in installs(found) and "requirements-dev.txt" not in installs(found)
    assert found.test_arguments == ("checks",)
    lint = write(tmp_path, {".github/workflows/ci.yml": job.replace("lint test", "lint")})
    assert "needs-full.txt" not in installs(recipe(lint))


def test_lists_beside_the_plainest_one_for_development_are_left_out_where_all_cannot_be_had(
    tmp_path: Path,
) -> None:
    lists = {f"requirements-dev{name}.txt": "pytest\n" for name in ("-full", "")}
    found = recipe(write(project(tmp_path, "setup.py"), lists))
    (line,) = [argv[2] for argv in found.install if argv[:2] == ("sh", "-c")]
    whole, _, part = line.partition(" || { [ $? = 1 ] && ")
    assert all(f"-r {name}" in whole for name in lists)
    assert "-r requirements-dev.txt" in part and "-r requirements-dev-full.txt" not in part


def test_lists_for_tests_that_cannot_be_had_together_are_the_plainest_one(tmp_path: Path) -> None:
    lists = {f"requirements/test{name}.txt": "pytest\n" for name in ("-nogil", "", "-pure")}
    found = recipe(write(project(tmp_path, "setup.py"), lists))
    (line,) = [argv[2] for argv in found.install if argv[:2] == ("sh", "-c")]
    whole, _, part = line.partition(" || { [ $? = 1 ] && ")
    assert all(f"-r {name}" in whole for name in lists)
    assert "-r requirements/test.txt" in part
    assert not any(f"-r requirements/test-{name}.txt" in part for name in ("nogil", "pure"))


def test_tox_installs_for_the_factor_that_calls_the_tests(tmp_path: Path) -> None:
    tox = (
        "[testenv]\nextras =\n    unit: fast\ndeps =\n    unit: trio\n    doc: sphinx\n    dj4.2: django\n"
        "commands =\n    unit: pytest tests\n    doc: sphinx-build docs out\n"
    )
    tree = project(tmp_path, "hatchling")
    write(tree, {"tox.ini": tox, "pyproject.toml": HATCHLING + 'fast = ["cython"]\n'})
    words = installs(recipe(tree))
    assert {"fast", "trio"} <= set(words)
    assert not {"sphinx", "django"} & set(words)


def test_tox_installs_the_extras_of_environments_that_run_the_same_tests(tmp_path: Path) -> None:
    tox = (
        "[testenv]\nextras =\n    fast: fast\n    docs: docs\ndeps = fast: trio\ncommands = pytest tests\n"
        "[testenv:docs]\ncommands = sphinx-build docs out\n"
    )
    tree = project(tmp_path, "hatchling")
    extras = 'fast = ["cython"]\ndocs = ["sphinx"]\n'
    write(tree, {"tox.ini": tox, "pyproject.toml": HATCHLING + extras})
    words = installs(recipe(tree))
    assert "fast" in words
    assert not {"docs", "trio"} & {*words}


def test_ci_installs_the_extras_of_each_of_its_jobs_that_run_tests(tmp_path: Path) -> None:
    job = "  {0}:\n    steps:\n      - run: pip install .{1}\n      - run: pytest tests\n"
    jobs = job.format("server", "[fast]") + job.format("plain", "")
    tree = project(tmp_path, "hatchling")
    workflow = {".github/workflows/a.yml": f"jobs:\n{jobs}"}
    write(tree, {**workflow, "pyproject.toml": f'{HATCHLING}fast = ["cython"]\n'})
    assert "fast" in installs(recipe(tree))


HATCH = """
[envs.default]
dependencies = ["attrs"]
[envs.checks]
extra-dependencies = ["trio"]
features = ["fast"]
scripts.test = "pytest {args:tests}"
[envs.hatch-test]
dependency-groups = ["data"]
[envs.style]
detached = true
dependencies = ["ruff"]
features = ["docs"]
scripts.check = "ruff check"
"""


@pytest.mark.parametrize("name", ["hatch.toml", "pyproject.toml"])
def test_an_environment_of_hatch_for_the_tests_says_what_they_need(
    tmp_path: Path, name: str
) -> None:
    text = HATCHLING.replace('test = ["pytest"]', "") + 'fast = ["cython"]\ndocs = ["sphinx"]\n'
    text += '[dependency-groups]\ndata = ["anyio"]\n'
    tree = write(tmp_path, {"pyproject.toml": text, "tests/test_a.py": TEST})
    more = HATCH if name == "hatch.toml" else text + HATCH.replace("[envs", "[tool.hatch.envs")
    words = installs(recipe(write(tree, {name: more})))
    assert {"attrs", "trio", "fast", "pytest", "pytest-mock", "data"} <= set(words)
    assert not {"ruff", "docs"} & set(words)


def test_a_ci_job_that_runs_tests_names_what_it_installs(tmp_path: Path) -> None:
    workflow = (
        "jobs:\n  docs:\n    steps:\n      - run: pip install .[docs]\n"
        "  test:\n    steps:\n      - run: |\n"
        "          python -m pip install -e '.[speed]' freezegun tox $EXTRA\n"
        "          uv pip install --system --resolution lowest-direct --no-binary lxml anyio\n"
        "          pytest -q -m 'not slow' tests\n"
    )
    text = HATCHLING + 'docs = ["sphinx"]\nspeed = ["orjson"]\n'
    files = {"pyproject.toml": text, ".github/workflows/ci.yml": workflow, "tests/test_a.py": TEST}
    found = recipe(write(tmp_path, files))
    words = installs(found)
    assert {"speed", "freezegun", "anyio"} <= set(words)
    assert not {"docs", "tox", "$EXTRA", "lowest-direct", "lxml"} & set(words)
    assert found.test_arguments == ("-m", "not slow", "tests")


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("pytest ../outside", ()),
        ("pytest $ARGS", ()),
        ("pytest --unheard-of=1 tests", ("tests",)),
        ("pytest --unheard-of one tests", ("tests",)),
        ("pytest --own -x tests", ("--own", "tests")),
        ("pytest --cov tally --doctest-modules", ("--doctest-modules",)),
        ("pytest --doctest-glob '*.md' tests 2>&1", ("--doctest-glob", "*.md", "tests")),
        ("pytest tests/test_*.py", ("tests/test_tally.py",)),
        ("pytest --doctest-modules {envsitepackagesdir}/tally", ("--doctest-modules", "src/tally")),
    ],
)
def test_of_a_call_only_what_is_understood_is_copied(
    tmp_path: Path, call: str, kept: tuple[str, ...]
) -> None:
    own = {"tests/conftest.py": "def pytest_addoption(parser):\n    parser.addoption('--own')\n"}
    tree = project(tmp_path, "hatchling", **own)
    write(tree, {"tox.ini": f"[testenv]\ncommands = {call}\n"})
    assert kept in [call.arguments for call in recipe(tree).calls]


MAKE = (
    "PY ?= python3\ntest: docs\n\t@$(PY) -m pytest tests\ndocs:\n\tpytest --doctest-modules src\n"
)
TASKS = HATCHLING + '[tool.hatch.envs.default.scripts]\ntest = ["pytest {args:tests}", "{0}"]\n'
PIXI = HATCHLING + '[tool.pixi.tasks]\ndocs = {cmd = "pytest --doctest-modules src"}\n'
PIXI += '[tool.pixi.feature.some.tasks]\ntest = "pytest tests"\n'
DOCTESTS = ("--doctest-modules", "src")


@pytest.mark.parametrize(
    "files",
    [
        {"tox.ini": "[testenv]\ncommands =\n  pytest tests\n  pytest --doctest-modules src\n"},
        {
            "tox.ini": "[testenv]\ncommands=pytest tests\n[testenv:docs]\ncommands=\n"
            "  py3: pytest --cov src \\\n    --doctest-modules {toxinidir}/src\n"
        },
        {
            "tox.toml": 'env_run_base.commands = [["pytest", "tests"]]\nenv.docs.commands = '
            '[["pytest", "--doctest-modules", {replace = "posargs", default = ["src"]}]]\n'
        },
        {
            "noxfile.py": "import nox\nPATHS = ['src']\n\n@nox.session\ndef tests(session):\n"
            "    session.run('pytest', *(session.posargs or ['tests']))\n\n@nox.session\ndef docs(s):\n"
            "    s.run('python', '-m', 'pytest', '--doctest-modules', *PATHS)\n"
        },
        {"Makefile": MAKE},
        {"pyproject.toml": TASKS.replace("{0}", "pytest --doctest-modules src")},
        {"pyproject.toml": PIXI},
        {"pixi.toml": PIXI.removeprefix(HATCHLING).replace("tool.pixi.", "")},
        {
            ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      - run: uv run pytest tests\n"
            "  b:\n    steps:\n      - run: >-\n          python -m pytest\n          --doctest-modules\n"
            "          src\n"
        },
        {
            ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      - run: pytest tests\n",
            ".github/workflows/b.yml": "jobs:\n  a:\n    steps:\n      - run: |\n          scripts/docs\n",
            "scripts/docs": "#!/bin/sh -e\ncoverage run -m pytest --doctest-modules src | tee log\n",
        },
        {
            ".gitlab-ci.yml": "test:\n  script:\n    - pytest tests\n"
            "    - cd src && pytest --doctest-modules\n"
        },
    ],
    ids=[
        *("tox", "tox env", "tox.toml", "nox", "make", "hatch", "pixi", "pixi.toml"),
        *("folded", "script", "gitlab"),
    ],
)
def test_every_call_that_runs_doctests_is_found(tmp_path: Path, files: dict[str, str]) -> None:
    found = recipe(write(project(tmp_path, "hatchling"), files))
    calls = {found.test_arguments, *(call.arguments for call in found.more_calls)}
    assert calls == {("tests",), DOCTESTS}


def test_a_call_in_a_folder_that_only_the_job_has_tests_nothing_of_the_tree(tmp_path: Path) -> None:
    tree = project(tmp_path, "hatchling", **{"more/test_c.py": TEST})
    job = "jobs:\n  plugins:\n    steps:\n      - run: pip install trio\n      - run: {0}\n"
    job += "  unit:\n    steps:\n      - run: pytest tests\n"
    workflow = ".github/workflows/a.yml"
    write(tree, {workflow: job.format("git clone https://x.org/y.git && cd y && pytest -m fast")})
    found = recipe(tree)
    assert (found.test_arguments, found.more_calls) == (("tests",), ())
    assert "trio" not in installs(found)
    # From there it may call the tree's tests, too.
    for call in ("mkdir y; cd y; pytest ../more", "cd /tmp; pytest --pyargs more"):
        write(tree, {workflow: job.format(call)})
        assert "more" in [one.arguments[-1] for one in recipe(tree).calls]


def test_a_step_for_one_python_of_several_is_left_out_beside_others(tmp_path: Path) -> None:
    tree = project(tmp_path, "hatchling")
    usual = "jobs:\n  a:\n    steps:\n      - run: pytest tests\n"
    one = "      - name: Others\n        if: matrix.os == 'a' && matrix.python == '3.14'\n        run: {}\n"
    write(tree, {".github/workflows/a.yml": usual + one.format("pytest tests -m new")})
    assert [call.arguments for call in recipe(tree).calls] == [("tests",)]
    write(tree, {".github/workflows/a.yml": usual + one.format("pytest --doctest-modules tests")})
    assert [call.arguments for call in recipe(tree).calls] == [("--doctest-modules", "tests")]
    job = usual.replace("      - run: pytest tests\n", one.format("pytest tests -m new"))
    write(tree, {".github/workflows/a.yml": job})
    assert [call.arguments for call in recipe(tree).calls] == [("tests", "-m", "new")]


def test_the_tests_of_other_projects_are_not_run_at_the_top(tmp_path: Path) -> None:
    lines = ("libs/one/tests", "libs/two/tests -k total", "tools", "libs/one/tests tools -m fast")
    tox = "[testenv]\ncommands =\n" + "".join(f"  pytest {line}\n" for line in lines)
    job = "jobs:\n  a:\n    steps:\n      - run: cd libs/two && pytest\n"
    files = {"tox.ini": tox, ".github/workflows/a.yml": job, "tools/test_a.py": TEST}
    tree = write(project(tmp_path, "hatchling"), files)
    (tree / "tests/test_tally.py").unlink()
    project(tmp_path / "libs/one", "hatchling")
    project(tmp_path / "libs/two", "hatchling")
    found = detect(tree, SetupHints(others=("libs/one", "libs/two")), TOOLS)
    assert found is not None
    own = [("tools",), ("libs/one/tests", "tools", "-m", "fast")]
    assert [call.arguments for call in found.calls] == own


def test_a_call_of_one_folder_does_not_stand_for_all_tests(tmp_path: Path) -> None:
    files = {"bench/test_c.py": TEST, "pyproject.toml": HATCHLING}
    bare = write(tmp_path / "bare", {**files, "a/test_d.py": TEST, "a/test_e.py": TEST})
    write(bare, {"Makefile": "test:\n\tpytest bench\ncheck:\n\tpytest a/test_d.py\n"})
    assert recipe(bare).test_arguments == ()
    job = "jobs:\n  a:\n    steps:\n      - run: pytest {0}\n"
    tree = project(
        tmp_path / "tree", "hatchling", **{"tests/slow/test_b.py": TEST, "bench/test_c.py": TEST}
    )
    write(tree, {".github/workflows/bench.yml": job.format("bench")})
    write(tree, {".github/workflows/a.yml": job.format("tests/slow"), "Makefile": "x: y\n"})
    workflow = job.format("tests/test_tally.py -k total").replace("a:", "unit:")
    write(tree, {".github/workflows/unit.yml": workflow})
    found = recipe(tree)
    assert [found.test_arguments, *(call.arguments for call in found.more_calls)] == [
        ("tests/slow",),
        ("tests/test_tally.py", "-k", "total"),
    ]
    write(tree, {"tox.ini": "[testenv]\ncommands = pytest {posargs}\n"})
    assert (recipe(tree).test_arguments, recipe(tree).more_calls) == ((), ())


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ('pytest {posargs:-m "not slow"}', ("-m", "not slow")),
        ("sh -c \"pytest tests -m 'not slow'\"", ("tests", "-m", "not slow")),
        ("bash -c 'pytest tests'", ("tests",)),
        ('"pytest" tests', ("tests",)),
        ("(pytest tests)", ("tests",)),
        ("pytest -k '(total or all)'", ("-k", "(total or all)")),
    ],
)
def test_quotes_belong_to_the_words_that_they_are_around(
    tmp_path: Path, line: str, arguments: tuple[str, ...]
) -> None:
    tree = write(project(tmp_path, "hatchling"), {"tox.ini": f"[testenv]\ncommands = {line}\n"})
    assert recipe(tree).test_arguments == arguments


def test_a_call_without_arguments_is_named_beside_others(tmp_path: Path) -> None:
    tox = "[testenv]\ncommands =\n  pytest\n  pytest -k tally\n"
    found = recipe(write(project(tmp_path, "hatchling"), {"tox.ini": tox}))
    assert [call.arguments for call in found.calls] == [(), ("-k", "tally")]
    assert "Its calls `pytest` and `pytest -k tally` come from tox.ini." in " ".join(found.reasons)


@pytest.mark.parametrize(
    ("files", "calls"),
    [
        (
            {"tests/unit/test_a.py": TEST, "tests/functional/test_a.py": TEST},
            [("--ignore=tests/functional",), ("tests/functional",)],
        ),
        (
            {"tests/unit/test_a.py": TEST, "tests/slow/x/test_a.py": TEST, "tests/test_b.py": TEST},
            [("--ignore=tests/slow", "--ignore=tests/unit"), ("tests/slow",), ("tests/unit",)],
        ),
        (  # packages keep them apart, and so does another way to load
            {
                "tests/unit/test_a.py": TEST,
                "tests/unit/__init__.py": "",
                "tests/functional/test_a.py": TEST,
            },
            [()],
        ),
        (
            {
                "tests/unit/test_a.py": TEST,
                "tests/functional/test_a.py": TEST,
                "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n",
            },
            [()],
        ),
        ({"tests/unit/conftest.py": TEST, "tests/functional/conftest.py": TEST}, [()]),
        ({"tests/unit/test_a.py": TEST, ".template/tests/test_a.py": TEST}, [()]),
        ({f"tests/{n}/test_a.py": TEST for n in "abcdef"}, [()]),  # more than are made
    ],
    ids=["two", "beside", "packages", "importlib", "conftest", "hidden", "many"],
)
def test_folders_with_tests_of_one_name_are_run_one_by_one(tmp_path, files, calls):
    """pytest refuses the second of two files that are in no package and have one name."""
    tree = write(project(tmp_path, "hatchling"), files)
    (tree / "tests/test_tally.py").unlink()
    assert [call.arguments for call in recipe(tree).calls] == calls


def test_doctests_alone_are_tests(tmp_path: Path) -> None:
    pyproject = HATCHLING.replace('test = ["pytest"]', "")
    makefile = "check:\n\tpython -m doctest README.md src/tally/sums.py\n"
    files = {
        "pyproject.toml": pyproject,
        "Makefile": makefile,
        "README.md": "",
        "src/tally/sums.py": "",
    }
    found = recipe(write(tmp_path, files))
    assert found.runner is TestRunner.PYTEST
    assert found.test_arguments == (
        "--doctest-modules",
        "--doctest-glob=README.md",
        "README.md",
        "src/tally/sums.py",
    )
    assert installs(found)[-1] == "pytest"


@pytest.mark.parametrize(
    "line", ["sphinx-build -b doctest docs docs/_build", "tox -e doctest docs"]
)
def test_the_doctest_of_another_tool_is_no_call_of_tests(tmp_path: Path, line: str) -> None:
    tree = project(tmp_path, "hatchling", **{"docs/index.rst": ""})
    write(
        tree,
        {"tox.ini": f"[testenv]\ncommands = pytest tests\n[testenv:docs]\ncommands = {line}\n"},
    )
    found = recipe(tree)
    assert (found.test_arguments, found.more_calls) == (("tests",), ())


def test_pytest_is_added_when_tests_need_it_and_nothing_installs_it(tmp_path: Path) -> None:
    text = HATCHLING.replace('test = ["pytest"]', "")
    found = recipe(write(tmp_path, {"pyproject.toml": text, "tests/test_a.py": TEST}))
    assert installs(found)[-1] == "pytest"
    assert "`pytest` is added, because the tests need it and nothing installs it." in found.reasons


@pytest.mark.parametrize(
    ("commits", "before"),
    [("2025-12-14", "2026-01-01"), ("2024-05-31", "2024-06-01"), ("2017-05-15", "2023-11-01")],
    ids=["December", "May", "before this Python"],
)
def test_old_commits_get_the_packages_of_their_time_where_this_python_can_use_them(
    tmp_path: Path, commits: str, before: str
) -> None:
    """The same commands without the date are the way out, and the date is a part of the layer's key."""
    tree = project(tmp_path, "hatchling", **{"tests/test_a.py": TEST})
    new, old = recipe(tree), recipe(tree, released_before=commits)
    (install,) = [argv[2] for argv in old.install if argv[0] == "sh"]
    assert install.startswith(f"uv pip install --exclude-newer {before} --compile-bytecode ")
    assert install.endswith(f" || {shlex.join(next(a for a in new.install if a[1] == 'pip'))}")
    assert old.install_project[0][2].startswith(f"uv pip install --exclude-newer {before} ")
    assert any(f"of those released before {before}" in reason for reason in old.reasons)
    assert old.lock_digest != new.lock_digest


def test_a_lock_file_or_a_configured_line_is_followed_whatever_the_commits_age(
    tmp_path: Path,
) -> None:
    tree = project(tmp_path, "hatchling", **{"tests/test_a.py": TEST})
    old = recipe(tree, released_before="2024-05-31", install="pip install .")
    assert not any("--exclude-newer" in word for argv in old.install for word in argv)
    write(tree, {"uv.lock": "version = 1\n"})
    old = recipe(tree, released_before="2024-05-31")
    assert not any("--exclude-newer" in word for argv in old.install for word in argv)


LOCK = (
    '[[package]]\nname = "trio"\nversion = "0.22.0"\ndescription = ""\n\n'
    '[[package]]\nname = "old"\nversion = "1.0"\nfiles = [\n    {file = "old-1.0.tar.gz"},\n]\n\n'
    '[[package]]\nname = "split"\nversion = "1.0"\n\n[[package]]\nname = "split"\nversion = "2.0"\n\n'
    '[[package]]\nname = "fork"\nversion = "1.0"\n\n[package.source]\ntype = "git"\n\n'
    '[[package]]\nname = "far"\nversion = "1.0"\ngit = "https://x.org/y"\n\n[metadata]\nlock-version = "2"\n'
)


@pytest.mark.parametrize("name", ["poetry.lock", "pdm.lock"])
@pytest.mark.parametrize(
    ("commits", "dated"),
    [("", ""), ("2025-12-14", "--exclude-newer 2026-01-01 "), ("2017-05-15", None)],
    ids=["new", "old", "before this Python"],
)
def test_a_lock_file_says_the_versions_where_they_are_to_be_had(
    tmp_path: Path, name: str, commits: str, dated: str | None
) -> None:
    tree = project(tmp_path, "hatchling", **{"tests/test_a.py": TEST, name: LOCK})
    found = recipe(tree, released_before=commits)
    lines = [argv[2] for argv in found.install if argv[:2] == ("sh", "-c")]
    first, *others = lines[0].split(" || ") if lines else [""]
    is_used = dated is not None
    assert any(f"at the versions of {name}; or " in one for one in found.reasons) is is_used
    pins = "trio==0.22.0 old==1.0 '--only-binary trio'"
    assert first.startswith(f"printf '%s\\n' {pins} > /env/deps/locked.txt && ") is is_used
    assert (f"uv pip install {dated}-c /env/deps/locked.txt " in first) is is_used
    assert not any("locked.txt" in one for one in others)


def test_pytest_is_added_where_a_lock_file_lacks_it(tmp_path: Path) -> None:
    pyproject = HATCHLING.replace('test = ["pytest"]', "")
    tox = "[testenv]\ndeps = pytest\ncommands = pytest\n"
    files = {"pyproject.toml": pyproject, "tox.ini": tox, "uv.lock": "version = 1\n"}
    found = recipe(write(tmp_path, {**files, "tests/test_a.py": TEST}))
    assert ("uv", "pip", "install", "--compile-bytecode", "pytest") in found.install


def test_of_two_lists_for_the_tests_the_one_for_the_newest_versions_is_installed(
    tmp_path: Path,
) -> None:
    lists = (
        "test-requirements.oldest.txt",
        "test-requirements.latest.txt",
        "tests-require-min.txt",
    )
    tree = project(tmp_path, "hatchling", **dict.fromkeys(lists, "attrs\n"))
    words = (word for word in installs(recipe(tree)) if word.endswith(".txt"))
    assert list(dict.fromkeys(words)) == list(lists[1:])
    write(tree, {"tests-require.txt": "attrs\n"})
    assert lists[2] not in installs(recipe(tree))


def test_a_list_that_names_folders_from_the_top_on_is_read_there(tmp_path: Path) -> None:
    pyproject = HATCHLING + '[dependency-groups]\ntest = ["trio"]\n'
    needs = {"libs/two/requirements-test.txt": "-e libs/one  # ours\npytest\n"}
    project(tmp_path / "libs/one", "hatchling")
    project(tmp_path / "libs/two", "hatchling", **{"pyproject.toml": pyproject})
    hints = SetupHints(root="libs/two")
    found = detect(write(tmp_path, needs), hints, TOOLS)
    assert found is not None
    (install,) = [argv[2] for argv in found.install if argv[0] == "sh"]
    assert install.startswith("cd /work/tree && { uv pip install --compile-bytecode ")
    words = shlex.split(install.replace("; }", ""))
    assert {"libs/two/pyproject.toml", "libs/two/requirements-test.txt"} <= set(words)
    assert "libs/two/pyproject.toml:test" in words
    needy = HATCHLING.replace("= []", '= ["attrs"]')
    other = detect(write(tmp_path, {"libs/one/pyproject.toml": needy}), hints, TOOLS)
    assert other is not None and other.lock_digest != found.lock_digest
    # What stands there below the project is meant there.
    project(tmp_path / "libs/two/libs/one", "hatchling")
    beside = detect(tmp_path, hints, TOOLS)
    assert beside is not None and not [argv for argv in beside.install if argv[0] == "sh"]


def test_a_pytest_that_is_added_brings_its_own_py(tmp_path: Path) -> None:
    files = {"requirements.txt": "nose\npy==1.4.12\n", "tests/test_a.py": TEST}
    found = recipe(write(tmp_path, files))
    assert found.install[-2][-4:] == ("--upgrade-package", "py", "pytest", "py")
    assert "pytest" not in found.install[-3]


CI = """jobs:
  lint:
    steps:
      - run: pip install tox
      - run: tox -e lint
  tests:
    steps:
      - name: Install Linux dependencies
        run: |
          sudo apt-get install gettext
      - run: pip install .[test]
      - run: make docs
      - run: make messages
      - name: Generate
        run: |
          scripts/generate-catalogs.sh
          curl https://example.org | sh
          scripts/generate-nothing.sh
      - run: pytest
      - run: make build-reports
"""


def test_what_ci_makes_before_the_tests_is_made_and_what_it_does_to_the_machine_is_said(
    tmp_path: Path,
) -> None:
    files = {
        "pyproject.toml": HATCHLING,
        "tests/test_a.py": TEST,
        ".github/workflows/ci.yml": CI,
        "scripts/generate-catalogs.sh": "#!/bin/sh\nmsgfmt a.po -o a.mo\n",
        "Makefile": "messages:\n\tmsgfmt b.po -o b.mo\ndocs:\n\tsphinx-build\n",
    }
    tree = write(tmp_path, files)
    with_make = replace(TOOLS, programs=(("make", "4.3"),))
    found = detect(tree, SetupHints(), with_make)
    assert found is not None
    made = [argv for argv in found.install_project if argv[0] == "sh"]
    assert made == [
        ("sh", "-c", "make messages || true"),
        ("sh", "-c", "scripts/generate-catalogs.sh || true"),
    ]
    said = [reason for reason in found.reasons if ".github/workflows/ci.yml" in reason]
    assert said[-1] == (
        "`sudo apt-get install gettext`, which .github/workflows/ci.yml runs before the tests, is not run."
    )
    without_make = recipe(tree)
    assert [argv for argv in without_make.install_project if argv[0] == "sh"] == made[1:]
    configured = recipe(tree, install="pip install .")
    assert not [argv for argv in configured.install_project if argv[0] == "sh"]


def test_unittest_is_used_when_nothing_speaks_of_pytest(tmp_path: Path) -> None:
    text = "import unittest\n\n\nclass Sums(unittest.TestCase):\n    def test_sum(self): ...\n"
    pyproject = HATCHLING.replace('test = ["pytest"]', "")
    found = recipe(write(tmp_path, {"pyproject.toml": pyproject, "tests/test_a.py": text}))
    assert found.runner is TestRunner.UNITTEST
    assert found.test_arguments == ("discover", "-s", "tests")
    assert "pytest" not in installs(found)


@pytest.mark.parametrize(
    ("name", "pattern"), [("sum_tests.py", "*tests.py"), ("SumCases.py", "*Cases.py")]
)
def test_files_that_unittest_is_told_to_look_for_are_tests(
    tmp_path: Path, name: str, pattern: str
) -> None:
    text = "import unittest\n\n\nclass Sums(unittest.TestCase):\n    def test_sum(self): ...\n"
    pyproject = HATCHLING.replace('test = ["pytest"]', "")
    line = f"python -m unittest discover -s tally -p {pattern}"
    pyproject += f"[tool.hatch.envs.test.scripts]\ntest = '{line}'\n"
    files = {"pyproject.toml": pyproject, f"tally/tests/{name}": text}
    found = recipe(write(tmp_path, files))
    assert found.runner is TestRunner.UNITTEST
    assert found.test_arguments == ("discover", "-s", "tally", "-p", pattern)


def test_a_package_of_tests_that_runs_itself_by_unittest_is_run_so(tmp_path: Path) -> None:
    pyproject = HATCHLING.replace('test = ["pytest"]', "")
    main = (
        'import unittest\n\nif __name__ == "__main__":\n    unittest.main(module="tally.tests")\n'
    )
    case = "import unittest\n\n\nclass Smoke(unittest.TestCase):\n    def test_sum(self): ...\n"
    files = {"pyproject.toml": pyproject, "tally/tests/__main__.py": main}
    files |= {"tally/tests/__init__.py": "from .smoke import Smoke\n", "tally/tests/smoke.py": case}
    found = recipe(write(tmp_path, files))
    assert (found.runner, found.test_arguments) == (TestRunner.UNITTEST, ("tally.tests",))
    assert any("as `tally/tests/__main__.py` does" in reason for reason in found.reasons)


@pytest.mark.parametrize("line", ["python suite.py", "coverage run suite.py", "python -m suite"])
def test_a_program_that_hands_unittest_a_suite_of_its_own_is_run_so(
    tmp_path: Path, line: str
) -> None:
    pyproject = HATCHLING.replace('test = ["pytest"]', "")
    main = (
        "import unittest\n\ndef everything():\n    return unittest.TestSuite()\n\n"
        "if __name__ == '__main__':\n    unittest.main(defaultTest='everything')\n"
    )
    tox = f"[testenv]\ncommands = {line}\n"
    files = {"pyproject.toml": pyproject, "suite.py": main, "tox.ini": tox, "tests.py": main}
    found = recipe(write(tmp_path, files))
    assert found.runner is TestRunner.UNITTEST
    assert found.test_arguments == (() if "-m suite" in line else ("suite.everything",))


def test_no_tests_are_said_to_be_none(tmp_path: Path) -> None:
    text = HATCHLING.replace('test = ["pytest"]', "")
    assert recipe(write(tmp_path, {"pyproject.toml": text})).runner is TestRunner.NONE


def test_poetrys_notation_is_translated(tmp_path: Path) -> None:
    text = (
        '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n'
        '[tool.poetry]\nname = "tally"\nversion = "1"\n[tool.poetry.dependencies]\npython = "^3.12"\n'
        '[tool.poetry.group.dev.dependencies]\npytest = "^8.1"\ntrio = {version = "~0.22", '
        'extras = ["x"]}\nlocal = {path = "../local"}\nzero = "^0.3.1"\nany = "*"\n'
    )
    found = recipe(write(tmp_path, {"pyproject.toml": text, "tests/test_a.py": TEST}))
    assert (found.toolchain, found.lacks) == ("python 3.12", "Python >= 3.12")
    found = recipe(
        write(tmp_path, {"pyproject.toml": text.replace("^3.12", "^3.8"), "tests/test_a.py": TEST})
    )
    words = installs(found)
    assert {"pytest>=8.1,<9", "trio[x]>=0.22,<0.23", "zero>=0.3.1,<0.4", "any"} <= set(words)
    assert not [word for word in words if word.startswith("local")]


@pytest.mark.parametrize(
    ("named", "backend", "is_asked"),
    [
        ("", "poetry.core.masonry.api", True),
        ("dependencies = []", "poetry.core.masonry.api", False),
        ("", "hatchling.build", False),
    ],
)
def test_poetrys_own_table_counts_where_the_project_names_no_dependencies(
    tmp_path: Path, named: str, backend: str, is_asked: bool
) -> None:
    text = (
        f'[build-system]\nrequires = ["x"]\nbuild-backend = "{backend}"\n'
        f'[project]\nname = "tally"\nversion = "1"\n{named}\n'
        '[tool.poetry.dependencies]\npython = "^3.8"\ncryptography = ">=47"\n'
    )
    write(tmp_path, {"pyproject.toml": text})
    assert read_project(Tree(tmp_path)).is_dynamic is is_asked


@pytest.mark.parametrize(
    ("asked", "toolchain", "lacks", "needs"),
    [
        (">=3.13", "python 3.13", "Python >= 3.13", ()),
        (">=3.8,<3.10", "python 3.9", "Python < 3.10", ()),
        ("==3.12.*", "python 3.12", "Python == 3.12.*", ()),
        (">=4", "", "", ("Python >= 4",)),
        ("<3", "", "", ("Python < 3",)),
        (">=3.8", "", "", ()),
    ],
)
def test_the_nearest_python_that_does_is_asked_for(
    tmp_path: Path, asked: str, toolchain: str, lacks: str, needs: tuple[str, ...]
) -> None:
    text = HATCHLING.replace(">=3.8", asked)
    found = recipe(write(tmp_path, {"pyproject.toml": text, "tests/test_a.py": TEST}))
    assert (found.toolchain, found.lacks, found.needs) == (toolchain, lacks, needs)
    release = toolchain.removeprefix("python ") or "3.11.2"
    assert bool(needs) or release in found.install[0]


@pytest.mark.parametrize(
    "files",
    [
        {".github/workflows/a.yml": "matrix:\n  python-version: [3.8, '3.9', \"3.10\"]\n"},
        {".github/workflows/a.yml": "matrix:\n  python:\n    - 3.8\n    - '3.9'\n    - 3.10.4\n"},
        {"tox.ini": "[tox]\nenvlist = py38, py{39,3.10}-{a,b}, lint\n"},
        {
            ".github/workflows/a.yml": "jobs:\n  a:\n    strategy:\n      matrix:\n        os: [3.13]\n"
            "        py:\n        - 3.10\n        # none else\n        - 3.8\n    steps:\n"
            "      - with:\n          python-version: ${{ matrix.py }}\n"
            "  b:\n    steps:\n      - with:\n          python-version: 3.9\n"
        },
    ],
    ids=["list", "lines", "tox", "key"],
)
def test_a_python_that_the_project_does_not_test_with_is_told(
    tmp_path: Path, files: dict[str, str]
) -> None:
    said = "The project is tested with Python 3.8, 3.9, 3.10; the sandbox has Python 3.11.2."
    assert said in recipe(write(project(tmp_path, "hatchling"), files)).reasons
    path, text = files.popitem()
    more = text.replace("3.8", "3.11").replace("py38", "py311")
    write(tmp_path, {path: more})
    assert not [reason for reason in recipe(tmp_path).reasons if "is tested with" in reason]


def test_setup_py_is_read_as_a_syntax_tree_and_never_run(tmp_path: Path) -> None:
    text = (
        "import pathlib\npathlib.Path('ran').write_text('')\nTESTS = ['pytest', 'mock']\n"
        "from setuptools import setup\nsetup(name='Tally_X', python_requires='>=3.8', "
        "tests_require=TESTS, extras_require={'dev': ['ruff']})\n"
    )
    found = recipe(write(tmp_path, {"setup.py": text, "tests/test_a.py": TEST}))
    assert {"setup.py", "mock"} <= set(installs(found))
    assert found.install[-1][-1] == "tally-x"
    assert not list(tmp_path.rglob("ran"))


def test_configured_test_lines_keep_their_arguments(tmp_path: Path) -> None:
    tree = project(tmp_path, "hatchling")
    found = recipe(tree, test="python -m pytest -q --slow tests")
    assert (found.runner, found.test_arguments) == (TestRunner.PYTEST, ("-q", "--slow", "tests"))
    assert recipe(tree, test="pytest && make x").runner is TestRunner.COMMAND


DIGEST_CHANGES = {
    "a dependency": ("pyproject.toml", HATCHLING.replace("= []", '= ["attrs"]'), True),
    "formatting": ("pyproject.toml", HATCHLING.replace("= []", "= [\n]"), False),
    "the version": ("pyproject.toml", HATCHLING.replace("1.2.3", "1.2.4"), False),
    "code": ("src/tally/__init__.py", "NEW = 1\n", False),
    "a test requirement": ("requirements-test.txt", "trio\n", True),
}


@pytest.mark.parametrize("change", DIGEST_CHANGES)
def test_the_digest_changes_with_the_dependencies_only(tmp_path: Path, change: str) -> None:
    path, text, changes = DIGEST_CHANGES[change]
    before = recipe(project(tmp_path, "hatchling")).lock_digest
    after = recipe(write(tmp_path, {path: text})).lock_digest
    assert (before != after) is changes


def test_the_digest_follows_what_setup_py_reads(tmp_path: Path) -> None:
    setup = (
        "from setuptools import setup\nsetup(install_requires=open('needs.in').read().split())\n"
    )
    tree = write(tmp_path, {"setup.py": setup, "needs.in": "attrs\n"})
    before = recipe(tree).lock_digest
    assert recipe(write(tree, {"needs.in": "attrs\ntrio\n"})).lock_digest != before


def test_another_python_is_another_digest(tmp_path: Path) -> None:
    tree = project(tmp_path, "hatchling")
    other = detect(tree, SetupHints(), Toolchain(python="3.12.1", uv="0.13.9"))
    assert other is not None
    assert other.lock_digest != recipe(tree).lock_digest


@pytest.mark.parametrize(
    "text", ["[[[", "x = " + "[" * 5000, "\0", "[project]\ndependencies = 7\n"]
)
def test_broken_project_files_are_left_to_the_build(tmp_path: Path, text: str) -> None:
    tree = write(tmp_path, {"pyproject.toml": text, "setup.cfg": "[[", "tox.ini": "a\n=b"})
    assert recipe(tree).ecosystem == "python"


def test_nothing_outside_the_tree_and_no_pipe_is_read(tmp_path: Path) -> None:
    secret = write(tmp_path / "outside", {"pyproject.toml": HATCHLING}) / "pyproject.toml"
    tree = write(tmp_path / "tree", {"a.py": ""})
    (tree / "pyproject.toml").symlink_to(secret)
    os.mkfifo(tree / "requirements.txt")
    found = recipe(tree)
    assert found.install_project == ()
    assert (
        "There is no project file; the repository's files are used as they stand." in found.reasons
    )


def test_the_nearest_projects_with_tests_are_found(tmp_path: Path) -> None:
    project(tmp_path, "hatchling")
    project(tmp_path / "packages/one", "hatchling")
    project(tmp_path / "packages/two", "hatchling")
    write(tmp_path / "examples/demo", {"pyproject.toml": HATCHLING})
    projects = Projects(tmp_path, tmp_path)
    assert projects.all == ("packages/one", "packages/two")
    one, two = "packages/one/src/a.py", "packages/two/a.py"
    assert projects.touched([one, "packages/one/b"]) == ("packages/one",)
    assert projects.touched([one, two, "packages/two/b.py"]) == ("packages/two", "packages/one")
    assert projects.touched(["examples/demo/a.py"]) == ("",)
    assert projects.touched(["../packages/one/a.py"]) == ("",)
    assert projects.touched([]) == ("",)


def test_what_stands_above_all_projects_counts_by_what_it_is(tmp_path: Path) -> None:
    project(tmp_path / "packages/one", "hatchling")
    project(tmp_path / "packages/two", "hatchling")
    one = "packages/one/src/a.py"
    found = Projects(tmp_path, tmp_path)
    assert not found.has_top
    assert found.touched([one, "README.md", "tools/build.py"]) == ("packages/one",)
    assert found.touched(["uv.lock", "README.md"]) == ("packages/one", "packages/two")
    assert found.touched(["tools/build.py"]) == ("",)
    listed = Projects(tmp_path, tmp_path, ("packages/one", "packages/two"))
    assert listed.touched([one, "CHANGELOG.md", ".github/x.yml"]) == ("packages/one",)
    assert listed.touched([one, "tools/build.py"]) == ("packages/one", "packages/two")
    # What a template holds is no project yet.
    project(tmp_path / "packages/{{ name }}", "hatchling")
    assert Projects(tmp_path, tmp_path).all == found.all
    write(tmp_path, {"test_all.py": "def test_all(): pass\n"})
    with_top = Projects(tmp_path, tmp_path)
    assert with_top.has_top
    assert with_top.touched([one, "uv.lock"]) == ("packages/one",)
    assert with_top.touched([one, "test_all.py"]) == ("", "packages/one")


FILES = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", "uv.lock")
MORE = ("requirements.txt", "requirements-dev.txt", ".github/workflows/ci.yml", "tests/test_a.py")
PIECES = (
    *("[project]\n", "[tool.poetry]\n", "[tool.poetry.group.dev.dependencies]\n", "[testenv]\n"),
    *("name = 'a\\u0000b'\n", 'name = "a\\u0000b"\n', "deps =\n  -r x\n", "x = '^²'\n", "setup("),
    *("extras_require={'test': ['x'], **y}", "install_requires=f()", ")\n", "jobs:\n  a:\n", "\0"),
    *(
        '[project.optional-dependencies]\n"--test\\u0000" = ["pytest"]\n',
        "      - run: pytest -m 'a\0b'\n",
    ),
    *(
        'test = ["--evil", "pytest\\u0000"]\n',
        "-e .\n-r requirements.txt\n",
        "pip install '.[x]' \"\n",
    ),
    *(
        'requires-python = ">=' + "9" * 5000 + '"\n',
        "a; " + "(" * 400 + "\n",
        " " * 100_000,
        "\n" * 1000,
    ),
    *('[[package]]\nsource = {editable = "../x"}\n', "()" * 2000, "uv " * 30_000, ".a" * 20_000),
)


KEYS = (
    *(
        "changedir",
        "change_dir",
        "deps",
        "extras",
        "dependency_groups",
        "commands",
        "envlist",
        "setenv",
    ),
    *("name", "version", "dependencies", "requires", "build-backend", "requires-python", "test"),
    *(
        "testpaths",
        "addopts",
        "packages",
        "where",
        "run",
        "env_run_base.commands",
        "path",
        "default",
    ),
)
ODD = (
    *(
        "{toxinidir}",
        "{posargs}",
        "{posargs:}",
        "{",
        "py3: ",
        "-",
        "-r",
        "-e",
        "#",
        "'",
        '"',
        "\\",
        "",
    ),
    *(
        "pytest",
        "pytest -",
        "python -m",
        "cd",
        "make",
        "uv run",
        "[]",
        '[""]',
        "[[]]",
        "{}",
        '""',
        "0",
    ),
    *(
        "{[testenv]commands}",
        "$",
        "|",
        "&&",
        "${{ x }}",
        "a b c",
        ".",
        "..",
        "/",
        "*",
        "[[",
        "pytest ''",
    ),
)
LINES = st.builds("{} = {}\n".format, st.sampled_from(KEYS), st.sampled_from(ODD))


@pytest.mark.thorough
@given(
    st.dictionaries(
        st.sampled_from((*FILES, *MORE)), st.lists(st.one_of(st.sampled_from(PIECES), LINES))
    )
)
@example({"tox.ini": ["[testenv]\n", "changedir = {toxinidir}\n"]})
def test_no_file_can_break_detection_or_smuggle_in_what_no_argument_may_hold(
    files: dict[str, list[str]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        tree = write(Path(folder), {path: "".join(pieces) for path, pieces in files.items()})
        found = detect(tree, SetupHints(), TOOLS)
    if found:
        words = [word for argv in (*found.install, *found.install_project) for word in argv]
        assert not [word for word in (*words, *found.test_arguments) if "\0" in word]
        assert "--evil" not in words


def test_nox_names_what_its_tests_session_installs(tmp_path: Path) -> None:
    noxfile = (
        "import nox\n\n@nox.session\ndef tests(session):\n"
        "    session.install('-e.[fast]', 'freezegun')\n"
        "    session.install(*PINS, *nox.project.dependency_groups(PYPROJECT, 'checks'))\n\n"
        "@nox.session\ndef docs(session):\n    session.install('sphinx')\n"
    )
    text = HATCHLING + 'fast = ["orjson"]\n\n[dependency-groups]\nchecks = ["pytest"]\n'
    files = {"pyproject.toml": text, "noxfile.py": noxfile, "tests/test_a.py": TEST}
    words = installs(recipe(write(tmp_path, files)))
    assert {"fast", "freezegun", "checks"} <= set(words)
    assert words[words.index("checks") - 1] == "--group"
    assert "sphinx" not in words


@pytest.mark.parametrize(
    ("workspace", "taken"),
    [
        ('members = ["packages/*"]', {"shop_kit", "attrs", "pytest"}),
        ('members = ["packages/*", "examples/*"]', set()),
        ('members = ["*"]\nexclude = ["./examples/one/"]', {"shop_kit", "attrs", "pytest"}),
        ("", set()),
    ],
)
def test_a_project_outside_of_uvs_workspace_takes_packages_from_the_index(
    tmp_path: Path, workspace: str, taken: set[str]
) -> None:
    top = f"[tool.uv.workspace]\n{workspace}\n" if workspace else "[project]\nname = 'shop'\n"
    example = (
        "[project]\nname = 'one'\ndependencies = ['Shop-Kit>=2', 'local', 'far @ git+https://x.org/y']\n"
        "[project.optional-dependencies]\nfast = ['attrs']\n[dependency-groups]\ntest = ['pytest']\n"
        "[tool.uv.sources]\nlocal = {path = '../..'}\n"
    )
    tree = write(tmp_path, {"pyproject.toml": top, "examples/one/pyproject.toml": example})
    found = Projects(tree, tree)
    assert found.from_registry("examples/one/src/app.py") == taken
    assert found.from_registry("examples/one/src/app.js") == found.from_registry("a.py") == set()
