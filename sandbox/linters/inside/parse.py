"""Asks parsers whether files can be read: `parse.py data|bash|node` with a JSON list of paths as input.

Runs inside the sandbox with `yaml` mounted. Prints one JSON object a line for each file that does not
parse; exit code 127 when the parser is not there.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

NEVER, IF_IT_PARSED, ALWAYS = "no", "if_it_parsed", "always"
_TIMEOUT_S = 20
_MAX_PROGRAMS = 300  # files for which a program is started
_TEMPLATE = re.compile(r"\{%|\{\{|<%|^[<>=]{7} ?", re.MULTILINE)
_CONFLICT = re.compile(r"^<{7} .*?^={7}$.*?^>{7} ", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])', re.DOTALL)
_TYPED = re.compile(r"</|/>|@flow\b|^\s*(?:import|export) type\b", re.MULTILINE)
_MODULE = re.compile(r"^\s*(?:import\b|export\b)|\bawait\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Unparsable:
    """Where a file stops being one."""

    line: int
    message: str
    breaks: str = ALWAYS


def main() -> int:
    """Look at every named file. Returns the exit code."""
    kind = sys.argv[1]
    if kind != "data" and shutil.which(kind) is None:
        return 127
    paths: list[str] = json.load(sys.stdin)
    look: Callable[[Path], Unparsable | None] = {"data": data, "bash": bash, "node": node}[kind]
    for number, path in enumerate(paths):
        is_over = kind != "data" and number >= _MAX_PROGRAMS
        said = f"Not looked at: more than {_MAX_PROGRAMS} files."
        broken = Unparsable(1, said, NEVER) if is_over else look(Path(path))
        if broken:
            found = {"rule": "syntax", "path": path, "line": broken.line, "breaks": broken.breaks}
            print(json.dumps(found | {"message": broken.message[:500]}))
        if is_over:
            break
    return 0


# --- data -----------------------------------------------------------------------------------


def data(path: Path) -> Unparsable | None:
    """Parse a JSON, YAML or TOML file by its name."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None  # another encoding: nothing that we could tell
    readers = {".json": _json, ".toml": _toml}
    broken = readers.get(path.suffix.lower(), _yaml)(text)
    if broken and _TEMPLATE.search(text) and not _CONFLICT.search(text):
        return Unparsable(broken.line, f"{broken.message} (it looks like a template)", NEVER)
    return broken


def _json(text: str) -> Unparsable | None:
    """Accept what the common readers do: comments, trailing commas, one document a line, nothing."""
    try:
        json.loads(text)
        return None
    except json.JSONDecodeError as error:
        first = error
    except (ValueError, RecursionError):
        return None  # a number that Python does not read is JSON
    lenient = _TRAILING_COMMA.sub(lambda m: m[1] or "", _COMMENT.sub(lambda m: m[1] or " ", text))
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines or _is_json(lenient) or all(map(_is_json, lines)):
        return None
    return Unparsable(first.lineno, f"No JSON: {first.msg}")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return False
    except ValueError:
        return True
    return True


def _toml(text: str) -> Unparsable | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"\(at line (\d+)", str(error))
        return Unparsable(int(at[1]) if at else 1, f"No TOML: {error}")
    except (ValueError, RecursionError):
        return None  # a number that Python does not read is TOML
    return None


def _yaml(text: str) -> Unparsable | None:
    """Scan and parse only: tags and duplicate keys are nobody's syntax error."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        return Unparsable(mark.line + 1 if mark else 1, f"No YAML: {said}")
    except (yaml.YAMLError, RecursionError):
        return None  # characters that YAML 1.1 does not know
    return None


# --- scripts --------------------------------------------------------------------------------


def bash(path: Path) -> Unparsable | None:
    """Let bash read the script without running it; extended patterns are switched on in scripts."""
    said = _refused(["bash", "--norc", "-O", "extglob", "-n", str(path)])
    if said is None:
        return None
    at = re.search(r": line (\d+): (.*)", said)
    line, message = (int(at[1]), at[2]) if at else (1, said.strip())
    template = _TEMPLATE.search(path.read_text(errors="replace"))
    return Unparsable(line, f"bash: {message}", NEVER if template else ALWAYS)


def node(path: Path) -> Unparsable | None:
    """Let node read the file as what it may be: a script or a module."""
    text = path.read_text(errors="replace")
    said = _refused(["node", "--check", str(path)])
    if said is None:
        return None
    if path.suffix == ".js" and _MODULE.search(text):
        with tempfile.NamedTemporaryFile("w", suffix=".mjs", errors="replace") as copy:
            copy.write(text)
            copy.flush()
            said = _refused(["node", "--check", copy.name])
        if said is None:
            return None
    at = re.search(r"^.*:(\d+)$", said, re.MULTILINE)
    told = re.search(r"^\w*Error: .*", said, re.MULTILINE)
    sure = IF_IT_PARSED if path.suffix == ".js" else ALWAYS
    breaks = NEVER if _TYPED.search(text) or _TEMPLATE.search(text) else sure
    return Unparsable(
        int(at[1]) if at else 1, f"node: {told[0] if told else 'no JavaScript'}", breaks
    )


def _refused(argv: list[str]) -> str | None:
    """Return what a parser printed when it refused a file; None when it took it or did not end."""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return None
    said = done.stderr[:20_000].decode(errors="replace")
    return said if done.returncode and "yntax" in said else None


if __name__ == "__main__":
    sys.exit(main())
