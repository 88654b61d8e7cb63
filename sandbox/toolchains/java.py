"""Java projects that need nothing but JUnit: javac and Debian's JUnit, in Maven's layout or a plain one."""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.toolchains.ecosystem import Ecosystem, SetupHints, Toolchain, TreeEvidence, weighed
from sandbox.toolchains.native import TRIAL, lacking, recipe
from sandbox.toolchains.tree import Tree
from sandbox.values import Recipe, TestCall, TestRunner

_NAME = "java"
_MOST_FILES = 3000
_TEST = re.compile(r"(^|/)(Test\w*|\w+(Test|Tests|TestCase|IT))\.java$")
_TEST_SIDE = re.compile(r"(^|/)src/test/|^tests?/")
_DEPENDENCY = re.compile(r"<dependency>(.{0,2000}?)</dependency>", re.S)
_GROUP = re.compile(r"<groupId>\s*([\w.\-]+)\s*</groupId>")
_ARTIFACT = re.compile(r"<artifactId>\s*([\w.\-]+)\s*</artifactId>")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_GIVEN = ("junit", "org.junit", "org.hamcrest", "org.opentest4j", "org.apiguardian")


def weigh(tree: Tree) -> TreeEvidence | None:
    """A pom.xml or Maven's folders; a Gradle project without a pom.xml is another ecosystem's."""
    declared = tree.has("pom.xml") or tree.has("src/main/java")
    if not tree.has("pom.xml") and (tree.has("build.gradle") or tree.has("build.gradle.kts")):
        return None
    return weighed(tree, (".java",), declared=declared, is_test=lambda p: bool(_TEST.search(p)))


def detect(tree: Path, setup: SetupHints, toolchain: Toolchain) -> Recipe | None:
    """Return how javac builds it and JUnit tests it."""
    place = Tree(tree / setup.root)
    evidence = weigh(place)
    if evidence is None:
        return None
    why = "there is a pom.xml" if place.has("pom.xml") else "there are Java files"
    reasons = (f"It is a Java project, because {why}.",)
    pom = _COMMENT.sub("", place.read("pom.xml"))
    foreign = [
        artifact.group(1)
        for body in _DEPENDENCY.findall(pom)
        if (group := _GROUP.search(body)) and (artifact := _ARTIFACT.search(body))
        and not group.group(1).startswith(_GIVEN)
    ]  # fmt: skip
    needs = ""
    if not toolchain.version("javac"):
        needs = "a Java compiler (default-jdk-headless)"
    elif "<modules>" in pom:
        needs = "Maven with several modules; Assay builds single ones"
    elif foreign:
        named = ", ".join(foreign[:5])
        needs = f"the Maven dependencies {named}; Assay builds projects that need only JUnit"
    if needs:
        return lacking(_NAME, setup.root, (needs,), reasons)
    files = [path for path in place.files() if path.endswith(".java")][:_MOST_FILES]
    sources = tuple(f"./{p}" for p in files if not (_TEST.search(p) or _TEST_SIDE.search(p)))
    javac = ("javac", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", TRIAL)
    build = ((*javac, *sources),) if sources else ()
    said = "It is compiled by javac, because it needs nothing but JUnit."
    runner = TestRunner.JUNIT if evidence.tests else TestRunner.NONE
    return recipe(_NAME, (*reasons, said), setup, build=build, tests=TestCall(runner))


ECOSYSTEM = Ecosystem(
    name=_NAME,
    weigh=weigh,
    detect=detect,
    commands=frozenset({"mvn", "javac"}),
    programs=(("javac", "-version"),),
)
