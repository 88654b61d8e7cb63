"""What a linter says of head and did not say of base, and what of it blocks.

Two remarks are the same when rule, message and the text of their line are, wherever the line moved
and whatever the file is called now.

**A file that parses no more blocks** (an exit code is an oracle): a parser refuses head's
version while base's version, if there is one, was taken. It does not block where a broken file may be
meant: in folders of fixtures, samples and templates, in a test's data, and in files whose names say so.
Of a test's data whose name says that it is broken, that it does not parse is no finding at all.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sandbox.linters.base import Breaks, LinterRemark
from sandbox.linters.run import Linted
from sandbox.repository.names import inside
from sandbox.test_runs.path_kinds import PathKind, classify
from sandbox.values import ChangeStatus, Checkout, Finding, Observation, Replacement, Severity, Side

_NUMBERS = re.compile(r"\d+")
_MEANT_FOLDER = re.compile(
    r"(?:^|[_.-])(?:fixtures?|test-?_?(?:data|files?|inputs?)|golden|snapshots?|corpus|samples?"
    r"|templates?|skeletons?|scaffolds?|cookiecutters?|third_?party|vendor|external|broken|invalid"
    r"|malformed)(?:$|[_.-])|\{\{|\{%|<%"
)
_MEANT_NAME = re.compile(
    r"bad|broken|invalid|malformed|corrupt|incomplete|truncated|syntax_?-?error|unparsable|templates?[._-]"
)
_SAID_TO_BE_BROKEN = re.compile(
    r"(?:^|[/_.-])(?:bad|broken|invalid|malformed|corrupt(?:ed)?|incomplete|truncated|syntax_?-?error"
    r"|unparsable)(?:$|[/_.-])"
)
_TEST_FOLDERS = {"tests", "test", "__tests__", "testing", "spec", "specs", "e2e"}
_TEST_NAME = re.compile(r"(?:^|[._-])(?:test|tests|spec|conftest)(?:[._-]|$)|^Test|Tests?\.java$")
_MAX_LINE_FILE_BYTES = 8_000_000


@dataclass(frozen=True, slots=True)
class New:
    """A finding that is new on head, and its linter's own fix, where there is one."""

    finding: Finding
    replacement: Replacement | None = None


def new_on_head(base: Linted | None, head: Linted, checkout: Checkout) -> tuple[New, ...]:
    """Return what is new; nothing where one side's silence or speech proves nothing."""
    if head.problem or (base is not None and base.problem):
        return ()
    files = checkout.diff.files
    # By their names on base, and the files that only head has.
    renamed = {o.old_path: o.path for o in files if o.status is ChangeStatus.RENAMED and o.old_path}
    added_files = {one.path for one in files if one.status is ChangeStatus.ADDED}
    of_base = base.remarks if base else ()
    known = Counter(_keys(of_base, Path(checkout.base_tree), renamed))
    broken_before = {renamed.get(r.path, r.path) for r in of_base if r.breaks is not Breaks.NO}
    added = checkout.diff.added_lines()
    keys = _keys(head.remarks, Path(checkout.head_tree), {})
    keyed = zip(head.remarks, keys, strict=True)
    new = []
    # Untouched lines first: when one of two equal remarks is new, it is the one on an added line.
    for remark, key in sorted(keyed, key=lambda pair: pair[0].line in added.get(pair[0].path, ())):
        if known[key] > 0:
            known[key] -= 1
            continue
        path = remark.path.lower()
        # A file below a folder of tests, and no test itself, that is called broken is no news.
        is_material = not _TEST_FOLDERS.isdisjoint(path.split("/")[:-1])
        is_material = is_material and classify(remark.path) is not PathKind.TEST
        if remark.breaks is not Breaks.NO and is_material and _SAID_TO_BE_BROKEN.search(path):
            continue
        is_sure = remark.breaks is Breaks.ALWAYS or remark.path not in added_files
        may_block = remark.breaks is not Breaks.NO and not may_be_meant(remark.path)
        blocks = may_block and is_sure and remark.path not in broken_before
        new.append(New(finding(head.linter, remark, blocks=blocks), remark.replacement))
    return tuple(new)


def order_of(one: Finding, added: dict[str, set[int]]) -> tuple[bool, bool, str, int, str]:
    """Sort what blocks first, then what stands on changed lines, then by place."""
    on_changed = one.line in added.get(one.path, ())
    return (one.severity is not Severity.BLOCK, not on_changed, one.path, one.line, one.rule)


def finding(
    linter: str, remark: LinterRemark, *, blocks: bool = False, side: Side = Side.HEAD
) -> Finding:
    """Make a remark a finding."""
    return Finding(
        rule=remark.rule,
        severity=Severity.BLOCK if blocks else Severity.ADVISE,
        path=remark.path,
        line=remark.line,
        message=remark.message,
        end_line=remark.end_line,
        side=side,
        tool=linter,
    )


def may_be_meant(path: str) -> bool:
    """Say whether a file that does not parse may be one on purpose, by its name."""
    *folders, name = path.split("/")
    if any(_MEANT_FOLDER.search(folder.lower()) for folder in folders):
        return True
    if _MEANT_NAME.search(name.lower()):
        return True
    in_tests = any(folder.lower() in _TEST_FOLDERS for folder in folders)
    is_test = classify(path) is PathKind.TEST or _TEST_NAME.search(name) is not None
    return in_tests and not is_test


# --- the same remark ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Key:
    """What makes two remarks the same one, wherever the line moved; numbers in a message move too."""

    rule: str
    message: str
    path: str
    text: str


def _keys(remarks: tuple[LinterRemark, ...], tree: Path, renamed: dict[str, str]) -> list[_Key]:
    texts: dict[str, list[str]] = {}
    for path in {remark.path for remark in remarks}:
        file, texts[path] = inside(tree, path), []
        if not file.is_symlink() and file.is_file():
            with file.open("rb") as opened:
                text = opened.read(_MAX_LINE_FILE_BYTES).decode(errors="replace")
            texts[path] = text.split("\n")
    keys = []
    for remark in remarks:
        lines, number = texts[remark.path], remark.line
        line = " ".join(lines[number - 1].split()) if 0 < number <= len(lines) else ""
        message, path = _NUMBERS.sub("0", remark.message), renamed.get(remark.path, remark.path)
        keys.append(_Key(remark.rule, message, path, line))
    return keys


# --- what all linters of one side showed, as one observation that a person can read ---------------


_SHOWN_OF_ONE = 40
_MAX_OUTPUT = 16_000


def observation(
    side: Side, ran: tuple[Linted, ...], new: tuple[Finding, ...] | None = None
) -> Observation:
    """Tell linter by linter what was found; of head also how much of it is `new`.

    The exit code is 1 when a file does not parse that should. `problem` is set only when no linter
    could look; one that is missing or refused is told of in the output.
    """
    looked = [one for one in ran if not one.problem]
    problem = "" if looked or not ran else "; ".join(one.problem for one in ran)[:1000]
    news = Counter(one.tool for one in new or ())
    blocks = [one for one in new or () if one.severity is Severity.BLOCK]
    told = [_told(one, news[one.linter] if new is not None else None) for one in ran]
    is_broken = any(
        remark.breaks is Breaks.ALWAYS and not may_be_meant(remark.path)
        for one in looked
        for remark in one.remarks
    )
    fresh = []
    for one in (new or ())[:_SHOWN_OF_ONE]:
        weight = "refused: " if one.severity is Severity.BLOCK else ""
        fresh.append(f"  {one.path}:{one.line}: {weight}{one.tool} {one.rule} {one.message}")
    output = "\n".join([*told, *(["", "New on head:", *fresh] if fresh else [])])
    if new and len(new) > _SHOWN_OF_ONE:
        output += f"\n  … and {len(new) - _SHOWN_OF_ONE:,} more new ones"
    return Observation(
        side=side,
        command="\n".join(one.command for one in ran if one.command and not one.missing),
        exit_code=1 if blocks or is_broken else 0,
        output=(output or "No file to look at.")[:_MAX_OUTPUT],
        seconds=sum(one.seconds for one in ran),
        truncated=len(output) > _MAX_OUTPUT,
        findings=tuple(finding(o.linter, r, side=side) for o in looked for r in o.remarks),
        problem=problem,
    )


def _told(one: Linted, new: int | None) -> str:
    note = f" ({one.note})" if one.note else ""
    if one.problem:
        return one.problem + note
    counted = (
        f"{one.linter}: {_counted(one.files, 'file')}, {_counted(len(one.remarks), 'finding')}"
    )
    if new is not None:
        counted += f", {new} of them new on head"
    if new is not None or not one.remarks:
        return counted + note
    lines = [f"  {r.path}:{r.line}: {r.rule} {r.message}" for r in one.remarks[:_SHOWN_OF_ONE]]
    if len(one.remarks) > _SHOWN_OF_ONE:
        lines.append(f"  … and {len(one.remarks) - _SHOWN_OF_ONE:,} more")
    return "\n".join([counted + note, *lines])


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
