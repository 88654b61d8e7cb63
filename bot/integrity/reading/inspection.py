"""What every integrity check looks at, and how it makes a finding."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from bot.diff.kinds import is_shipped_source, is_test_file
from bot.diff.lines import TextReader, hunk_at, is_gone, is_new, old_path
from bot.diff.python_source import Function, named_functions, parse_python
from bot.task.permissions import lets_go, names_subject
from bot.task.ties import test_name
from bot.text.words import Vocabulary, sentences, words_of
from bot.values import FourWay, Requirements, TestChange, TestComparison
from sandbox.values import FAILING, Diff, FileChange, Finding, Outcome, Severity, Side

_TOOLS = re.compile(
    r"(?:^|/)(?:\.[^/]+|scripts?|tools?|dev|bench(?:marks?)?|tasks?|examples?|jakelib|build|ci)/"
    r"|^[^/]*(?:file|\.config)\.[cm]?[jt]s$|(?:^|[/.])bench(?:mark)?s?\.[cm]?[jt]s$|^(?:setup|noxfile|tasks|fabfile)\.py$|\.d\.[cm]?ts$"
)
_REMOVING = re.compile(
    r"(?i)\b(?:remov\w*|drop\w*|delet\w*|deprecat\w*|obsolete|get rid of|no longer|retire\w*|"
    r"consolidat\w*|merge\w*|parametri[sz]\w*|dedup\w*)\b"
)
_TEST = re.compile(r"(?i)\b(?:tests?|test_\w+)\b")
_MOST_KEPT = 1_000_000  # characters of source whose trees are kept


@dataclass(frozen=True, slots=True)
class Trees:
    """Python's syntax trees by their texts: checks that read the same file share them and change none."""

    _kept: dict[str, ast.Module | None] = field(default_factory=dict)

    def of(self, text: str | None) -> ast.Module | None:
        """Return a text's tree, parsed once; None where there is no text, or none that can be parsed."""
        if text is None:
            return None
        if text not in self._kept:
            left = _MOST_KEPT - len(text)
            if sum(map(len, self._kept)) > left:
                self._kept.clear()
            if left < 0:
                return parse_python(text)
            self._kept[text] = parse_python(text)
        return self._kept[text]

    def nodes(self, text: str | None) -> Iterator[ast.AST]:
        """Walk a text's tree; nothing where it has none."""
        tree = self.of(text)
        return ast.walk(tree) if tree else iter(())

    def functions(self, text: str | None) -> list[tuple[str, Function]]:
        """Return a text's functions and methods by their names; none where it has no tree."""
        tree = self.of(text)
        return list(named_functions(tree.body)) if tree else []


@dataclass(frozen=True)
class Inspection:
    """One change with both sides' files, what its tests did and what was asked."""

    diff: Diff
    base: TextReader
    head: TextReader
    four_way: FourWay
    requirements: Requirements
    trees: Trees = field(default_factory=Trees)

    def before(self, change: FileChange) -> str | None:
        """A changed file's text on base; None when it is new there, or no text."""
        return None if is_new(change) else self.base.read(old_path(change))

    def after(self, change: FileChange) -> str | None:
        """A changed file's text on head; None when it is gone, or no text."""
        return None if is_gone(change) else self.head.read(change.path)

    def left(self, suffixes: tuple[str, ...] = ("",)) -> list[FileChange]:
        """The changed files with these endings that head has."""
        return [o for o in self.diff.files if o.path.endswith(suffixes) and not is_gone(o)]

    def shipped(self, suffixes: tuple[str, ...] = ("",)) -> list[FileChange]:
        """Those of them that users of the project get."""
        return [one for one in self.left(suffixes) if ships(one.path)]

    def telling_tests(self) -> list[str]:
        """The files of tests that the change edits, or in which it makes a test pass, by path."""
        edited = {one.path for one in self.left() if is_test_file(one.path)}
        return sorted(edited | {test.path for test in self.turned_green})

    # --- what the four ways say of a test: does its base version still hold on head?

    @property
    def tests(self) -> tuple[TestComparison, ...]:
        """The tests four ways."""
        return self.four_way.comparisons

    @property
    def is_conclusive(self) -> bool:
        """Whether that some test is not there says something."""
        return bool(self.tests) and not self.four_way.problem

    @cached_property
    def spoken_for(self) -> frozenset[str]:
        """The tests of which other evidence says why they changed.

        They only grew by what the task names, a revert takes them back, or what base's version loads is gone.
        """
        found = self.four_way
        return frozenset((*(one.id for one in found.grown), *found.taken_back, *found.bereft))

    @cached_property
    def removals(self) -> tuple[str, ...]:
        """The demands that speak of removing, and what stands round one where it speaks of tests."""
        asked = self.requirements.beside_baseline
        said = [line for r in asked for line in sentences(r.detail) if _TEST.search(line)]
        texts = (*(r.text for r in asked), *dict.fromkeys(said))
        return tuple(filter(_REMOVING.search, texts))

    def base_version_fails(self, path: str, name: str) -> bool:
        """Whether a test that passed on base fails on head, and the edit only made it weaker.

        An edited test that fails on base's code demands something new: that is a changed expectation,
        for the gate to weigh.
        """
        return any(
            t.base_on_base is Outcome.PASSED
            and t.base_on_head in FAILING
            and t.head_on_base not in FAILING
            and not t.runner_of_base
            and t.id not in self.spoken_for
            for t in self._named(path, name)
        )

    def runs_on_head(self, path: str, name: str) -> bool:
        """Whether a test was seen to run and pass on head, whatever in it may skip it elsewhere."""
        named = self._named(path, name) if self.is_conclusive else []
        return bool(named) and all(t.head_on_head is Outcome.PASSED for t in named)

    def deletion_blocks(self, path: str, name: str) -> bool:
        """Whether deleting a test hides a failure, or leaves fewer tests without being asked for."""
        if self.base_version_fails(path, name):
            # not where each one that fails went with its code, or a demand speaks of its subject
            failing = (t for t in self._named(path, name) if t.base_on_head in FAILING)
            return not all(
                any(one.id == test.id for one in self.four_way.retired)
                or any(names_subject(r, test) for r in self.requirements.items)
                or any(lets_go(one, test) for one in self.requirements.permitted)
                for test in failing
            )
        is_spoken_for = all(t.id in self.spoken_for for t in self._named(path, name))
        if not self.collects_fewer or (self.spoken_for and is_spoken_for):
            return False
        test = Vocabulary(words_of(f"{name} {path}"))
        asked = (word for one in self.removals for word in words_of(_REMOVING.sub(" ", one)))
        return not any(map(test.knows, asked))

    @property
    def turned_green(self) -> tuple[TestComparison, ...]:
        """Tests that the change makes pass."""
        return tuple(t for t in self.tests if t.change is TestChange.FAIL_TO_PASS)

    @property
    def collects_fewer(self) -> bool:
        """Whether fewer tests are collected on head than on base."""
        if not self.is_conclusive:
            return False
        on_base = sum(t.base_on_base is not None for t in self.tests)
        on_head = sum(t.head_on_head is not None for t in self.tests)
        return on_head < on_base

    @property
    def fewer_unasked(self) -> bool:
        """Whether fewer tests are collected and no requirement speaks of removing anything."""
        return self.collects_fewer and not self.removals

    def _named(self, path: str, name: str) -> list[TestComparison]:
        bare = test_name(name)
        return [
            t
            for t in self.tests
            if (t.path == path or t.id.split("::", 1)[0] == path)
            and (test_name(t.id) == bare or t.id.endswith(name))
        ]


Check = Callable[[Inspection], Iterator[Finding]]


def ships(path: str) -> bool:
    """Whether a path is source that users of the project get."""
    # tools are what only its developers run
    return is_shipped_source(path) and _TOOLS.search(path) is None


def words_of_task(inspection: Inspection) -> str:
    """All that is said by those who may ask; the author's words where nobody else asks."""
    wanted = inspection.requirements
    asked = (one.with_detail for one in wanted.beside_baseline if one.trust.is_asked)
    return "\n".join((*wanted.said, *asked))


def make_finding(
    rule: str, change: FileChange, line: int, message: str, side: Side = Side.HEAD
) -> Finding:
    """An advising finding with the hunk that its line stands in."""
    path = old_path(change) if side is Side.BASE else change.path
    return Finding(
        rule=rule,
        severity=Severity.ADVISE,
        path=path,
        line=line,
        message=message,
        side=side,
        hunk=hunk_at(change, line, side),
        tool="integrity",
    )
