"""Go, Rust, Java, C and C++: built and tested by the machine's own compilers."""

from __future__ import annotations

import re

from sandbox.toolchains.ecosystem import (
    SYSTEM,
    Ecosystem,
    SetupHints,
    Toolchain,
    TreeEvidence,
    Variables,
    weighed,
)
from sandbox.toolchains.layers import DEPENDENCIES, SYSTEM_PATH
from sandbox.toolchains.native import TRIAL, Plan, in_a_copy, planned
from sandbox.toolchains.tree import Tree
from sandbox.values import TestCall, TestRunner

# --- Go: what a module requires is fetched once ----------------------------------------------------

_GO = re.compile(r"^go\s+1\.(\d{1,3})", re.M)
_REQUIRE = re.compile(r"^[^\S\n]*(?:require\s+)?(?=[\w-]*\.)[\w.-]+/\S+\s+v\d", re.M)
_GO_SHARED: Variables = (
    ("GOCACHE", "/tmp/go-build"),  # noqa: S108 - the sandbox's own
    ("GOPATH", "/tmp/go"),  # noqa: S108
    ("GOTOOLCHAIN", "local"),
    ("GOMODCACHE", f"{DEPENDENCIES}/modules"),
)
# Nothing is fetched any more when tests run.
_GO_OBSERVING: Variables = (
    ("PATH", SYSTEM_PATH),
    ("GOPROXY", "off"),
    ("GOFLAGS", ""),
    *_GO_SHARED,
)


def _weigh_go(tree: Tree) -> TreeEvidence | None:
    declared = tree.has("go.mod")
    return weighed(tree, (".go",), declared=declared, is_test=lambda p: p.endswith("_test.go"))


def _plan_go(place: Tree, evidence: TreeEvidence, toolchain: Toolchain, _: SetupHints) -> Plan:
    text = place.read("go.mod")
    if not text:
        said = "There are Go files but no go.mod, so the go command cannot build them."
        return Plan((said,), needs=("a go.mod file in the repository",))
    reasons: tuple[str, ...] = ("It is a Go module, because there is a go.mod.",)
    asked, version = _GO.search(text), toolchain.version("go")
    if not version:
        wanted = f" 1.{asked.group(1)} or later" if asked else ""
        return Plan(reasons, needs=(f"Go{wanted} (golang-go)",))
    if asked and int(asked.group(1)) > int(version.split(".")[1]):
        needs = f"Go 1.{asked.group(1)} or later (the sandbox has {version})"
        return Plan(reasons, needs=(needs,))
    tests, why = TestCall(TestRunner.NONE), "It has no tests."
    if evidence.tests:
        tests, why = TestCall(TestRunner.GO), "Tests are the functions of the `_test.go` files."
    build = (("go", "build", "-o", "/dev/null", "./..."),)
    if not _REQUIRE.search(text) or place.has("vendor"):
        return Plan((*reasons, why), build, tests)
    declared = place.read_bytes("go.mod") + b"\0" + place.read_bytes("go.sum")
    fetch = (("go", "mod", "download"),)
    reasons = (*reasons, why, "`go mod download` fetches what go.mod requires.")
    return Plan(reasons, build, tests, install=fetch, declared=declared)


GO = Ecosystem(
    name="go",
    weigh=_weigh_go,
    detect=planned("go", _weigh_go, _plan_go),
    building=lambda _: (*SYSTEM, *_GO_SHARED, ("GOFLAGS", "-modcacherw")),
    observing=lambda *_: _GO_OBSERVING,
    commands=frozenset({"go"}),
    programs=(("go", "version"),),
)

# --- Rust packages whose crates are all in the tree: cargo, offline --------------------------------

_CARGO: Variables = (
    *SYSTEM,
    ("CARGO_HOME", "/tmp/cargo"),  # noqa: S108 - the sandbox's own
    ("CARGO_NET_OFFLINE", "true"),
)
_TABLES = ("dependencies", "dev-dependencies", "build-dependencies")


def _weigh_rust(tree: Tree) -> TreeEvidence | None:
    """A Cargo.toml at the top; any Rust source may hold tests."""
    files = [path for path in tree.files() if path.endswith(".rs")]
    declared = tree.has("Cargo.toml")
    if not declared and not files:
        return None
    tests = any(path.startswith("tests/") or "#[test]" in tree.read(path) for path in files[:300])
    return TreeEvidence(declared, tests, len(files))


def _plan_rust(place: Tree, evidence: TreeEvidence, toolchain: Toolchain, _: SetupHints) -> Plan:
    if not evidence.declared:
        said = "There are Rust files but no Cargo.toml at the top."
        return Plan((said,), needs=("a Cargo.toml in the repository",))
    reasons = ("It is a Rust package, because there is a Cargo.toml.",)
    if not toolchain.version("cargo"):
        return Plan(reasons, needs=("Rust (cargo, rustc)",))
    # The crates that stand in no folder of the tree; members of a workspace are read too.
    manifest = place.toml("Cargo.toml")
    workspace = manifest.table("workspace")
    named = [one for one in workspace.strings("members") if "*" not in one]
    members = [place.toml(f"{one}/Cargo.toml") for one in named]
    tables = [one.table(kind) for one in (manifest, workspace, *members) for kind in _TABLES]
    crates = [(name, table.table(name)) for table in tables for name in table.names()]
    found = [name for name, own in crates if not own.text("path") and not own.has("workspace")]
    foreign = tuple(dict.fromkeys(found))
    if foreign and not place.has("vendor"):
        shown = ", ".join(f"`{name}`" for name in foreign[:5])
        said = f"It needs crates from a registry ({shown}), which Assay does not fetch yet."
        needs = ("the crates that Cargo.toml names, in `vendor/` (cargo vendor)",)
        return Plan((said, *reasons), needs=needs)
    build = (in_a_copy("cargo build --offline --target-dir /tmp/target"),)
    return Plan(reasons, build, TestCall(TestRunner.CARGO if evidence.tests else TestRunner.NONE))


RUST = Ecosystem(
    name="rust",
    weigh=_weigh_rust,
    detect=planned("rust", _weigh_rust, _plan_rust),
    building=lambda _: _CARGO,
    observing=lambda *_: _CARGO,
    commands=frozenset({"cargo"}),
    programs=(("cargo", "--version"),),
)

# --- Java that needs nothing but JUnit: javac and Debian's JUnit, in Maven's layout or a plain one -

_MOST_FILES = 3000
_JAVA_TEST = re.compile(r"(^|/)(Test\w*|\w+(Test|Tests|TestCase|IT))\.java$")
_TEST_SIDE = re.compile(r"(^|/)src/test/|^tests?/")
_DEPENDENCY = re.compile(r"<dependency>(.{0,2000}?)</dependency>", re.S)
_GROUP = re.compile(r"<groupId>\s*([\w.\-]+)\s*</groupId>")
_ARTIFACT = re.compile(r"<artifactId>\s*([\w.\-]+)\s*</artifactId>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_GIVEN = ("junit", "org.junit", "org.hamcrest", "org.opentest4j", "org.apiguardian")


def _weigh_java(tree: Tree) -> TreeEvidence | None:
    """A pom.xml or Maven's folders; a Gradle project without a pom.xml is another ecosystem's."""
    declared = tree.has("pom.xml") or tree.has("src/main/java")
    if not tree.has("pom.xml") and (tree.has("build.gradle") or tree.has("build.gradle.kts")):
        return None
    is_test = _JAVA_TEST.search
    return weighed(tree, (".java",), declared=declared, is_test=lambda p: bool(is_test(p)))


def _plan_java(place: Tree, evidence: TreeEvidence, toolchain: Toolchain, _: SetupHints) -> Plan:
    why = "there is a pom.xml" if place.has("pom.xml") else "there are Java files"
    reasons = (f"It is a Java project, because {why}.",)
    pom = _COMMENT.sub("", place.read("pom.xml"))
    foreign = [
        artifact.group(1)
        for body in _DEPENDENCY.findall(pom)
        if (group := _GROUP.search(body)) and (artifact := _ARTIFACT.search(body))
        and not group.group(1).startswith(_GIVEN)
    ]  # fmt: skip
    if not toolchain.version("javac"):
        return Plan(reasons, needs=("a Java compiler (default-jdk-headless)",))
    if "<modules>" in pom:
        return Plan(reasons, needs=("Maven with several modules; Assay builds single ones",))
    if foreign:
        named = ", ".join(foreign[:5])
        needs = f"the Maven dependencies {named}; Assay builds projects that need only JUnit"
        return Plan(reasons, needs=(needs,))
    files = [path for path in place.files() if path.endswith(".java")][:_MOST_FILES]
    sources = tuple(f"./{p}" for p in files if not (_JAVA_TEST.search(p) or _TEST_SIDE.search(p)))
    javac = ("javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", TRIAL)
    said = "It is compiled by javac, because it needs nothing but JUnit."
    tests = TestCall(TestRunner.JUNIT if evidence.tests else TestRunner.NONE)
    return Plan((*reasons, said), ((*javac, *sources),) if sources else (), tests)


JAVA = Ecosystem(
    name="java",
    weigh=_weigh_java,
    detect=planned("java", _weigh_java, _plan_java),
    commands=frozenset({"mvn", "javac"}),
    programs=(("javac", "-version"),),
)

# --- C and C++ by CMake, built outside the tree and tested by ctest --------------------------------

_C_SUFFIXES = (".c", ".cc", ".cpp", ".cxx")
_CC = "a C compiler (gcc, g++)"
_TESTING = re.compile(
    r"\b(enable_testing|add_test|gtest_discover_tests|catch_discover_tests)\s*\(|include\s*\(\s*CTest",
    re.I,
)


def _weigh_cmake(tree: Tree) -> TreeEvidence | None:
    text = tree.read("CMakeLists.txt")
    if not text:
        return None
    sources = sum(path.endswith(_C_SUFFIXES) for path in tree.files())
    return TreeEvidence(declared=True, tests=_TESTING.search(text) is not None, sources=sources)


def _plan_cmake(_: Tree, evidence: TreeEvidence, toolchain: Toolchain, __: SetupHints) -> Plan:
    reasons = ("It is built with CMake, because there is a CMakeLists.txt.",)
    wanted = {"cmake": "CMake (cmake)", "cc": _CC, "make": "make (make)"}
    needs = tuple(said for program, said in wanted.items() if not toolchain.version(program))
    if needs:
        return Plan(reasons, needs=needs)
    build = (("cmake", "-S", ".", "-B", TRIAL), ("cmake", "--build", TRIAL))
    if evidence.tests:
        why = "Tests run with ctest, because CMakeLists.txt turns testing on."
        return Plan((*reasons, why), build, TestCall(TestRunner.CTEST))
    why = "CMakeLists.txt does not turn testing on, so no tests are run."
    return Plan((*reasons, why), build)


CMAKE = Ecosystem(
    name="cmake",
    weigh=_weigh_cmake,
    detect=planned("cmake", _weigh_cmake, _plan_cmake),
    commands=frozenset({"cmake", "ctest"}),
    programs=(("cmake", "--version"), ("cc", "--version"), ("make", "--version")),
)

# --- C and C++ by a Makefile, where a target tests -------------------------------------------------

_TARGET = re.compile(r"^(test|check|tests)\s*:(?!=)", re.M)


def _makefile(tree: Tree) -> str:
    texts = map(tree.read, ("GNUmakefile", "makefile", "Makefile"))
    return next(filter(None, texts), "")


def _weigh_make(tree: Tree) -> TreeEvidence | None:
    """A Makefile beside C sources; alone it speaks last, since every language has them."""
    text = _makefile(tree)
    sources = sum(path.endswith(_C_SUFFIXES) for path in tree.files())
    target = _TARGET.search(text)
    if not text or not (sources or target):
        return None
    tests = bool(sources) and target is not None
    return TreeEvidence(declared=bool(sources), tests=tests, sources=sources)


def _find_make(tree: Tree) -> TreeEvidence | None:
    """Where make is chosen by one side, any Makefile does on the other."""
    nothing = TreeEvidence(declared=False, tests=False, sources=0)
    return _weigh_make(tree) or (nothing if _makefile(tree) else None)


def _plan_make(
    place: Tree, evidence: TreeEvidence, toolchain: Toolchain, setup: SetupHints
) -> Plan:
    reasons = ("It is built with make, because there is a Makefile.",)
    wanted = {"make": "make (make)"} | ({"cc": _CC} if evidence.sources else {})
    needs = tuple(said for program, said in wanted.items() if not toolchain.version(program))
    if needs:
        return Plan(reasons, needs=needs)
    configured = re.fullmatch(r"make ([\w.-]+)", setup.test.strip())
    found = _TARGET.findall(_makefile(place))
    by_rank = [one for one in ("test", "check") if one in found] or found
    target = configured.group(1) if configured else next(iter(by_rank), "")
    if not target:
        why = "The Makefile has no target `test` or `check`."
        return Plan((*reasons, why), (in_a_copy("make"),))
    why = f"Tests run with `make {target}`, because the Makefile has that target."
    tests = TestCall(TestRunner.MAKE, ("make", target))
    return Plan((*reasons, why), (in_a_copy("make"),), tests)


MAKE = Ecosystem(
    name="make",
    weigh=_weigh_make,
    detect=planned("make", _find_make, _plan_make),
    programs=(("make", "--version"), ("cc", "--version")),
)
