"""Finds a test of base again on head after files, classes or functions were renamed or moved."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable
from difflib import SequenceMatcher

from bot.values import TestComparison
from sandbox.test_runs.four_runs import is_whole_file, passed
from sandbox.values import ChangeStatus, Diff, TestResult

_DEFINITION = re.compile(r"^[^\S\n]*(async\s+)?def\s+\w+", re.M)
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_TITLE = re.compile(r"(?<!\\)(['\"`])(?:\\.|(?!\1)[^\\])*\1", re.S)
_SHORTEST_BODY = 25  # characters; below, equal bodies say nothing ("pass")
_SAME_SHARE = 0.6  # of the lines of two tests, from which on one was made from the other
_FEWEST_LINES = 3  # that two such tests have in common
_CALL = re.compile(r"\w\([^()\n]{0,200}['\"\d]")
_LONG_LINE = 40  # characters
_MOST_REPLACED, _MOST_LINES = 60, 100  # tests of one side, and lines of one, that are compared


def match(
    base: Iterable[TestResult], head: Iterable[TestResult], diff: Diff
) -> dict[str, TestResult]:
    """Return base id → the same test on head, by the first of these that finds exactly one.

    1. The same id, its file's rename taken into account. 2. The same class, function and
    parameters in another file. 3. The same function and parameters of the same file in another
    class. 4. The same code under another name. 5. The same but for lines of a file that its name has, where
    both sides have as many of these: `test_example[a.py:12-20]` follows its example.
    """
    moved = {
        change.old_path: change.path
        for change in diff.files
        if change.status is ChangeStatus.RENAMED and change.old_path
    }
    left = {result.id: result for result in base if not is_whole_file(result)}
    new = {result.id: result for result in head if not is_whole_file(result)}
    found: dict[str, TestResult] = {}
    keys: tuple[tuple[_Key, _Key], ...] = (
        (lambda r: _renamed(r, moved), lambda r: r.id),
        (_inside_file, _inside_file),
        (
            lambda r: _without_class(r, moved.get(r.path, r.path)),
            lambda r: _without_class(r, r.path),
        ),
        (_body, _body),
        (_by_lines(left.values()), _by_lines(new.values())),
    )
    for base_key, head_key in keys:
        by_key: dict[Hashable, tuple[list[str], list[TestResult]]] = defaultdict(lambda: ([], []))
        for result in left.values():
            by_key[base_key(result)][0].append(result.id)
        for result in new.values():
            by_key[head_key(result)][1].append(result)
        for key, (bases, heads) in by_key.items():
            if key is not None and len(bases) == len(heads) == 1:
                found[bases[0]] = heads[0]
                del left[bases[0]], new[heads[0].id]
    return found


def in_place(
    base: Iterable[TestResult],
    head: Iterable[TestResult],
    matched: dict[str, TestResult],
    is_broken: Callable[[TestResult], bool],
) -> dict[str, TestResult]:
    """Return base id → the test that took its place under another name, with another expectation.

    Only where base's version breaks on head: for what is deleted and would still pass there is a rule of its
    own. Both stand in one file, and neither has more lines in common with any other test of it; or they make
    the same call with values, which no other test makes.
    """
    base, head = list(base), list(head)
    taken = {result.id for result in matched.values()}
    left = [one for one in base if one.id not in matched and _stands_alone(one)]
    paths = {one.path for one in left if is_broken(one)}
    left = [one for one in left if one.path in paths][:_MOST_REPLACED]
    new = [one for one in head if one.id not in taken and _stands_alone(one) and one.path in paths]
    new = new[:_MOST_REPLACED]
    own = _own_calls(base, paths) & _own_calls(head, paths) if left and new else set()
    near = [(a, b, share) for a in left for b in new if (share := _same_share(a, b, own))]
    found: dict[str, TestResult] = {}
    for one in left:
        if is_broken(one) and (became := _kept_in_several(one, new)):
            found[one.id] = became
    for one, other, share in near:
        rivals = [s for a, b, s in near if (a.id == one.id) != (b.id == other.id)]
        is_closest = one.id not in found and share > max(rivals, default=0.0)
        if is_closest and is_broken(one) and passed(other.outcome):
            found[one.id] = other
    return found


def _kept_in_several(one: TestResult, new: Iterable[TestResult]) -> TestResult | None:
    """Return the new test that a test became, where another one still asserts what it did.

    A test of a default becomes two: one of the new default, and the old one with the value given. Together
    they have all of its lines.
    """
    before = _lines(one)
    among = [other for other in new if other.path == one.path and {*before} & {*_lines(other)}]
    among.sort(key=lambda other: _ratio(before, _lines(other)), reverse=True)
    lines = {line for other in among for line in _lines(other)}
    if len(before) < _FEWEST_LINES or not lines.issuperset(before):
        return None
    keeping = [o for o in among if _lines(o)[-1] == before[-1] and passed(o.outcome)]
    became = [o for o in among if keeping and o.id != keeping[0].id and passed(o.outcome)]
    return became[0] if became else None


def _ratio(before: list[str], after: list[str]) -> float:
    return SequenceMatcher(None, before, after, autojunk=False).ratio()


def _stands_alone(result: TestResult) -> bool:
    return not (result.table or "[" in result.id or is_whole_file(result) or result.is_doctest)


def _own_calls(tests: Iterable[TestResult], paths: Collection[str]) -> set[str]:
    """Return the long lines with a call with values that only one test of some files has."""
    lines = (line for one in tests if one.path in paths for line in {*_lines(one)})
    once = (line for line, count in Counter(lines).items() if count == 1)
    return {line for line in once if len(line) >= _LONG_LINE and _CALL.search(line)}


def _same_share(one: TestResult, other: TestResult, own: Collection[str]) -> float:
    """Return the share of lines that two tests of a file have in common; 0 where it is too small."""
    if one.path != other.path:
        return 0.0
    before, after = _lines(one), _lines(other)
    if {*before} & {*after} & {*own}:
        return 1.0
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    same = sum(block.size for block in matcher.get_matching_blocks())
    return matcher.ratio() if same >= _FEWEST_LINES and matcher.ratio() >= _SAME_SHARE else 0.0


def _lines(result: TestResult) -> list[str]:
    """Return the lines of a test's code that say something, without its name or title."""
    code = _body(result)
    lines = (line.strip() for line in code[0].splitlines()) if code else ()
    return [line for line in lines if re.search(r"\w", line)][:_MOST_LINES]


_Key = Callable[[TestResult], Hashable | None]


def function_of(test: TestResult | TestComparison) -> str:
    """Return the id without parameters or row: they come and go, the function stays."""
    return test.table or test.id.split("[", 1)[0]


_LINES = re.compile(r"(\.\w{1,8}):(\d{1,7})(?:-\d{1,7})?")


def without_lines(test_id: str) -> str:
    """Return the id without the lines of a file that it has."""
    return _LINES.sub(r"\1:", test_id)


def _by_lines(results: Iterable[TestResult]) -> _Key:
    """Return what tells tests apart whose names have lines of a file: their order, of how many."""
    named: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for one in results:
        if found := _LINES.search(one.id):
            named[without_lines(one.id)].append((int(found[2]), one.id))
    keys = {
        test_id: (name, number, len(group))
        for name, group in named.items()
        for number, (_, test_id) in enumerate(sorted(group))
    }
    return lambda result: keys.get(result.id)


def _renamed(result: TestResult, moved: dict[str, str]) -> str:
    path = result.path
    new_path = moved.get(path, path)
    if "::" not in result.id:  # unittest: dotted module names
        return result.id.replace(_dotted(path), _dotted(new_path), 1)
    return result.id.replace(path, new_path, 1) if result.id.startswith(path) else result.id


def _dotted(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _inside_file(result: TestResult) -> str | None:
    return result.id.split("::", 1)[1] if "::" in result.id else None


def _without_class(result: TestResult, path: str) -> tuple[str, str] | None:
    if "::" not in result.id:
        return None
    head, bracket, parameters = result.id.partition("[")
    return path, head.rsplit("::", 1)[-1] + bracket + parameters


def _body(result: TestResult) -> tuple[str, str] | None:
    """Return the code without the function's name or title, with the parameters of the id."""
    if _SCRIPT.search(result.path):
        # The source is a line of titles, then the call that begins with the last of them.
        code = _TITLE.sub("", result.source.partition("\n")[2], count=1).strip()
        return (code, "") if len(code) > _SHORTEST_BODY else None
    body = _DEFINITION.sub("def", result.source, count=1).strip()
    return (body, result.id.partition("[")[2]) if len(body) > _SHORTEST_BODY else None
