"""Every public function that takes nothing but text reads the worst of texts in linear time.

The functions are found, not listed: whoever adds one has it tried. What is measured is the processor's
time; what a function says of such a text is its own tests' business, also when it refuses it.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

from tests.bounds.patterns import ROOT, TooSlow, at_most, modules

_LIMIT_S = 8.0  # of processor time; what is quadratic takes minutes
"""For TEXTS. A quadratic loop takes minutes."""
_LONG = 200_000
_TEXT = {str, str | None}
_MANY = {tuple[str, ...], list[str], Iterable[str], Sequence[str], set[str], frozenset[str]}
# Ask this machine or the network, or keep what they are given.
_OUTSIDE = (
    "bot.apart",
    "bot.commands",
    "bot.github.transport",
    "bot.judges.web_access",
    "bot.store",
    "bot.templates",
    "sandbox.docker",
    "sandbox.bubblewrap.kernel",
    "sandbox.bubblewrap.launch",
    "sandbox.repository.git",
    "sandbox.bubblewrap.process",
)
TEXTS = {
    "one word": "a" * _LONG,
    "digits": "1" * _LONG,
    "spaces": " " * _LONG + "x",
    "empty lines": "\n" * _LONG + "x",
    "open brackets": "(" * _LONG,
    "brackets of all kinds": "({[<" * (_LONG // 4),
    "backticks": "`" * _LONG,
    "escaped quotes": "\\\"\\'\\`" * (_LONG // 6),
    "quotes": "\"'" * (_LONG // 2),
    "slashes": "/" * _LONG,
    "dots": "a." * (_LONG // 2),
    "underscores": "a_" * (_LONG // 2),
    "hashes": "# " * (_LONG // 2),
    "comments": "<!-- /* // " * (_LONG // 11),
    "short lines": "a\n" * (_LONG // 2),
    "list items": "- [ ] must `a` be b\n" * (_LONG // 20),
    "headings": "# A\n" * (_LONG // 4),
    "fences": "```\n" * (_LONG // 4),
    "calls": "assert f(1) == 2\n" * (_LONG // 17),
    "colons": "a: " * (_LONG // 3),
    "surrogates": "\udcff\u202e" * (_LONG // 2),
}

_Remembering = type(functools.cache(len))


def _readers() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    for path in modules():
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if name.startswith(_OUTSIDE) or "inside" in name or name.endswith("__main__"):
            continue
        module = importlib.import_module(name)
        for title, found in vars(module).items():
            # What is remembered would be read in no time.
            function = found.__wrapped__ if type(found) is _Remembering else found
            is_own = inspect.isfunction(function) and function.__module__ == name
            if is_own and not title.startswith("_") and not inspect.iscoroutinefunction(function):
                wanted = _wanted(inspect.unwrap(function))
                if wanted:
                    yield f"{name}.{title}", function, wanted


def _wanted(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters to give; empty where one of them is no text."""
    try:
        kinds = typing.get_type_hints(function)
    except NameError:
        return {}
    needed = {
        name: kinds.get(name)
        for name, one in inspect.signature(function).parameters.items()
        if one.default is inspect.Parameter.empty or kinds.get(name) in (str, bytes)
    }
    known = all(kind in (*_TEXT, bytes) or kind in _MANY for kind in needed.values())
    return needed if known else {}


def _given(kind: Any, text: str) -> Any:
    if kind is bytes:
        return text.encode(errors="surrogatepass")
    if kind in _MANY:
        words = text.split("\n")[:2_000] if "\n" in text else [text]
        return tuple(words)
    return text


READERS = list(_readers())
pytestmark = pytest.mark.slow


def test_there_is_something_to_try() -> None:
    assert len(READERS) > 60
    assert "bot.text.markdown" in {name.rpartition(".")[0] for name, _, _ in READERS}


@pytest.mark.parametrize("title", TEXTS)
def test_text_is_read_in_linear_time(title: str) -> None:
    slow = []
    for name, function, wanted in READERS:
        given = {one: _given(kind, TEXTS[title]) for one, kind in wanted.items()}
        try:
            with at_most(_LIMIT_S):
                result = function(**given)
                if inspect.isgenerator(result):
                    list(result)
        except TooSlow:
            slow.append(name)
        except Exception:  # noqa: S112 - a refusal is an answer
            continue
    assert slow == []
