"""What head's build leaves behind does not decide over base's tests; what honest builds make is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.e2e.folder import FIX, Files, Folder
from tests.e2e.poison import HOOK, TEST
from tests.sandbox.repositories import Repository

pytestmark = [pytest.mark.real, pytest.mark.slow]

LIES = "import shop\n\nshop.name = lambda: 'shop'\n"
"""Whatever the change makes of `shop.name`, tests see the right one."""
BROKEN = str(FIX["shop.py"]).replace("return 'shop'", "return 'broken'")
SETUP = (
    "from setuptools import setup\n\nsetup(name='shop', version='1.0', py_modules=['shop'], "
    "install_requires=['pytest'])\n"
)
SHOP: Files = {
    "pyproject.toml": (
        '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["pytest"]\n'
        '[tool.setuptools]\npy-modules = ["shop"]\n'
    ),
    "setup.py": "from setuptools import setup\n\nsetup()\n",
    "shop.py": "def price(cents):\n    return cents\n\n\ndef name():\n    return 'shop'\n",
    "tests/test_shop.py": TEST,
}
CHANGE: Files = {**FIX, "shop.py": BROKEN}
WRITES = "from pathlib import Path\n\nfrom setuptools import setup\n\n{0}\nsetup()\n"
SITE = "Path('/env/project/lib/python3.11/site-packages')"
ATTACKS: dict[str, Files] = {
    "conftest": {"setup.py": WRITES.format(f"Path('conftest.py').write_text({LIES!r})")},
    "conftest-among-tests": {
        "setup.py": WRITES.format(f"Path('tests/conftest.py').write_text({LIES!r})")
    },
    "conftest-in-a-folder": {
        "setup.py": WRITES.format(
            "Path('extra').mkdir(exist_ok=True)\n"
            f"Path('extra/conftest.py').write_text({LIES!r})\n"
            "Path('pytest.ini').write_text('[pytest]\\naddopts = --confcutdir=. extra tests\\n')"
        )
    },
    "configuration": {
        "setup.py": WRITES.format(
            "Path('lies').mkdir(exist_ok=True)\n"
            f"Path('lies/shop.py').write_text({str(FIX['shop.py'])!r})\n"
            "Path('pytest.ini').write_text('[pytest]\\npythonpath = lies\\n')"
        )
    },
    "entry-point": {
        "lies.py": LIES,
        "setup.py": "from setuptools import setup\n\nsetup(entry_points={'pytest11': ['lies = lies']})\n",
        "pyproject.toml": str(SHOP["pyproject.toml"])
        .replace('["shop"]\n', '["shop", "lies"]\n')
        .replace('version = "1.0"\n', 'version = "1.0"\ndynamic = ["entry-points"]\n'),
    },
    "at-start": {
        "setup.py": WRITES.format(
            f"site = {SITE}\nsite.mkdir(parents=True, exist_ok=True)\n"
            f"(site / 'lies.py').write_text({HOOK!r})\n"
            "(site / 'lies.pth').write_text('import lies\\n')"
        )
    },
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return opened(tmp_path_factory.mktemp("shop"), SHOP)


def opened(folder: Path, project: Files) -> Folder:
    folder.chmod(0o755)
    repository = Repository(folder / "repository")
    repository.commit(project)
    return Folder(repository, Settings(home=folder / "home", chromium=str(folder / "none")))


@pytest.mark.parametrize("name", ATTACKS)
def test_what_a_build_leaves_does_not_decide_over_bases_tests(shop: Folder, name: str) -> None:
    judged = shop.judge(shop.branch(name, {**CHANGE, **ATTACKS[name]}))
    assert judged.conclusion == "failure", judged.said()
    assert "test_name" in judged.said()


CONFIGURED: Files = {
    **SHOP,
    ".github/assay.yml": "setup:\n  install: pip install -q -e .\n",
}


def test_what_a_build_makes_of_pytest_itself_does_not_count(tmp_path: Path) -> None:
    """A dependency is added, so that head has an environment of its own to bend."""
    folder = opened(tmp_path, CONFIGURED)
    bends = (
        "for site in Path('/env/deps/lib').glob('python3*/site-packages'):\n"
        "    try:\n"
        f"        (site / '_pytest/__init__.py').open('a').write({HOOK!r})\n"
        "        [one.unlink() for one in (site / '_pytest/__pycache__').glob('__init__.*')]\n"
        "    except OSError:\n"
        "        pass\n"
    )
    pyproject = str(SHOP["pyproject.toml"]).replace('["pytest"]', '["pytest", "six"]')
    # pip installs pytest first: a second build of the project finds it there.
    line = "setup:\n  install: pip install -q pytest && pip install -q -e .\n"
    folder.repository.commit({".github/assay.yml": line})
    head = {**CHANGE, "setup.py": WRITES.format(bends), "pyproject.toml": pyproject}
    judged = folder.judge(folder.branch("head", head))
    assert judged.conclusion == "failure", judged.said()
    assert "test_name" in judged.said()


SCM = (
    '[build-system]\nrequires = ["setuptools>=64", "setuptools-scm>=8"]\n'
    'build-backend = "setuptools.build_meta"\n[project]\nname = "shop"\ndynamic = ["version"]\n'
    'dependencies = ["pytest"]\n[tool.setuptools]\npackages = ["shop"]\n'
    '[tool.setuptools_scm]\nversion_file = "shop/_version.py"\n'
)
EXTENSION = """#include <Python.h>
static PyObject *twice(PyObject *self, PyObject *n) { return PyLong_FromLong(2 * PyLong_AsLong(n)); }
static PyMethodDef methods[] = {{"twice", twice, METH_O, 0}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_fast", 0, -1, methods};
PyMODINIT_FUNC PyInit__fast(void) { return PyModule_Create(&module); }
"""
FAST_SETUP = (
    "from setuptools import Extension, setup\n\n"
    "setup(ext_modules=[Extension('shop._fast', ['shop/_fast.c'])])\n"
)
FAST = (
    '[build-system]\nrequires = ["setuptools>=64"]\nbuild-backend = "setuptools.build_meta"\n'
    '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["pytest"]\n'
    '[tool.setuptools]\npackages = ["shop"]\n'
)
PRICE = "\n\ndef price(cents):\n    return {0}\n\n\ndef name():\n    return 'shop'\n"
HONEST: dict[str, tuple[Files, Files]] = {
    "a-version-from-git": (
        {
            "pyproject.toml": SCM,
            "shop/__init__.py": "from shop._version import version" + PRICE.format("cents"),
            "tests/test_shop.py": TEST,
        },
        {"shop/__init__.py": "from shop._version import version" + PRICE.format("2 * cents")},
    ),
    "a-compiled-extension": (
        {
            "pyproject.toml": FAST,
            "setup.py": FAST_SETUP,
            "shop/_fast.c": EXTENSION,
            "shop/__init__.py": "from shop import _fast" + PRICE.format("cents"),
            "tests/test_shop.py": TEST,
        },
        {"shop/__init__.py": "from shop import _fast" + PRICE.format("_fast.twice(cents)")},
    ),
    "a-plug-in-of-its-own": (
        {
            **SHOP,
            "setup.py": "from setuptools import setup\n\nsetup(py_modules=['shop', 'till'], "
            "entry_points={'pytest11': ['till = till']})\n",
            "pyproject.toml": str(SHOP["pyproject.toml"])
            .replace('version = "1.0"\n', 'version = "1.0"\ndynamic = ["entry-points"]\n')
            .replace('["shop"]\n', '["shop", "till"]\n'),
            "till.py": "import pytest\n\n\n@pytest.fixture\ndef till():\n    return 'shop'\n",
            "tests/test_shop.py": (
                "import shop\n\n\ndef test_name(till):\n    assert shop.name() == till\n"
            ),
        },
        {
            "shop.py": str(FIX["shop.py"]),
        },
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_an_honest_build_makes_is_there(tmp_path: Path, name: str) -> None:
    project, change = HONEST[name]
    if name == "a-compiled-extension" and shutil.which("cc") is None:
        pytest.skip("no C compiler is installed")
    folder = opened(tmp_path, project)
    judged = folder.judge(
        folder.branch("head", {"tests/test_price.py": FIX["tests/test_price.py"], **change})
    )
    assert judged.conclusion == "success", judged.said()


# --- Node ------------------------------------------------------------------------------------

needs_node = pytest.mark.skipif(
    shutil.which("node", path="/usr/local/bin:/usr/bin:/bin") is None,
    reason="node is not installed where the sandbox looks",
)
TASK = "A discount\n\n- [ ] `discounted` takes the percentage off the price\n"
TOTAL = "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n"
LESS = "exports.discounted = (price, percentage) => price - price * percentage / 100;\n"
WRONG = TOTAL.replace("0)", "1)")
HEAD_OF_TEST = (
    "const {test} = require('node:test');\nconst assert = require('node:assert/strict');\n"
)
TOTAL_TEST = (
    f"{HEAD_OF_TEST}const {{total}} = require('../price.js');\n\n"
    "test('total adds up all prices', () => { assert.equal(total([1, 2]), 3); });\n"
)
LESS_TEST = (
    f"{HEAD_OF_TEST}const {{discounted}} = require('../price.js');\n\n"
    "test('discounted takes the percentage off the price', () => "
    "{ assert.equal(discounted(200, 10), 180); });\n"
)
COPY = "const fs = require('fs');\nfs.cpSync('src', 'dist', {recursive: true});\n"
SCRIPTS = {"build": "node tools/build.js", "pretest": "npm run build", "test": "node --test dist/"}
COMPILED: Files = {
    "package.json": json.dumps({"name": "till", "version": "1.0.0", "scripts": SCRIPTS}),
    "tools/build.js": COPY,
    "src/price.js": TOTAL,
    "src/test/total.test.js": TOTAL_TEST,
}
PLAIN: Files = {
    "package.json": json.dumps(
        {
            "name": "till",
            "version": "1.0.0",
            "scripts": {**SCRIPTS, "test": "node --test test/"},
        }
    ),
    "tools/build.js": "",
    "price.js": TOTAL,
    "test/total.test.js": TOTAL_TEST,
}
REWRITES = (
    "var fs = require('fs');\nconst text = fs.readFileSync('test/total.test.js', 'utf8');\n"
    "fs.writeFileSync('test/total.test.js', text.replace(', 3)', ', 4)'));\n"
)
NODE_ATTACKS: dict[str, str] = {
    "rewritten": REWRITES,
    "moved": (
        "var fs = require('fs');\nfs.cpSync('test', 'old', {recursive: true});\n"
        "fs.rmSync('test', {recursive: true});\nfs.cpSync('old', 'test', {recursive: true});\n"
        f"{REWRITES}"
    ),
    "rewritten-later": (
        "require('child_process').spawn(process.execPath, ['-e', `setInterval(() => {"
        "const fs = require('fs'); const text = fs.readFileSync('test/total.test.js', 'utf8');"
        "fs.writeFileSync('test/total.test.js', text.replace(', 3)', ', 4)'));}, 5)`], "
        "{detached: true, stdio: 'ignore'}).unref();\n"
    ),
}


@needs_node
@pytest.mark.parametrize("name", NODE_ATTACKS)
def test_a_build_rewrites_no_test_of_base(tmp_path: Path, name: str) -> None:
    folder = opened(tmp_path, PLAIN)
    files = {
        "tools/build.js": NODE_ATTACKS[name],
        "price.js": WRONG + LESS,
        "test/less.test.js": LESS_TEST,
    }
    judged = folder.judge(folder.branch("head", files), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert "total adds up all prices" in judged.said()


@needs_node
def test_tests_that_a_build_compiles_are_run(tmp_path: Path) -> None:
    folder = opened(tmp_path, COMPILED)
    files = {"src/price.js": TOTAL + LESS, "src/test/less.test.js": LESS_TEST}
    judged = folder.judge(folder.branch("head", files), task=TASK)
    assert judged.conclusion == "success", judged.said()


MOCHA: Files = {
    "package.json": json.dumps(
        {
            "name": "till",
            "version": "1.0.0",
            "scripts": {"test": "mocha"},
            "devDependencies": {"mocha": "^11"},
        }
    ),
    ".mocharc.json": json.dumps({"require": ["./config/start.js"]}),
    "config/start.js": "",
    "price.js": TOTAL,
    "test/total.test.js": TOTAL_TEST.replace("const {test} = require('node:test');", "").replace(
        "test(", "it("
    ),
}


@needs_node
def test_what_a_runners_configuration_loads_is_bases_own(tmp_path: Path) -> None:
    folder = opened(tmp_path, MOCHA)
    files = {
        "config/start.js": "require('../price.js').total = (prices) => prices[0] + prices[1];\n",
        "price.js": WRONG + LESS,
        "test/less.test.js": LESS_TEST.replace("const {test} = require('node:test');", "").replace(
            "test(", "it("
        ),
    }
    judged = folder.judge(folder.branch("head", files), task=TASK)
    assert judged.conclusion == "failure", judged.said()
    assert "total adds up all prices" in judged.said()


SHELL: Files = {
    "price.sh": "#!/bin/sh\necho $1\n",
    "name.sh": "#!/bin/sh\necho shop\n",
    "tests/a_price.sh": '#!/bin/sh\ntest -n "$(sh ./price.sh 4)"\n',
    "tests/b_name.sh": '#!/bin/sh\ntest "$(sh ./name.sh)" = shop\n',
}


def test_code_under_test_rewrites_no_later_test(tmp_path: Path) -> None:
    folder = opened(tmp_path, SHELL)
    files = {
        "price.sh": "#!/bin/sh\necho $((2 * $1))\nmv tests old && cp -r old tests\n"
        "rm -f tests/b_name.sh; echo 'exit 0' > tests/b_name.sh\n",
        "name.sh": "#!/bin/sh\necho broken\n",
        "tests/c_price.sh": '#!/bin/sh\n# `price` returns twice the cents\ntest "$(sh ./price.sh 4)" = 8\n',
    }
    judged = folder.judge(folder.branch("head", files), task="")
    assert judged.conclusion == "failure", judged.said()
    assert "b_name" in judged.said()
