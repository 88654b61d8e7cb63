"""Sees which functions and methods of the tree are called with values that can be made again.

A method's object counts as one more argument: its attributes have to be such values too, or a test made it
of such values and calls it for the first time.

It looks on by `sys.setprofile`: no function is wrapped, so that nothing on the stack is another.
"""

from __future__ import annotations

import contextlib
import opcode
import sys
import threading
import weakref
from collections import Counter
from types import CodeType, FrameType
from typing import Any, NamedTuple

from sandbox.elsewhere.inside.calls import (
    MOST_CALLS,
    attribute,
    chain,
    is_of_test,
    method,
    returned,
    returned_by,
)
from sandbox.elsewhere.inside.frames import (
    OF_A_CLASS,
    OF_THE_CLASS,
    begins,
    bound,
    called_with,
    class_of,
    owner_of,
    place_of,
)
from sandbox.elsewhere.inside.objects import MADE, hidden_files, plain_kind
from sandbox.elsewhere.inside.stand_ins import StandIns
from sandbox.elsewhere.inside.stubs import Stubs
from sandbox.elsewhere.inside.values import Given, literal, read, state_of

_MOST_SEEN = 20_000
_MOST_OF_OTHERS = 12
"""So many calls of one function are read."""
_MOST_MADE = 500
_LATER = {0x20: "generator", 0x80: "coroutine", 0x200: "async_generator"}
"""By their flags: functions whose body runs when somebody asks for what it gives."""
_RUNS_LATER = sum(_LATER)
_HIGHEST = 60
_TRIES = 3
_SET = sys.setprofile
_MOCK = "unittest/mock.py"


class _Open(NamedTuple):
    """A call that has not ended: its key, its object and the state of that, what it may change."""

    key: tuple[str, ...]
    owner: object
    before: str
    given: Given


class CallRecorder:
    """The calls of one process. `tests` are paths of the tree: calls of what they hold do not count.

    `wanted` are the ids of the tests whose calls do; of others a few count, of functions that are `touched`.
    """

    def __init__(self, tree: str, tests: list[str], wanted: list[str], touched: list[str]) -> None:
        self._tree = tree + "/"
        self._wanted = wanted
        self._touched = frozenset(touched)
        self._of_others: set[tuple[str, ...]] = set()
        self._is_wanted: dict[str, bool] = {}
        self._tests = {self._tree + path for path in tests}
        hidden_files.update(self._tests)
        self._others: set[str] = set()  # files of what does not count
        self._helpers: dict[CodeType, bool] = {}  # whether it is a method of test cases
        self._known: dict[CodeType, tuple[str, int] | None] = {}
        self._tries: dict[CodeType, int] = {}
        self._open: dict[FrameType, _Open] = {}
        self._made: dict[int, tuple[weakref.ref[object], str]] = {}
        """By their ids: the objects that tests made and have not called yet, with what of."""
        self._seen: dict[CodeType, int] = {}
        self.calls: dict[tuple[str, ...], dict[str, Any]] = {}
        self.unread: set[tuple[str, str]] = set()
        """The tests that themselves make a call which could not be read."""
        self.blinded: set[tuple[str, str]] = set()
        """The tests in which something took the recorder away."""
        self._is_gone = False
        self.stubs = Stubs()
        self.stand_ins = StandIns(self._tree, self._tests)
        self._home = threading.get_ident()
        self._now: tuple[str, str] | None = None
        """The test that runs: in another thread its function is not on the stack."""

    def start(self) -> None:
        """Look on from now, in every thread that is started later too."""
        self.stand_ins.watch()
        threading.setprofile(self._saw)
        sys.setprofile(self._saw)
        self._is_gone = False

    def begun(self, path: str, test: str) -> None:
        """Note which test begins."""
        if path.startswith(self._tree):
            self._now = path[len(self._tree) :], test.partition("[")[0]
        self.stand_ins.begun(path, test)

    def look_on(self, path: str, test: str, *, is_over: bool = False) -> None:
        """Note whether a test, of which this is called now and then, took the recorder away; look on."""
        is_gone = self._is_gone or sys.getprofile() != self._saw
        if path.startswith(self._tree):
            path = path[len(self._tree) :]
            if is_over:
                self._now = None
                self.stand_ins.ended(path, test)
            if is_gone:
                self.blinded.add((path, test))
        self.start()

    def stop(self) -> None:
        """Look no more; what is still open has no end."""
        for call in self._open.values():
            if call.key in self.calls:
                self.calls[call.key]["outcome"] = "unseen"
        sys.setprofile(None)
        threading.setprofile(None)

    def _saw(self, frame: FrameType, event: str, argument: object) -> None:
        # It is called for all that the runner does, too: what is none of the tree's has to be quick.
        if event == "call":
            code = frame.f_code
            if code in self.stubs.codes:
                self.stubs.called(frame)
                return
            if code.co_filename in self._others:
                return
            if not code.co_filename.startswith(self._tree) or code.co_filename in self._tests:
                if not code.co_filename.endswith(_MOCK) or self.stand_ins.watch():
                    self._others.add(code.co_filename)
                return
            if (code.co_flags & _RUNS_LATER and not begins(frame)) or self._helps_tests(frame):
                return
            found = self._function(frame)
            is_read = found is not None and self._called(frame, *found)
            if not is_read and self._is_direct(frame):
                caller = self._caller(frame)
                if caller and not (found and self._note_stubs(frame, *found, caller)):
                    self.unread.add(caller)
        elif event == "return":
            if frame in self.stubs.open:
                self.stubs.ended(frame, argument)
            elif frame in self._open:
                self._ended(frame, argument)
        elif event == "c_call" and argument is _SET:
            self._is_gone = True

    def _function(self, frame: FrameType) -> tuple[str, int] | None:
        """The name by which its module has a function, and how many others wrap it there."""
        code = frame.f_code
        if code in self._known:
            return self._known[code]
        is_none = code.co_name.startswith("<") and code.co_name != "<lambda>"
        if is_none:
            self._known[code] = None
            return None
        self._tries[code] = self._tries.get(code, 0) + 1
        names = frame.f_globals
        for name in (code.co_name, *[one for one in names if isinstance(one, str)]):
            for depth, one in enumerate(chain(names.get(name))):
                if attribute(one, "__code__") is code:
                    self._known[code] = (name, depth)
                    return self._known[code]
        for depth, one in enumerate(method(type(owner_of(frame)), code.co_name)):
            if attribute(one, "__code__") is code:
                self._known[code] = (OF_A_CLASS, depth)
                return self._known[code]
        if class_of(frame) is not None:
            self._known[code] = (OF_THE_CLASS, 0)
            return self._known[code]
        if self._tries[code] >= _TRIES:
            self._known[code] = None
        return None

    def _called(self, frame: FrameType, name: str, depth: int) -> bool:
        """Note a call; False where what it is called with cannot be read."""
        seen = self._seen[frame.f_code] = self._seen.get(frame.f_code, 0) + 1
        if seen > _MOST_SEEN:
            return False
        first = bound(frame, name)
        module, name, functions, owner = place_of(frame, name)
        before, made = "", ""
        if owner is not None:
            before = state_of(owner)
            known = [attribute(one, "__code__") for one in functions]
            is_own = "<" not in name and known[depth : depth + 1] == [frame.f_code]
            made = self._made_of(owner, frame)
            if not is_own or not (before or made):
                return False  # of one that overrides it, the inner one's call is none of its own
        given = called_with(frame, functions[depth], first, owner)
        if given and made and not before:
            given = (*given[:2], {MADE: read(made)})
        arguments = literal(given) if given else None
        if given is None or arguments is None or not isinstance(module, str):
            return False
        if owner is not None and frame.f_code.co_name == "__init__":
            self._note_made(owner, given, frame)
        key = (module, name, str(depth), arguments)
        if key not in self.calls:
            caller = self._caller(frame) or self._other_caller(frame, key)
            if caller is None or not self._has_room(name):
                return True
            told = {"module": module, "name": name, "depth": depth, "arguments": arguments}
            self.calls[key] = {**told, "path": caller[0], "test": caller[1], "outcome": ""}
        elif key in self._of_others and (caller := self._caller(frame)):
            self._of_others.discard(key)  # it is a wanted test's, too
            self.calls[key].update(path=caller[0], test=caller[1])
        if self._is_direct(frame):
            self.calls[key]["direct"] = True
        kind = _LATER.get(frame.f_code.co_flags & _RUNS_LATER)
        if kind:
            called = getattr(functions[depth], "__qualname__", "")
            self.calls[key]["outcome"] = f"returned {kind} <{kind} object {called} at 0x…>"
        else:
            changing = Given((*given[0], *given[1].values()), owner)
            self._open[frame] = _Open(key, owner, before, changing)
        return True

    def _note_stubs(self, frame: FrameType, name: str, depth: int, place: tuple[str, str]) -> bool:
        """Note a call of a test that is given functions of it; False for others."""
        first = bound(frame, name)
        module, name, functions, owner = place_of(frame, name)
        is_known = "<" not in name and isinstance(module, str)
        if is_known and functions[depth : depth + 1]:
            given = called_with(frame, functions[depth], first)
            if given is not None:
                return self.stubs.note((str(module), name, depth), given, owner, place)
        return False

    def _note_made(self, owner: object, given: tuple[Any, ...], frame: FrameType) -> None:
        """Note what a test makes an object of."""
        of = literal(given[:2]) if plain_kind(type(owner)) is None else None
        if of and len(self._made) < _MOST_MADE and self._is_direct(frame):
            with contextlib.suppress(TypeError):  # not every object can be referred to
                self._made[id(owner)] = weakref.ref(owner), of

    def _made_of(self, owner: object, frame: FrameType) -> str:
        """What a test made an object of that it calls for the first time; "" for others."""
        if id(owner) not in self._made or not self._is_direct(frame):
            return ""
        reference, of = self._made.pop(id(owner))
        return of if reference() is owner else ""

    def _has_room(self, name: str) -> bool:
        """Tell whether one more call can be kept; one of the function with the most gives way to others'."""
        if len(self.calls) < MOST_CALLS:
            return True
        counts = Counter(one["name"] for one in self.calls.values())
        most, count = counts.most_common(1)[0]
        if counts[name] + 1 >= count:
            return False
        del self.calls[[key for key, one in self.calls.items() if one["name"] == most][-1]]
        return True

    def _is_direct(self, frame: FrameType) -> bool:
        """Tell whether a call of the tree's code has, as the next of the tree above it, one of a test."""
        if frame.f_code.co_name == "<module>":
            return False
        above, height = frame.f_back, 0
        while above is not None and height < _HIGHEST:
            file = above.f_code.co_filename
            if file in self._tests:
                return True
            if file.startswith(self._tree) and not self._helps_tests(above):
                return False
            above, height = above.f_back, height + 1
        return False

    def _helps_tests(self, frame: FrameType) -> bool:
        """Tell whether it is a method of a test case, which a package may bring for its own tests."""
        code = frame.f_code
        if code not in self._helpers:
            kind = getattr(sys.modules.get("unittest.case"), "TestCase", None)
            is_method = code.co_argcount > 0 and code.co_varnames[0] == "self"
            owner = frame.f_locals.get("self") if is_method else None
            self._helpers[code] = isinstance(kind, type) and isinstance(owner, kind)
        return self._helpers[code]

    def _caller(self, frame: FrameType) -> tuple[str, str] | None:
        """The outermost function of a test file that is on the stack, where it is a wanted test.

        In another thread it is the test that runs.
        """
        found = self._in_tests(frame)
        if found is None:
            return None
        name = found[1]
        if name not in self._is_wanted:
            self._is_wanted[name] = any(is_of_test(name, test) for test in self._wanted)
        return found if self._is_wanted[name] else None

    def _other_caller(self, frame: FrameType, key: tuple[str, ...]) -> tuple[str, str] | None:
        """The same of any other test, where it calls what is touched and there is room."""
        is_touched = key[1].rpartition(".")[2] in self._touched
        if not is_touched or len(self._of_others) >= _MOST_OF_OTHERS:
            return None
        found = self._in_tests(frame)
        self._of_others.update([key] if found else [])
        return found

    def _in_tests(self, frame: FrameType) -> tuple[str, str] | None:
        if threading.get_ident() != self._home:
            return self._now
        found: tuple[str, str] | None = None
        above, height = frame.f_back, 0
        while above is not None and height < _HIGHEST:
            code = above.f_code
            if code.co_filename in self._tests and not code.co_name.startswith("<"):
                found = (code.co_filename[len(self._tree) :], code.co_name)
            above, height = above.f_back, height + 1
        return found

    def _ended(self, frame: FrameType, argument: object) -> None:
        call = self._open.pop(frame)
        told = self.calls.get(call.key)
        if told is None:  # it gave way
            return
        last = frame.f_code.co_code[frame.f_lasti]
        is_raised = argument is None and not opcode.opname[last].startswith("RETURN")
        if is_raised:
            outcome = "raised"
        else:
            outcome = (
                returned(argument)
                if call.owner is None
                else returned_by(argument, call.owner, call.before)
            ) + call.given.left(argument)
        if told["outcome"] not in ("", outcome):
            outcome = "unsteady"
        told["outcome"] = outcome
