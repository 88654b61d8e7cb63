"""Shell scripts: shellcheck's remarks, and bash's own word on whether they parse."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.linters.base import Edit, LintedFile, Linter, LinterOutput, LinterRemark, Position
from sandbox.linters.programs import program
from sandbox.linters.reading import parsed, tree_path
from sandbox.linters.syntax import parse_calls, read_parsed

_SHEBANG = re.compile(r"#!\s{0,9}\S{0,200}?(?:/|\benv\s{1,9}(?:-S\s{1,9})?)(?:ba|da|k)?sh\b")
_OF_BASH = re.compile(r"#!\s{0,9}\S{0,200}?(?:/|\benv\s{1,9}(?:-S\s{1,9})?)(?:ba|da)?sh\b")


def _is_script(source: LintedFile, shebang: re.Pattern[str]) -> bool:
    if source.first_line.startswith("#!"):
        return shebang.match(source.first_line) is not None
    return source.name.endswith((".sh", ".bash"))


def _read(said: LinterOutput) -> Iterator[LinterRemark]:
    for item in parsed(said.out)["comments"]:
        yield LinterRemark(
            rule=f"SC{item['code'].text}",
            path=tree_path(item["file"].text),
            line=item["line"].number,
            message=item["message"].text,
            end_line=item["endLine"].number,
            edits=tuple(
                Edit(
                    Position(one["line"].number, one["column"].number),
                    Position(one["endLine"].number, one["endColumn"].number),
                    one["replacement"].text,
                )
                for one in item["fix"]["replacements"]
            ),
        )


SHELLCHECK = Linter(
    name="shellcheck",
    program="shellcheck",
    install="apt-get install shellcheck",
    takes=lambda source: _is_script(source, _SHEBANG),
    calls=lambda job: (program("shellcheck", "--format=json1", "--color=never", "--", *job.paths),),
    read=_read,
    configuration=(".shellcheckrc", "shellcheckrc"),
)
BASH = Linter(
    name="bash -n",
    program="bash",
    install="apt-get install bash",
    takes=lambda source: _is_script(source, _OF_BASH),
    calls=lambda job: parse_calls("bash", job),
    read=read_parsed,
    ends_with=frozenset({0}),
)
