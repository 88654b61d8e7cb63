"""Loads YAML that is no more than text, numbers, lists and mappings: untrusted files are read so.

No aliases (a few lines of them can mean gigabytes), no duplicate keys, no depth, no objects.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import yaml

MAX_DEPTH = 12


class PlainYamlError(ValueError):
    """Says in a clause what is wrong; `line` counts from 1 and is 0 where none can be named."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {problem}" if line else problem)
        self.problem = problem
        self.line = line


@dataclass(frozen=True, slots=True)
class PlainYaml:
    """One document: its data, and the lines where its parts stand."""

    data: object
    root: yaml.Node | None

    def line(self, path: tuple[int | str, ...]) -> int:
        """The line of a key or list item, else of the innermost part of `path` that there is."""
        node, line = self.root, 1
        for part in path:
            found: tuple[yaml.Node, yaml.Node] | None = None
            if isinstance(node, yaml.MappingNode):
                pairs = ((key, value) for key, value in node.value if key.value == part)
                found = next(pairs, None)
            elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
                found = (node.value[part],) * 2 if part < len(node.value) else None
            if found is None:
                break
            line, node = found[0].start_mark.line + 1, found[1]
        return line


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases, duplicate keys or depth: what a configuration needs and no more."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.MarkedYAMLError(
                problem="aliases (*name) are not allowed", problem_mark=_mark(self)
            )
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="it is nested too deeply", problem_mark=_mark(self))
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(problem="a key is not text", problem_mark=key.start_mark)
            if key.value in seen:
                raise yaml.MarkedYAMLError(
                    problem=f"the key {shown_key(key.value)} appears twice",
                    problem_mark=key.start_mark,
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _mark(loader: _PlainLoader) -> Any:
    return loader.peek_event().start_mark  # type: ignore[no-untyped-call]


def load_plain_yaml(text: str) -> object:
    """Parse one document. Raises PlainYamlError, which may name a key and never a value."""
    return read_plain_yaml(text).data


def read_plain_yaml(text: str) -> PlainYaml:
    """Parse one document and keep where its parts stand. Raises PlainYamlError as above."""
    try:
        loader = _PlainLoader(text)
        root = loader.get_single_node()
        data = loader.construct_document(root) if root is not None else None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = _without_values(error.problem or "it is not valid YAML")
        raise PlainYamlError(problem, mark.line + 1 if mark else 0) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise PlainYamlError("it has a character that YAML does not allow", line) from None
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        raise PlainYamlError("it is not plain YAML text") from None
    return PlainYaml(data, root)


def _without_values(problem: str) -> str:
    """PyYAML's own messages may quote the text; ours quote keys only."""
    ours = ("aliases", "it is nested", "a key is not", "the key ")
    if problem.startswith(ours):
        return problem
    if "'\\t'" in problem:
        return "a tab stands where YAML wants spaces"
    shown = re.sub(r"'[^']*'|\"[^\"]*\"|<[^<>]*>", "…", problem)
    return "it is not valid YAML" if shown.count("…") > 1 else f"it is not valid YAML ({shown})"


def shown_key(key: str) -> str:
    """A key as it may be repeated: printable, short, and not shaped like a token."""
    token = re.search(r"(?i)(gh[a-z]_|github_pat_|sk-|akia|xox|eyj)", key) or (
        re.search(r"[0-9]", key) and re.fullmatch(r"[A-Za-z0-9+/=_-]{20,}", key)
    )
    if token:
        return "(a key that looks like a secret)"
    return "".join(c if c.isprintable() and c != "`" else "?" for c in key[:60])
