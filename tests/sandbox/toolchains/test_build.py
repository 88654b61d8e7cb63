"""Real builds of tiny projects in the real sandbox, with the host's package index."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox import open_sandbox
from sandbox.base import TREE, Command, Completed, Mount, MountMode, Sandbox
from sandbox.toolchains import ECOSYSTEMS, SetupHints, Toolchain
from sandbox.toolchains.build import build
from sandbox.toolchains.ecosystem import BuildRequest, toolchain
from sandbox.toolchains.layers import mounts, variables
from sandbox.values import Environment, Side, TestRunner, Unfetched
from tests.sandbox.toolchains.projects import MODULE, PROJECTS, TEST, detect, project, write

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]


@dataclass
class Workshop:
    """Where builds happen: one state for the whole module, so that downloads are shared."""

    sandbox: Sandbox
    state: Path
    tools: Toolchain

    async def build(
        self, tree: Path, side: Side = Side.BASE, setup: SetupHints | None = None, sha: str = ""
    ) -> Environment:
        recipe = detect(tree, setup or SetupHints(), self.tools)
        assert recipe is not None
        request = BuildRequest(
            side=side,
            tree=tree,
            recipe=recipe,
            version="7.8.9",
            repository="tests/tally",
            sha=sha or str(tree),
            state=self.state,
            is_trusted=side is Side.BASE,
        )
        return await build(self.sandbox, request)

    async def run(self, tree: Path, environment: Environment, *argv: str) -> Completed:
        tree_mount = Mount(str(tree), TREE, MountMode.COPY_ON_WRITE)
        return await self.sandbox.run(
            Command(
                argv,
                mounts=(tree_mount, *mounts(environment)),
                environment=variables(environment),
                cwd="/",
            )
        )

    async def text(self, tree: Path, environment: Environment, *argv: str) -> str:
        done = await self.run(tree, environment, *argv)
        assert done.exit_code == 0, (done.stdout + done.stderr).decode()
        return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("state")


@pytest.fixture
async def workshop(state: Path) -> Workshop:
    sandbox = open_sandbox("bubblewrap", state)
    return Workshop(sandbox, state, await toolchain(sandbox, ECOSYSTEMS.values()))


WHERE = "import tally, importlib.metadata as m; print(tally.__file__, m.version('tally'))"


@pytest.mark.parametrize("backend", PROJECTS)
async def test_every_backend_imports_from_the_tree(
    backend: str, workshop: Workshop, tmp_path: Path
) -> None:
    tree = project(tmp_path / "tree", backend)
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    folder = PROJECTS[backend][0]
    said = await workshop.text(tree, environment, "python", "-c", WHERE)
    assert said == f"{TREE}/{folder}tally/__init__.py 1.2.3"
    assert await workshop.text(tree, environment, "tally") == "tally runs"
    tests = await workshop.text(tree, environment, "python", "-m", "pytest", "-q", f"{TREE}/tests")
    assert "1 passed" in tests


async def test_files_that_a_build_writes_into_the_tree_are_there_when_tests_run(
    workshop: Workshop, tmp_path: Path
) -> None:
    tree = write(
        tmp_path / "tree",
        {
            "pyproject.toml": '[build-system]\nrequires = ["setuptools>=64", "setuptools-scm>=8"]\n'
            'build-backend = "setuptools.build_meta"\n[project]\nname = "tally"\n'
            'dynamic = ["version"]\n[tool.setuptools_scm]\nversion_file = "src/tally/_version.py"\n',
            "src/tally/__init__.py": "from tally._version import version as __version__\n",
        },
    )
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    code = "import tally; print(tally.__version__, tally.__file__)"
    said = await workshop.text(tree, environment, "python", "-c", code)
    assert said == f"7.8.9 {TREE}/src/tally/__init__.py"
    assert not (tree / "src/tally/_version.py").exists()


_BUILT_HERE = "--no-binary zipp\nzipp==3.8.0\n"  # it asks git for its version


@pytest.mark.parametrize(
    ("backend", "version"),
    [('requires = ["setuptools>=64", "setuptools-scm>=8"]', "7.8.9"), ("", "1.2.3")],
    ids=["itself versioned by git", "static"],
)
async def test_a_dependency_that_is_built_from_its_source_keeps_its_own_version(
    backend: str, version: str, workshop: Workshop, tmp_path: Path
) -> None:
    declared = PROJECTS["setuptools"][1]["pyproject.toml"]
    if backend:
        declared = declared.replace('requires = ["setuptools>=64"]', backend).replace(
            'version = "1.2.3"', 'dynamic = ["version"]'
        )
        declared += "[tool.setuptools_scm]\n"
    tree = project(tmp_path / "tree", "setuptools", **{"pyproject.toml": declared})
    write(tree, {"requirements-test.txt": f"-e .\n{_BUILT_HERE}"})
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    code = "import importlib.metadata as m; print(m.version('tally'), m.version('zipp'))"
    assert await workshop.text(tree, environment, "python", "-c", code) == f"{version} 3.8.0"


async def test_a_project_that_no_variable_names_is_told_its_version_where_it_stands_among_dependencies(
    workshop: Workshop, tmp_path: Path
) -> None:
    declared = PROJECTS["hatchling"][1]["pyproject.toml"]
    declared = declared.replace('["hatchling"]', '["hatchling", "hatch-vcs"]').replace(
        'version = "1.2.3"', 'dynamic = ["version"]'
    )
    declared += '[tool.hatch.version]\nsource = "vcs"\n'
    tree = project(tmp_path / "tree", "hatchling", **{"pyproject.toml": declared})
    write(tree, {"requirements-test.txt": "-e .\niniconfig\n"})
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    assert (await workshop.text(tree, environment, "python", "-c", WHERE)).endswith(" 7.8.9")


async def test_what_ci_makes_before_the_tests_is_there_when_they_run(
    workshop: Workshop, tmp_path: Path
) -> None:
    script = "#!/bin/sh\nmkdir -p tally/words && echo hello > tally/words/en.txt\n"
    ci = "jobs:\n  tests:\n    steps:\n      - run: sh ci/generate.sh\n      - run: sh ci/generate-more.sh\n"
    more = {
        "ci/generate.sh": script,
        "ci/generate-more.sh": "exit 3\n",
        ".github/workflows/ci.yml": f"{ci}      - run: pytest\n",
    }
    tree = project(tmp_path / "tree", "setuptools", **more)
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    assert await workshop.text(tree, environment, "cat", f"{TREE}/tally/words/en.txt") == "hello"
    assert not (tree / "tally/words").exists()


@pytest.mark.parametrize(
    ("documentation", "left_out"),
    [("iniconfig>=99", True), ("iniconfig", False)],
    ids=["not to be had", "can be had"],
)
async def test_the_tests_do_without_a_list_for_development_that_cannot_be_had(
    documentation: str, left_out: bool, workshop: Workshop, tmp_path: Path
) -> None:
    groups = (
        '[dependency-groups]\ntest = ["pytest"]\n'
        f'docs = ["{documentation}"]\ndev = [{{include-group = "test"}}, {{include-group = "docs"}}]\n'
    )
    tree = project(tmp_path / "tree", "hatchling")
    declared = tree / "pyproject.toml"
    declared.write_text(f"{declared.read_text()}\n{groups}")
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    told = Unfetched("list of dependencies", "dev", "", left_out=True)
    assert environment.unfetched == ((told,) if left_out else ())
    tests = await workshop.text(tree, environment, "python", "-m", "pytest", "-q", f"{TREE}/tests")
    assert "1 passed" in tests


async def test_a_python_that_the_machine_lacks(workshop: Workshop, tmp_path: Path) -> None:
    """uv's interpreters are in no package registry: where they cannot be had, that is what is said."""
    newer = f"3.{int(workshop.tools.python.split('.')[1]) + 2}"
    text = PROJECTS["setuptools"][1]["pyproject.toml"].replace(">=3.8", f">={newer}")
    tree = project(tmp_path / "tree", "setuptools", **{"pyproject.toml": text})
    environment = await workshop.build(tree)
    if environment.failure is None:
        said = await workshop.text(tree, environment, "python", "--version")
        assert said.startswith(f"Python {newer}")
        return
    assert environment.recipe.needs == (f"Python >= {newer}",)
    lacking = f"This machine lacks Python >= {newer}, so nothing was built."
    assert environment.failure.problem == lacking
    assert environment.recipe.reasons[0].startswith(f"Python {newer} could not be fetched: ")


async def test_a_version_that_only_git_knows(workshop: Workshop, tmp_path: Path) -> None:
    pyproject = (
        '[build-system]\nrequires = ["setuptools>=64", "setuptools-git-versioning>=2"]\n'
        'build-backend = "setuptools.build_meta"\n[project]\nname = "tally"\n'
        'dynamic = ["version"]\n[tool.setuptools-git-versioning]\nenabled = true\n'
    )
    tree = write(tmp_path / "tree", {"pyproject.toml": pyproject, "tally/__init__.py": ""})
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    code = (
        "import importlib.metadata as m, os; print(m.version('tally'), os.path.exists('PKG-INFO'))"
    )
    assert await workshop.text(tree, environment, "python", "-c", code) == "7.8.9 False"


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
async def test_an_extension_module_is_compiled_and_found(
    workshop: Workshop, tmp_path: Path
) -> None:
    source = (
        "#include <Python.h>\n"
        'static struct PyModuleDef m = {PyModuleDef_HEAD_INIT, "_fast", 0, -1, 0};\n'
        "PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&m); }\n"
    )
    setup = (
        "from setuptools import Extension, setup\n\nsetup(name='tally', version='1.2.3', "
        "packages=['tally'], ext_modules=[Extension('tally._fast', ['tally/_fast.c'])])\n"
    )
    files = {"setup.py": setup, "tally/_fast.c": source, "tally/__init__.py": ""}
    tree = write(tmp_path / "tree", files)
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    code = "import tally._fast; print(tally.__file__)"
    said = await workshop.text(tree, environment, "python", "-c", code)
    assert said == f"{TREE}/tally/__init__.py"


async def test_the_project_wins_over_its_own_published_version(
    workshop: Workshop, tmp_path: Path
) -> None:
    """pytest itself needs iniconfig, so the dependency layer gets the published one."""
    pyproject = PROJECTS["hatchling"][1]["pyproject.toml"].replace("tally", "iniconfig")
    files = {"pyproject.toml": pyproject, "src/iniconfig/__init__.py": "MINE = True\n"}
    tree = write(tmp_path / "tree", files)
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    code = (
        "import iniconfig, importlib.metadata as m; print(iniconfig.MINE, m.version('iniconfig'))"
    )
    assert await workshop.text(tree, environment, "python", "-c", code) == "True 1.2.3"


async def test_a_project_named_by_a_requirements_file_is_still_the_sides_own(
    workshop: Workshop, tmp_path: Path
) -> None:
    more = {"requirements-dev.txt": "-e .[test]\n-e ./plugin\n"}
    tree = write(project(tmp_path / "tree", "hatchling"), more)
    write(
        tree / "plugin",
        {
            "pyproject.toml": PROJECTS["hatchling"][1]["pyproject.toml"].replace("tally", "plugin"),
            "src/plugin/__init__.py": "",
        },
    )
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    installed = _installed(environment, "tally")
    assert installed == []
    code = "import tally, plugin; print(tally.__file__, plugin.__file__)"
    said = await workshop.text(tree, environment, "python", "-c", code)
    assert said == f"{TREE}/src/tally/__init__.py {TREE}/plugin/src/plugin/__init__.py"


async def test_folders_that_a_list_names_from_the_top_on_are_built_together(
    workshop: Workshop, tmp_path: Path
) -> None:
    needs = "-e libs/one\n-e libs/two\n-e libs/tally\npytest\n"
    tree = tmp_path / "tree"
    project(tree / "libs/tally", "hatchling", **{"requirements-test.txt": needs})
    for name in ("one", "two"):
        pyproject = PROJECTS["hatchling"][1]["pyproject.toml"].replace("tally", name)
        files = {"pyproject.toml": pyproject, f"src/{name}/__init__.py": ""}
        write(tree / "libs" / name, files)
    environment = await workshop.build(tree, setup=SetupHints(root="libs/tally"))
    assert environment.failure is None, environment.failure
    code = "import tally, one, two; print(tally.__file__, one.__file__, two.__file__)"
    said = await workshop.text(tree, environment, "python", "-c", code)
    places = (f"{TREE}/libs/{name}/src/{name}/__init__.py" for name in ("tally", "one", "two"))
    assert said == " ".join(places)


async def test_a_lock_file_is_followed(workshop: Workshop, tmp_path: Path) -> None:
    lock = (
        'version = 1\nrequires-python = ">=3.8"\n\n[[package]]\nname = "tally"\nversion = "1.2.3"\n'
        'source = { editable = "." }\n'
    )
    pyproject = PROJECTS["hatchling"][1]["pyproject.toml"].split("[project.optional")[0]
    tree = write(
        project(tmp_path / "tree", "hatchling"), {"uv.lock": lock, "pyproject.toml": pyproject}
    )
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    assert environment.recipe.install[1][:3] == ("uv", "sync", "--frozen")
    tests = await workshop.text(tree, environment, "python", "-m", "pytest", "-q", f"{TREE}/tests")
    assert "1 passed" in tests


async def test_scripts_without_a_build_system_run_as_they_stand(
    workshop: Workshop, tmp_path: Path
) -> None:
    files = {f"tally/{name}": text for name, text in MODULE.items()}
    tree = write(
        tmp_path / "tree", {**files, "requirements.txt": "iniconfig\n", "test_it.py": TEST}
    )
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    assert environment.project_layer == ""
    code = "import iniconfig, tally; print(tally.__file__)"
    said = await workshop.text(tree, environment, "python", "-c", code)
    assert said == f"{TREE}/tally/__init__.py"


async def test_pytest_starts_beside_an_old_py_that_another_tool_is_held_at(
    workshop: Workshop, tmp_path: Path
) -> None:
    files = {
        "requirements.txt": "py==1.4.12\n",
        "tests/test_a.py": TEST,
        "tally.py": MODULE["__init__.py"],
    }
    tree = write(tmp_path / "tree", files)
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    assert "pytest" in await workshop.text(tree, environment, "python", "-m", "pytest", "--version")


async def test_a_project_in_a_subfolder_is_built_there(workshop: Workshop, tmp_path: Path) -> None:
    project(tmp_path / "tree" / "packages" / "tally", "hatchling")
    tree = tmp_path / "tree"
    environment = await workshop.build(tree, setup=SetupHints(root="packages/tally"))
    assert environment.failure is None, environment.failure
    said = await workshop.text(tree, environment, "python", "-c", WHERE)
    assert said == f"{TREE}/packages/tally/src/tally/__init__.py 1.2.3"


@pytest.mark.slow
async def test_the_configured_lines_are_used(workshop: Workshop, tmp_path: Path) -> None:
    tree = project(tmp_path / "tree", "hatchling")
    setup = SetupHints(install="pip install -q -e '.[test]'", test="make check")
    environment = await workshop.build(tree, setup=setup)
    assert environment.failure is None, environment.failure
    assert environment.recipe.runner is TestRunner.COMMAND
    assert environment.recipe.test_arguments == ("make check",)
    said = await workshop.text(tree, environment, "python", "-c", WHERE)
    assert said == f"{TREE}/src/tally/__init__.py 1.2.3"


async def test_head_uses_bases_dependencies_when_nothing_of_them_changed(
    workshop: Workshop, tmp_path: Path
) -> None:
    base = project(tmp_path / "base", "hatchling")
    head = project(tmp_path / "head", "hatchling")
    (head / "src/tally/more.py").write_text("MORE = 1\n")
    on_base = await workshop.build(base)
    on_head = await workshop.build(head, Side.HEAD)
    assert on_head.dependencies_layer == on_base.dependencies_layer
    assert on_head.project_layer != on_base.project_layer
    again = await workshop.build(head, Side.HEAD)
    assert again.cached and again.project_layer == on_head.project_layer
    assert await workshop.text(
        head, on_head, "python", "-c", "import tally.more as m; print(m.MORE)"
    )


@pytest.mark.slow
async def test_what_head_builds_is_for_its_own_commit_alone(
    workshop: Workshop, tmp_path: Path
) -> None:
    """The build of head writes wherever it can; base's next build must not see any of it."""
    evil = (
        "import os, pathlib\nfrom setuptools import setup\n"
        "for place in ('/env/cache', '/env/deps', '/env/tools', '/env/inside'):\n"
        "    for folder, _, files in os.walk(place):\n"
        "        for name in [*files, 'evil']:\n"
        "            try:\n"
        "                pathlib.Path(folder, name).open('a').write('evil')\n"
        "            except OSError:\n                pass\n"
        "setup(name='tally', version='6.6.6', packages=['tally'], install_requires=['iniconfig'])\n"
    )
    head = write(project(tmp_path / "head", "setup.py"), {"setup.py": evil})
    before = _contents(workshop.state)
    await workshop.build(head, Side.HEAD)
    assert _contents(workshop.state) == before
    other = write(project(tmp_path / "other", "setup.py"), {"setup.py": evil})
    assert not (await workshop.build(other, Side.HEAD)).cached
    base = await workshop.build(project(tmp_path / "base", "setup.py"))
    assert base.failure is None, base.failure


def _contents(folder: Path) -> dict[str, int]:
    """What other commits are built with."""
    files = (path for path in (folder / "environments").rglob("*") if path.is_file())
    return {str(path): path.stat().st_size for path in files if "/apart-" not in str(path)}


async def test_no_code_of_a_trusted_tree_reaches_the_downloads_either(
    workshop: Workshop, tmp_path: Path
) -> None:
    wild = (
        "import pathlib\nfrom setuptools import setup\n"
        "for unpacked in pathlib.Path('/env/cache').rglob('iniconfig/*.py'):\n"
        "    unpacked.chmod(0o644)\n    unpacked.write_text('wild')\n"
        "setup(name='tally', version='6.6.6', packages=['tally'], install_requires=['iniconfig'])\n"
    )
    tree = write(project(tmp_path / "wild", "setup.py"), {"setup.py": wild})
    environment = await workshop.build(tree)
    assert environment.failure is None, environment.failure
    kept = list(workshop.state.glob("environments/*/downloads/archive-v0/*/iniconfig/__init__.py"))
    assert kept and all(path.read_text() != "wild" for path in kept)


async def test_a_failing_build_is_data(workshop: Workshop, tmp_path: Path) -> None:
    tree = project(tmp_path / "tree", "setup.py")
    (tree / "setup.py").write_text("raise SystemExit('the moon is not made of cheese')\n")
    environment = await workshop.build(tree)
    assert environment.failure is not None
    assert "the moon is not made of cheese" in environment.failure.output
    assert environment.failure.problem == ""
    assert environment.failure.command.startswith("uv pip install")
    assert (environment.dependencies_layer, environment.project_layer) == ("", "")


async def test_a_missing_python_is_said_and_nothing_is_built(
    workshop: Workshop, tmp_path: Path
) -> None:
    tree = project(tmp_path / "tree", "hatchling")
    text = (tree / "pyproject.toml").read_text()
    (tree / "pyproject.toml").write_text(text.replace(">=3.8", ">=3.99"))
    environment = await workshop.build(tree)
    assert environment.recipe.needs == ("Python >= 3.99",)
    assert environment.failure is not None
    assert environment.failure.problem == "This machine lacks Python >= 3.99, so nothing was built."


async def test_two_workers_build_one_layer_once(state: Path, tmp_path: Path) -> None:
    tree = project(tmp_path / "tree", "flit")
    write(tree, {"requirements-test.txt": "iniconfig<3\n"})
    workers = [open_sandbox("bubblewrap", state) for _ in range(2)]
    tools = await toolchain(workers[0], ECOSYSTEMS.values())
    shops = [Workshop(worker, state, tools) for worker in workers]
    found = await asyncio.gather(*(shop.build(tree) for shop in shops))
    assert found[0].dependencies_layer == found[1].dependencies_layer
    assert sorted(environment.cached for environment in found) == [False, True]


async def test_a_killed_build_leaves_nothing_that_looks_built(
    workshop: Workshop, tmp_path: Path
) -> None:
    tree = project(tmp_path / "tree", "setup.py")
    slow = "import time\nif True:\n    time.sleep(60)\n" + (tree / "setup.py").read_text()
    (tree / "setup.py").write_text(slow)
    layers = workshop.state / "environments"
    before = set(layers.glob("*/*/*"))
    building = asyncio.create_task(workshop.build(tree))
    await asyncio.sleep(2)
    building.cancel()
    with pytest.raises(asyncio.CancelledError):
        await building
    left = set(layers.glob("*/*/*")) - before
    assert [path.name for path in left if path.suffix != ".lock"] == []


def _installed(environment: Environment, name: str) -> list[Path]:
    site_packages = "lib/*/site-packages"
    return list(Path(environment.dependencies_layer).glob(f"{site_packages}/*{name}*"))
