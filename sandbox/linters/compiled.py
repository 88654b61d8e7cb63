"""Go, Rust and Java: gofmt, go vet, clippy and javac, without a word on dependencies that are not here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from sandbox.base import Limits
from sandbox.linters.base import (
    Breaks,
    Edit,
    Linter,
    LinterCall,
    LinterOutput,
    LinterRemark,
    LintJob,
    Position,
    UnreadableOutput,
    ends,
)
from sandbox.linters.programs import plain
from sandbox.linters.reading import Node, json_lines, layout, parsed, text_lines, tree_path

_BUILDING = Limits(timeout_s=300.0, memory_mb=4096, processes=256, output_bytes=16_000_000)
_OFFLINE = (
    ("GOPROXY", "off"),
    ("GOSUMDB", "off"),
    ("GOTOOLCHAIN", "local"),
    ("GOCACHE", "/tmp/go-build"),  # noqa: S108  the sandbox's own
)


def _folder_of(job: LintJob, name: str) -> dict[str, set[str]]:
    """Return the nearest folder with such a file for every source: {module: {folders inside it}}."""
    found: dict[str, set[str]] = {}
    for source in job.sources:
        for folder in PurePosixPath(source.path).parents:
            if (job.tree / folder / name).is_file():
                inner = PurePosixPath(source.path).parent.relative_to(folder)
                found.setdefault(folder.as_posix(), set()).add(f"./{inner.as_posix()}")
                break
    return found


# --- Go -------------------------------------------------------------------------------------


def _read_vet(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read one object a package, with comments (`# package`) between them, on either stream."""
    text = said.err.decode(errors="replace") + "\n" + said.out.decode(errors="replace")
    for block in re.findall(r"^\{$(?:(?!^\{$).)*?^\}$", text, re.MULTILINE | re.DOTALL):
        for _, checks in parsed(block.encode()).members():
            for check, items in checks.members():
                for item in items:
                    path, line, _ = (*item["posn"].text.rsplit(":", 2), "", "")[:3]
                    number = int(line) if line.isdecimal() and len(line) < 10 else 0
                    yield LinterRemark(
                        check, tree_path(path, said.folder), number, item["message"].text
                    )


# --- Rust -----------------------------------------------------------------------------------


def _clippy(job: LintJob) -> tuple[LinterCall, ...]:
    options = ("--offline", "--quiet", "--all-targets", "--message-format=json")
    variables = (("CARGO_TARGET_DIR", "/tmp/target"),)  # noqa: S108
    return tuple(
        plain("cargo", "clippy", *options, variables=variables, folder=folder)
        for folder in sorted(_folder_of(job, "Cargo.toml"))
    )


def _read_clippy(said: LinterOutput) -> Iterator[LinterRemark]:
    """Read cargo's messages. Its failure without one is no finding: a dependency is not here."""
    if said.exit_code and b'"compiler-message"' not in said.out:
        raise UnreadableOutput("cargo could not build")
    for item in json_lines(said.out):
        message = item["message"]
        for span in message["spans"]:
            if span["is_primary"].is_true:
                yield LinterRemark(
                    rule=message["code"]["code"].text or message["level"].text,
                    path=tree_path(span["file_name"].text, said.folder),
                    line=span["line_start"].number,
                    message=message["message"].text,
                    end_line=span["line_end"].number,
                    edits=tuple(_applicable(message)),
                )
                break


def _applicable(message: Node) -> Iterator[Edit]:
    """What `cargo clippy --fix` would do: the one help whose every part is said to be applicable."""
    helps = [list(child["spans"]) for child in message["children"]]
    helps = [spans for spans in helps if any(one["suggested_replacement"].is_text for one in spans)]
    if len(helps) != 1 or len({span["file_name"].text for span in helps[0]}) != 1:
        return
    if any(one["suggestion_applicability"].text != "MachineApplicable" for one in helps[0]):
        return
    for one in helps[0]:
        yield Edit(
            Position(one["line_start"].number, one["column_start"].number),
            Position(one["line_end"].number, one["column_end"].number),
            one["suggested_replacement"].text,
        )


# --- Java -----------------------------------------------------------------------------------

_PARSE_ERROR = re.compile(
    r"error: (?:.*\bexpected\b|illegal (?:start|character|text block|escape)|reached end of file"
    r"|not a statement|unclosed |'.*' without '.*'|orphaned |malformed |empty character)"
)
_WARNING = re.compile(r"warning: \[(?P<rule>[\w-]+)\] (?P<message>.*)")


def _javac(job: LintJob) -> tuple[LinterCall, ...]:
    options = ("-Xlint:all,-processing,-options,-path", "-proc:none", "-implicit:none")
    # Where packages may begin: after the last `java` folder, else the file's own folder.
    roots = set()
    for source in job.sources:
        parts = PurePosixPath(source.path).parts[:-1]
        depth = len(parts) - parts[::-1].index("java") if "java" in parts else len(parts)
        roots.add("/".join(parts[:depth]) or ".")
    path = ":".join(sorted(roots)) or "."
    limits = ("-Xmaxerrs", "2000", "-Xmaxwarns", "2000", "-encoding", "UTF-8", "-d", "/tmp")  # noqa: S108
    return (plain("javac", *options, *limits, "-sourcepath", path, *job.paths),)


def _read_javac(said: LinterOutput) -> Iterator[LinterRemark]:
    """Take parse errors and lint; other errors speak of libraries that need not be here."""
    for path, line, rest in text_lines(said.err):
        if warning := _WARNING.fullmatch(rest):
            yield LinterRemark(warning["rule"], path, line, warning["message"])
        elif _PARSE_ERROR.match(rest):
            yield LinterRemark("syntax", path, line, f"javac: {rest}", breaks=Breaks.ALWAYS)


GOFMT = Linter(
    name="gofmt",
    program="gofmt",
    install="apt-get install golang-go",
    takes=ends(".go"),
    calls=lambda job: (plain("gofmt", "-e", "-l", *job.paths),),
    read=lambda said: (
        LinterRemark("syntax", path, line, f"gofmt: {rest}", breaks=Breaks.ALWAYS)
        for path, line, rest in text_lines(said.err)
    ),
    ends_with=frozenset({0, 2}),
)
GOFMT_DIFF = Linter(
    name="gofmt -d",
    program="gofmt",
    install="apt-get install golang-go",
    takes=ends(".go"),
    calls=lambda job: (plain("gofmt", "-d", *job.paths),),
    read=layout("gofmt"),
)
GO_VET = Linter(
    name="go vet",
    program="go",
    install="apt-get install golang-go",
    takes=ends(".go"),
    calls=lambda job: tuple(
        plain("go", "vet", "-json", *sorted(inner), variables=_OFFLINE, folder=folder)
        for folder, inner in sorted(_folder_of(job, "go.mod").items())
    ),
    read=_read_vet,
    ends_with=frozenset({0}),
    limits=_BUILDING,
    writes=True,  # go.sum, Cargo.lock
)
CLIPPY = Linter(
    name="clippy",
    program="cargo-clippy",
    install="apt-get install cargo rust-clippy",
    takes=ends(".rs"),
    calls=_clippy,
    read=_read_clippy,
    configuration=("clippy.toml", ".clippy.toml"),
    ends_with=frozenset({0, 101}),
    limits=_BUILDING,
    writes=True,  # go.sum, Cargo.lock
)
JAVAC = Linter(
    name="javac",
    program="javac",
    install="apt-get install default-jdk-headless",
    takes=ends(".java"),
    calls=_javac,
    read=_read_javac,
)
